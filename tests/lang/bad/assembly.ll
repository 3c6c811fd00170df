; Inline assembly that no assembler takes.
define i64 @main() {
  call void asm sideeffect "this is not an instruction", ""()
  ret i64 0
}
