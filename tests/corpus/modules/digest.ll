; ModuleID = 'c/digest.c'
source_filename = "c/digest.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.digest = type { [8 x i32], [64 x i8], i64 }

@.str = private unnamed_addr constant [6 x i8] c"empty\00", align 1
@.str.1 = private unnamed_addr constant [4 x i8] c"abc\00", align 1
@.str.2 = private unnamed_addr constant [2 x i8] c"a\00", align 1
@.str.3 = private unnamed_addr constant [5 x i8] c"many\00", align 1
@first_words = internal global [8 x i32] zeroinitializer, align 16
@round_constants = internal global [64 x i32] zeroinitializer, align 16
@.str.4 = private unnamed_addr constant [4 x i8] c"%s \00", align 1
@.str.5 = private unnamed_addr constant [5 x i8] c"%08x\00", align 1
@.str.6 = private unnamed_addr constant [2 x i8] c"\0A\00", align 1
@.str.7 = private unnamed_addr constant [2 x i8] c"\80\00", align 1
@.str.8 = private unnamed_addr constant [1 x i8] zeroinitializer, align 1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
  %1 = alloca i32, align 4
  %2 = alloca %struct.digest, align 8
  %3 = alloca %struct.digest, align 8
  %4 = alloca %struct.digest, align 8
  %5 = alloca i32, align 4
  store i32 0, ptr %1, align 4
  call void @make_constants()
  call void @start(ptr dead_on_unwind writable sret(%struct.digest) align 8 %2)
  call void @print(ptr noundef @.str, ptr noundef %2)
  call void @start(ptr dead_on_unwind writable sret(%struct.digest) align 8 %3)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %2, ptr align 8 %3, i64 104, i1 false)
  call void @add(ptr noundef %2, ptr noundef @.str.1, i64 noundef 3)
  call void @print(ptr noundef @.str.1, ptr noundef %2)
  call void @start(ptr dead_on_unwind writable sret(%struct.digest) align 8 %4)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %2, ptr align 8 %4, i64 104, i1 false)
  store i32 0, ptr %5, align 4
  br label %6

6:                                                ; preds = %10, %0
  %7 = load i32, ptr %5, align 4
  %8 = icmp slt i32 %7, 10000
  br i1 %8, label %9, label %13

9:                                                ; preds = %6
  call void @add(ptr noundef %2, ptr noundef @.str.2, i64 noundef 1)
  br label %10

10:                                               ; preds = %9
  %11 = load i32, ptr %5, align 4
  %12 = add nsw i32 %11, 1
  store i32 %12, ptr %5, align 4
  br label %6, !llvm.loop !6

13:                                               ; preds = %6
  call void @print(ptr noundef @.str.3, ptr noundef %2)
  ret i32 0
}

; Function Attrs: noinline nounwind optnone uwtable
define internal void @make_constants() #0 {
  %1 = alloca i32, align 4
  %2 = alloca i32, align 4
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  store i32 0, ptr %1, align 4
  store i32 2, ptr %2, align 4
  br label %5

5:                                                ; preds = %46, %0
  %6 = load i32, ptr %1, align 4
  %7 = icmp ult i32 %6, 64
  br i1 %7, label %8, label %49

8:                                                ; preds = %5
  store i32 1, ptr %3, align 4
  store i32 2, ptr %4, align 4
  br label %9

9:                                                ; preds = %23, %8
  %10 = load i32, ptr %4, align 4
  %11 = load i32, ptr %4, align 4
  %12 = mul i32 %10, %11
  %13 = load i32, ptr %2, align 4
  %14 = icmp ule i32 %12, %13
  br i1 %14, label %15, label %26

15:                                               ; preds = %9
  %16 = load i32, ptr %2, align 4
  %17 = load i32, ptr %4, align 4
  %18 = urem i32 %16, %17
  %19 = icmp ne i32 %18, 0
  %20 = zext i1 %19 to i32
  %21 = load i32, ptr %3, align 4
  %22 = and i32 %21, %20
  store i32 %22, ptr %3, align 4
  br label %23

