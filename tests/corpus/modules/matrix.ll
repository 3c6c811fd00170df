; ModuleID = 'c/matrix.c'
source_filename = "c/matrix.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@identity = internal global [24 x [24 x double]] zeroinitializer, align 16
@.str = private unnamed_addr constant [18 x i8] c"trace %a same %d\0A\00", align 1
@.str.1 = private unnamed_addr constant [33 x i8] c"determinant %a first %a last %a\0A\00", align 1
@weights = internal global [576 x float] zeroinitializer, align 16
@.str.2 = private unnamed_addr constant [30 x i8] c"largest %a total %a bytes %d\0A\00", align 1
@.str.3 = private unnamed_addr constant [12 x i8] c"norm %a %a\0A\00", align 1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
  %1 = alloca i32, align 4
  %2 = alloca [24 x [24 x double]], align 16
  %3 = alloca [24 x [24 x double]], align 16
  %4 = alloca [24 x [24 x double]], align 16
  %5 = alloca [24 x double], align 16
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca double, align 8
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca double, align 8
  %14 = alloca float, align 4
  %15 = alloca float, align 4
  %16 = alloca i32, align 4
  %17 = alloca i32, align 4
  %18 = alloca [333 x i8], align 16
  %19 = alloca i32, align 4
  store i32 0, ptr %1, align 4
  store i32 0, ptr %6, align 4
  br label %20

20:                                               ; preds = %77, %0
  %21 = load i32, ptr %6, align 4
  %22 = icmp slt i32 %21, 24
  br i1 %22, label %23, label %80

23:                                               ; preds = %20
  %24 = load i32, ptr %6, align 4
  %25 = sext i32 %24 to i64
  %26 = getelementptr inbounds [24 x [24 x double]], ptr @identity, i64 0, i64 %25
  %27 = load i32, ptr %6, align 4
  %28 = sext i32 %27 to i64
  %29 = getelementptr inbounds [24 x double], ptr %26, i64 0, i64 %28
  store double 1.000000e+00, ptr %29, align 8
  %30 = load i32, ptr %6, align 4
  %31 = sub nsw i32 %30, 12
  %32 = sitofp i32 %31 to double
  %33 = load i32, ptr %6, align 4
  %34 = sext i32 %33 to i64
  %35 = getelementptr inbounds [24 x double], ptr %5, i64 0, i64 %34
  store double %32, ptr %35, align 8
  store i32 0, ptr %7, align 4
  br label %36

36:                                               ; preds = %73, %23
  %37 = load i32, ptr %7, align 4
  %38 = icmp slt i32 %37, 24
  br i1 %38, label %39, label %76

39:                                               ; preds = %36
  %40 = load i32, ptr %6, align 4
  %41 = mul nsw i32 %40, 7
  %42 = load i32, ptr %7, align 4
  %43 = mul nsw i32 %42, 3
  %44 = add nsw i32 %41, %43
  %45 = srem i32 %44, 11
  %46 = add nsw i32 1, %45
  %47 = sitofp i32 %46 to double
  %48 = fdiv double 1.000000e+00, %47
  %49 = load i32, ptr %6, align 4
  %50 = load i32, ptr %7, align 4
  %51 = icmp eq i32 %49, %50
  %52 = zext i1 %51 to i32
  %53 = sitofp i32 %52 to double
  %54 = fadd double %48, %53
  %55 = load i32, ptr %6, align 4
  %56 = sext i32 %55 to i64
  %57 = getelementptr inbounds [24 x [24 x double]], ptr %2, i64 0, i64 %56
  %58 = load i32, ptr %7, align 4
  %59 = sext i32 %58 to i64
  %60 = getelementptr inbounds [24 x double], ptr %57, i64 0, i64 %59
  store double %54, ptr %60, align 8
  %61 = load i32, ptr %6, align 4
  %62 = load i32, ptr %7, align 4
  %63 = mul nsw i32 %61, %62
  %64 = srem i32 %63, 5
  %65 = sitofp i32 %64 to double
  %66 = fsub double %65, 2.000000e+00
  %67 = load i32, ptr %6, align 4
  %68 = sext i32 %67 to i64
  %69 = getelementptr inbounds [24 x [24 x double]], ptr %3, i64 0, i64 %68
  %70 = load i32, ptr %7, align 4
  %71 = sext i32 %70 to i64
  %72 = getelementptr inbounds [24 x double], ptr %69, i64 0, i64 %71
  store double %66, ptr %72, align 8
  br label %73

