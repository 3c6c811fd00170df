; ModuleID = 'c/machine.c'
source_filename = "c/machine.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@squares = internal constant [35 x i32] [i32 0, i32 0, i32 9, i32 0, i32 0, i32 1, i32 9, i32 1, i32 10, i32 1, i32 4, i32 3, i32 10, i32 0, i32 1, i32 4, i32 11, i32 9, i32 0, i32 10, i32 1, i32 0, i32 1, i32 1, i32 4, i32 9, i32 1, i32 0, i32 201, i32 6, i32 8, i32 8, i32 10, i32 0, i32 12], align 16
@printed = internal global i64 0, align 8
@.str = private unnamed_addr constant [17 x i8] c"%d %d %llx %llx\0A\00", align 1
@.str.1 = private unnamed_addr constant [7 x i8] c"%d %d\0A\00", align 1
@fibonacci = internal constant [45 x i32] [i32 0, i32 0, i32 9, i32 0, i32 0, i32 1, i32 9, i32 1, i32 0, i32 0, i32 9, i32 2, i32 10, i32 0, i32 10, i32 1, i32 4, i32 9, i32 0, i32 1, i32 9, i32 1, i32 10, i32 2, i32 0, i32 1, i32 1, i32 4, i32 9, i32 2, i32 0, i32 40, i32 6, i32 8, i32 12, i32 10, i32 0, i32 0, i32 3, i32 5, i32 2, i32 7, i32 44, i32 12, i32 12], align 16
@main.numbers = internal constant [14 x i64] [i64 -9223372036854775808, i64 -1000000, i64 -1000, i64 -999, i64 -1, i64 0, i64 1, i64 5, i64 9, i64 10, i64 1000, i64 1048576, i64 9223372036854775807, i64 9223372036854775806], align 16
@.str.2 = private unnamed_addr constant [3 x i8] c"%d\00", align 1
@.str.3 = private unnamed_addr constant [2 x i8] c"\0A\00", align 1
@run_labels.labels = internal constant [13 x ptr] [ptr blockaddress(@run_labels, %16), ptr blockaddress(@run_labels, %28), ptr blockaddress(@run_labels, %44), ptr blockaddress(@run_labels, %60), ptr blockaddress(@run_labels, %76), ptr blockaddress(@run_labels, %90), ptr blockaddress(@run_labels, %108), ptr blockaddress(@run_labels, %127), ptr blockaddress(@run_labels, %139), ptr blockaddress(@run_labels, %161), ptr blockaddress(@run_labels, %176), ptr blockaddress(@run_labels, %191), ptr blockaddress(@run_labels, %201)], align 16

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
  %1 = alloca i32, align 4
  %2 = alloca i32, align 4
  %3 = alloca i64, align 8
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  store i32 0, ptr %1, align 4
  %6 = call i32 @run_switch(ptr noundef @squares)
  store i32 %6, ptr %2, align 4
  %7 = load i64, ptr @printed, align 8
  store i64 %7, ptr %3, align 8
  store i64 0, ptr @printed, align 8
  %8 = call i32 @run_labels(ptr noundef @squares)
  store i32 %8, ptr %4, align 4
  %9 = load i32, ptr %2, align 4
  %10 = load i32, ptr %4, align 4
  %11 = load i64, ptr %3, align 8
  %12 = load i64, ptr @printed, align 8
  %13 = call i32 (ptr, ...) @printf(ptr noundef @.str, i32 noundef %9, i32 noundef %10, i64 noundef %11, i64 noundef %12)
  %14 = call i32 @run_switch(ptr noundef @fibonacci)
  %15 = call i32 @run_labels(ptr noundef @fibonacci)
  %16 = call i32 (ptr, ...) @printf(ptr noundef @.str.1, i32 noundef %14, i32 noundef %15)
  store i32 0, ptr %5, align 4
  br label %17

17:                                               ; preds = %28, %0
  %18 = load i32, ptr %5, align 4
  %19 = zext i32 %18 to i64
  %20 = icmp ult i64 %19, 14
  br i1 %20, label %21, label %31

