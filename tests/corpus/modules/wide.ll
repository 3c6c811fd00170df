; ModuleID = 'c/wide.c'
source_filename = "c/wide.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.atomic_flag = type { i8 }

@.str = private unnamed_addr constant [2 x i8] c"\0A\00", align 1
@.str.1 = private unnamed_addr constant [7 x i8] c"%d %d\0A\00", align 1
@.str.2 = private unnamed_addr constant [12 x i8] c"%a %a %lld\0A\00", align 1
@.str.3 = private unnamed_addr constant [13 x i8] c"%d %d %d %d\0A\00", align 1
@.str.4 = private unnamed_addr constant [12 x i8] c"%llx %x %x\0A\00", align 1
@atomic_counter = internal global i32 0, align 4
@atomic_word = internal global i64 5, align 8
@flag = internal global %struct.atomic_flag zeroinitializer, align 1
@.str.5 = private unnamed_addr constant [18 x i8] c"%u %llu %d %d %d\0A\00", align 1
@.str.6 = private unnamed_addr constant [21 x i8] c"%lld %lld %lld %lld\0A\00", align 1
@.str.7 = private unnamed_addr constant [4 x i8] c"%s \00", align 1
@.str.8 = private unnamed_addr constant [16 x i8] c"%016llx%016llx \00", align 1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
  %1 = alloca i32, align 4
  %2 = alloca i32, align 4
  %3 = alloca i128, align 16
  %4 = alloca i32, align 4
  %5 = alloca i64, align 8
  %6 = alloca i128, align 16
  %7 = alloca i64, align 8
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i64, align 8
  %12 = alloca i64, align 8
  %13 = alloca i64, align 8
  %14 = alloca i32, align 4
  %15 = alloca i64, align 8
  %16 = alloca i8, align 1
  %17 = alloca i32, align 4
  %18 = alloca i8, align 1
  %19 = alloca i8, align 1
  %20 = alloca i32, align 4
  %21 = alloca i8, align 1
  %22 = alloca i8, align 1
  %23 = alloca i32, align 4
  %24 = alloca i64, align 8
  store i32 0, ptr %1, align 4
  %25 = call i128 @factorial(i32 noundef 33)
  call void @print_decimal(i128 noundef %25)
  %26 = call i128 @factorial(i32 noundef 34)
  call void @print(i128 noundef %26)
  %27 = call i128 @signed_mix(i128 noundef -1267650600228229401496703205376, i128 noundef 12345678901234567)
  call void @print(i128 noundef %27)
  %28 = call i32 (ptr, ...) @printf(ptr noundef @.str)
  store volatile i32 0, ptr %2, align 4
  store i128 94522879700260683060474801574379520, ptr %3, align 16
  store i32 0, ptr %4, align 4
  br label %29

29:                                               ; preds = %53, %0
  %30 = load i32, ptr %4, align 4
  %31 = icmp slt i32 %30, 5
  br i1 %31, label %32, label %59

32:                                               ; preds = %29
  %33 = load volatile i32, ptr %2, align 4
  %34 = urem i32 %33, 128
  %35 = icmp ne i32 %34, 0
  br i1 %35, label %36, label %49

36:                                               ; preds = %32
  %37 = load i128, ptr %3, align 16
  %38 = load volatile i32, ptr %2, align 4
  %39 = urem i32 %38, 128
  %40 = zext i32 %39 to i128
  %41 = shl i128 %37, %40
  %42 = load i128, ptr %3, align 16
  %43 = load volatile i32, ptr %2, align 4
  %44 = urem i32 %43, 128
  %45 = sub i32 128, %44
  %46 = zext i32 %45 to i128
  %47 = lshr i128 %42, %46
  %48 = or i128 %41, %47
  br label %51

49:                                               ; preds = %32
  %50 = load i128, ptr %3, align 16
  br label %51

