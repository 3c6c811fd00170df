; ModuleID = 'c/variadic.c'
source_filename = "c/variadic.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.pair = type { i64, i64 }
%struct.point = type { double, double, double }
%struct.__va_list_tag = type { i32, i32, ptr, ptr }

@.str = private unnamed_addr constant [7 x i8] c"%a %a\0A\00", align 1
@.str.1 = private unnamed_addr constant [6 x i8] c"%lld\0A\00", align 1
@.str.2 = private unnamed_addr constant [6 x i8] c"iilds\00", align 1
@.str.3 = private unnamed_addr constant [4 x i8] c"abc\00", align 1
@.str.4 = private unnamed_addr constant [7 x i8] c"pppixd\00", align 1
@.str.5 = private unnamed_addr constant [2 x i8] c"q\00", align 1
@.str.6 = private unnamed_addr constant [27 x i8] c"%d %s %.2f %c %llu %hhd %p\00", align 1
@.str.7 = private unnamed_addr constant [5 x i8] c"text\00", align 1
@.str.8 = private unnamed_addr constant [7 x i8] c"%d %s\0A\00", align 1
@.str.9 = private unnamed_addr constant [4 x i8] c"%d\0A\00", align 1
@.str.10 = private unnamed_addr constant [3 x i8] c"%s\00", align 1
@.str.11 = private unnamed_addr constant [23 x i8] c"longer than the buffer\00", align 1
@.str.12 = private unnamed_addr constant [4 x i8] c"%s\0A\00", align 1
@.str.13 = private unnamed_addr constant [55 x i8] c"%d %d %d %d %d %d %d %d %a %a %a %a %a %a %a %a %a %a\0A\00", align 1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
  %1 = alloca i32, align 4
  %2 = alloca %struct.pair, align 8
  %3 = alloca %struct.pair, align 8
  %4 = alloca %struct.pair, align 8
  %5 = alloca %struct.point, align 8
  %6 = alloca [80 x i8], align 16
  %7 = alloca i32, align 4
  store i32 0, ptr %1, align 4
  %8 = call double (i32, ...) @sum(i32 noundef 4, i32 noundef 1, double noundef 5.000000e-01, i32 noundef 2, double noundef 2.500000e-01)
  %9 = call double (i32, ...) @sum(i32 noundef 12, i32 noundef 1, double noundef 1.500000e+00, i32 noundef 2, double noundef 2.500000e+00, i32 noundef 3, double noundef 3.500000e+00, i32 noundef 4, double noundef 4.500000e+00, i32 noundef 5, double noundef 5.500000e+00, i32 noundef 6, double noundef 6.500000e+00)
  %10 = call i32 (ptr, ...) @printf(ptr noundef @.str, double noundef %8, double noundef %9)
  %11 = call i64 (ptr, ...) @by_kind(ptr noundef @.str.2, i32 noundef 7, i32 noundef 8, i64 noundef 1099511627776, double noundef 2.750000e+00, ptr noundef @.str.3)
  %12 = call i32 (ptr, ...) @printf(ptr noundef @.str.1, i64 noundef %11)
  %13 = getelementptr inbounds nuw %struct.pair, ptr %2, i32 0, i32 0
  store i64 2, ptr %13, align 8
  %14 = getelementptr inbounds nuw %struct.pair, ptr %2, i32 0, i32 1
  store i64 3, ptr %14, align 8
  %15 = getelementptr inbounds nuw %struct.pair, ptr %3, i32 0, i32 0
  store i64 4, ptr %15, align 8
  %16 = getelementptr inbounds nuw %struct.pair, ptr %3, i32 0, i32 1
  store i64 5, ptr %16, align 8
  %17 = getelementptr inbounds nuw %struct.pair, ptr %4, i32 0, i32 0
  store i64 6, ptr %17, align 8
  %18 = getelementptr inbounds nuw %struct.pair, ptr %4, i32 0, i32 1
  store i64 7, ptr %18, align 8
  %19 = getelementptr inbounds nuw %struct.point, ptr %5, i32 0, i32 0
  store double 1.000000e+00, ptr %19, align 8
  %20 = getelementptr inbounds nuw %struct.point, ptr %5, i32 0, i32 1
  store double 2.000000e+00, ptr %20, align 8
  %21 = getelementptr inbounds nuw %struct.point, ptr %5, i32 0, i32 2
  store double 3.000000e+00, ptr %21, align 8
  %22 = getelementptr inbounds nuw { i64, i64 }, ptr %2, i32 0, i32 0
  %23 = load i64, ptr %22, align 8
  %24 = getelementptr inbounds nuw { i64, i64 }, ptr %2, i32 0, i32 1
  %25 = load i64, ptr %24, align 8
  %26 = getelementptr inbounds nuw { i64, i64 }, ptr %3, i32 0, i32 0
  %27 = load i64, ptr %26, align 8
  %28 = getelementptr inbounds nuw { i64, i64 }, ptr %3, i32 0, i32 1
  %29 = load i64, ptr %28, align 8
  %30 = call i64 (ptr, ...) @by_kind(ptr noundef @.str.4, i64 %23, i64 %25, i64 %27, i64 %29, ptr noundef byval(%struct.pair) align 8 %4, i32 noundef 9, ptr noundef byval(%struct.point) align 8 %5, double noundef 4.000000e+00)
  %31 = call i32 (ptr, ...) @printf(ptr noundef @.str.1, i64 noundef %30)
  %32 = call i64 (ptr, ...) @by_kind(ptr noundef @.str.5)
  %33 = call i32 (ptr, ...) @printf(ptr noundef @.str.1, i64 noundef %32)
  %34 = getelementptr inbounds [80 x i8], ptr %6, i64 0, i64 0
  %35 = call i32 (ptr, i64, ptr, ...) @format(ptr noundef %34, i64 noundef 80, ptr noundef @.str.6, i32 noundef -5, ptr noundef @.str.7, double noundef 2.500000e+00, i32 noundef 122, i64 noundef 1125899906842624, i32 noundef 300, ptr noundef null)
  store i32 %35, ptr %7, align 4
  %36 = load i32, ptr %7, align 4
  %37 = getelementptr inbounds [80 x i8], ptr %6, i64 0, i64 0
  %38 = call i32 (ptr, ...) @printf(ptr noundef @.str.8, i32 noundef %36, ptr noundef %37)
  %39 = getelementptr inbounds [80 x i8], ptr %6, i64 0, i64 0
  %40 = call i32 (ptr, i64, ptr, ...) @format(ptr noundef %39, i64 noundef 8, ptr noundef @.str.10, ptr noundef @.str.11)
  %41 = call i32 (ptr, ...) @printf(ptr noundef @.str.9, i32 noundef %40)
  %42 = getelementptr inbounds [80 x i8], ptr %6, i64 0, i64 0
  %43 = call i32 (ptr, ...) @printf(ptr noundef @.str.12, ptr noundef %42)
  %44 = call i32 (ptr, ...) @printf(ptr noundef @.str.13, i32 noundef 1, i32 noundef 2, i32 noundef 3, i32 noundef 4, i32 noundef 5, i32 noundef 6, i32 noundef 7, i32 noundef 8, double noundef 1.000000e+00, double noundef 2.000000e+00, double noundef 3.000000e+00, double noundef 4.000000e+00, double noundef 5.000000e+00, double noundef 6.000000e+00, double noundef 7.000000e+00, double noundef 8.000000e+00, double noundef 9.000000e+00, double noundef 1.000000e+01)
  ret i32 0
}

