; ModuleID = 'c/sort.c'
source_filename = "c/sort.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.record = type { i32, i16, [10 x i8] }

@.str = private unnamed_addr constant [23 x i8] c"sorted %08x %08x %08x\0A\00", align 1
@.str.1 = private unnamed_addr constant [13 x i8] c"equal %d %d\0A\00", align 1
@main.records = internal global [200 x %struct.record] zeroinitializer, align 16
@.str.2 = private unnamed_addr constant [4 x i8] c"r%d\00", align 1
@.str.3 = private unnamed_addr constant [20 x i8] c"records %08x %s %s\0A\00", align 1
@.str.4 = private unnamed_addr constant [11 x i8] c"found %td\0A\00", align 1
@state = internal global i32 12345, align 4
@scratch = internal global [1000 x i32] zeroinitializer, align 16

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
  %1 = alloca i32, align 4
  %2 = alloca [1000 x i32], align 16
  %3 = alloca [1000 x i32], align 16
  %4 = alloca [1000 x i32], align 16
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca ptr, align 8
  store i32 0, ptr %1, align 4
  store i32 0, ptr %5, align 4
  br label %10

10:                                               ; preds = %25, %0
  %11 = load i32, ptr %5, align 4
  %12 = icmp slt i32 %11, 1000
  br i1 %12, label %13, label %28

13:                                               ; preds = %10
  %14 = call i32 @next_random()
  %15 = urem i32 %14, 5000
  %16 = load i32, ptr %5, align 4
  %17 = sext i32 %16 to i64
  %18 = getelementptr inbounds [1000 x i32], ptr %4, i64 0, i64 %17
  store i32 %15, ptr %18, align 4
  %19 = load i32, ptr %5, align 4
  %20 = sext i32 %19 to i64
  %21 = getelementptr inbounds [1000 x i32], ptr %3, i64 0, i64 %20
  store i32 %15, ptr %21, align 4
  %22 = load i32, ptr %5, align 4
  %23 = sext i32 %22 to i64
  %24 = getelementptr inbounds [1000 x i32], ptr %2, i64 0, i64 %23
  store i32 %15, ptr %24, align 4
  br label %25

25:                                               ; preds = %13
  %26 = load i32, ptr %5, align 4
  %27 = add nsw i32 %26, 1
  store i32 %27, ptr %5, align 4
  br label %10, !llvm.loop !6

28:                                               ; preds = %10
  %29 = getelementptr inbounds [1000 x i32], ptr %2, i64 0, i64 0
  call void @quick_sort(ptr noundef %29, i32 noundef 0, i32 noundef 999)
  %30 = getelementptr inbounds [1000 x i32], ptr %3, i64 0, i64 0
  call void @merge_sort(ptr noundef %30, i64 noundef 1000)
  %31 = getelementptr inbounds [1000 x i32], ptr %4, i64 0, i64 0
  call void @heap_sort(ptr noundef %31, i64 noundef 1000)
  %32 = getelementptr inbounds [1000 x i32], ptr %2, i64 0, i64 0
  %33 = call i32 @checksum(ptr noundef %32, i64 noundef 1000)
  %34 = getelementptr inbounds [1000 x i32], ptr %3, i64 0, i64 0
  %35 = call i32 @checksum(ptr noundef %34, i64 noundef 1000)
  %36 = getelementptr inbounds [1000 x i32], ptr %4, i64 0, i64 0
  %37 = call i32 @checksum(ptr noundef %36, i64 noundef 1000)
  %38 = call i32 (ptr, ...) @printf(ptr noundef @.str, i32 noundef %33, i32 noundef %35, i32 noundef %37)
  %39 = getelementptr inbounds [1000 x i32], ptr %2, i64 0, i64 0
  %40 = getelementptr inbounds [1000 x i32], ptr %3, i64 0, i64 0
  %41 = call i32 @memcmp(ptr noundef %39, ptr noundef %40, i64 noundef 4000) #5
  %42 = icmp eq i32 %41, 0
  %43 = zext i1 %42 to i32
  %44 = getelementptr inbounds [1000 x i32], ptr %2, i64 0, i64 0
  %45 = getelementptr inbounds [1000 x i32], ptr %4, i64 0, i64 0
  %46 = call i32 @memcmp(ptr noundef %44, ptr noundef %45, i64 noundef 4000) #5
  %47 = icmp eq i32 %46, 0
  %48 = zext i1 %47 to i32
  %49 = call i32 (ptr, ...) @printf(ptr noundef @.str.1, i32 noundef %43, i32 noundef %48)
  store i32 0, ptr %6, align 4
  br label %50

