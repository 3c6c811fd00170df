; ModuleID = 'c/vectors.c'
source_filename = "c/vectors.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@.str = private unnamed_addr constant [7 x i8] c"%a %a \00", align 1
@.str.1 = private unnamed_addr constant [4 x i8] c"%a\0A\00", align 1
@.str.2 = private unnamed_addr constant [13 x i8] c"%d %d %d %d\0A\00", align 1
@.str.3 = private unnamed_addr constant [6 x i8] c"%08x\0A\00", align 1
@.str.4 = private unnamed_addr constant [17 x i8] c"%lld %lld %a %a\0A\00", align 1
@.str.5 = private unnamed_addr constant [7 x i8] c"%a %a\0A\00", align 1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
  %1 = alloca i32, align 4
  %2 = alloca <4 x float>, align 16
  %3 = alloca <4 x float>, align 16
  %4 = alloca <4 x float>, align 16
  %5 = alloca <4 x float>, align 16
  %6 = alloca i32, align 4
  %7 = alloca <4 x i32>, align 16
  %8 = alloca <4 x i32>, align 16
  %9 = alloca <16 x i8>, align 16
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca <2 x i64>, align 16
  %14 = alloca <2 x double>, align 16
  %15 = alloca <4 x float>, align 16
  %16 = alloca i32, align 4
  store i32 0, ptr %1, align 4
  store <4 x float> <float 1.000000e+00, float 2.000000e+00, float 3.000000e+00, float 4.000000e+00>, ptr %2, align 16
  store <4 x float> <float 5.000000e-01, float -1.000000e+00, float 8.000000e+00, float 2.000000e+00>, ptr %3, align 16
  %17 = load <4 x float>, ptr %2, align 16
  %18 = load <4 x float>, ptr %3, align 16
  %19 = fmul <4 x float> %17, %18
  %20 = load <4 x float>, ptr %2, align 16
  %21 = load <4 x float>, ptr %3, align 16
  %22 = fdiv <4 x float> %20, %21
  %23 = fsub <4 x float> %19, %22
  store <4 x float> %23, ptr %4, align 16
  %24 = load <4 x float>, ptr %2, align 16
  %25 = load <4 x float>, ptr %3, align 16
  %26 = load <4 x float>, ptr %2, align 16
  %27 = load <4 x float>, ptr %3, align 16
  %28 = fcmp ogt <4 x float> %26, %27
  %29 = sext <4 x i1> %28 to <4 x i32>
  %30 = call <4 x float> @blend(<4 x float> noundef %24, <4 x float> noundef %25, <4 x i32> noundef %29)
  store <4 x float> %30, ptr %5, align 16
  store i32 0, ptr %6, align 4
  br label %31

31:                                               ; preds = %44, %0
  %32 = load i32, ptr %6, align 4
  %33 = icmp slt i32 %32, 4
  br i1 %33, label %34, label %47

34:                                               ; preds = %31
  %35 = load <4 x float>, ptr %4, align 16
  %36 = load i32, ptr %6, align 4
  %37 = extractelement <4 x float> %35, i32 %36
  %38 = fpext float %37 to double
  %39 = load <4 x float>, ptr %5, align 16
  %40 = load i32, ptr %6, align 4
  %41 = extractelement <4 x float> %39, i32 %40
  %42 = fpext float %41 to double
  %43 = call i32 (ptr, ...) @printf(ptr noundef @.str, double noundef %38, double noundef %42)
  br label %44

44:                                               ; preds = %34
  %45 = load i32, ptr %6, align 4
  %46 = add nsw i32 %45, 1
  store i32 %46, ptr %6, align 4
  br label %31, !llvm.loop !6