23:                                               ; preds = %15
  %24 = load i32, ptr %4, align 4
  %25 = add i32 %24, 1
  store i32 %25, ptr %4, align 4
  br label %9, !llvm.loop !8

26:                                               ; preds = %9
  %27 = load i32, ptr %3, align 4
  %28 = icmp ne i32 %27, 0
  br i1 %28, label %30, label %29

29:                                               ; preds = %26
  br label %46

30:                                               ; preds = %26
  %31 = load i32, ptr %1, align 4
  %32 = icmp ult i32 %31, 8
  br i1 %32, label %33, label %39

33:                                               ; preds = %30
  %34 = load i32, ptr %2, align 4
  %35 = call i32 @root_bits(i32 noundef %34, i32 noundef 0)
  %36 = load i32, ptr %1, align 4
  %37 = zext i32 %36 to i64
  %38 = getelementptr inbounds nuw [8 x i32], ptr @first_words, i64 0, i64 %37
  store i32 %35, ptr %38, align 4
  br label %39

39:                                               ; preds = %33, %30
  %40 = load i32, ptr %2, align 4
  %41 = call i32 @root_bits(i32 noundef %40, i32 noundef 1)
  %42 = load i32, ptr %1, align 4
  %43 = add i32 %42, 1
  store i32 %43, ptr %1, align 4
  %44 = zext i32 %42 to i64
  %45 = getelementptr inbounds nuw [64 x i32], ptr @round_constants, i64 0, i64 %44
  store i32 %41, ptr %45, align 4
  br label %46

46:                                               ; preds = %39, %29
  %47 = load i32, ptr %2, align 4
  %48 = add i32 %47, 1
  store i32 %48, ptr %2, align 4
  br label %5, !llvm.loop !9

49:                                               ; preds = %5
  ret void
}

; Function Attrs: noinline nounwind optnone uwtable
define internal void @start(ptr dead_on_unwind noalias writable sret(%struct.digest) align 8 %0) #0 {
  call void @llvm.memset.p0.i64(ptr align 8 %0, i8 0, i64 104, i1 false)
  %2 = getelementptr inbounds nuw %struct.digest, ptr %0, i32 0, i32 0
  %3 = getelementptr inbounds [8 x i32], ptr %2, i64 0, i64 0
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %3, ptr align 16 @first_words, i64 32, i1 false)
  ret void
}