73:                                               ; preds = %39
  %74 = load i32, ptr %7, align 4
  %75 = add nsw i32 %74, 1
  store i32 %75, ptr %7, align 4
  br label %36, !llvm.loop !6

76:                                               ; preds = %36
  br label %77

77:                                               ; preds = %76
  %78 = load i32, ptr %6, align 4
  %79 = add nsw i32 %78, 1
  store i32 %79, ptr %6, align 4
  br label %20, !llvm.loop !8

80:                                               ; preds = %20
  %81 = getelementptr inbounds [24 x [24 x double]], ptr %2, i64 0, i64 0
  %82 = getelementptr inbounds [24 x [24 x double]], ptr %3, i64 0, i64 0
  %83 = getelementptr inbounds [24 x [24 x double]], ptr %4, i64 0, i64 0
  call void @multiply(i32 noundef 24, ptr noundef %81, ptr noundef %82, ptr noundef %83)
  store double 0.000000e+00, ptr %8, align 8
  store i32 0, ptr %9, align 4
  br label %84

84:                                               ; preds = %97, %80
  %85 = load i32, ptr %9, align 4
  %86 = icmp slt i32 %85, 24
  br i1 %86, label %87, label %100

87:                                               ; preds = %84
  %88 = load i32, ptr %9, align 4
  %89 = sext i32 %88 to i64
  %90 = getelementptr inbounds [24 x [24 x double]], ptr %4, i64 0, i64 %89
  %91 = load i32, ptr %9, align 4
  %92 = sext i32 %91 to i64
  %93 = getelementptr inbounds [24 x double], ptr %90, i64 0, i64 %92
  %94 = load double, ptr %93, align 8
  %95 = load double, ptr %8, align 8
  %96 = fadd double %95, %94
  store double %96, ptr %8, align 8
  br label %97

97:                                               ; preds = %87
  %98 = load i32, ptr %9, align 4
  %99 = add nsw i32 %98, 1
  store i32 %99, ptr %9, align 4
  br label %84, !llvm.loop !9

100:                                              ; preds = %84
  %101 = getelementptr inbounds [24 x [24 x double]], ptr %4, i64 0, i64 0
  %102 = getelementptr inbounds [24 x [24 x double]], ptr %3, i64 0, i64 0
  call void @multiply(i32 noundef 24, ptr noundef %101, ptr noundef @identity, ptr noundef %102)
  store i32 1, ptr %10, align 4
  store i32 0, ptr %11, align 4
  br label %103

103:                                              ; preds = %133, %100
  %104 = load i32, ptr %11, align 4
  %105 = icmp slt i32 %104, 24
  br i1 %105, label %106, label %136

106:                                              ; preds = %103
  store i32 0, ptr %12, align 4
  br label %107

107:                                              ; preds = %129, %106
  %108 = load i32, ptr %12, align 4
  %109 = icmp slt i32 %108, 24
  br i1 %109, label %110, label %132

110:                                              ; preds = %107
  %111 = load i32, ptr %11, align 4
  %112 = sext i32 %111 to i64
  %113 = getelementptr inbounds [24 x [24 x double]], ptr %3, i64 0, i64 %112
  %114 = load i32, ptr %12, align 4
  %115 = sext i32 %114 to i64
  %116 = getelementptr inbounds [24 x double], ptr %113, i64 0, i64 %115
  %117 = load double, ptr %116, align 8
  %118 = load i32, ptr %11, align 4
  %119 = sext i32 %118 to i64
  %120 = getelementptr inbounds [24 x [24 x double]], ptr %4, i64 0, i64 %119
  %121 = load i32, ptr %12, align 4
  %122 = sext i32 %121 to i64
  %123 = getelementptr inbounds [24 x double], ptr %120, i64 0, i64 %122
  %124 = load double, ptr %123, align 8
  %125 = fcmp oeq double %117, %124
  %126 = zext i1 %125 to i32
  %127 = load i32, ptr %10, align 4
  %128 = and i32 %127, %126
  store i32 %128, ptr %10, align 4
  br label %129

129:                                              ; preds = %110
  %130 = load i32, ptr %12, align 4
  %131 = add nsw i32 %130, 1
  store i32 %131, ptr %12, align 4
  br label %107, !llvm.loop !10

132:                                              ; preds = %107
  br label %133

133:                                              ; preds = %132
  %134 = load i32, ptr %11, align 4
  %135 = add nsw i32 %134, 1
  store i32 %135, ptr %11, align 4
  br label %103, !llvm.loop !11