47:                                               ; preds = %31
  %48 = load <4 x float>, ptr %4, align 16
  %49 = call float @sum(<4 x float> noundef %48)
  %50 = fpext float %49 to double
  %51 = call i32 (ptr, ...) @printf(ptr noundef @.str.1, double noundef %50)
  store <4 x i32> <i32 -100, i32 5, i32 100, i32 42>, ptr %8, align 16
  %52 = load <4 x i32>, ptr %8, align 16
  %53 = call <4 x i32> @clamp(<4 x i32> noundef %52, i32 noundef -8, i32 noundef 50)
  store <4 x i32> %53, ptr %7, align 16
  %54 = load <4 x i32>, ptr %7, align 16
  %55 = extractelement <4 x i32> %54, i32 0
  %56 = load <4 x i32>, ptr %7, align 16
  %57 = extractelement <4 x i32> %56, i32 1
  %58 = load <4 x i32>, ptr %7, align 16
  %59 = extractelement <4 x i32> %58, i32 2
  %60 = load <4 x i32>, ptr %7, align 16
  %61 = extractelement <4 x i32> %60, i32 3
  %62 = call i32 (ptr, ...) @printf(ptr noundef @.str.2, i32 noundef %55, i32 noundef %57, i32 noundef %59, i32 noundef %61)
  store i32 0, ptr %10, align 4
  br label %63

63:                                               ; preds = %73, %47
  %64 = load i32, ptr %10, align 4
  %65 = icmp slt i32 %64, 16
  br i1 %65, label %66, label %76

66:                                               ; preds = %63
  %67 = load i32, ptr %10, align 4
  %68 = mul nsw i32 %67, 17
  %69 = trunc i32 %68 to i8
  %70 = load i32, ptr %10, align 4
  %71 = load <16 x i8>, ptr %9, align 16
  %72 = insertelement <16 x i8> %71, i8 %69, i32 %70
  store <16 x i8> %72, ptr %9, align 16
  br label %73

73:                                               ; preds = %66
  %74 = load i32, ptr %10, align 4
  %75 = add nsw i32 %74, 1
  store i32 %75, ptr %10, align 4
  br label %63, !llvm.loop !8

76:                                               ; preds = %63
  %77 = load <16 x i8>, ptr %9, align 16
  %78 = call <16 x i8> @reverse(<16 x i8> noundef %77)
  %79 = add <16 x i8> %78, splat (i8 3)
  store <16 x i8> %79, ptr %9, align 16
  store i32 0, ptr %11, align 4
  store i32 0, ptr %12, align 4
  br label %80

80:                                               ; preds = %91, %76
  %81 = load i32, ptr %12, align 4
  %82 = icmp slt i32 %81, 16
  br i1 %82, label %83, label %94

83:                                               ; preds = %80
  %84 = load i32, ptr %11, align 4
  %85 = mul i32 %84, 33
  %86 = load <16 x i8>, ptr %9, align 16
  %87 = load i32, ptr %12, align 4
  %88 = extractelement <16 x i8> %86, i32 %87
  %89 = zext i8 %88 to i32
  %90 = add i32 %85, %89
  store i32 %90, ptr %11, align 4
  br label %91

91:                                               ; preds = %83
  %92 = load i32, ptr %12, align 4
  %93 = add nsw i32 %92, 1
  store i32 %93, ptr %12, align 4
  br label %80, !llvm.loop !9

94:                                               ; preds = %80
  %95 = load i32, ptr %11, align 4
  %96 = call i32 (ptr, ...) @printf(ptr noundef @.str.3, i32 noundef %95)
  store <2 x i64> <i64 1099511627776, i64 -7>, ptr %13, align 16
  %97 = load <2 x i64>, ptr %13, align 16
  %98 = shl <2 x i64> %97, splat (i64 3)
  %99 = load <2 x i64>, ptr %13, align 16
  %100 = ashr <2 x i64> %99, splat (i64 1)
  %101 = xor <2 x i64> %98, %100
  store <2 x i64> %101, ptr %13, align 16
  %102 = load <2 x i64>, ptr %13, align 16
  %103 = sitofp <2 x i64> %102 to <2 x double>
  store <2 x double> %103, ptr %14, align 16
  %104 = load <2 x i64>, ptr %13, align 16
  %105 = extractelement <2 x i64> %104, i32 0
  %106 = load <2 x i64>, ptr %13, align 16
  %107 = extractelement <2 x i64> %106, i32 1
  %108 = load <2 x double>, ptr %14, align 16
  %109 = extractelement <2 x double> %108, i32 0
  %110 = load <2 x double>, ptr %14, align 16
  %111 = extractelement <2 x double> %110, i32 1
  %112 = call i32 (ptr, ...) @printf(ptr noundef @.str.4, i64 noundef %105, i64 noundef %107, double noundef %109, double noundef %111)
  store <4 x float> zeroinitializer, ptr %15, align 16
  store i32 0, ptr %16, align 4
  br label %113