51:                                               ; preds = %49, %36
  %52 = phi i128 [ %48, %36 ], [ %50, %49 ]
  store i128 %52, ptr %3, align 16
  br label %53

53:                                               ; preds = %51
  %54 = load i32, ptr %4, align 4
  %55 = add nsw i32 %54, 1
  store i32 %55, ptr %4, align 4
  %56 = load volatile i32, ptr %2, align 4
  %57 = mul i32 %56, 2
  %58 = add i32 %57, 13
  store volatile i32 %58, ptr %2, align 4
  br label %29, !llvm.loop !6

59:                                               ; preds = %29
  %60 = load i128, ptr %3, align 16
  call void @print(i128 noundef %60)
  %61 = load volatile i32, ptr %2, align 4
  %62 = zext i32 %61 to i64
  %63 = shl i64 %62, 40
  %64 = load volatile i32, ptr %2, align 4
  %65 = zext i32 %64 to i64
  %66 = shl i64 %65, 30
  %67 = call { i64, i1 } @llvm.smul.with.overflow.i64(i64 %63, i64 %66)
  %68 = extractvalue { i64, i1 } %67, 1
  %69 = extractvalue { i64, i1 } %67, 0
  store i64 %69, ptr %5, align 8
  %70 = zext i1 %68 to i32
  %71 = load volatile i32, ptr %2, align 4
  %72 = zext i32 %71 to i128
  %73 = call { i128, i1 } @llvm.smul.with.overflow.i128(i128 85070591730234615865843651857942052864, i128 %72)
  %74 = extractvalue { i128, i1 } %73, 1
  %75 = extractvalue { i128, i1 } %73, 0
  store i128 %75, ptr %6, align 16
  %76 = zext i1 %74 to i32
  %77 = call i32 (ptr, ...) @printf(ptr noundef @.str.1, i32 noundef %70, i32 noundef %76)
  %78 = call i128 @factorial(i32 noundef 30)
  %79 = uitofp i128 %78 to double
  %80 = call i128 @factorial(i32 noundef 25)
  %81 = sub i128 0, %80
  %82 = sitofp i128 %81 to float
  %83 = fpext float %82 to double
  %84 = call i32 (ptr, ...) @printf(ptr noundef @.str.2, double noundef %79, double noundef %83, i64 noundef 1500000000000000000)
  call void @print(i128 noundef -1000000000000000019884624838656)
  call void @print(i128 noundef -40282366920938451327479205585085267968)
  %85 = call i32 (ptr, ...) @printf(ptr noundef @.str)
  %86 = load volatile i32, ptr %2, align 4
  %87 = zext i32 %86 to i64
  %88 = xor i64 67574008958156800, %87
  store i64 %88, ptr %7, align 8
  %89 = load i64, ptr %7, align 8
  %90 = call i64 @llvm.ctpop.i64(i64 %89)
  %91 = trunc i64 %90 to i32
  %92 = load i64, ptr %7, align 8
  %93 = call i64 @llvm.ctlz.i64(i64 %92, i1 true)
  %94 = trunc i64 %93 to i32
  %95 = load i64, ptr %7, align 8
  %96 = call i64 @llvm.cttz.i64(i64 %95, i1 true)
  %97 = trunc i64 %96 to i32
  %98 = load i64, ptr %7, align 8
  %99 = call i64 @llvm.ctpop.i64(i64 %98)
  %100 = and i64 %99, 1
  %101 = trunc i64 %100 to i32
  %102 = call i32 (ptr, ...) @printf(ptr noundef @.str.3, i32 noundef %91, i32 noundef %94, i32 noundef %97, i32 noundef %101)
  %103 = load i64, ptr %7, align 8
  %104 = call i64 @llvm.bswap.i64(i64 %103)
  %105 = load volatile i32, ptr %2, align 4
  %106 = call i32 @llvm.bswap.i32(i32 %105)
  %107 = call i32 (ptr, ...) @printf(ptr noundef @.str.4, i64 noundef %104, i32 noundef %106, i32 noundef 13330)
  %108 = call i32 @checked(i32 noundef 2147483647, i32 noundef 1)
  %109 = call i32 @checked(i32 noundef 1048576, i32 noundef 1048576)
  %110 = call i32 @checked(i32 noundef -5, i32 noundef 7)
  %111 = call i32 @checked(i32 noundef -2147483643, i32 noundef 0)
  %112 = call i32 (ptr, ...) @printf(ptr noundef @.str.3, i32 noundef %108, i32 noundef %109, i32 noundef %110, i32 noundef %111)
  store i32 0, ptr %8, align 4
  br label %113