21:                                               ; preds = %17
  %22 = load i32, ptr %5, align 4
  %23 = zext i32 %22 to i64
  %24 = getelementptr inbounds nuw [14 x i64], ptr @main.numbers, i64 0, i64 %23
  %25 = load i64, ptr %24, align 8
  %26 = call i32 @classify(i64 noundef %25)
  %27 = call i32 (ptr, ...) @printf(ptr noundef @.str.2, i32 noundef %26)
  br label %28

28:                                               ; preds = %21
  %29 = load i32, ptr %5, align 4
  %30 = add i32 %29, 1
  store i32 %30, ptr %5, align 4
  br label %17, !llvm.loop !6

31:                                               ; preds = %17
  %32 = call i32 (ptr, ...) @printf(ptr noundef @.str.3)
  ret i32 0
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @run_switch(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca [32 x i32], align 16
  %4 = alloca [4 x i32], align 16
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  store ptr %0, ptr %2, align 8
  call void @llvm.memset.p0.i64(ptr align 16 %4, i8 0, i64 16, i1 false)
  %8 = getelementptr inbounds [32 x i32], ptr %3, i64 0, i64 0
  store ptr %8, ptr %5, align 8
  %9 = load ptr, ptr %2, align 8
  store ptr %9, ptr %6, align 8
  br label %10

10:                                               ; preds = %138, %1
  %11 = load ptr, ptr %6, align 8
  %12 = getelementptr inbounds nuw i32, ptr %11, i32 1
  store ptr %12, ptr %6, align 8
  %13 = load i32, ptr %11, align 4
  switch i32 %13, label %138 [
    i32 0, label %14
    i32 1, label %20
    i32 2, label %30
    i32 3, label %40
    i32 4, label %50
    i32 5, label %58
    i32 6, label %70
    i32 7, label %83
    i32 8, label %89
    i32 9, label %105
    i32 10, label %114
    i32 11, label %123
    i32 12, label %127
  ]

14:                                               ; preds = %10
  %15 = load ptr, ptr %6, align 8
  %16 = getelementptr inbounds nuw i32, ptr %15, i32 1
  store ptr %16, ptr %6, align 8
  %17 = load i32, ptr %15, align 4
  %18 = load ptr, ptr %5, align 8
  %19 = getelementptr inbounds nuw i32, ptr %18, i32 1
  store ptr %19, ptr %5, align 8
  store i32 %17, ptr %18, align 4
  br label %138

20:                                               ; preds = %10
  %21 = load ptr, ptr %5, align 8
  %22 = getelementptr inbounds i32, ptr %21, i32 -1
  store ptr %22, ptr %5, align 8
  %23 = load ptr, ptr %5, align 8
  %24 = getelementptr inbounds i32, ptr %23, i64 0
  %25 = load i32, ptr %24, align 4
  %26 = load ptr, ptr %5, align 8
  %27 = getelementptr inbounds i32, ptr %26, i64 -1
  %28 = load i32, ptr %27, align 4
  %29 = add nsw i32 %28, %25
  store i32 %29, ptr %27, align 4
  br label %138

30:                                               ; preds = %10
  %31 = load ptr, ptr %5, align 8
  %32 = getelementptr inbounds i32, ptr %31, i32 -1
  store ptr %32, ptr %5, align 8
  %33 = load ptr, ptr %5, align 8
  %34 = getelementptr inbounds i32, ptr %33, i64 0
  %35 = load i32, ptr %34, align 4
  %36 = load ptr, ptr %5, align 8
  %37 = getelementptr inbounds i32, ptr %36, i64 -1
  %38 = load i32, ptr %37, align 4
  %39 = sub nsw i32 %38, %35
  store i32 %39, ptr %37, align 4
  br label %138

40:                                               ; preds = %10
  %41 = load ptr, ptr %5, align 8
  %42 = getelementptr inbounds i32, ptr %41, i32 -1
  store ptr %42, ptr %5, align 8
  %43 = load ptr, ptr %5, align 8
  %44 = getelementptr inbounds i32, ptr %43, i64 0
  %45 = load i32, ptr %44, align 4
  %46 = load ptr, ptr %5, align 8
  %47 = getelementptr inbounds i32, ptr %46, i64 -1
  %48 = load i32, ptr %47, align 4
  %49 = mul nsw i32 %48, %45
  store i32 %49, ptr %47, align 4
  br label %138

50:                                               ; preds = %10
  %51 = load ptr, ptr %5, align 8
  %52 = getelementptr inbounds i32, ptr %51, i64 -1
  %53 = load i32, ptr %52, align 4
  %54 = load ptr, ptr %5, align 8
  %55 = getelementptr inbounds i32, ptr %54, i64 0
  store i32 %53, ptr %55, align 4
  %56 = load ptr, ptr %5, align 8
  %57 = getelementptr inbounds nuw i32, ptr %56, i32 1
  store ptr %57, ptr %5, align 8
  br label %138

58:                                               ; preds = %10
  %59 = load ptr, ptr %5, align 8
  %60 = getelementptr inbounds i32, ptr %59, i64 -1
  %61 = load i32, ptr %60, align 4
  store i32 %61, ptr %7, align 4
  %62 = load ptr, ptr %5, align 8
  %63 = getelementptr inbounds i32, ptr %62, i64 -2
  %64 = load i32, ptr %63, align 4
  %65 = load ptr, ptr %5, align 8
  %66 = getelementptr inbounds i32, ptr %65, i64 -1
  store i32 %64, ptr %66, align 4
  %67 = load i32, ptr %7, align 4
  %68 = load ptr, ptr %5, align 8
  %69 = getelementptr inbounds i32, ptr %68, i64 -2
  store i32 %67, ptr %69, align 4
  br label %138

70:                                               ; preds = %10
  %71 = load ptr, ptr %5, align 8
  %72 = getelementptr inbounds i32, ptr %71, i32 -1
  store ptr %72, ptr %5, align 8
  %73 = load ptr, ptr %5, align 8
  %74 = getelementptr inbounds i32, ptr %73, i64 -1
  %75 = load i32, ptr %74, align 4
  %76 = load ptr, ptr %5, align 8
  %77 = getelementptr inbounds i32, ptr %76, i64 0
  %78 = load i32, ptr %77, align 4
  %79 = icmp slt i32 %75, %78
  %80 = zext i1 %79 to i32
  %81 = load ptr, ptr %5, align 8
  %82 = getelementptr inbounds i32, ptr %81, i64 -1
  store i32 %80, ptr %82, align 4
  br label %138

83:                                               ; preds = %10
  %84 = load ptr, ptr %2, align 8
  %85 = load ptr, ptr %6, align 8
  %86 = load i32, ptr %85, align 4
  %87 = sext i32 %86 to i64
  %88 = getelementptr inbounds i32, ptr %84, i64 %87
  store ptr %88, ptr %6, align 8
  br label %138

89:                                               ; preds = %10
  %90 = load ptr, ptr %5, align 8
  %91 = getelementptr inbounds i32, ptr %90, i32 -1
  store ptr %91, ptr %5, align 8
  %92 = load i32, ptr %91, align 4
  %93 = icmp ne i32 %92, 0
  br i1 %93, label %94, label %100

94:                                               ; preds = %89
  %95 = load ptr, ptr %2, align 8
  %96 = load ptr, ptr %6, align 8
  %97 = load i32, ptr %96, align 4
  %98 = sext i32 %97 to i64
  %99 = getelementptr inbounds i32, ptr %95, i64 %98
  br label %103

100:                                              ; preds = %89
  %101 = load ptr, ptr %6, align 8
  %102 = getelementptr inbounds i32, ptr %101, i64 1
  br label %103

103:                                              ; preds = %100, %94
  %104 = phi ptr [ %99, %94 ], [ %102, %100 ]
  store ptr %104, ptr %6, align 8
  br label %138

105:                                              ; preds = %10
  %106 = load ptr, ptr %5, align 8
  %107 = getelementptr inbounds i32, ptr %106, i32 -1
  store ptr %107, ptr %5, align 8
  %108 = load i32, ptr %107, align 4
  %109 = load ptr, ptr %6, align 8
  %110 = getelementptr inbounds nuw i32, ptr %109, i32 1
  store ptr %110, ptr %6, align 8
  %111 = load i32, ptr %109, align 4
  %112 = sext i32 %111 to i64
  %113 = getelementptr inbounds [4 x i32], ptr %4, i64 0, i64 %112
  store i32 %108, ptr %113, align 4
  br label %138

114:                                              ; preds = %10
  %115 = load ptr, ptr %6, align 8
  %116 = getelementptr inbounds nuw i32, ptr %115, i32 1
  store ptr %116, ptr %6, align 8
  %117 = load i32, ptr %115, align 4
  %118 = sext i32 %117 to i64
  %119 = getelementptr inbounds [4 x i32], ptr %4, i64 0, i64 %118
  %120 = load i32, ptr %119, align 4
  %121 = load ptr, ptr %5, align 8
  %122 = getelementptr inbounds nuw i32, ptr %121, i32 1
  store ptr %122, ptr %5, align 8
  store i32 %120, ptr %121, align 4
  br label %138

123:                                              ; preds = %10
  %124 = load ptr, ptr %5, align 8
  %125 = getelementptr inbounds i32, ptr %124, i32 -1
  store ptr %125, ptr %5, align 8
  %126 = load i32, ptr %125, align 4
  call void @print(i32 noundef %126)
  br label %138

127:                                              ; preds = %10
  %128 = load ptr, ptr %5, align 8
  %129 = getelementptr inbounds [32 x i32], ptr %3, i64 0, i64 0
  %130 = icmp ugt ptr %128, %129
  br i1 %130, label %131, label %135

131:                                              ; preds = %127
  %132 = load ptr, ptr %5, align 8
  %133 = getelementptr inbounds i32, ptr %132, i64 -1
  %134 = load i32, ptr %133, align 4
  br label %136

135:                                              ; preds = %127
  br label %136

136:                                              ; preds = %135, %131
  %137 = phi i32 [ %134, %131 ], [ -1, %135 ]
  ret i32 %137

138:                                              ; preds = %10, %123, %114, %105, %103, %83, %70, %58, %50, %40, %30, %20, %14
  br label %10
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @run_labels(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca [32 x i32], align 16
  %4 = alloca [4 x i32], align 16
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i32, align 4
  store ptr %0, ptr %2, align 8
  call void @llvm.memset.p0.i64(ptr align 16 %4, i8 0, i64 16, i1 false)
  %8 = getelementptr inbounds [32 x i32], ptr %3, i64 0, i64 0
  store ptr %8, ptr %5, align 8
  %9 = load ptr, ptr %2, align 8
  store ptr %9, ptr %6, align 8
  %10 = load ptr, ptr %6, align 8
  %11 = getelementptr inbounds nuw i32, ptr %10, i32 1
  store ptr %11, ptr %6, align 8
  %12 = load i32, ptr %10, align 4
  %13 = sext i32 %12 to i64
  %14 = getelementptr inbounds [13 x ptr], ptr @run_labels.labels, i64 0, i64 %13
  %15 = load ptr, ptr %14, align 8
  br label %212

16:                                               ; preds = %212
  %17 = load ptr, ptr %6, align 8
  %18 = getelementptr inbounds nuw i32, ptr %17, i32 1
  store ptr %18, ptr %6, align 8
  %19 = load i32, ptr %17, align 4
  %20 = load ptr, ptr %5, align 8
  %21 = getelementptr inbounds nuw i32, ptr %20, i32 1
  store ptr %21, ptr %5, align 8
  store i32 %19, ptr %20, align 4
  %22 = load ptr, ptr %6, align 8
  %23 = getelementptr inbounds nuw i32, ptr %22, i32 1
  store ptr %23, ptr %6, align 8
  %24 = load i32, ptr %22, align 4
  %25 = sext i32 %24 to i64
  %26 = getelementptr inbounds [13 x ptr], ptr @run_labels.labels, i64 0, i64 %25
  %27 = load ptr, ptr %26, align 8
  br label %212

28:                                               ; preds = %212
  %29 = load ptr, ptr %5, align 8
  %30 = getelementptr inbounds i32, ptr %29, i32 -1
  store ptr %30, ptr %5, align 8
  %31 = load ptr, ptr %5, align 8
  %32 = getelementptr inbounds i32, ptr %31, i64 0
  %33 = load i32, ptr %32, align 4
  %34 = load ptr, ptr %5, align 8
  %35 = getelementptr inbounds i32, ptr %34, i64 -1
  %36 = load i32, ptr %35, align 4
  %37 = add nsw i32 %36, %33
  store i32 %37, ptr %35, align 4
  %38 = load ptr, ptr %6, align 8
  %39 = getelementptr inbounds nuw i32, ptr %38, i32 1
  store ptr %39, ptr %6, align 8
  %40 = load i32, ptr %38, align 4
  %41 = sext i32 %40 to i64
  %42 = getelementptr inbounds [13 x ptr], ptr @run_labels.labels, i64 0, i64 %41
  %43 = load ptr, ptr %42, align 8
  br label %212

44:                                               ; preds = %212
  %45 = load ptr, ptr %5, align 8
  %46 = getelementptr inbounds i32, ptr %45, i32 -1
  store ptr %46, ptr %5, align 8
  %47 = load ptr, ptr %5, align 8
  %48 = getelementptr inbounds i32, ptr %47, i64 0
  %49 = load i32, ptr %48, align 4
  %50 = load ptr, ptr %5, align 8
  %51 = getelementptr inbounds i32, ptr %50, i64 -1
  %52 = load i32, ptr %51, align 4
  %53 = sub nsw i32 %52, %49
  store i32 %53, ptr %51, align 4
  %54 = load ptr, ptr %6, align 8
  %55 = getelementptr inbounds nuw i32, ptr %54, i32 1
  store ptr %55, ptr %6, align 8
  %56 = load i32, ptr %54, align 4
  %57 = sext i32 %56 to i64
  %58 = getelementptr inbounds [13 x ptr], ptr @run_labels.labels, i64 0, i64 %57
  %59 = load ptr, ptr %58, align 8
  br label %212

60:                                               ; preds = %212
  %61 = load ptr, ptr %5, align 8
  %62 = getelementptr inbounds i32, ptr %61, i32 -1
  store ptr %62, ptr %5, align 8
  %63 = load ptr, ptr %5, align 8
  %64 = getelementptr inbounds i32, ptr %63, i64 0
  %65 = load i32, ptr %64, align 4
  %66 = load ptr, ptr %5, align 8
  %67 = getelementptr inbounds i32, ptr %66, i64 -1
  %68 = load i32, ptr %67, align 4
  %69 = mul nsw i32 %68, %65
  store i32 %69, ptr %67, align 4
  %70 = load ptr, ptr %6, align 8
  %71 = getelementptr inbounds nuw i32, ptr %70, i32 1
  store ptr %71, ptr %6, align 8
  %72 = load i32, ptr %70, align 4
  %73 = sext i32 %72 to i64
  %74 = getelementptr inbounds [13 x ptr], ptr @run_labels.labels, i64 0, i64 %73
  %75 = load ptr, ptr %74, align 8
  br label %212

76:                                               ; preds = %212
  %77 = load ptr, ptr %5, align 8
  %78 = getelementptr inbounds i32, ptr %77, i64 -1
  %79 = load i32, ptr %78, align 4
  %80 = load ptr, ptr %5, align 8
  %81 = getelementptr inbounds i32, ptr %80, i64 0
  store i32 %79, ptr %81, align 4
  %82 = load ptr, ptr %5, align 8
  %83 = getelementptr inbounds nuw i32, ptr %82, i32 1
  store ptr %83, ptr %5, align 8
  %84 = load ptr, ptr %6, align 8
  %85 = getelementptr inbounds nuw i32, ptr %84, i32 1
  store ptr %85, ptr %6, align 8
  %86 = load i32, ptr %84, align 4
  %87 = sext i32 %86 to i64
  %88 = getelementptr inbounds [13 x ptr], ptr @run_labels.labels, i64 0, i64 %87
  %89 = load ptr, ptr %88, align 8
  br label %212

90:                                               ; preds = %212
  %91 = load ptr, ptr %5, align 8
  %92 = getelementptr inbounds i32, ptr %91, i64 -1
  %93 = load i32, ptr %92, align 4
  store i32 %93, ptr %7, align 4
  %94 = load ptr, ptr %5, align 8
  %95 = getelementptr inbounds i32, ptr %94, i64 -2
  %96 = load i32, ptr %95, align 4
  %97 = load ptr, ptr %5, align 8
  %98 = getelementptr inbounds i32, ptr %97, i64 -1
  store i32 %96, ptr %98, align 4
  %99 = load i32, ptr %7, align 4
  %100 = load ptr, ptr %5, align 8
  %101 = getelementptr inbounds i32, ptr %100, i64 -2
  store i32 %99, ptr %101, align 4
  %102 = load ptr, ptr %6, align 8
  %103 = getelementptr inbounds nuw i32, ptr %102, i32 1
  store ptr %103, ptr %6, align 8
  %104 = load i32, ptr %102, align 4
  %105 = sext i32 %104 to i64
  %106 = getelementptr inbounds [13 x ptr], ptr @run_labels.labels, i64 0, i64 %105
  %107 = load ptr, ptr %106, align 8
  br label %212

108:                                              ; preds = %212
  %109 = load ptr, ptr %5, align 8
  %110 = getelementptr inbounds i32, ptr %109, i32 -1
  store ptr %110, ptr %5, align 8
  %111 = load ptr, ptr %5, align 8
  %112 = getelementptr inbounds i32, ptr %111, i64 -1
  %113 = load i32, ptr %112, align 4
  %114 = load ptr, ptr %5, align 8
  %115 = getelementptr inbounds i32, ptr %114, i64 0
  %116 = load i32, ptr %115, align 4
  %117 = icmp slt i32 %113, %116
  %118 = zext i1 %117 to i32
  %119 = load ptr, ptr %5, align 8
  %120 = getelementptr inbounds i32, ptr %119, i64 -1
  store i32 %118, ptr %120, align 4
  %121 = load ptr, ptr %6, align 8
  %122 = getelementptr inbounds nuw i32, ptr %121, i32 1
  store ptr %122, ptr %6, align 8
  %123 = load i32, ptr %121, align 4
  %124 = sext i32 %123 to i64
  %125 = getelementptr inbounds [13 x ptr], ptr @run_labels.labels, i64 0, i64 %124
  %126 = load ptr, ptr %125, align 8
  br label %212

127:                                              ; preds = %212
  %128 = load ptr, ptr %2, align 8
  %129 = load ptr, ptr %6, align 8
  %130 = load i32, ptr %129, align 4
  %131 = sext i32 %130 to i64
  %132 = getelementptr inbounds i32, ptr %128, i64 %131
  store ptr %132, ptr %6, align 8
  %133 = load ptr, ptr %6, align 8
  %134 = getelementptr inbounds nuw i32, ptr %133, i32 1
  store ptr %134, ptr %6, align 8
  %135 = load i32, ptr %133, align 4
  %136 = sext i32 %135 to i64
  %137 = getelementptr inbounds [13 x ptr], ptr @run_labels.labels, i64 0, i64 %136
  %138 = load ptr, ptr %137, align 8
  br label %212

139:                                              ; preds = %212
  %140 = load ptr, ptr %5, align 8
  %141 = getelementptr inbounds i32, ptr %140, i32 -1
  store ptr %141, ptr %5, align 8
  %142 = load i32, ptr %141, align 4
  %143 = icmp ne i32 %142, 0
  br i1 %143, label %144, label %150

144:                                              ; preds = %139
  %145 = load ptr, ptr %2, align 8
  %146 = load ptr, ptr %6, align 8
  %147 = load i32, ptr %146, align 4
  %148 = sext i32 %147 to i64
  %149 = getelementptr inbounds i32, ptr %145, i64 %148
  br label %153

150:                                              ; preds = %139
  %151 = load ptr, ptr %6, align 8
  %152 = getelementptr inbounds i32, ptr %151, i64 1
  br label %153

153:                                              ; preds = %150, %144
  %154 = phi ptr [ %149, %144 ], [ %152, %150 ]
  store ptr %154, ptr %6, align 8
  %155 = load ptr, ptr %6, align 8
  %156 = getelementptr inbounds nuw i32, ptr %155, i32 1
  store ptr %156, ptr %6, align 8
  %157 = load i32, ptr %155, align 4
  %158 = sext i32 %157 to i64
  %159 = getelementptr inbounds [13 x ptr], ptr @run_labels.labels, i64 0, i64 %158
  %160 = load ptr, ptr %159, align 8
  br label %212

161:                                              ; preds = %212
  %162 = load ptr, ptr %5, align 8
  %163 = getelementptr inbounds i32, ptr %162, i32 -1
  store ptr %163, ptr %5, align 8
  %164 = load i32, ptr %163, align 4
  %165 = load ptr, ptr %6, align 8
  %166 = getelementptr inbounds nuw i32, ptr %165, i32 1
  store ptr %166, ptr %6, align 8
  %167 = load i32, ptr %165, align 4
  %168 = sext i32 %167 to i64
  %169 = getelementptr inbounds [4 x i32], ptr %4, i64 0, i64 %168
  store i32 %164, ptr %169, align 4
  %170 = load ptr, ptr %6, align 8
  %171 = getelementptr inbounds nuw i32, ptr %170, i32 1
  store ptr %171, ptr %6, align 8
  %172 = load i32, ptr %170, align 4
  %173 = sext i32 %172 to i64
  %174 = getelementptr inbounds [13 x ptr], ptr @run_labels.labels, i64 0, i64 %173
  %175 = load ptr, ptr %174, align 8
  br label %212

176:                                              ; preds = %212
  %177 = load ptr, ptr %6, align 8
  %178 = getelementptr inbounds nuw i32, ptr %177, i32 1
  store ptr %178, ptr %6, align 8
  %179 = load i32, ptr %177, align 4
  %180 = sext i32 %179 to i64
  %181 = getelementptr inbounds [4 x i32], ptr %4, i64 0, i64 %180
  %182 = load i32, ptr %181, align 4
  %183 = load ptr, ptr %5, align 8
  %184 = getelementptr inbounds nuw i32, ptr %183, i32 1
  store ptr %184, ptr %5, align 8
  store i32 %182, ptr %183, align 4
  %185 = load ptr, ptr %6, align 8
  %186 = getelementptr inbounds nuw i32, ptr %185, i32 1
  store ptr %186, ptr %6, align 8
  %187 = load i32, ptr %185, align 4
  %188 = sext i32 %187 to i64
  %189 = getelementptr inbounds [13 x ptr], ptr @run_labels.labels, i64 0, i64 %188
  %190 = load ptr, ptr %189, align 8
  br label %212

191:                                              ; preds = %212
  %192 = load ptr, ptr %5, align 8
  %193 = getelementptr inbounds i32, ptr %192, i32 -1
  store ptr %193, ptr %5, align 8
  %194 = load i32, ptr %193, align 4
  call void @print(i32 noundef %194)
  %195 = load ptr, ptr %6, align 8
  %196 = getelementptr inbounds nuw i32, ptr %195, i32 1
  store ptr %196, ptr %6, align 8
  %197 = load i32, ptr %195, align 4
  %198 = sext i32 %197 to i64
  %199 = getelementptr inbounds [13 x ptr], ptr @run_labels.labels, i64 0, i64 %198
  %200 = load ptr, ptr %199, align 8
  br label %212

201:                                              ; preds = %212
  %202 = load ptr, ptr %5, align 8
  %203 = getelementptr inbounds [32 x i32], ptr %3, i64 0, i64 0
  %204 = icmp ugt ptr %202, %203
  br i1 %204, label %205, label %209

205:                                              ; preds = %201
  %206 = load ptr, ptr %5, align 8
  %207 = getelementptr inbounds i32, ptr %206, i64 -1
  %208 = load i32, ptr %207, align 4
  br label %210

209:                                              ; preds = %201
  br label %210

210:                                              ; preds = %209, %205
  %211 = phi i32 [ %208, %205 ], [ -1, %209 ]
  ret i32 %211

212:                                              ; preds = %191, %176, %161, %153, %127, %108, %90, %76, %60, %44, %28, %16, %1
  %213 = phi ptr [ %15, %1 ], [ %27, %16 ], [ %43, %28 ], [ %59, %44 ], [ %75, %60 ], [ %89, %76 ], [ %107, %90 ], [ %126, %108 ], [ %138, %127 ], [ %160, %153 ], [ %175, %161 ], [ %190, %176 ], [ %200, %191 ]
  indirectbr ptr %213, [label %16, label %28, label %44, label %60, label %76, label %90, label %108, label %127, label %139, label %161, label %176, label %191, label %201]
}

declare i32 @printf(ptr noundef, ...) #1

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @classify(i64 noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca i64, align 8
  store i64 %0, ptr %3, align 8
  %4 = load i64, ptr %3, align 8
  switch i64 %4, label %11 [
    i64 -9223372036854775808, label %5
    i64 -1000000, label %6
    i64 -1000, label %6
    i64 -1, label %6
    i64 0, label %7
    i64 1, label %8
    i64 2, label %8
    i64 3, label %8
    i64 4, label %8
    i64 5, label %8
    i64 6, label %8
    i64 7, label %8
    i64 8, label %8
    i64 9, label %8
    i64 1000, label %9
    i64 1048576, label %9
    i64 9223372036854775807, label %10
  ]

5:                                                ; preds = %1
  store i32 1, ptr %2, align 4
  br label %16

6:                                                ; preds = %1, %1, %1
  store i32 2, ptr %2, align 4
  br label %16

7:                                                ; preds = %1
  store i32 3, ptr %2, align 4
  br label %16

8:                                                ; preds = %1, %1, %1, %1, %1, %1, %1, %1, %1
  store i32 4, ptr %2, align 4
  br label %16

9:                                                ; preds = %1, %1
  store i32 5, ptr %2, align 4
  br label %16

10:                                               ; preds = %1
  store i32 6, ptr %2, align 4
  br label %16

11:                                               ; preds = %1
  %12 = load i64, ptr %3, align 8
  %13 = icmp slt i64 %12, 0
  %14 = zext i1 %13 to i64
  %15 = select i1 %13, i32 7, i32 8
  store i32 %15, ptr %2, align 4
  br label %16

16:                                               ; preds = %11, %10, %9, %8, %7, %6, %5
  %17 = load i32, ptr %2, align 4
  ret i32 %17
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #2

; Function Attrs: noinline nounwind optnone uwtable
define internal void @print(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i64, ptr @printed, align 8
  %4 = mul i64 %3, 31
  %5 = load i32, ptr %2, align 4
  %6 = sext i32 %5 to i64
  %7 = add i64 %4, %6
  store i64 %7, ptr @printed, align 8
  ret void
}

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nocallback nofree nounwind willreturn memory(argmem: write) }

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