113:                                              ; preds = %129, %94
  %114 = load i32, ptr %16, align 4
  %115 = icmp slt i32 %114, 1000
  br i1 %115, label %116, label %132

116:                                              ; preds = %113
  %117 = load <4 x float>, ptr %2, align 16
  %118 = load i32, ptr %16, align 4
  %119 = srem i32 %118, 7
  %120 = sitofp i32 %119 to float
  %121 = insertelement <4 x float> poison, float %120, i64 0
  %122 = shufflevector <4 x float> %121, <4 x float> poison, <4 x i32> zeroinitializer
  %123 = fmul <4 x float> %117, %122
  %124 = load <4 x float>, ptr %15, align 16
  %125 = fadd <4 x float> %124, %123
  store <4 x float> %125, ptr %15, align 16
  %126 = load <4 x float>, ptr %2, align 16
  %127 = load <4 x float>, ptr %2, align 16
  %128 = shufflevector <4 x float> %126, <4 x float> %127, <4 x i32> <i32 1, i32 2, i32 3, i32 0>
  store <4 x float> %128, ptr %2, align 16
  br label %129

129:                                              ; preds = %116
  %130 = load i32, ptr %16, align 4
  %131 = add nsw i32 %130, 1
  store i32 %131, ptr %16, align 4
  br label %113, !llvm.loop !10

132:                                              ; preds = %113
  %133 = load <4 x float>, ptr %15, align 16
  %134 = extractelement <4 x float> %133, i32 0
  %135 = fpext float %134 to double
  %136 = load <4 x float>, ptr %15, align 16
  %137 = call float @sum(<4 x float> noundef %136)
  %138 = fpext float %137 to double
  %139 = call i32 (ptr, ...) @printf(ptr noundef @.str.5, double noundef %135, double noundef %138)
  ret i32 0
}

; Function Attrs: noinline nounwind optnone uwtable
define internal <4 x float> @blend(<4 x float> noundef %0, <4 x float> noundef %1, <4 x i32> noundef %2) #0 {
  %4 = alloca <4 x float>, align 16
  %5 = alloca <4 x float>, align 16
  %6 = alloca <4 x i32>, align 16
  store <4 x float> %0, ptr %4, align 16
  store <4 x float> %1, ptr %5, align 16
  store <4 x i32> %2, ptr %6, align 16
  %7 = load <4 x i32>, ptr %6, align 16
  %8 = load <4 x float>, ptr %4, align 16
  %9 = bitcast <4 x float> %8 to <4 x i32>
  %10 = and <4 x i32> %7, %9
  %11 = load <4 x i32>, ptr %6, align 16
  %12 = xor <4 x i32> %11, splat (i32 -1)
  %13 = load <4 x float>, ptr %5, align 16
  %14 = bitcast <4 x float> %13 to <4 x i32>
  %15 = and <4 x i32> %12, %14
  %16 = or <4 x i32> %10, %15
  %17 = bitcast <4 x i32> %16 to <4 x float>
  ret <4 x float> %17
}

declare i32 @printf(ptr noundef, ...) #1

; Function Attrs: noinline nounwind optnone uwtable
define internal float @sum(<4 x float> noundef %0) #0 {
  %2 = alloca <4 x float>, align 16
  store <4 x float> %0, ptr %2, align 16
  %3 = load <4 x float>, ptr %2, align 16
  %4 = extractelement <4 x float> %3, i32 0
  %5 = load <4 x float>, ptr %2, align 16
  %6 = extractelement <4 x float> %5, i32 1
  %7 = fadd float %4, %6
  %8 = load <4 x float>, ptr %2, align 16
  %9 = extractelement <4 x float> %8, i32 2
  %10 = fadd float %7, %9
  %11 = load <4 x float>, ptr %2, align 16
  %12 = extractelement <4 x float> %11, i32 3
  %13 = fadd float %10, %12
  ret float %13
}