declare i32 @printf(ptr noundef, ...) #1

; Function Attrs: noinline nounwind optnone uwtable
define internal double @sum(i32 noundef %0, ...) #0 {
  %2 = alloca i32, align 4
  %3 = alloca [1 x %struct.__va_list_tag], align 16
  %4 = alloca double, align 8
  %5 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %6 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %3, i64 0, i64 0
  call void @llvm.va_start.p0(ptr %6)
  store double 0.000000e+00, ptr %4, align 8
  store i32 0, ptr %5, align 4
  br label %7

7:                                                ; preds = %54, %1
  %8 = load i32, ptr %5, align 4
  %9 = load i32, ptr %2, align 4
  %10 = icmp slt i32 %8, %9
  br i1 %10, label %11, label %57

11:                                               ; preds = %7
  %12 = load i32, ptr %5, align 4
  %13 = srem i32 %12, 2
  %14 = icmp ne i32 %13, 0
  br i1 %14, label %15, label %32

15:                                               ; preds = %11
  %16 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %3, i64 0, i64 0
  %17 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %16, i32 0, i32 1
  %18 = load i32, ptr %17, align 4
  %19 = icmp ule i32 %18, 160
  br i1 %19, label %20, label %25

20:                                               ; preds = %15
  %21 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %16, i32 0, i32 3
  %22 = load ptr, ptr %21, align 16
  %23 = getelementptr i8, ptr %22, i32 %18
  %24 = add i32 %18, 16
  store i32 %24, ptr %17, align 4
  br label %29