50:                                               ; preds = %72, %28
  %51 = load i32, ptr %6, align 4
  %52 = icmp slt i32 %51, 200
  br i1 %52, label %53, label %75

53:                                               ; preds = %50
  %54 = call i32 @next_random()
  %55 = load i32, ptr %6, align 4
  %56 = sext i32 %55 to i64
  %57 = getelementptr inbounds [200 x %struct.record], ptr @main.records, i64 0, i64 %56
  %58 = getelementptr inbounds nuw %struct.record, ptr %57, i32 0, i32 0
  store i32 %54, ptr %58, align 16
  %59 = load i32, ptr %6, align 4
  %60 = trunc i32 %59 to i16
  %61 = load i32, ptr %6, align 4
  %62 = sext i32 %61 to i64
  %63 = getelementptr inbounds [200 x %struct.record], ptr @main.records, i64 0, i64 %62
  %64 = getelementptr inbounds nuw %struct.record, ptr %63, i32 0, i32 1
  store i16 %60, ptr %64, align 4
  %65 = load i32, ptr %6, align 4
  %66 = sext i32 %65 to i64
  %67 = getelementptr inbounds [200 x %struct.record], ptr @main.records, i64 0, i64 %66
  %68 = getelementptr inbounds nuw %struct.record, ptr %67, i32 0, i32 2
  %69 = getelementptr inbounds [10 x i8], ptr %68, i64 0, i64 0
  %70 = load i32, ptr %6, align 4
  %71 = call i32 (ptr, i64, ptr, ...) @snprintf(ptr noundef %69, i64 noundef 10, ptr noundef @.str.2, i32 noundef %70) #6
  br label %72

72:                                               ; preds = %53
  %73 = load i32, ptr %6, align 4
  %74 = add nsw i32 %73, 1
  store i32 %74, ptr %6, align 4
  br label %50, !llvm.loop !8

75:                                               ; preds = %50
  call void @qsort(ptr noundef @main.records, i64 noundef 200, i64 noundef 16, ptr noundef @compare_records)
  store i32 0, ptr %7, align 4
  store i32 0, ptr %8, align 4
  br label %76

76:                                               ; preds = %89, %75
  %77 = load i32, ptr %8, align 4
  %78 = icmp slt i32 %77, 200
  br i1 %78, label %79, label %92

79:                                               ; preds = %76
  %80 = load i32, ptr %7, align 4
  %81 = mul i32 %80, 33
  %82 = load i32, ptr %8, align 4
  %83 = sext i32 %82 to i64
  %84 = getelementptr inbounds [200 x %struct.record], ptr @main.records, i64 0, i64 %83
  %85 = getelementptr inbounds nuw %struct.record, ptr %84, i32 0, i32 1
  %86 = load i16, ptr %85, align 4
  %87 = zext i16 %86 to i32
  %88 = add i32 %81, %87
  store i32 %88, ptr %7, align 4
  br label %89

89:                                               ; preds = %79
  %90 = load i32, ptr %8, align 4
  %91 = add nsw i32 %90, 1
  store i32 %91, ptr %8, align 4
  br label %76, !llvm.loop !9

