; No main.
define i64 @other() {
  ret i64 0
}