25:                                               ; preds = %15
  %26 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %16, i32 0, i32 2
  %27 = load ptr, ptr %26, align 8
  %28 = getelementptr i8, ptr %27, i32 8
  store ptr %28, ptr %26, align 8
  br label %29

29:                                               ; preds = %25, %20
  %30 = phi ptr [ %23, %20 ], [ %27, %25 ]
  %31 = load double, ptr %30, align 8
  br label %50

32:                                               ; preds = %11
  %33 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %3, i64 0, i64 0
  %34 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %33, i32 0, i32 0
  %35 = load i32, ptr %34, align 16
  %36 = icmp ule i32 %35, 40
  br i1 %36, label %37, label %42

37:                                               ; preds = %32
  %38 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %33, i32 0, i32 3
  %39 = load ptr, ptr %38, align 16
  %40 = getelementptr i8, ptr %39, i32 %35
  %41 = add i32 %35, 8
  store i32 %41, ptr %34, align 16
  br label %46

42:                                               ; preds = %32
  %43 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %33, i32 0, i32 2
  %44 = load ptr, ptr %43, align 8
  %45 = getelementptr i8, ptr %44, i32 8
  store ptr %45, ptr %43, align 8
  br label %46

46:                                               ; preds = %42, %37
  %47 = phi ptr [ %40, %37 ], [ %44, %42 ]
  %48 = load i32, ptr %47, align 4
  %49 = sitofp i32 %48 to double
  br label %50

50:                                               ; preds = %46, %29
  %51 = phi double [ %31, %29 ], [ %49, %46 ]
  %52 = load double, ptr %4, align 8
  %53 = fadd double %52, %51
  store double %53, ptr %4, align 8
  br label %54

54:                                               ; preds = %50
  %55 = load i32, ptr %5, align 4
  %56 = add nsw i32 %55, 1
  store i32 %56, ptr %5, align 4
  br label %7, !llvm.loop !6

57:                                               ; preds = %7
  %58 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %3, i64 0, i64 0
  call void @llvm.va_end.p0(ptr %58)
  %59 = load double, ptr %4, align 8
  ret double %59
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i64 @by_kind(ptr noundef %0, ...) #0 {
  %2 = alloca i64, align 8
  %3 = alloca ptr, align 8
  %4 = alloca [1 x %struct.__va_list_tag], align 16
  %5 = alloca [1 x %struct.__va_list_tag], align 16
  %6 = alloca i64, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca %struct.pair, align 8
  %10 = alloca %struct.point, align 8
  store ptr %0, ptr %3, align 8
  %11 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %4, i64 0, i64 0
  call void @llvm.va_start.p0(ptr %11)
  %12 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %5, i64 0, i64 0
  %13 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %4, i64 0, i64 0
  call void @llvm.va_copy.p0(ptr %12, ptr %13)
  store i64 0, ptr %6, align 8
  %14 = load ptr, ptr %3, align 8
  store ptr %14, ptr %7, align 8
  br label %15

15:                                               ; preds = %154, %1
  %16 = load ptr, ptr %7, align 8
  %17 = load i8, ptr %16, align 1
  %18 = icmp ne i8 %17, 0
  br i1 %18, label %19, label %157