113:                                              ; preds = %126, %59
  %114 = load i32, ptr %8, align 4
  %115 = icmp slt i32 %114, 100
  br i1 %115, label %116, label %129

116:                                              ; preds = %113
  store i32 3, ptr %9, align 4
  %117 = load i32, ptr %9, align 4
  %118 = atomicrmw add ptr @atomic_counter, i32 %117 monotonic, align 4
  store i32 %118, ptr %10, align 4
  %119 = load i32, ptr %10, align 4
  %120 = load i32, ptr %8, align 4
  %121 = sext i32 %120 to i64
  %122 = shl i64 %121, 7
  store i64 %122, ptr %11, align 8
  %123 = load i64, ptr %11, align 8
  %124 = atomicrmw xor ptr @atomic_word, i64 %123 seq_cst, align 8
  store i64 %124, ptr %12, align 8
  %125 = load i64, ptr %12, align 8
  br label %126

126:                                              ; preds = %116
  %127 = load i32, ptr %8, align 4
  %128 = add nsw i32 %127, 1
  store i32 %128, ptr %8, align 4
  br label %113, !llvm.loop !8

129:                                              ; preds = %113
  store i64 1, ptr %13, align 8
  store i64 99, ptr %15, align 8
  %130 = load i64, ptr %13, align 8
  %131 = load i64, ptr %15, align 8
  %132 = cmpxchg ptr @atomic_word, i64 %130, i64 %131 seq_cst seq_cst, align 8
  %133 = extractvalue { i64, i1 } %132, 0
  %134 = extractvalue { i64, i1 } %132, 1
  br i1 %134, label %136, label %135

135:                                              ; preds = %129
  store i64 %133, ptr %13, align 8
  br label %136

136:                                              ; preds = %135, %129
  %137 = zext i1 %134 to i8
  store i8 %137, ptr %16, align 1
  %138 = load i8, ptr %16, align 1
  %139 = trunc i8 %138 to i1
  %140 = zext i1 %139 to i32
  store i32 %140, ptr %14, align 4
  fence seq_cst
  store i8 1, ptr %18, align 1
  %141 = load i8, ptr %18, align 1
  %142 = atomicrmw xchg ptr @flag, i8 %141 seq_cst, align 1
  store i8 %142, ptr %19, align 1
  %143 = load i8, ptr %19, align 1
  %144 = trunc i8 %143 to i1
  %145 = zext i1 %144 to i32
  store i32 %145, ptr %17, align 4
  store i8 1, ptr %21, align 1
  %146 = load i8, ptr %21, align 1
  %147 = atomicrmw xchg ptr @flag, i8 %146 seq_cst, align 1
  store i8 %147, ptr %22, align 1
  %148 = load i8, ptr %22, align 1
  %149 = trunc i8 %148 to i1
  %150 = zext i1 %149 to i32
  store i32 %150, ptr %20, align 4
  %151 = load atomic i32, ptr @atomic_counter seq_cst, align 4
  store i32 %151, ptr %23, align 4
  %152 = load i32, ptr %23, align 4
  %153 = load i64, ptr %13, align 8
  %154 = load i32, ptr %14, align 4
  %155 = load i32, ptr %17, align 4
  %156 = load i32, ptr %20, align 4
  %157 = call i32 (ptr, ...) @printf(ptr noundef @.str.5, i32 noundef %152, i64 noundef %153, i32 noundef %154, i32 noundef %155, i32 noundef %156)
  %158 = load volatile i32, ptr %2, align 4
  %159 = zext i32 %158 to i64
  %160 = sub nsw i64 0, %159
  store i64 %160, ptr %24, align 8
  %161 = load i64, ptr %24, align 8
  %162 = sdiv i64 %161, 16
  %163 = load i64, ptr %24, align 8
  %164 = srem i64 %163, 16
  %165 = load i64, ptr %24, align 8
  %166 = ashr i64 %165, 4
  %167 = load i64, ptr %24, align 8
  %168 = lshr i64 %167, 60
  %169 = call i32 (ptr, ...) @printf(ptr noundef @.str.6, i64 noundef %162, i64 noundef %164, i64 noundef %166, i64 noundef %168)
  ret i32 0
}