136:                                              ; preds = %103
  %137 = load double, ptr %8, align 8
  %138 = load i32, ptr %10, align 4
  %139 = call i32 (ptr, ...) @printf(ptr noundef @.str, double noundef %137, i32 noundef %138)
  %140 = getelementptr inbounds [24 x [24 x double]], ptr %2, i64 0, i64 0
  %141 = getelementptr inbounds [24 x double], ptr %5, i64 0, i64 0
  %142 = call double @solve(i32 noundef 24, ptr noundef %140, ptr noundef %141)
  store double %142, ptr %13, align 8
  %143 = load double, ptr %13, align 8
  %144 = getelementptr inbounds [24 x double], ptr %5, i64 0, i64 0
  %145 = load double, ptr %144, align 16
  %146 = getelementptr inbounds [24 x double], ptr %5, i64 0, i64 23
  %147 = load double, ptr %146, align 8
  %148 = call i32 (ptr, ...) @printf(ptr noundef @.str.1, double noundef %143, double noundef %145, double noundef %147)
  store float 0.000000e+00, ptr %14, align 4
  store float 0.000000e+00, ptr %15, align 4
  store i32 0, ptr %16, align 4
  br label %149

149:                                              ; preds = %161, %136
  %150 = load i32, ptr %16, align 4
  %151 = icmp slt i32 %150, 576
  br i1 %151, label %152, label %164

152:                                              ; preds = %149
  %153 = load i32, ptr %16, align 4
  %154 = mul nsw i32 %153, 37
  %155 = srem i32 %154, 101
  %156 = sitofp i32 %155 to float
  %157 = fdiv float %156, 8.000000e+00
  %158 = load i32, ptr %16, align 4
  %159 = sext i32 %158 to i64
  %160 = getelementptr inbounds [576 x float], ptr @weights, i64 0, i64 %159
  store float %157, ptr %160, align 4
  br label %161

161:                                              ; preds = %152
  %162 = load i32, ptr %16, align 4
  %163 = add nsw i32 %162, 1
  store i32 %163, ptr %16, align 4
  br label %149, !llvm.loop !12

164:                                              ; preds = %149
  store i32 0, ptr %17, align 4
  br label %165

165:                                              ; preds = %195, %164
  %166 = load i32, ptr %17, align 4
  %167 = icmp slt i32 %166, 576
  br i1 %167, label %168, label %198

168:                                              ; preds = %165
  %169 = load i32, ptr %17, align 4
  %170 = sext i32 %169 to i64
  %171 = getelementptr inbounds [576 x float], ptr @weights, i64 0, i64 %170
  %172 = load float, ptr %171, align 4
  %173 = load float, ptr %14, align 4
  %174 = fcmp ogt float %172, %173
  br i1 %174, label %175, label %180

175:                                              ; preds = %168
  %176 = load i32, ptr %17, align 4
  %177 = sext i32 %176 to i64
  %178 = getelementptr inbounds [576 x float], ptr @weights, i64 0, i64 %177
  %179 = load float, ptr %178, align 4
  br label %182

180:                                              ; preds = %168
  %181 = load float, ptr %14, align 4
  br label %182

182:                                              ; preds = %180, %175
  %183 = phi float [ %179, %175 ], [ %181, %180 ]
  store float %183, ptr %14, align 4
  %184 = load i32, ptr %17, align 4
  %185 = sext i32 %184 to i64
  %186 = getelementptr inbounds [576 x float], ptr @weights, i64 0, i64 %185
  %187 = load float, ptr %186, align 4
  %188 = load i32, ptr %17, align 4
  %189 = sext i32 %188 to i64
  %190 = getelementptr inbounds [576 x float], ptr @weights, i64 0, i64 %189
  %191 = load float, ptr %190, align 4
  %192 = fmul float %187, %191
  %193 = load float, ptr %15, align 4
  %194 = fadd float %193, %192
  store float %194, ptr %15, align 4
  br label %195

195:                                              ; preds = %182
  %196 = load i32, ptr %17, align 4
  %197 = add nsw i32 %196, 1
  store i32 %197, ptr %17, align 4
  br label %165, !llvm.loop !13

198:                                              ; preds = %165
  store i32 0, ptr %19, align 4
  br label %199

199:                                              ; preds = %209, %198
  %200 = load i32, ptr %19, align 4
  %201 = icmp slt i32 %200, 333
  br i1 %201, label %202, label %212

202:                                              ; preds = %199
  %203 = load i32, ptr %19, align 4
  %204 = mul nsw i32 %203, 5
  %205 = trunc i32 %204 to i8
  %206 = load i32, ptr %19, align 4
  %207 = sext i32 %206 to i64
  %208 = getelementptr inbounds [333 x i8], ptr %18, i64 0, i64 %207
  store i8 %205, ptr %208, align 1
  br label %209