19:                                               ; preds = %15
  %20 = load ptr, ptr %7, align 8
  %21 = load i8, ptr %20, align 1
  %22 = sext i8 %21 to i32
  switch i32 %22, label %152 [
    i32 105, label %23
    i32 108, label %43
    i32 100, label %62
    i32 115, label %82
    i32 112, label %113
    i32 120, label %136
  ]

23:                                               ; preds = %19
  %24 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %4, i64 0, i64 0
  %25 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %24, i32 0, i32 0
  %26 = load i32, ptr %25, align 16
  %27 = icmp ule i32 %26, 40
  br i1 %27, label %28, label %33

28:                                               ; preds = %23
  %29 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %24, i32 0, i32 3
  %30 = load ptr, ptr %29, align 16
  %31 = getelementptr i8, ptr %30, i32 %26
  %32 = add i32 %26, 8
  store i32 %32, ptr %25, align 16
  br label %37

33:                                               ; preds = %23
  %34 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %24, i32 0, i32 2
  %35 = load ptr, ptr %34, align 8
  %36 = getelementptr i8, ptr %35, i32 8
  store ptr %36, ptr %34, align 8
  br label %37

37:                                               ; preds = %33, %28
  %38 = phi ptr [ %31, %28 ], [ %35, %33 ]
  %39 = load i32, ptr %38, align 4
  %40 = sext i32 %39 to i64
  %41 = load i64, ptr %6, align 8
  %42 = add nsw i64 %41, %40
  store i64 %42, ptr %6, align 8
  br label %153

43:                                               ; preds = %19
  %44 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %4, i64 0, i64 0
  %45 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %44, i32 0, i32 0
  %46 = load i32, ptr %45, align 16
  %47 = icmp ule i32 %46, 40
  br i1 %47, label %48, label %53

48:                                               ; preds = %43
  %49 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %44, i32 0, i32 3
  %50 = load ptr, ptr %49, align 16
  %51 = getelementptr i8, ptr %50, i32 %46
  %52 = add i32 %46, 8
  store i32 %52, ptr %45, align 16
  br label %57

53:                                               ; preds = %43
  %54 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %44, i32 0, i32 2
  %55 = load ptr, ptr %54, align 8
  %56 = getelementptr i8, ptr %55, i32 8
  store ptr %56, ptr %54, align 8
  br label %57

57:                                               ; preds = %53, %48
  %58 = phi ptr [ %51, %48 ], [ %55, %53 ]
  %59 = load i64, ptr %58, align 8
  %60 = load i64, ptr %6, align 8
  %61 = add nsw i64 %60, %59
  store i64 %61, ptr %6, align 8
  br label %153

62:                                               ; preds = %19
  %63 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %4, i64 0, i64 0
  %64 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %63, i32 0, i32 1
  %65 = load i32, ptr %64, align 4
  %66 = icmp ule i32 %65, 160
  br i1 %66, label %67, label %72

67:                                               ; preds = %62
  %68 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %63, i32 0, i32 3
  %69 = load ptr, ptr %68, align 16
  %70 = getelementptr i8, ptr %69, i32 %65
  %71 = add i32 %65, 16
  store i32 %71, ptr %64, align 4
  br label %76

72:                                               ; preds = %62
  %73 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %63, i32 0, i32 2
  %74 = load ptr, ptr %73, align 8
  %75 = getelementptr i8, ptr %74, i32 8
  store ptr %75, ptr %73, align 8
  br label %76

76:                                               ; preds = %72, %67
  %77 = phi ptr [ %70, %67 ], [ %74, %72 ]
  %78 = load double, ptr %77, align 8
  %79 = fptosi double %78 to i64
  %80 = load i64, ptr %6, align 8
  %81 = add nsw i64 %80, %79
  store i64 %81, ptr %6, align 8
  br label %153

82:                                               ; preds = %19
  %83 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %4, i64 0, i64 0
  %84 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %83, i32 0, i32 0
  %85 = load i32, ptr %84, align 16
  %86 = icmp ule i32 %85, 40
  br i1 %86, label %87, label %92