; Function Attrs: noinline nounwind optnone uwtable
define internal void @print_decimal(i128 noundef %0) #0 {
  %2 = alloca i128, align 16
  %3 = alloca [48 x i8], align 16
  %4 = alloca ptr, align 8
  store i128 %0, ptr %2, align 16
  %5 = getelementptr inbounds [48 x i8], ptr %3, i64 0, i64 0
  %6 = getelementptr inbounds nuw i8, ptr %5, i64 48
  store ptr %6, ptr %4, align 8
  %7 = load ptr, ptr %4, align 8
  %8 = getelementptr inbounds i8, ptr %7, i32 -1
  store ptr %8, ptr %4, align 8
  store i8 0, ptr %8, align 1
  br label %9

9:                                                ; preds = %19, %1
  %10 = load i128, ptr %2, align 16
  %11 = urem i128 %10, 10
  %12 = trunc i128 %11 to i32
  %13 = add nsw i32 48, %12
  %14 = trunc i32 %13 to i8
  %15 = load ptr, ptr %4, align 8
  %16 = getelementptr inbounds i8, ptr %15, i32 -1
  store ptr %16, ptr %4, align 8
  store i8 %14, ptr %16, align 1
  %17 = load i128, ptr %2, align 16
  %18 = udiv i128 %17, 10
  store i128 %18, ptr %2, align 16
  br label %19

19:                                               ; preds = %9
  %20 = load i128, ptr %2, align 16
  %21 = icmp ne i128 %20, 0
  br i1 %21, label %9, label %22, !llvm.loop !9

22:                                               ; preds = %19
  %23 = load ptr, ptr %4, align 8
  %24 = call i32 (ptr, ...) @printf(ptr noundef @.str.7, ptr noundef %23)
  ret void
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i128 @factorial(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  %4 = icmp slt i32 %3, 2
  br i1 %4, label %5, label %6

5:                                                ; preds = %1
  br label %13

6:                                                ; preds = %1
  %7 = load i32, ptr %2, align 4
  %8 = sext i32 %7 to i128
  %9 = load i32, ptr %2, align 4
  %10 = sub nsw i32 %9, 1
  %11 = call i128 @factorial(i32 noundef %10)
  %12 = mul i128 %8, %11
  br label %13

13:                                               ; preds = %6, %5
  %14 = phi i128 [ 1, %5 ], [ %12, %6 ]
  ret i128 %14
}