209:                                              ; preds = %202
  %210 = load i32, ptr %19, align 4
  %211 = add nsw i32 %210, 1
  store i32 %211, ptr %19, align 4
  br label %199, !llvm.loop !14

212:                                              ; preds = %199
  %213 = load float, ptr %14, align 4
  %214 = fpext float %213 to double
  %215 = load float, ptr %15, align 4
  %216 = fpext float %215 to double
  %217 = getelementptr inbounds [333 x i8], ptr %18, i64 0, i64 0
  %218 = call i32 @sum_of_bytes(ptr noundef %217, i32 noundef 333)
  %219 = call i32 (ptr, ...) @printf(ptr noundef @.str.2, double noundef %214, double noundef %216, i32 noundef %218)
  %220 = load double, ptr %8, align 8
  %221 = load double, ptr %8, align 8
  %222 = fmul double %220, %221
  %223 = fadd double %222, 1.000000e+00
  %224 = call double @sqrt(double noundef %223) #4
  %225 = load double, ptr %13, align 8
  %226 = call double @llvm.floor.f64(double %225)
  %227 = call i32 (ptr, ...) @printf(ptr noundef @.str.3, double noundef %224, double noundef %226)
  ret i32 0
}

; Function Attrs: noinline nounwind optnone uwtable
define internal void @multiply(i32 noundef %0, ptr noundef %1, ptr noundef %2, ptr noundef %3) #0 {
  %5 = alloca i32, align 4
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca double, align 8
  %12 = alloca i32, align 4
  store i32 %0, ptr %5, align 4
  store ptr %1, ptr %6, align 8
  store ptr %2, ptr %7, align 8
  store ptr %3, ptr %8, align 8
  %13 = load i32, ptr %5, align 4
  %14 = zext i32 %13 to i64
  %15 = load i32, ptr %5, align 4
  %16 = zext i32 %15 to i64
  %17 = load i32, ptr %5, align 4
  %18 = zext i32 %17 to i64
  %19 = load i32, ptr %5, align 4
  %20 = zext i32 %19 to i64
  %21 = load i32, ptr %5, align 4
  %22 = zext i32 %21 to i64
  %23 = load i32, ptr %5, align 4
  %24 = zext i32 %23 to i64
  store i32 0, ptr %9, align 4
  br label %25

25:                                               ; preds = %78, %4
  %26 = load i32, ptr %9, align 4
  %27 = load i32, ptr %5, align 4
  %28 = icmp slt i32 %26, %27
  br i1 %28, label %29, label %81

29:                                               ; preds = %25
  store i32 0, ptr %10, align 4
  br label %30

30:                                               ; preds = %74, %29
  %31 = load i32, ptr %10, align 4
  %32 = load i32, ptr %5, align 4
  %33 = icmp slt i32 %31, %32
  br i1 %33, label %34, label %77

34:                                               ; preds = %30
  store double 0.000000e+00, ptr %11, align 8
  store i32 0, ptr %12, align 4
  br label %35

35:                                               ; preds = %61, %34
  %36 = load i32, ptr %12, align 4
  %37 = load i32, ptr %5, align 4
  %38 = icmp slt i32 %36, %37
  br i1 %38, label %39, label %64

39:                                               ; preds = %35
  %40 = load ptr, ptr %6, align 8
  %41 = load i32, ptr %9, align 4
  %42 = sext i32 %41 to i64
  %43 = mul nsw i64 %42, %16
  %44 = getelementptr inbounds double, ptr %40, i64 %43
  %45 = load i32, ptr %12, align 4
  %46 = sext i32 %45 to i64
  %47 = getelementptr inbounds double, ptr %44, i64 %46
  %48 = load double, ptr %47, align 8
  %49 = load ptr, ptr %7, align 8
  %50 = load i32, ptr %12, align 4
  %51 = sext i32 %50 to i64
  %52 = mul nsw i64 %51, %20
  %53 = getelementptr inbounds double, ptr %49, i64 %52
  %54 = load i32, ptr %10, align 4
  %55 = sext i32 %54 to i64
  %56 = getelementptr inbounds double, ptr %53, i64 %55
  %57 = load double, ptr %56, align 8
  %58 = fmul double %48, %57
  %59 = load double, ptr %11, align 8
  %60 = fadd double %59, %58
  store double %60, ptr %11, align 8
  br label %61

61:                                               ; preds = %39
  %62 = load i32, ptr %12, align 4
  %63 = add nsw i32 %62, 1
  store i32 %63, ptr %12, align 4
  br label %35, !llvm.loop !15