87:                                               ; preds = %82
  %88 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %83, i32 0, i32 3
  %89 = load ptr, ptr %88, align 16
  %90 = getelementptr i8, ptr %89, i32 %85
  %91 = add i32 %85, 8
  store i32 %91, ptr %84, align 16
  br label %96

92:                                               ; preds = %82
  %93 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %83, i32 0, i32 2
  %94 = load ptr, ptr %93, align 8
  %95 = getelementptr i8, ptr %94, i32 8
  store ptr %95, ptr %93, align 8
  br label %96

96:                                               ; preds = %92, %87
  %97 = phi ptr [ %90, %87 ], [ %94, %92 ]
  %98 = load ptr, ptr %97, align 8
  store ptr %98, ptr %8, align 8
  br label %99

99:                                               ; preds = %109, %96
  %100 = load ptr, ptr %8, align 8
  %101 = load i8, ptr %100, align 1
  %102 = icmp ne i8 %101, 0
  br i1 %102, label %103, label %112

103:                                              ; preds = %99
  %104 = load ptr, ptr %8, align 8
  %105 = load i8, ptr %104, align 1
  %106 = sext i8 %105 to i64
  %107 = load i64, ptr %6, align 8
  %108 = add nsw i64 %107, %106
  store i64 %108, ptr %6, align 8
  br label %109

109:                                              ; preds = %103
  %110 = load ptr, ptr %8, align 8
  %111 = getelementptr inbounds nuw i8, ptr %110, i32 1
  store ptr %111, ptr %8, align 8
  br label %99, !llvm.loop !8

112:                                              ; preds = %99
  br label %153

113:                                              ; preds = %19
  %114 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %4, i64 0, i64 0
  %115 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %114, i32 0, i32 0
  %116 = load i32, ptr %115, align 16
  %117 = icmp ule i32 %116, 32
  br i1 %117, label %118, label %123

118:                                              ; preds = %113
  %119 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %114, i32 0, i32 3
  %120 = load ptr, ptr %119, align 16
  %121 = getelementptr i8, ptr %120, i32 %116
  %122 = add i32 %116, 16
  store i32 %122, ptr %115, align 16
  br label %127

123:                                              ; preds = %113
  %124 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %114, i32 0, i32 2
  %125 = load ptr, ptr %124, align 8
  %126 = getelementptr i8, ptr %125, i32 16
  store ptr %126, ptr %124, align 8
  br label %127

127:                                              ; preds = %123, %118
  %128 = phi ptr [ %121, %118 ], [ %125, %123 ]
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %9, ptr align 8 %128, i64 16, i1 false)
  %129 = getelementptr inbounds nuw %struct.pair, ptr %9, i32 0, i32 0
  %130 = load i64, ptr %129, align 8
  %131 = getelementptr inbounds nuw %struct.pair, ptr %9, i32 0, i32 1
  %132 = load i64, ptr %131, align 8
  %133 = mul nsw i64 %130, %132
  %134 = load i64, ptr %6, align 8
  %135 = add nsw i64 %134, %133
  store i64 %135, ptr %6, align 8
  br label %153

136:                                              ; preds = %19
  %137 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %4, i64 0, i64 0
  %138 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %137, i32 0, i32 2
  %139 = load ptr, ptr %138, align 8
  %140 = getelementptr i8, ptr %139, i32 24
  store ptr %140, ptr %138, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %10, ptr align 8 %139, i64 24, i1 false)
  %141 = getelementptr inbounds nuw %struct.point, ptr %10, i32 0, i32 0
  %142 = load double, ptr %141, align 8
  %143 = getelementptr inbounds nuw %struct.point, ptr %10, i32 0, i32 1
  %144 = load double, ptr %143, align 8
  %145 = fadd double %142, %144
  %146 = getelementptr inbounds nuw %struct.point, ptr %10, i32 0, i32 2
  %147 = load double, ptr %146, align 8
  %148 = fadd double %145, %147
  %149 = fptosi double %148 to i64
  %150 = load i64, ptr %6, align 8
  %151 = add nsw i64 %150, %149
  store i64 %151, ptr %6, align 8
  br label %153