; Function Attrs: noinline nounwind optnone uwtable
define internal void @print(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %6 = load ptr, ptr %4, align 8
  call void @finish(ptr noundef %6)
  %7 = load ptr, ptr %3, align 8
  %8 = call i32 (ptr, ...) @printf(ptr noundef @.str.4, ptr noundef %7)
  store i32 0, ptr %5, align 4
  br label %9

9:                                                ; preds = %20, %2
  %10 = load i32, ptr %5, align 4
  %11 = icmp slt i32 %10, 8
  br i1 %11, label %12, label %23

12:                                               ; preds = %9
  %13 = load ptr, ptr %4, align 8
  %14 = getelementptr inbounds nuw %struct.digest, ptr %13, i32 0, i32 0
  %15 = load i32, ptr %5, align 4
  %16 = sext i32 %15 to i64
  %17 = getelementptr inbounds [8 x i32], ptr %14, i64 0, i64 %16
  %18 = load i32, ptr %17, align 4
  %19 = call i32 (ptr, ...) @printf(ptr noundef @.str.5, i32 noundef %18)
  br label %20

20:                                               ; preds = %12
  %21 = load i32, ptr %5, align 4
  %22 = add nsw i32 %21, 1
  store i32 %22, ptr %5, align 4
  br label %9, !llvm.loop !10

23:                                               ; preds = %9
  %24 = call i32 (ptr, ...) @printf(ptr noundef @.str.6)
  ret void
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #1

; Function Attrs: noinline nounwind optnone uwtable
define internal void @add(ptr noundef %0, ptr noundef %1, i64 noundef %2) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %8 = load ptr, ptr %5, align 8
  store ptr %8, ptr %7, align 8
  br label %9

9:                                                ; preds = %32, %3
  %10 = load i64, ptr %6, align 8
  %11 = add i64 %10, -1
  store i64 %11, ptr %6, align 8
  %12 = icmp ugt i64 %10, 0
  br i1 %12, label %13, label %35

13:                                               ; preds = %9
  %14 = load ptr, ptr %7, align 8
  %15 = load i8, ptr %14, align 1
  %16 = load ptr, ptr %4, align 8
  %17 = getelementptr inbounds nuw %struct.digest, ptr %16, i32 0, i32 1
  %18 = load ptr, ptr %4, align 8
  %19 = getelementptr inbounds nuw %struct.digest, ptr %18, i32 0, i32 2
  %20 = load i64, ptr %19, align 8
  %21 = add i64 %20, 1
  store i64 %21, ptr %19, align 8
  %22 = urem i64 %20, 64
  %23 = getelementptr inbounds nuw [64 x i8], ptr %17, i64 0, i64 %22
  store i8 %15, ptr %23, align 1
  %24 = load ptr, ptr %4, align 8
  %25 = getelementptr inbounds nuw %struct.digest, ptr %24, i32 0, i32 2
  %26 = load i64, ptr %25, align 8
  %27 = urem i64 %26, 64
  %28 = icmp eq i64 %27, 0
  br i1 %28, label %29, label %31

29:                                               ; preds = %13
  %30 = load ptr, ptr %4, align 8
  call void @mix(ptr noundef %30)
  br label %31

31:                                               ; preds = %29, %13
  br label %32

32:                                               ; preds = %31
  %33 = load ptr, ptr %7, align 8
  %34 = getelementptr inbounds nuw i8, ptr %33, i32 1
  store ptr %34, ptr %7, align 8
  br label %9, !llvm.loop !11

35:                                               ; preds = %9
  ret void
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @root_bits(i32 noundef %0, i32 noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i128, align 16
  %9 = alloca i32, align 4
  store i32 %0, ptr %3, align 4
  store i32 %1, ptr %4, align 4
  store i64 0, ptr %5, align 8
  store i64 68719476736, ptr %6, align 8
  br label %10

10:                                               ; preds = %54, %2
  %11 = load i64, ptr %6, align 8
  %12 = load i64, ptr %5, align 8
  %13 = sub i64 %11, %12
  %14 = icmp ugt i64 %13, 1
  br i1 %14, label %15, label %55

15:                                               ; preds = %10
  %16 = load i64, ptr %5, align 8
  %17 = load i64, ptr %6, align 8
  %18 = load i64, ptr %5, align 8
  %19 = sub i64 %17, %18
  %20 = udiv i64 %19, 2
  %21 = add i64 %16, %20
  store i64 %21, ptr %7, align 8
  %22 = load i64, ptr %7, align 8
  %23 = zext i64 %22 to i128
  %24 = load i64, ptr %7, align 8
  %25 = zext i64 %24 to i128
  %26 = mul i128 %23, %25
  store i128 %26, ptr %8, align 16
  %27 = load i32, ptr %4, align 4
  %28 = icmp ne i32 %27, 0
  br i1 %28, label %29, label %39

29:                                               ; preds = %15
  %30 = load i128, ptr %8, align 16
  %31 = load i64, ptr %7, align 8
  %32 = zext i64 %31 to i128
  %33 = mul i128 %30, %32
  %34 = load i32, ptr %3, align 4
  %35 = zext i32 %34 to i128
  %36 = shl i128 %35, 96
  %37 = icmp ule i128 %33, %36
  %38 = zext i1 %37 to i32
  br label %46

39:                                               ; preds = %15
  %40 = load i128, ptr %8, align 16
  %41 = load i32, ptr %3, align 4
  %42 = zext i32 %41 to i128
  %43 = shl i128 %42, 64
  %44 = icmp ule i128 %40, %43
  %45 = zext i1 %44 to i32
  br label %46

46:                                               ; preds = %39, %29
  %47 = phi i32 [ %38, %29 ], [ %45, %39 ]
  store i32 %47, ptr %9, align 4
  %48 = load i32, ptr %9, align 4
  %49 = icmp ne i32 %48, 0
  br i1 %49, label %50, label %52

50:                                               ; preds = %46
  %51 = load i64, ptr %7, align 8
  store i64 %51, ptr %5, align 8
  br label %54

52:                                               ; preds = %46
  %53 = load i64, ptr %7, align 8
  store i64 %53, ptr %6, align 8
  br label %54

54:                                               ; preds = %52, %50
  br label %10, !llvm.loop !12

55:                                               ; preds = %10
  %56 = load i64, ptr %5, align 8
  %57 = trunc i64 %56 to i32
  ret i32 %57
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #2

; Function Attrs: noinline nounwind optnone uwtable
define internal void @finish(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca [8 x i8], align 1
  %5 = alloca i32, align 4
  store ptr %0, ptr %2, align 8
  %6 = load ptr, ptr %2, align 8
  %7 = getelementptr inbounds nuw %struct.digest, ptr %6, i32 0, i32 2
  %8 = load i64, ptr %7, align 8
  %9 = mul i64 %8, 8
  store i64 %9, ptr %3, align 8
  %10 = load ptr, ptr %2, align 8
  call void @add(ptr noundef %10, ptr noundef @.str.7, i64 noundef 1)
  br label %11

11:                                               ; preds = %17, %1
  %12 = load ptr, ptr %2, align 8
  %13 = getelementptr inbounds nuw %struct.digest, ptr %12, i32 0, i32 2
  %14 = load i64, ptr %13, align 8
  %15 = urem i64 %14, 64
  %16 = icmp ne i64 %15, 56
  br i1 %16, label %17, label %19

17:                                               ; preds = %11
  %18 = load ptr, ptr %2, align 8
  call void @add(ptr noundef %18, ptr noundef @.str.8, i64 noundef 1)
  br label %11, !llvm.loop !13

19:                                               ; preds = %11
  store i32 0, ptr %5, align 4
  br label %20

20:                                               ; preds = %34, %19
  %21 = load i32, ptr %5, align 4
  %22 = icmp slt i32 %21, 8
  br i1 %22, label %23, label %37

23:                                               ; preds = %20
  %24 = load i64, ptr %3, align 8
  %25 = load i32, ptr %5, align 4
  %26 = mul nsw i32 8, %25
  %27 = sub nsw i32 56, %26
  %28 = zext i32 %27 to i64
  %29 = lshr i64 %24, %28
  %30 = trunc i64 %29 to i8
  %31 = load i32, ptr %5, align 4
  %32 = sext i32 %31 to i64
  %33 = getelementptr inbounds [8 x i8], ptr %4, i64 0, i64 %32
  store i8 %30, ptr %33, align 1
  br label %34

34:                                               ; preds = %23
  %35 = load i32, ptr %5, align 4
  %36 = add nsw i32 %35, 1
  store i32 %36, ptr %5, align 4
  br label %20, !llvm.loop !14

37:                                               ; preds = %20
  %38 = load ptr, ptr %2, align 8
  %39 = getelementptr inbounds [8 x i8], ptr %4, i64 0, i64 0
  call void @add(ptr noundef %38, ptr noundef %39, i64 noundef 8)
  ret void
}

declare i32 @printf(ptr noundef, ...) #3

; Function Attrs: noinline nounwind optnone uwtable
define internal void @mix(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca [64 x i32], align 16
  %4 = alloca [8 x i32], align 16
  %5 = alloca i32, align 4
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  %14 = alloca i32, align 4
  %15 = alloca i32, align 4
  store ptr %0, ptr %2, align 8
  store i32 0, ptr %5, align 4
  br label %16

16:                                               ; preds = %52, %1
  %17 = load i32, ptr %5, align 4
  %18 = icmp slt i32 %17, 16
  br i1 %18, label %19, label %55

19:                                               ; preds = %16
  %20 = load ptr, ptr %2, align 8
  %21 = getelementptr inbounds nuw %struct.digest, ptr %20, i32 0, i32 1
  %22 = getelementptr inbounds [64 x i8], ptr %21, i64 0, i64 0
  %23 = load i32, ptr %5, align 4
  %24 = mul nsw i32 4, %23
  %25 = sext i32 %24 to i64
  %26 = getelementptr inbounds i8, ptr %22, i64 %25
  store ptr %26, ptr %6, align 8
  %27 = load ptr, ptr %6, align 8
  %28 = getelementptr inbounds i8, ptr %27, i64 0
  %29 = load i8, ptr %28, align 1
  %30 = zext i8 %29 to i32
  %31 = shl i32 %30, 24
  %32 = load ptr, ptr %6, align 8
  %33 = getelementptr inbounds i8, ptr %32, i64 1
  %34 = load i8, ptr %33, align 1
  %35 = zext i8 %34 to i32
  %36 = shl i32 %35, 16
  %37 = or i32 %31, %36
  %38 = load ptr, ptr %6, align 8
  %39 = getelementptr inbounds i8, ptr %38, i64 2
  %40 = load i8, ptr %39, align 1
  %41 = zext i8 %40 to i32
  %42 = shl i32 %41, 8
  %43 = or i32 %37, %42
  %44 = load ptr, ptr %6, align 8
  %45 = getelementptr inbounds i8, ptr %44, i64 3
  %46 = load i8, ptr %45, align 1
  %47 = zext i8 %46 to i32
  %48 = or i32 %43, %47
  %49 = load i32, ptr %5, align 4
  %50 = sext i32 %49 to i64
  %51 = getelementptr inbounds [64 x i32], ptr %3, i64 0, i64 %50
  store i32 %48, ptr %51, align 4
  br label %52

52:                                               ; preds = %19
  %53 = load i32, ptr %5, align 4
  %54 = add nsw i32 %53, 1
  store i32 %54, ptr %5, align 4
  br label %16, !llvm.loop !15

55:                                               ; preds = %16
  store i32 16, ptr %7, align 4
  br label %56

56:                                               ; preds = %102, %55
  %57 = load i32, ptr %7, align 4
  %58 = icmp slt i32 %57, 64
  br i1 %58, label %59, label %105

59:                                               ; preds = %56
  %60 = load i32, ptr %7, align 4
  %61 = sub nsw i32 %60, 15
  %62 = sext i32 %61 to i64
  %63 = getelementptr inbounds [64 x i32], ptr %3, i64 0, i64 %62
  %64 = load i32, ptr %63, align 4
  store i32 %64, ptr %8, align 4
  %65 = load i32, ptr %7, align 4
  %66 = sub nsw i32 %65, 2
  %67 = sext i32 %66 to i64
  %68 = getelementptr inbounds [64 x i32], ptr %3, i64 0, i64 %67
  %69 = load i32, ptr %68, align 4
  store i32 %69, ptr %9, align 4
  %70 = load i32, ptr %7, align 4
  %71 = sub nsw i32 %70, 16
  %72 = sext i32 %71 to i64
  %73 = getelementptr inbounds [64 x i32], ptr %3, i64 0, i64 %72
  %74 = load i32, ptr %73, align 4
  %75 = load i32, ptr %7, align 4
  %76 = sub nsw i32 %75, 7
  %77 = sext i32 %76 to i64
  %78 = getelementptr inbounds [64 x i32], ptr %3, i64 0, i64 %77
  %79 = load i32, ptr %78, align 4
  %80 = add i32 %74, %79
  %81 = load i32, ptr %8, align 4
  %82 = call i32 @rotate(i32 noundef %81, i32 noundef 7)
  %83 = load i32, ptr %8, align 4
  %84 = call i32 @rotate(i32 noundef %83, i32 noundef 18)
  %85 = xor i32 %82, %84
  %86 = load i32, ptr %8, align 4
  %87 = lshr i32 %86, 3
  %88 = xor i32 %85, %87
  %89 = add i32 %80, %88
  %90 = load i32, ptr %9, align 4
  %91 = call i32 @rotate(i32 noundef %90, i32 noundef 17)
  %92 = load i32, ptr %9, align 4
  %93 = call i32 @rotate(i32 noundef %92, i32 noundef 19)
  %94 = xor i32 %91, %93
  %95 = load i32, ptr %9, align 4
  %96 = lshr i32 %95, 10
  %97 = xor i32 %94, %96
  %98 = add i32 %89, %97
  %99 = load i32, ptr %7, align 4
  %100 = sext i32 %99 to i64
  %101 = getelementptr inbounds [64 x i32], ptr %3, i64 0, i64 %100
  store i32 %98, ptr %101, align 4
  br label %102

102:                                              ; preds = %59
  %103 = load i32, ptr %7, align 4
  %104 = add nsw i32 %103, 1
  store i32 %104, ptr %7, align 4
  br label %56, !llvm.loop !16

105:                                              ; preds = %56
  %106 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 0
  %107 = load ptr, ptr %2, align 8
  %108 = getelementptr inbounds nuw %struct.digest, ptr %107, i32 0, i32 0
  %109 = getelementptr inbounds [8 x i32], ptr %108, i64 0, i64 0
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %106, ptr align 8 %109, i64 32, i1 false)
  store i32 0, ptr %10, align 4
  br label %110

110:                                              ; preds = %193, %105
  %111 = load i32, ptr %10, align 4
  %112 = icmp slt i32 %111, 64
  br i1 %112, label %113, label %196

113:                                              ; preds = %110
  %114 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 4
  %115 = load i32, ptr %114, align 16
  %116 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 5
  %117 = load i32, ptr %116, align 4
  %118 = and i32 %115, %117
  %119 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 4
  %120 = load i32, ptr %119, align 16
  %121 = xor i32 %120, -1
  %122 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 6
  %123 = load i32, ptr %122, align 8
  %124 = and i32 %121, %123
  %125 = xor i32 %118, %124
  store i32 %125, ptr %11, align 4
  %126 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 0
  %127 = load i32, ptr %126, align 16
  %128 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 1
  %129 = load i32, ptr %128, align 4
  %130 = and i32 %127, %129
  %131 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 0
  %132 = load i32, ptr %131, align 16
  %133 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 2
  %134 = load i32, ptr %133, align 8
  %135 = and i32 %132, %134
  %136 = xor i32 %130, %135
  %137 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 1
  %138 = load i32, ptr %137, align 4
  %139 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 2
  %140 = load i32, ptr %139, align 8
  %141 = and i32 %138, %140
  %142 = xor i32 %136, %141
  store i32 %142, ptr %12, align 4
  %143 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 7
  %144 = load i32, ptr %143, align 4
  %145 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 4
  %146 = load i32, ptr %145, align 16
  %147 = call i32 @rotate(i32 noundef %146, i32 noundef 6)
  %148 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 4
  %149 = load i32, ptr %148, align 16
  %150 = call i32 @rotate(i32 noundef %149, i32 noundef 11)
  %151 = xor i32 %147, %150
  %152 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 4
  %153 = load i32, ptr %152, align 16
  %154 = call i32 @rotate(i32 noundef %153, i32 noundef 25)
  %155 = xor i32 %151, %154
  %156 = add i32 %144, %155
  %157 = load i32, ptr %11, align 4
  %158 = add i32 %156, %157
  %159 = load i32, ptr %10, align 4
  %160 = sext i32 %159 to i64
  %161 = getelementptr inbounds [64 x i32], ptr @round_constants, i64 0, i64 %160
  %162 = load i32, ptr %161, align 4
  %163 = add i32 %158, %162
  %164 = load i32, ptr %10, align 4
  %165 = sext i32 %164 to i64
  %166 = getelementptr inbounds [64 x i32], ptr %3, i64 0, i64 %165
  %167 = load i32, ptr %166, align 4
  %168 = add i32 %163, %167
  store i32 %168, ptr %13, align 4
  %169 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 0
  %170 = load i32, ptr %169, align 16
  %171 = call i32 @rotate(i32 noundef %170, i32 noundef 2)
  %172 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 0
  %173 = load i32, ptr %172, align 16
  %174 = call i32 @rotate(i32 noundef %173, i32 noundef 13)
  %175 = xor i32 %171, %174
  %176 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 0
  %177 = load i32, ptr %176, align 16
  %178 = call i32 @rotate(i32 noundef %177, i32 noundef 22)
  %179 = xor i32 %175, %178
  %180 = load i32, ptr %12, align 4
  %181 = add i32 %179, %180
  store i32 %181, ptr %14, align 4
  %182 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 0
  %183 = getelementptr inbounds i32, ptr %182, i64 1
  %184 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 0
  call void @llvm.memmove.p0.p0.i64(ptr align 4 %183, ptr align 16 %184, i64 28, i1 false)
  %185 = load i32, ptr %13, align 4
  %186 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 4
  %187 = load i32, ptr %186, align 16
  %188 = add i32 %187, %185
  store i32 %188, ptr %186, align 16
  %189 = load i32, ptr %13, align 4
  %190 = load i32, ptr %14, align 4
  %191 = add i32 %189, %190
  %192 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 0
  store i32 %191, ptr %192, align 16
  br label %193

193:                                              ; preds = %113
  %194 = load i32, ptr %10, align 4
  %195 = add nsw i32 %194, 1
  store i32 %195, ptr %10, align 4
  br label %110, !llvm.loop !17

196:                                              ; preds = %110
  store i32 0, ptr %15, align 4
  br label %197

197:                                              ; preds = %212, %196
  %198 = load i32, ptr %15, align 4
  %199 = icmp slt i32 %198, 8
  br i1 %199, label %200, label %215

200:                                              ; preds = %197
  %201 = load i32, ptr %15, align 4
  %202 = sext i32 %201 to i64
  %203 = getelementptr inbounds [8 x i32], ptr %4, i64 0, i64 %202
  %204 = load i32, ptr %203, align 4
  %205 = load ptr, ptr %2, align 8
  %206 = getelementptr inbounds nuw %struct.digest, ptr %205, i32 0, i32 0
  %207 = load i32, ptr %15, align 4
  %208 = sext i32 %207 to i64
  %209 = getelementptr inbounds [8 x i32], ptr %206, i64 0, i64 %208
  %210 = load i32, ptr %209, align 4
  %211 = add i32 %210, %204
  store i32 %211, ptr %209, align 4
  br label %212

212:                                              ; preds = %200
  %213 = load i32, ptr %15, align 4
  %214 = add nsw i32 %213, 1
  store i32 %214, ptr %15, align 4
  br label %197, !llvm.loop !18

215:                                              ; preds = %197
  ret void
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @rotate(i32 noundef %0, i32 noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  store i32 %0, ptr %3, align 4
  store i32 %1, ptr %4, align 4
  %5 = load i32, ptr %3, align 4
  %6 = load i32, ptr %4, align 4
  %7 = lshr i32 %5, %6
  %8 = load i32, ptr %3, align 4
  %9 = load i32, ptr %4, align 4
  %10 = sub i32 32, %9
  %11 = shl i32 %8, %10
  %12 = or i32 %7, %11
  ret i32 %12
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memmove.p0.p0.i64(ptr writeonly captures(none), ptr readonly captures(none), i64, i1 immarg) #1

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #3 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

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
!10 = distinct !{!10, !7}
!11 = distinct !{!11, !7}
!12 = distinct !{!12, !7}
!13 = distinct !{!13, !7}
!14 = distinct !{!14, !7}
!15 = distinct !{!15, !7}
!16 = distinct !{!16, !7}
!17 = distinct !{!17, !7}
!18 = distinct !{!18, !7}