64:                                               ; preds = %35
  %65 = load double, ptr %11, align 8
  %66 = load ptr, ptr %8, align 8
  %67 = load i32, ptr %9, align 4
  %68 = sext i32 %67 to i64
  %69 = mul nsw i64 %68, %24
  %70 = getelementptr inbounds double, ptr %66, i64 %69
  %71 = load i32, ptr %10, align 4
  %72 = sext i32 %71 to i64
  %73 = getelementptr inbounds double, ptr %70, i64 %72
  store double %65, ptr %73, align 8
  br label %74

74:                                               ; preds = %64
  %75 = load i32, ptr %10, align 4
  %76 = add nsw i32 %75, 1
  store i32 %76, ptr %10, align 4
  br label %30, !llvm.loop !16

77:                                               ; preds = %30
  br label %78

78:                                               ; preds = %77
  %79 = load i32, ptr %9, align 4
  %80 = add nsw i32 %79, 1
  store i32 %80, ptr %9, align 4
  br label %25, !llvm.loop !17

81:                                               ; preds = %25
  ret void
}

declare i32 @printf(ptr noundef, ...) #1

; Function Attrs: noinline nounwind optnone uwtable
define internal double @solve(i32 noundef %0, ptr noundef %1, ptr noundef %2) #0 {
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca double, align 8
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca double, align 8
  %13 = alloca double, align 8
  %14 = alloca i32, align 4
  %15 = alloca double, align 8
  %16 = alloca i32, align 4
  %17 = alloca i32, align 4
  %18 = alloca i32, align 4
  store i32 %0, ptr %4, align 4
  store ptr %1, ptr %5, align 8
  store ptr %2, ptr %6, align 8
  %19 = load i32, ptr %4, align 4
  %20 = zext i32 %19 to i64
  %21 = load i32, ptr %4, align 4
  %22 = zext i32 %21 to i64
  store double 1.000000e+00, ptr %7, align 8
  store i32 0, ptr %8, align 4
  br label %23

23:                                               ; preds = %219, %3
  %24 = load i32, ptr %8, align 4
  %25 = load i32, ptr %4, align 4
  %26 = icmp slt i32 %24, %25
  br i1 %26, label %27, label %222

27:                                               ; preds = %23
  %28 = load i32, ptr %8, align 4
  store i32 %28, ptr %9, align 4
  %29 = load i32, ptr %8, align 4
  %30 = add nsw i32 %29, 1
  store i32 %30, ptr %10, align 4
  br label %31

31:                                               ; preds = %60, %27
  %32 = load i32, ptr %10, align 4
  %33 = load i32, ptr %4, align 4
  %34 = icmp slt i32 %32, %33
  br i1 %34, label %35, label %63

35:                                               ; preds = %31
  %36 = load ptr, ptr %5, align 8
  %37 = load i32, ptr %10, align 4
  %38 = sext i32 %37 to i64
  %39 = mul nsw i64 %38, %22
  %40 = getelementptr inbounds double, ptr %36, i64 %39
  %41 = load i32, ptr %8, align 4
  %42 = sext i32 %41 to i64
  %43 = getelementptr inbounds double, ptr %40, i64 %42
  %44 = load double, ptr %43, align 8
  %45 = call double @llvm.fabs.f64(double %44)
  %46 = load ptr, ptr %5, align 8
  %47 = load i32, ptr %9, align 4
  %48 = sext i32 %47 to i64
  %49 = mul nsw i64 %48, %22
  %50 = getelementptr inbounds double, ptr %46, i64 %49
  %51 = load i32, ptr %8, align 4
  %52 = sext i32 %51 to i64
  %53 = getelementptr inbounds double, ptr %50, i64 %52
  %54 = load double, ptr %53, align 8
  %55 = call double @llvm.fabs.f64(double %54)
  %56 = fcmp ogt double %45, %55
  br i1 %56, label %57, label %59

57:                                               ; preds = %35
  %58 = load i32, ptr %10, align 4
  store i32 %58, ptr %9, align 4
  br label %59

59:                                               ; preds = %57, %35
  br label %60

60:                                               ; preds = %59
  %61 = load i32, ptr %10, align 4
  %62 = add nsw i32 %61, 1
  store i32 %62, ptr %10, align 4
  br label %31, !llvm.loop !18

63:                                               ; preds = %31
  %64 = load i32, ptr %9, align 4
  %65 = load i32, ptr %8, align 4
  %66 = icmp ne i32 %64, %65
  br i1 %66, label %67, label %133