92:                                               ; preds = %76
  %93 = load i32, ptr %7, align 4
  %94 = call i32 (ptr, ...) @printf(ptr noundef @.str.3, i32 noundef %93, ptr noundef getelementptr inbounds nuw (%struct.record, ptr @main.records, i32 0, i32 2), ptr noundef getelementptr inbounds nuw (%struct.record, ptr getelementptr inbounds ([200 x %struct.record], ptr @main.records, i64 0, i64 199), i32 0, i32 2))
  %95 = call ptr @bsearch(ptr noundef getelementptr inbounds ([200 x %struct.record], ptr @main.records, i64 0, i64 77), ptr noundef @main.records, i64 noundef 200, i64 noundef 16, ptr noundef @compare_records)
  store ptr %95, ptr %9, align 8
  %96 = load ptr, ptr %9, align 8
  %97 = ptrtoint ptr %96 to i64
  %98 = sub i64 %97, ptrtoint (ptr @main.records to i64)
  %99 = sdiv exact i64 %98, 16
  %100 = call i32 (ptr, ...) @printf(ptr noundef @.str.4, i64 noundef %99)
  ret i32 0
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @next_random() #0 {
  %1 = load i32, ptr @state, align 4
  %2 = shl i32 %1, 13
  %3 = load i32, ptr @state, align 4
  %4 = xor i32 %3, %2
  store i32 %4, ptr @state, align 4
  %5 = load i32, ptr @state, align 4
  %6 = lshr i32 %5, 17
  %7 = load i32, ptr @state, align 4
  %8 = xor i32 %7, %6
  store i32 %8, ptr @state, align 4
  %9 = load i32, ptr @state, align 4
  %10 = shl i32 %9, 5
  %11 = load i32, ptr @state, align 4
  %12 = xor i32 %11, %10
  store i32 %12, ptr @state, align 4
  %13 = load i32, ptr @state, align 4
  ret i32 %13
}

; Function Attrs: noinline nounwind optnone uwtable
define internal void @quick_sort(ptr noundef %0, i32 noundef %1, i32 noundef %2) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store i32 %1, ptr %5, align 4
  store i32 %2, ptr %6, align 4
  br label %11

11:                                               ; preds = %101, %3
  %12 = load i32, ptr %5, align 4
  %13 = load i32, ptr %6, align 4
  %14 = icmp slt i32 %12, %13
  br i1 %14, label %15, label %102

15:                                               ; preds = %11
  %16 = load ptr, ptr %4, align 8
  %17 = load i32, ptr %5, align 4
  %18 = load i32, ptr %6, align 4
  %19 = load i32, ptr %5, align 4
  %20 = sub nsw i32 %18, %19
  %21 = sdiv i32 %20, 2
  %22 = add nsw i32 %17, %21
  %23 = sext i32 %22 to i64
  %24 = getelementptr inbounds i32, ptr %16, i64 %23
  %25 = load i32, ptr %24, align 4
  store i32 %25, ptr %7, align 4
  %26 = load i32, ptr %5, align 4
  store i32 %26, ptr %8, align 4
  %27 = load i32, ptr %6, align 4
  store i32 %27, ptr %9, align 4
  br label %28

28:                                               ; preds = %82, %15
  %29 = load i32, ptr %8, align 4
  %30 = load i32, ptr %9, align 4
  %31 = icmp sle i32 %29, %30
  br i1 %31, label %32, label %83

32:                                               ; preds = %28
  br label %33

33:                                               ; preds = %41, %32
  %34 = load ptr, ptr %4, align 8
  %35 = load i32, ptr %8, align 4
  %36 = sext i32 %35 to i64
  %37 = getelementptr inbounds i32, ptr %34, i64 %36
  %38 = load i32, ptr %37, align 4
  %39 = load i32, ptr %7, align 4
  %40 = icmp ult i32 %38, %39
  br i1 %40, label %41, label %44

41:                                               ; preds = %33
  %42 = load i32, ptr %8, align 4
  %43 = add nsw i32 %42, 1
  store i32 %43, ptr %8, align 4
  br label %33, !llvm.loop !10

44:                                               ; preds = %33
  br label %45

45:                                               ; preds = %53, %44
  %46 = load ptr, ptr %4, align 8
  %47 = load i32, ptr %9, align 4
  %48 = sext i32 %47 to i64
  %49 = getelementptr inbounds i32, ptr %46, i64 %48
  %50 = load i32, ptr %49, align 4
  %51 = load i32, ptr %7, align 4
  %52 = icmp ugt i32 %50, %51
  br i1 %52, label %53, label %56

53:                                               ; preds = %45
  %54 = load i32, ptr %9, align 4
  %55 = add nsw i32 %54, -1
  store i32 %55, ptr %9, align 4
  br label %45, !llvm.loop !11

