; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; The number of primes below 182, by trial: 42. No library function, so that each tool runs it as it is.
define internal i1 @is_prime(i64 %n) {
entry:
  br label %test
test:
  %d = phi i64 [ 2, %entry ], [ %e, %next ]
  %square = mul i64 %d, %d
  %over = icmp ugt i64 %square, %n
  br i1 %over, label %prime, label %try
try:
  %r = urem i64 %n, %d
  %divides = icmp eq i64 %r, 0
  br i1 %divides, label %no, label %next
next:
  %e = add i64 %d, 1
  br label %test
prime:
  ret i1 true
no:
  ret i1 false
}

define i64 @main() {
entry:
  br label %test
test:
  %n = phi i64 [ 2, %entry ], [ %m, %test ]
  %count = phi i64 [ 0, %entry ], [ %sum, %test ]
  %is = call i1 @is_prime(i64 %n)
  %one = zext i1 %is to i64
  %sum = add i64 %count, %one
  %m = add i64 %n, 1
  %more = icmp ult i64 %m, 182
  br i1 %more, label %test, label %done
done:
  ret i64 %sum
}