; Function Attrs: noinline nounwind optnone uwtable
define internal void @print(i128 noundef %0) #0 {
  %2 = alloca i128, align 16
  store i128 %0, ptr %2, align 16
  %3 = load i128, ptr %2, align 16
  %4 = lshr i128 %3, 64
  %5 = trunc i128 %4 to i64
  %6 = load i128, ptr %2, align 16
  %7 = trunc i128 %6 to i64
  %8 = call i32 (ptr, ...) @printf(ptr noundef @.str.8, i64 noundef %5, i64 noundef %7)
  ret void
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i128 @signed_mix(i128 noundef %0, i128 noundef %1) #0 {
  %3 = alloca i128, align 16
  %4 = alloca i128, align 16
  store i128 %0, ptr %3, align 16
  store i128 %1, ptr %4, align 16
  %5 = load i128, ptr %3, align 16
  %6 = load i128, ptr %4, align 16
  %7 = sdiv i128 %5, %6
  %8 = mul nsw i128 %7, 7
  %9 = load i128, ptr %3, align 16
  %10 = load i128, ptr %4, align 16
  %11 = srem i128 %9, %10
  %12 = sub nsw i128 %8, %11
  %13 = load i128, ptr %3, align 16
  %14 = ashr i128 %13, 3
  %15 = add nsw i128 %12, %14
  %16 = load i128, ptr %4, align 16
  %17 = shl i128 %16, 2
  %18 = sub nsw i128 %15, %17
  ret i128 %18
}

declare i32 @printf(ptr noundef, ...) #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare { i64, i1 } @llvm.smul.with.overflow.i64(i64, i64) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare { i128, i1 } @llvm.smul.with.overflow.i128(i128, i128) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.ctpop.i64(i64) #2

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.ctlz.i64(i64, i1 immarg) #3

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.cttz.i64(i64, i1 immarg) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i64 @llvm.bswap.i64(i64) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.bswap.i32(i32) #2

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @checked(i32 noundef %0, i32 noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  store i32 %0, ptr %4, align 4
  store i32 %1, ptr %5, align 4
  %7 = load i32, ptr %4, align 4
  %8 = load i32, ptr %5, align 4
  %9 = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %7, i32 %8)
  %10 = extractvalue { i32, i1 } %9, 1
  %11 = extractvalue { i32, i1 } %9, 0
  store i32 %11, ptr %6, align 4
  br i1 %10, label %12, label %13

12:                                               ; preds = %2
  store i32 -1, ptr %3, align 4
  br label %29

13:                                               ; preds = %2
  %14 = load i32, ptr %4, align 4
  %15 = load i32, ptr %5, align 4
  %16 = call { i32, i1 } @llvm.smul.with.overflow.i32(i32 %14, i32 %15)
  %17 = extractvalue { i32, i1 } %16, 1
  %18 = extractvalue { i32, i1 } %16, 0
  store i32 %18, ptr %6, align 4
  br i1 %17, label %19, label %20

19:                                               ; preds = %13
  store i32 -2, ptr %3, align 4
  br label %29

20:                                               ; preds = %13
  %21 = load i32, ptr %4, align 4
  %22 = load i32, ptr %5, align 4
  %23 = call { i32, i1 } @llvm.ssub.with.overflow.i32(i32 %21, i32 %22)
  %24 = extractvalue { i32, i1 } %23, 1
  %25 = extractvalue { i32, i1 } %23, 0
  store i32 %25, ptr %6, align 4
  br i1 %24, label %26, label %27

26:                                               ; preds = %20
  store i32 -3, ptr %3, align 4
  br label %29

27:                                               ; preds = %20
  %28 = load i32, ptr %6, align 4
  store i32 %28, ptr %3, align 4
  br label %29

29:                                               ; preds = %27, %26, %19, %12
  %30 = load i32, ptr %3, align 4
  ret i32 %30
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare { i32, i1 } @llvm.smul.with.overflow.i32(i32, i32) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare { i32, i1 } @llvm.ssub.with.overflow.i32(i32, i32) #2

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.module.flags = !{!0, !1, !2, !3, !4}
!llvm.ident = !{!5}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{i32 7, !"frame-pointer", i32 2}
!5 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!6 = distinct !{!6, !7}
!7 = !{!"llvm.loop.mustprogress"}
!8 = distinct !{!8, !7}
!9 = distinct !{!9, !7}
