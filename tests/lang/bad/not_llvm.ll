; Not LLVM IR.
define i64 @main( { ret }