56:                                               ; preds = %45
  %57 = load i32, ptr %8, align 4
  %58 = load i32, ptr %9, align 4
  %59 = icmp sle i32 %57, %58
  br i1 %59, label %60, label %82

60:                                               ; preds = %56
  %61 = load ptr, ptr %4, align 8
  %62 = load i32, ptr %8, align 4
  %63 = sext i32 %62 to i64
  %64 = getelementptr inbounds i32, ptr %61, i64 %63
  %65 = load i32, ptr %64, align 4
  store i32 %65, ptr %10, align 4
  %66 = load ptr, ptr %4, align 8
  %67 = load i32, ptr %9, align 4
  %68 = sext i32 %67 to i64
  %69 = getelementptr inbounds i32, ptr %66, i64 %68
  %70 = load i32, ptr %69, align 4
  %71 = load ptr, ptr %4, align 8
  %72 = load i32, ptr %8, align 4
  %73 = add nsw i32 %72, 1
  store i32 %73, ptr %8, align 4
  %74 = sext i32 %72 to i64
  %75 = getelementptr inbounds i32, ptr %71, i64 %74
  store i32 %70, ptr %75, align 4
  %76 = load i32, ptr %10, align 4
  %77 = load ptr, ptr %4, align 8
  %78 = load i32, ptr %9, align 4
  %79 = add nsw i32 %78, -1
  store i32 %79, ptr %9, align 4
  %80 = sext i32 %78 to i64
  %81 = getelementptr inbounds i32, ptr %77, i64 %80
  store i32 %76, ptr %81, align 4
  br label %82

82:                                               ; preds = %60, %56
  br label %28, !llvm.loop !12

83:                                               ; preds = %28
  %84 = load i32, ptr %9, align 4
  %85 = load i32, ptr %5, align 4
  %86 = sub nsw i32 %84, %85
  %87 = load i32, ptr %6, align 4
  %88 = load i32, ptr %8, align 4
  %89 = sub nsw i32 %87, %88
  %90 = icmp slt i32 %86, %89
  br i1 %90, label %91, label %96

91:                                               ; preds = %83
  %92 = load ptr, ptr %4, align 8
  %93 = load i32, ptr %5, align 4
  %94 = load i32, ptr %9, align 4
  call void @quick_sort(ptr noundef %92, i32 noundef %93, i32 noundef %94)
  %95 = load i32, ptr %8, align 4
  store i32 %95, ptr %5, align 4
  br label %101

96:                                               ; preds = %83
  %97 = load ptr, ptr %4, align 8
  %98 = load i32, ptr %8, align 4
  %99 = load i32, ptr %6, align 4
  call void @quick_sort(ptr noundef %97, i32 noundef %98, i32 noundef %99)
  %100 = load i32, ptr %9, align 4
  store i32 %100, ptr %6, align 4
  br label %101

101:                                              ; preds = %96, %91
  br label %11, !llvm.loop !13

102:                                              ; preds = %11
  ret void
}

; Function Attrs: noinline nounwind optnone uwtable
define internal void @merge_sort(ptr noundef %0, i64 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %9 = load i64, ptr %4, align 8
  %10 = icmp ult i64 %9, 2
  br i1 %10, label %11, label %12

11:                                               ; preds = %2
  br label %61

12:                                               ; preds = %2
  %13 = load i64, ptr %4, align 8
  %14 = udiv i64 %13, 2
  store i64 %14, ptr %5, align 8
  %15 = load ptr, ptr %3, align 8
  %16 = load i64, ptr %5, align 8
  call void @merge_sort(ptr noundef %15, i64 noundef %16)
  %17 = load ptr, ptr %3, align 8
  %18 = load i64, ptr %5, align 8
  %19 = getelementptr inbounds nuw i32, ptr %17, i64 %18
  %20 = load i64, ptr %4, align 8
  %21 = load i64, ptr %5, align 8
  %22 = sub i64 %20, %21
  call void @merge_sort(ptr noundef %19, i64 noundef %22)
  %23 = load ptr, ptr %3, align 8
  %24 = load i64, ptr %5, align 8
  %25 = mul i64 %24, 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 16 @scratch, ptr align 4 %23, i64 %25, i1 false)
  store i64 0, ptr %6, align 8
  %26 = load i64, ptr %5, align 8
  store i64 %26, ptr %7, align 8
  store i64 0, ptr %8, align 8
  br label %27