67:                                               ; preds = %63
  store i32 0, ptr %11, align 4
  br label %68

68:                                               ; preds = %108, %67
  %69 = load i32, ptr %11, align 4
  %70 = load i32, ptr %4, align 4
  %71 = icmp slt i32 %69, %70
  br i1 %71, label %72, label %111

72:                                               ; preds = %68
  %73 = load ptr, ptr %5, align 8
  %74 = load i32, ptr %8, align 4
  %75 = sext i32 %74 to i64
  %76 = mul nsw i64 %75, %22
  %77 = getelementptr inbounds double, ptr %73, i64 %76
  %78 = load i32, ptr %11, align 4
  %79 = sext i32 %78 to i64
  %80 = getelementptr inbounds double, ptr %77, i64 %79
  %81 = load double, ptr %80, align 8
  store double %81, ptr %12, align 8
  %82 = load ptr, ptr %5, align 8
  %83 = load i32, ptr %9, align 4
  %84 = sext i32 %83 to i64
  %85 = mul nsw i64 %84, %22
  %86 = getelementptr inbounds double, ptr %82, i64 %85
  %87 = load i32, ptr %11, align 4
  %88 = sext i32 %87 to i64
  %89 = getelementptr inbounds double, ptr %86, i64 %88
  %90 = load double, ptr %89, align 8
  %91 = load ptr, ptr %5, align 8
  %92 = load i32, ptr %8, align 4
  %93 = sext i32 %92 to i64
  %94 = mul nsw i64 %93, %22
  %95 = getelementptr inbounds double, ptr %91, i64 %94
  %96 = load i32, ptr %11, align 4
  %97 = sext i32 %96 to i64
  %98 = getelementptr inbounds double, ptr %95, i64 %97
  store double %90, ptr %98, align 8
  %99 = load double, ptr %12, align 8
  %100 = load ptr, ptr %5, align 8
  %101 = load i32, ptr %9, align 4
  %102 = sext i32 %101 to i64
  %103 = mul nsw i64 %102, %22
  %104 = getelementptr inbounds double, ptr %100, i64 %103
  %105 = load i32, ptr %11, align 4
  %106 = sext i32 %105 to i64
  %107 = getelementptr inbounds double, ptr %104, i64 %106
  store double %99, ptr %107, align 8
  br label %108

108:                                              ; preds = %72
  %109 = load i32, ptr %11, align 4
  %110 = add nsw i32 %109, 1
  store i32 %110, ptr %11, align 4
  br label %68, !llvm.loop !19

111:                                              ; preds = %68
  %112 = load ptr, ptr %6, align 8
  %113 = load i32, ptr %8, align 4
  %114 = sext i32 %113 to i64
  %115 = getelementptr inbounds double, ptr %112, i64 %114
  %116 = load double, ptr %115, align 8
  store double %116, ptr %13, align 8
  %117 = load ptr, ptr %6, align 8
  %118 = load i32, ptr %9, align 4
  %119 = sext i32 %118 to i64
  %120 = getelementptr inbounds double, ptr %117, i64 %119
  %121 = load double, ptr %120, align 8
  %122 = load ptr, ptr %6, align 8
  %123 = load i32, ptr %8, align 4
  %124 = sext i32 %123 to i64
  %125 = getelementptr inbounds double, ptr %122, i64 %124
  store double %121, ptr %125, align 8
  %126 = load double, ptr %13, align 8
  %127 = load ptr, ptr %6, align 8
  %128 = load i32, ptr %9, align 4
  %129 = sext i32 %128 to i64
  %130 = getelementptr inbounds double, ptr %127, i64 %129
  store double %126, ptr %130, align 8
  %131 = load double, ptr %7, align 8
  %132 = fneg double %131
  store double %132, ptr %7, align 8
  br label %133

133:                                              ; preds = %111, %63
  %134 = load ptr, ptr %5, align 8
  %135 = load i32, ptr %8, align 4
  %136 = sext i32 %135 to i64
  %137 = mul nsw i64 %136, %22
  %138 = getelementptr inbounds double, ptr %134, i64 %137
  %139 = load i32, ptr %8, align 4
  %140 = sext i32 %139 to i64
  %141 = getelementptr inbounds double, ptr %138, i64 %140
  %142 = load double, ptr %141, align 8
  %143 = load double, ptr %7, align 8
  %144 = fmul double %143, %142
  store double %144, ptr %7, align 8
  %145 = load i32, ptr %8, align 4
  %146 = add nsw i32 %145, 1
  store i32 %146, ptr %14, align 4
  br label %147