; Function Attrs: noinline nounwind optnone uwtable
define internal <4 x i32> @clamp(<4 x i32> noundef %0, i32 noundef %1, i32 noundef %2) #0 {
  %4 = alloca <4 x i32>, align 16
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca <4 x i32>, align 16
  %8 = alloca <4 x i32>, align 16
  store <4 x i32> %0, ptr %4, align 16
  store i32 %1, ptr %5, align 4
  store i32 %2, ptr %6, align 4
  %9 = load i32, ptr %5, align 4
  %10 = insertelement <4 x i32> poison, i32 %9, i32 0
  %11 = load i32, ptr %5, align 4
  %12 = insertelement <4 x i32> %10, i32 %11, i32 1
  %13 = load i32, ptr %5, align 4
  %14 = insertelement <4 x i32> %12, i32 %13, i32 2
  %15 = load i32, ptr %5, align 4
  %16 = insertelement <4 x i32> %14, i32 %15, i32 3
  store <4 x i32> %16, ptr %7, align 16
  %17 = load i32, ptr %6, align 4
  %18 = insertelement <4 x i32> poison, i32 %17, i32 0
  %19 = load i32, ptr %6, align 4
  %20 = insertelement <4 x i32> %18, i32 %19, i32 1
  %21 = load i32, ptr %6, align 4
  %22 = insertelement <4 x i32> %20, i32 %21, i32 2
  %23 = load i32, ptr %6, align 4
  %24 = insertelement <4 x i32> %22, i32 %23, i32 3
  store <4 x i32> %24, ptr %8, align 16
  %25 = load <4 x i32>, ptr %4, align 16
  %26 = load <4 x i32>, ptr %7, align 16
  %27 = icmp slt <4 x i32> %25, %26
  %28 = sext <4 x i1> %27 to <4 x i32>
  %29 = load <4 x i32>, ptr %7, align 16
  %30 = and <4 x i32> %28, %29
  %31 = load <4 x i32>, ptr %4, align 16
  %32 = load <4 x i32>, ptr %7, align 16
  %33 = icmp slt <4 x i32> %31, %32
  %34 = sext <4 x i1> %33 to <4 x i32>
  %35 = xor <4 x i32> %34, splat (i32 -1)
  %36 = load <4 x i32>, ptr %4, align 16
  %37 = and <4 x i32> %35, %36
  %38 = or <4 x i32> %30, %37
  store <4 x i32> %38, ptr %4, align 16
  %39 = load <4 x i32>, ptr %4, align 16
  %40 = load <4 x i32>, ptr %8, align 16
  %41 = icmp sgt <4 x i32> %39, %40
  %42 = sext <4 x i1> %41 to <4 x i32>
  %43 = load <4 x i32>, ptr %8, align 16
  %44 = and <4 x i32> %42, %43
  %45 = load <4 x i32>, ptr %4, align 16
  %46 = load <4 x i32>, ptr %8, align 16
  %47 = icmp sgt <4 x i32> %45, %46
  %48 = sext <4 x i1> %47 to <4 x i32>
  %49 = xor <4 x i32> %48, splat (i32 -1)
  %50 = load <4 x i32>, ptr %4, align 16
  %51 = and <4 x i32> %49, %50
  %52 = or <4 x i32> %44, %51
  ret <4 x i32> %52
}

; Function Attrs: noinline nounwind optnone uwtable
define internal <16 x i8> @reverse(<16 x i8> noundef %0) #0 {
  %2 = alloca <16 x i8>, align 16
  store <16 x i8> %0, ptr %2, align 16
  %3 = load <16 x i8>, ptr %2, align 16
  %4 = load <16 x i8>, ptr %2, align 16
  %5 = shufflevector <16 x i8> %3, <16 x i8> %4, <16 x i32> <i32 15, i32 14, i32 13, i32 12, i32 11, i32 10, i32 9, i32 8, i32 7, i32 6, i32 5, i32 4, i32 3, i32 2, i32 1, i32 0>
  ret <16 x i8> %5
}

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="128" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

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