27:                                               ; preds = %55, %12
  %28 = load i64, ptr %6, align 8
  %29 = load i64, ptr %5, align 8
  %30 = icmp ult i64 %28, %29
  br i1 %30, label %31, label %61

31:                                               ; preds = %27
  %32 = load i64, ptr %7, align 8
  %33 = load i64, ptr %4, align 8
  %34 = icmp ult i64 %32, %33
  br i1 %34, label %35, label %50

35:                                               ; preds = %31
  %36 = load ptr, ptr %3, align 8
  %37 = load i64, ptr %7, align 8
  %38 = getelementptr inbounds nuw i32, ptr %36, i64 %37
  %39 = load i32, ptr %38, align 4
  %40 = load i64, ptr %6, align 8
  %41 = getelementptr inbounds nuw [1000 x i32], ptr @scratch, i64 0, i64 %40
  %42 = load i32, ptr %41, align 4
  %43 = icmp ult i32 %39, %42
  br i1 %43, label %44, label %50

44:                                               ; preds = %35
  %45 = load ptr, ptr %3, align 8
  %46 = load i64, ptr %7, align 8
  %47 = add i64 %46, 1
  store i64 %47, ptr %7, align 8
  %48 = getelementptr inbounds nuw i32, ptr %45, i64 %46
  %49 = load i32, ptr %48, align 4
  br label %55

50:                                               ; preds = %35, %31
  %51 = load i64, ptr %6, align 8
  %52 = add i64 %51, 1
  store i64 %52, ptr %6, align 8
  %53 = getelementptr inbounds nuw [1000 x i32], ptr @scratch, i64 0, i64 %51
  %54 = load i32, ptr %53, align 4
  br label %55

55:                                               ; preds = %50, %44
  %56 = phi i32 [ %49, %44 ], [ %54, %50 ]
  %57 = load ptr, ptr %3, align 8
  %58 = load i64, ptr %8, align 8
  %59 = add i64 %58, 1
  store i64 %59, ptr %8, align 8
  %60 = getelementptr inbounds nuw i32, ptr %57, i64 %58
  store i32 %56, ptr %60, align 4
  br label %27, !llvm.loop !14

61:                                               ; preds = %11, %27
  ret void
}

; Function Attrs: noinline nounwind optnone uwtable
define internal void @heap_sort(ptr noundef %0, i64 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  %7 = load i64, ptr %4, align 8
  %8 = udiv i64 %7, 2
  store i64 %8, ptr %5, align 8
  br label %9

9:                                                ; preds = %13, %2
  %10 = load i64, ptr %5, align 8
  %11 = add i64 %10, -1
  store i64 %11, ptr %5, align 8
  %12 = icmp ugt i64 %10, 0
  br i1 %12, label %13, label %17

13:                                               ; preds = %9
  %14 = load ptr, ptr %3, align 8
  %15 = load i64, ptr %5, align 8
  %16 = load i64, ptr %4, align 8
  call void @sift(ptr noundef %14, i64 noundef %15, i64 noundef %16)
  br label %9, !llvm.loop !15

17:                                               ; preds = %9
  br label %18

18:                                               ; preds = %22, %17
  %19 = load i64, ptr %4, align 8
  %20 = add i64 %19, -1
  store i64 %20, ptr %4, align 8
  %21 = icmp ugt i64 %19, 1
  br i1 %21, label %22, label %38

22:                                               ; preds = %18
  %23 = load ptr, ptr %3, align 8
  %24 = getelementptr inbounds i32, ptr %23, i64 0
  %25 = load i32, ptr %24, align 4
  store i32 %25, ptr %6, align 4
  %26 = load ptr, ptr %3, align 8
  %27 = load i64, ptr %4, align 8
  %28 = getelementptr inbounds nuw i32, ptr %26, i64 %27
  %29 = load i32, ptr %28, align 4
  %30 = load ptr, ptr %3, align 8
  %31 = getelementptr inbounds i32, ptr %30, i64 0
  store i32 %29, ptr %31, align 4
  %32 = load i32, ptr %6, align 4
  %33 = load ptr, ptr %3, align 8
  %34 = load i64, ptr %4, align 8
  %35 = getelementptr inbounds nuw i32, ptr %33, i64 %34
  store i32 %32, ptr %35, align 4
  %36 = load ptr, ptr %3, align 8
  %37 = load i64, ptr %4, align 8
  call void @sift(ptr noundef %36, i64 noundef 0, i64 noundef %37)
  br label %18, !llvm.loop !16

38:                                               ; preds = %18
  ret void
}