147:                                              ; preds = %215, %133
  %148 = load i32, ptr %14, align 4
  %149 = load i32, ptr %4, align 4
  %150 = icmp slt i32 %148, %149
  br i1 %150, label %151, label %218

151:                                              ; preds = %147
  %152 = load ptr, ptr %5, align 8
  %153 = load i32, ptr %14, align 4
  %154 = sext i32 %153 to i64
  %155 = mul nsw i64 %154, %22
  %156 = getelementptr inbounds double, ptr %152, i64 %155
  %157 = load i32, ptr %8, align 4
  %158 = sext i32 %157 to i64
  %159 = getelementptr inbounds double, ptr %156, i64 %158
  %160 = load double, ptr %159, align 8
  %161 = load ptr, ptr %5, align 8
  %162 = load i32, ptr %8, align 4
  %163 = sext i32 %162 to i64
  %164 = mul nsw i64 %163, %22
  %165 = getelementptr inbounds double, ptr %161, i64 %164
  %166 = load i32, ptr %8, align 4
  %167 = sext i32 %166 to i64
  %168 = getelementptr inbounds double, ptr %165, i64 %167
  %169 = load double, ptr %168, align 8
  %170 = fdiv double %160, %169
  store double %170, ptr %15, align 8
  %171 = load i32, ptr %8, align 4
  store i32 %171, ptr %16, align 4
  br label %172

172:                                              ; preds = %198, %151
  %173 = load i32, ptr %16, align 4
  %174 = load i32, ptr %4, align 4
  %175 = icmp slt i32 %173, %174
  br i1 %175, label %176, label %201

176:                                              ; preds = %172
  %177 = load double, ptr %15, align 8
  %178 = load ptr, ptr %5, align 8
  %179 = load i32, ptr %8, align 4
  %180 = sext i32 %179 to i64
  %181 = mul nsw i64 %180, %22
  %182 = getelementptr inbounds double, ptr %178, i64 %181
  %183 = load i32, ptr %16, align 4
  %184 = sext i32 %183 to i64
  %185 = getelementptr inbounds double, ptr %182, i64 %184
  %186 = load double, ptr %185, align 8
  %187 = fmul double %177, %186
  %188 = load ptr, ptr %5, align 8
  %189 = load i32, ptr %14, align 4
  %190 = sext i32 %189 to i64
  %191 = mul nsw i64 %190, %22
  %192 = getelementptr inbounds double, ptr %188, i64 %191
  %193 = load i32, ptr %16, align 4
  %194 = sext i32 %193 to i64
  %195 = getelementptr inbounds double, ptr %192, i64 %194
  %196 = load double, ptr %195, align 8
  %197 = fsub double %196, %187
  store double %197, ptr %195, align 8
  br label %198

198:                                              ; preds = %176
  %199 = load i32, ptr %16, align 4
  %200 = add nsw i32 %199, 1
  store i32 %200, ptr %16, align 4
  br label %172, !llvm.loop !20

201:                                              ; preds = %172
  %202 = load double, ptr %15, align 8
  %203 = load ptr, ptr %6, align 8
  %204 = load i32, ptr %8, align 4
  %205 = sext i32 %204 to i64
  %206 = getelementptr inbounds double, ptr %203, i64 %205
  %207 = load double, ptr %206, align 8
  %208 = fmul double %202, %207
  %209 = load ptr, ptr %6, align 8
  %210 = load i32, ptr %14, align 4
  %211 = sext i32 %210 to i64
  %212 = getelementptr inbounds double, ptr %209, i64 %211
  %213 = load double, ptr %212, align 8
  %214 = fsub double %213, %208
  store double %214, ptr %212, align 8
  br label %215

215:                                              ; preds = %201
  %216 = load i32, ptr %14, align 4
  %217 = add nsw i32 %216, 1
  store i32 %217, ptr %14, align 4
  br label %147, !llvm.loop !21

218:                                              ; preds = %147
  br label %219

219:                                              ; preds = %218
  %220 = load i32, ptr %8, align 4
  %221 = add nsw i32 %220, 1
  store i32 %221, ptr %8, align 4
  br label %23, !llvm.loop !22

222:                                              ; preds = %23
  %223 = load i32, ptr %4, align 4
  %224 = sub nsw i32 %223, 1
  store i32 %224, ptr %17, align 4
  br label %225

225:                                              ; preds = %276, %222
  %226 = load i32, ptr %17, align 4
  %227 = icmp sge i32 %226, 0
  br i1 %227, label %228, label %279