152:                                              ; preds = %19
  store i64 -1, ptr %2, align 8
  br label %189

153:                                              ; preds = %136, %127, %112, %76, %57, %37
  br label %154

154:                                              ; preds = %153
  %155 = load ptr, ptr %7, align 8
  %156 = getelementptr inbounds nuw i8, ptr %155, i32 1
  store ptr %156, ptr %7, align 8
  br label %15, !llvm.loop !9

157:                                              ; preds = %15
  %158 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %4, i64 0, i64 0
  call void @llvm.va_end.p0(ptr %158)
  %159 = load i64, ptr %6, align 8
  %160 = mul nsw i64 %159, 1000
  %161 = load ptr, ptr %3, align 8
  %162 = load i8, ptr %161, align 1
  %163 = sext i8 %162 to i32
  %164 = icmp eq i32 %163, 105
  br i1 %164, label %165, label %182

165:                                              ; preds = %157
  %166 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %5, i64 0, i64 0
  %167 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %166, i32 0, i32 0
  %168 = load i32, ptr %167, align 16
  %169 = icmp ule i32 %168, 40
  br i1 %169, label %170, label %175

170:                                              ; preds = %165
  %171 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %166, i32 0, i32 3
  %172 = load ptr, ptr %171, align 16
  %173 = getelementptr i8, ptr %172, i32 %168
  %174 = add i32 %168, 8
  store i32 %174, ptr %167, align 16
  br label %179

175:                                              ; preds = %165
  %176 = getelementptr inbounds nuw %struct.__va_list_tag, ptr %166, i32 0, i32 2
  %177 = load ptr, ptr %176, align 8
  %178 = getelementptr i8, ptr %177, i32 8
  store ptr %178, ptr %176, align 8
  br label %179

179:                                              ; preds = %175, %170
  %180 = phi ptr [ %173, %170 ], [ %177, %175 ]
  %181 = load i32, ptr %180, align 4
  br label %183

182:                                              ; preds = %157
  br label %183

183:                                              ; preds = %182, %179
  %184 = phi i32 [ %181, %179 ], [ 0, %182 ]
  %185 = sext i32 %184 to i64
  %186 = add nsw i64 %160, %185
  store i64 %186, ptr %6, align 8
  %187 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %5, i64 0, i64 0
  call void @llvm.va_end.p0(ptr %187)
  %188 = load i64, ptr %6, align 8
  store i64 %188, ptr %2, align 8
  br label %189

189:                                              ; preds = %183, %152
  %190 = load i64, ptr %2, align 8
  ret i64 %190
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @format(ptr noundef %0, i64 noundef %1, ptr noundef %2, ...) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca ptr, align 8
  %7 = alloca [1 x %struct.__va_list_tag], align 16
  %8 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store i64 %1, ptr %5, align 8
  store ptr %2, ptr %6, align 8
  %9 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %7, i64 0, i64 0
  call void @llvm.va_start.p0(ptr %9)
  %10 = load ptr, ptr %4, align 8
  %11 = load i64, ptr %5, align 8
  %12 = load ptr, ptr %6, align 8
  %13 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %7, i64 0, i64 0
  %14 = call i32 @vsnprintf(ptr noundef %10, i64 noundef %11, ptr noundef %12, ptr noundef %13) #5
  store i32 %14, ptr %8, align 4
  %15 = getelementptr inbounds [1 x %struct.__va_list_tag], ptr %7, i64 0, i64 0
  call void @llvm.va_end.p0(ptr %15)
  %16 = load i32, ptr %8, align 4
  ret i32 %16
}

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.va_start.p0(ptr) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.va_end.p0(ptr) #2

; Function Attrs: nocallback nofree nosync nounwind willreturn
declare void @llvm.va_copy.p0(ptr, ptr) #2

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #3

; Function Attrs: nounwind
declare i32 @vsnprintf(ptr noundef, i64 noundef, ptr noundef, ptr noundef) #4

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nocallback nofree nosync nounwind willreturn }
attributes #3 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #4 = { nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { nounwind }

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