declare i32 @printf(ptr noundef, ...) #1

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @checksum(ptr noundef %0, i64 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = alloca i32, align 4
  %6 = alloca i64, align 8
  store ptr %0, ptr %3, align 8
  store i64 %1, ptr %4, align 8
  store i32 0, ptr %5, align 4
  store i64 0, ptr %6, align 8
  br label %7

7:                                                ; preds = %19, %2
  %8 = load i64, ptr %6, align 8
  %9 = load i64, ptr %4, align 8
  %10 = icmp ult i64 %8, %9
  br i1 %10, label %11, label %22

11:                                               ; preds = %7
  %12 = load i32, ptr %5, align 4
  %13 = mul i32 %12, 31
  %14 = load ptr, ptr %3, align 8
  %15 = load i64, ptr %6, align 8
  %16 = getelementptr inbounds nuw i32, ptr %14, i64 %15
  %17 = load i32, ptr %16, align 4
  %18 = add i32 %13, %17
  store i32 %18, ptr %5, align 4
  br label %19

19:                                               ; preds = %11
  %20 = load i64, ptr %6, align 8
  %21 = add i64 %20, 1
  store i64 %21, ptr %6, align 8
  br label %7, !llvm.loop !17

22:                                               ; preds = %7
  %23 = load i32, ptr %5, align 4
  ret i32 %23
}

; Function Attrs: nounwind willreturn memory(read)
declare i32 @memcmp(ptr noundef, ptr noundef, i64 noundef) #2

; Function Attrs: nounwind
declare i32 @snprintf(ptr noundef, i64 noundef, ptr noundef, ...) #3

declare void @qsort(ptr noundef, i64 noundef, i64 noundef, ptr noundef) #1

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @compare_records(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  %8 = load ptr, ptr %4, align 8
  store ptr %8, ptr %6, align 8
  %9 = load ptr, ptr %5, align 8
  store ptr %9, ptr %7, align 8
  %10 = load ptr, ptr %6, align 8
  %11 = getelementptr inbounds nuw %struct.record, ptr %10, i32 0, i32 0
  %12 = load i32, ptr %11, align 4
  %13 = urem i32 %12, 97
  %14 = load ptr, ptr %7, align 8
  %15 = getelementptr inbounds nuw %struct.record, ptr %14, i32 0, i32 0
  %16 = load i32, ptr %15, align 4
  %17 = urem i32 %16, 97
  %18 = icmp ne i32 %13, %17
  br i1 %18, label %19, label %31

19:                                               ; preds = %2
  %20 = load ptr, ptr %6, align 8
  %21 = getelementptr inbounds nuw %struct.record, ptr %20, i32 0, i32 0
  %22 = load i32, ptr %21, align 4
  %23 = urem i32 %22, 97
  %24 = load ptr, ptr %7, align 8
  %25 = getelementptr inbounds nuw %struct.record, ptr %24, i32 0, i32 0
  %26 = load i32, ptr %25, align 4
  %27 = urem i32 %26, 97
  %28 = icmp ult i32 %23, %27
  %29 = zext i1 %28 to i64
  %30 = select i1 %28, i32 -1, i32 1
  store i32 %30, ptr %3, align 4
  br label %41

31:                                               ; preds = %2
  %32 = load ptr, ptr %6, align 8
  %33 = getelementptr inbounds nuw %struct.record, ptr %32, i32 0, i32 1
  %34 = load i16, ptr %33, align 4
  %35 = zext i16 %34 to i32
  %36 = load ptr, ptr %7, align 8
  %37 = getelementptr inbounds nuw %struct.record, ptr %36, i32 0, i32 1
  %38 = load i16, ptr %37, align 4
  %39 = zext i16 %38 to i32
  %40 = sub nsw i32 %35, %39
  store i32 %40, ptr %3, align 4
  br label %41

41:                                               ; preds = %31, %19
  %42 = load i32, ptr %3, align 4
  ret i32 %42
}