228:                                              ; preds = %225
  %229 = load i32, ptr %17, align 4
  %230 = add nsw i32 %229, 1
  store i32 %230, ptr %18, align 4
  br label %231

231:                                              ; preds = %257, %228
  %232 = load i32, ptr %18, align 4
  %233 = load i32, ptr %4, align 4
  %234 = icmp slt i32 %232, %233
  br i1 %234, label %235, label %260

235:                                              ; preds = %231
  %236 = load ptr, ptr %5, align 8
  %237 = load i32, ptr %17, align 4
  %238 = sext i32 %237 to i64
  %239 = mul nsw i64 %238, %22
  %240 = getelementptr inbounds double, ptr %236, i64 %239
  %241 = load i32, ptr %18, align 4
  %242 = sext i32 %241 to i64
  %243 = getelementptr inbounds double, ptr %240, i64 %242
  %244 = load double, ptr %243, align 8
  %245 = load ptr, ptr %6, align 8
  %246 = load i32, ptr %18, align 4
  %247 = sext i32 %246 to i64
  %248 = getelementptr inbounds double, ptr %245, i64 %247
  %249 = load double, ptr %248, align 8
  %250 = fmul double %244, %249
  %251 = load ptr, ptr %6, align 8
  %252 = load i32, ptr %17, align 4
  %253 = sext i32 %252 to i64
  %254 = getelementptr inbounds double, ptr %251, i64 %253
  %255 = load double, ptr %254, align 8
  %256 = fsub double %255, %250
  store double %256, ptr %254, align 8
  br label %257

257:                                              ; preds = %235
  %258 = load i32, ptr %18, align 4
  %259 = add nsw i32 %258, 1
  store i32 %259, ptr %18, align 4
  br label %231, !llvm.loop !23

260:                                              ; preds = %231
  %261 = load ptr, ptr %5, align 8
  %262 = load i32, ptr %17, align 4
  %263 = sext i32 %262 to i64
  %264 = mul nsw i64 %263, %22
  %265 = getelementptr inbounds double, ptr %261, i64 %264
  %266 = load i32, ptr %17, align 4
  %267 = sext i32 %266 to i64
  %268 = getelementptr inbounds double, ptr %265, i64 %267
  %269 = load double, ptr %268, align 8
  %270 = load ptr, ptr %6, align 8
  %271 = load i32, ptr %17, align 4
  %272 = sext i32 %271 to i64
  %273 = getelementptr inbounds double, ptr %270, i64 %272
  %274 = load double, ptr %273, align 8
  %275 = fdiv double %274, %269
  store double %275, ptr %273, align 8
  br label %276

276:                                              ; preds = %260
  %277 = load i32, ptr %17, align 4
  %278 = add nsw i32 %277, -1
  store i32 %278, ptr %17, align 4
  br label %225, !llvm.loop !24

279:                                              ; preds = %225
  %280 = load double, ptr %7, align 8
  ret double %280
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @sum_of_bytes(ptr noundef %0, i32 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store i32 %1, ptr %4, align 4
  store i32 0, ptr %5, align 4
  store i32 0, ptr %6, align 4
  br label %7

7:                                                ; preds = %20, %2
  %8 = load i32, ptr %6, align 4
  %9 = load i32, ptr %4, align 4
  %10 = icmp slt i32 %8, %9
  br i1 %10, label %11, label %23

11:                                               ; preds = %7
  %12 = load ptr, ptr %3, align 8
  %13 = load i32, ptr %6, align 4
  %14 = sext i32 %13 to i64
  %15 = getelementptr inbounds i8, ptr %12, i64 %14
  %16 = load i8, ptr %15, align 1
  %17 = zext i8 %16 to i32
  %18 = load i32, ptr %5, align 4
  %19 = add nsw i32 %18, %17
  store i32 %19, ptr %5, align 4
  br label %20

20:                                               ; preds = %11
  %21 = load i32, ptr %6, align 4
  %22 = add nsw i32 %21, 1
  store i32 %22, ptr %6, align 4
  br label %7, !llvm.loop !25

23:                                               ; preds = %7
  %24 = load i32, ptr %5, align 4
  ret i32 %24
}

; Function Attrs: nounwind
declare double @sqrt(double noundef) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.floor.f64(double) #3

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fabs.f64(double) #3

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nounwind }

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
!19 = distinct !{!19, !7}
!20 = distinct !{!20, !7}
!21 = distinct !{!21, !7}
!22 = distinct !{!22, !7}
!23 = distinct !{!23, !7}
!24 = distinct !{!24, !7}
!25 = distinct !{!25, !7}
