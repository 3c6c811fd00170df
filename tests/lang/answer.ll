; A module whose main gives its result.
define i64 @main() {
  ret i64 42
}