declare ptr @bsearch(ptr noundef, ptr noundef, i64 noundef, i64 noundef, ptr noundef) #1

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #4

; Function Attrs: noinline nounwind optnone uwtable
define internal void @sift(ptr noundef %0, i64 noundef %1, i64 noundef %2) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca i64, align 8
  %7 = alloca i64, align 8
  %8 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  br label %9

9:                                                ; preds = %61, %3
  %10 = load i64, ptr %5, align 8
  %11 = mul i64 2, %10
  %12 = add i64 %11, 1
  store i64 %12, ptr %7, align 8
  %13 = load i64, ptr %6, align 8
  %14 = icmp ult i64 %12, %13
  br i1 %14, label %15, label %63

15:                                               ; preds = %9
  %16 = load i64, ptr %7, align 8
  %17 = add i64 %16, 1
  %18 = load i64, ptr %6, align 8
  %19 = icmp ult i64 %17, %18
  br i1 %19, label %20, label %34

20:                                               ; preds = %15
  %21 = load ptr, ptr %4, align 8
  %22 = load i64, ptr %7, align 8
  %23 = add i64 %22, 1
  %24 = getelementptr inbounds nuw i32, ptr %21, i64 %23
  %25 = load i32, ptr %24, align 4
  %26 = load ptr, ptr %4, align 8
  %27 = load i64, ptr %7, align 8
  %28 = getelementptr inbounds nuw i32, ptr %26, i64 %27
  %29 = load i32, ptr %28, align 4
  %30 = icmp ugt i32 %25, %29
  br i1 %30, label %31, label %34

31:                                               ; preds = %20
  %32 = load i64, ptr %7, align 8
  %33 = add i64 %32, 1
  store i64 %33, ptr %7, align 8
  br label %34

34:                                               ; preds = %31, %20, %15
  %35 = load ptr, ptr %4, align 8
  %36 = load i64, ptr %5, align 8
  %37 = getelementptr inbounds nuw i32, ptr %35, i64 %36
  %38 = load i32, ptr %37, align 4
  %39 = load ptr, ptr %4, align 8
  %40 = load i64, ptr %7, align 8
  %41 = getelementptr inbounds nuw i32, ptr %39, i64 %40
  %42 = load i32, ptr %41, align 4
  %43 = icmp uge i32 %38, %42
  br i1 %43, label %44, label %45

44:                                               ; preds = %34
  br label %63

45:                                               ; preds = %34
  %46 = load ptr, ptr %4, align 8
  %47 = load i64, ptr %5, align 8
  %48 = getelementptr inbounds nuw i32, ptr %46, i64 %47
  %49 = load i32, ptr %48, align 4
  store i32 %49, ptr %8, align 4
  %50 = load ptr, ptr %4, align 8
  %51 = load i64, ptr %7, align 8
  %52 = getelementptr inbounds nuw i32, ptr %50, i64 %51
  %53 = load i32, ptr %52, align 4
  %54 = load ptr, ptr %4, align 8
  %55 = load i64, ptr %5, align 8
  %56 = getelementptr inbounds nuw i32, ptr %54, i64 %55
  store i32 %53, ptr %56, align 4
  %57 = load i32, ptr %8, align 4
  %58 = load ptr, ptr %4, align 8
  %59 = load i64, ptr %7, align 8
  %60 = getelementptr inbounds nuw i32, ptr %58, i64 %59
  store i32 %57, ptr %60, align 4
  br label %61

61:                                               ; preds = %45
  %62 = load i64, ptr %7, align 8
  store i64 %62, ptr %5, align 8
  br label %9, !llvm.loop !18

63:                                               ; preds = %44, %9
  ret void
}

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nounwind willreturn memory(read) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #5 = { nounwind willreturn memory(read) }
attributes #6 = { nounwind }

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
