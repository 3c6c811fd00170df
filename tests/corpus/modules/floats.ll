; ModuleID = 'c/floats.c'
source_filename = "c/floats.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@tiny = internal global double 0x10000000000000, align 8
@huge_number = internal global double 0x7FEFFFFFFFFFFFFF, align 8
@zero = internal global double 0.000000e+00, align 8
@.str = private unnamed_addr constant [13 x i8] c"%a %a %d %d\0A\00", align 1
@.str.1 = private unnamed_addr constant [14 x i8] c"%llx %llx %d\0A\00", align 1
@one = internal global double 1.000000e+00, align 8
@.str.2 = private unnamed_addr constant [13 x i8] c"%d %d %d %d\0A\00", align 1
@.str.3 = private unnamed_addr constant [10 x i8] c"%a %a %a\0A\00", align 1
@.str.4 = private unnamed_addr constant [7 x i8] c"%a %a\0A\00", align 1
@tiny_float = internal global float 0x3810000000000000, align 4
@one_float = internal global float 1.000000e+00, align 4
@.str.5 = private unnamed_addr constant [17 x i8] c"%lld %d %u %llu\0A\00", align 1
@.str.6 = private unnamed_addr constant [13 x i8] c"%a %a %a %a\0A\00", align 1
@.str.7 = private unnamed_addr constant [13 x i8] c"%a %d %a %a\0A\00", align 1
@.str.8 = private unnamed_addr constant [11 x i8] c"%La %d %a\0A\00", align 1
@.str.9 = private unnamed_addr constant [10 x i8] c"%La %lld\0A\00", align 1
@.str.10 = private unnamed_addr constant [19 x i8] c"%a %a %a %a %a %a\0A\00", align 1
@.str.11 = private unnamed_addr constant [10 x i8] c"%d %d %d\0A\00", align 1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
  %1 = alloca i32, align 4
  %2 = alloca double, align 8
  %3 = alloca double, align 8
  %4 = alloca double, align 8
  %5 = alloca i32, align 4
  %6 = alloca double, align 8
  %7 = alloca x86_fp80, align 16
  %8 = alloca { double, double }, align 8
  %9 = alloca { double, double }, align 8
  %10 = alloca { float, float }, align 4
  %11 = alloca { float, float }, align 4
  store i32 0, ptr %1, align 4
  %12 = load volatile double, ptr @tiny, align 8
  %13 = fdiv double %12, 4.000000e+00
  store double %13, ptr %2, align 8
  %14 = load volatile double, ptr @huge_number, align 8
  %15 = fmul double %14, 2.000000e+00
  store double %15, ptr %3, align 8
  %16 = load volatile double, ptr @zero, align 8
  %17 = load volatile double, ptr @zero, align 8
  %18 = fdiv double %16, %17
  store double %18, ptr %4, align 8
  %19 = load double, ptr %2, align 8
  %20 = load double, ptr %2, align 8
  %21 = fmul double %20, 3.000000e+00
  %22 = load double, ptr %3, align 8
  %23 = call double @llvm.fabs.f64(double %22) #6
  %24 = fcmp oeq double %23, 0x7FF0000000000000
  %25 = bitcast double %22 to i64
  %26 = icmp slt i64 %25, 0
  %27 = select i1 %26, i32 -1, i32 1
  %28 = select i1 %24, i32 %27, i32 0
  %29 = load double, ptr %4, align 8
  %30 = call i1 @llvm.is.fpclass.f64(double %29, i32 3)
  %31 = zext i1 %30 to i32
  %32 = call i32 (ptr, ...) @printf(ptr noundef @.str, double noundef %19, double noundef %21, i32 noundef %28, i32 noundef %31)
  %33 = load volatile double, ptr @zero, align 8
  %34 = fneg double %33
  %35 = call i64 @bits_of(double noundef %34)
  %36 = load volatile double, ptr @zero, align 8
  %37 = load volatile double, ptr @one, align 8
  %38 = fneg double %37
  %39 = fmul double %36, %38
  %40 = call i64 @bits_of(double noundef %39)
  %41 = load volatile double, ptr @zero, align 8
  %42 = fneg double %41
  %43 = fdiv double 1.000000e+00, %42
  %44 = fcmp olt double %43, 0.000000e+00
  %45 = zext i1 %44 to i32
  %46 = call i32 (ptr, ...) @printf(ptr noundef @.str.1, i64 noundef %35, i64 noundef %40, i32 noundef %45)
  %47 = load double, ptr %4, align 8
  %48 = load double, ptr %4, align 8
  %49 = fcmp oeq double %47, %48
  %50 = zext i1 %49 to i32
  %51 = load double, ptr %4, align 8
  %52 = load volatile double, ptr @one, align 8
  %53 = fcmp olt double %51, %52
  %54 = zext i1 %53 to i32
  %55 = load volatile double, ptr @one, align 8
  %56 = load double, ptr %3, align 8
  %57 = fcmp olt double %55, %56
  %58 = zext i1 %57 to i32
  %59 = load double, ptr %4, align 8
  %60 = load volatile double, ptr @one, align 8
  %61 = fcmp une double %59, %60
  %62 = zext i1 %61 to i32
  %63 = call i32 (ptr, ...) @printf(ptr noundef @.str.2, i32 noundef %50, i32 noundef %54, i32 noundef %58, i32 noundef %62)
  %64 = call double @harmonic(i32 noundef 1000)
  %65 = call double @power(double noundef 0x3FF000001AD7F29B, i32 noundef 12345)
  %66 = call double @fused_or_not(double noundef 0x3FF0000000400000, double noundef 0x3FEFFFFFFF800000, double noundef -1.000000e+00)
  %67 = call i32 (ptr, ...) @printf(ptr noundef @.str.3, double noundef %64, double noundef %65, double noundef %66)
  %68 = load volatile float, ptr @tiny_float, align 4
  %69 = fdiv float %68, 8.000000e+00
  %70 = fpext float %69 to double
  %71 = load volatile float, ptr @one_float, align 4
  %72 = fdiv float %71, 3.000000e+00
  %73 = fpext float %72 to double
  %74 = call i32 (ptr, ...) @printf(ptr noundef @.str.4, double noundef %70, double noundef %73)
  %75 = call i32 (ptr, ...) @printf(ptr noundef @.str.5, i64 noundef -2, i32 noundef 2, i32 noundef -1294967296, i64 noundef -3446744073709551616)
  %76 = call i32 (ptr, ...) @printf(ptr noundef @.str.3, double noundef 0x43F0000000000000, double noundef 0xC3E0000000000000, double noundef 0x4170000000000000)
  %77 = call double @llvm.floor.f64(double -2.500000e+00)
  %78 = call double @llvm.ceil.f64(double -2.500000e+00)
  %79 = call double @llvm.trunc.f64(double -2.500000e+00)
  %80 = call double @llvm.round.f64(double -2.500000e+00)
  %81 = call i32 (ptr, ...) @printf(ptr noundef @.str.6, double noundef %77, double noundef %78, double noundef %79, double noundef %80)
  %82 = call double @llvm.rint.f64(double 2.500000e+00)
  %83 = call double @llvm.nearbyint.f64(double 3.500000e+00)
  %84 = call double @fmod(double noundef -7.500000e+00, double noundef 2.000000e+00) #7
  %85 = call double @remainder(double noundef 7.500000e+00, double noundef 2.000000e+00) #7
  %86 = call i32 (ptr, ...) @printf(ptr noundef @.str.6, double noundef %82, double noundef %83, double noundef %84, double noundef %85)
  %87 = load volatile double, ptr @zero, align 8
  %88 = fneg double %87
  %89 = call double @llvm.copysign.f64(double 3.000000e+00, double %88)
  %90 = load double, ptr %3, align 8
  %91 = fneg double %90
  %92 = call double @llvm.fabs.f64(double %91)
  %93 = load double, ptr %4, align 8
  %94 = call double @llvm.maxnum.f64(double %93, double 2.000000e+00)
  %95 = call i32 (ptr, ...) @printf(ptr noundef @.str.3, double noundef %89, double noundef %92, double noundef %94)
  %96 = load volatile double, ptr @one, align 8
  %97 = fmul double 2.000000e+00, %96
  %98 = call double @sqrt(double noundef %97) #7
  %99 = load volatile float, ptr @one_float, align 4
  %100 = fmul float 2.000000e+00, %99
  %101 = call float @sqrtf(float noundef %100) #7
  %102 = fpext float %101 to double
  %103 = call i32 (ptr, ...) @printf(ptr noundef @.str.4, double noundef %98, double noundef %102)
  %104 = load volatile double, ptr @one, align 8
  %105 = fmul double 4.800000e+01, %104
  %106 = call double @frexp(double noundef %105, ptr noundef %5) #7
  store double %106, ptr %6, align 8
  %107 = load double, ptr %6, align 8
  %108 = load i32, ptr %5, align 4
  %109 = load double, ptr %6, align 8
  %110 = call double @ldexp(double noundef %109, i32 noundef 3) #7
  %111 = load volatile double, ptr @one, align 8
  %112 = call double @scalbn(double noundef %111, i32 noundef -3) #7
  %113 = call i32 (ptr, ...) @printf(ptr noundef @.str.7, double noundef %107, i32 noundef %108, double noundef %110, double noundef %112)
  %114 = load volatile double, ptr @one, align 8
  %115 = fpext double %114 to x86_fp80
  %116 = fmul x86_fp80 0xK3FC38000000000000000, %115
  %117 = fadd x86_fp80 0xK3FFF8000000000000000, %116
  store x86_fp80 %117, ptr %7, align 16
  %118 = load x86_fp80, ptr %7, align 16
  %119 = load x86_fp80, ptr %7, align 16
  %120 = fcmp ogt x86_fp80 %119, 0xK3FFF8000000000000000
  %121 = zext i1 %120 to i32
  %122 = load x86_fp80, ptr %7, align 16
  %123 = fsub x86_fp80 %122, 0xK3FFF8000000000000000
  %124 = fptrunc x86_fp80 %123 to double
  %125 = call i32 (ptr, ...) @printf(ptr noundef @.str.8, x86_fp80 noundef %118, i32 noundef %121, double noundef %124)
  %126 = load volatile double, ptr @one, align 8
  %127 = fpext double %126 to x86_fp80
  %128 = fmul x86_fp80 0xK40008000000000000000, %127
  %129 = call x86_fp80 @sqrtl(x86_fp80 noundef %128) #7
  %130 = load volatile double, ptr @one, align 8
  %131 = fpext double %130 to x86_fp80
  %132 = fmul x86_fp80 0xKBFFFC000000000000000, %131
  %133 = call x86_fp80 @llvm.floor.f80(x86_fp80 %132)
  %134 = fptosi x86_fp80 %133 to i64
  %135 = call i32 (ptr, ...) @printf(ptr noundef @.str.9, x86_fp80 noundef %129, i64 noundef %134)
  %136 = load volatile double, ptr @one, align 8
  %137 = load volatile double, ptr @one, align 8
  %138 = fmul double 2.000000e+00, %137
  %139 = fmul double %138, 0.000000e+00
  %140 = fmul double %138, 1.000000e+00
  %141 = fadd double %136, %139
  %142 = load volatile double, ptr @one, align 8
  %143 = fmul double %142, 0.000000e+00
  %144 = fmul double %142, 1.000000e+00
  %145 = fsub double 3.000000e+00, %143
  %146 = fneg double %144
  %147 = fmul double %141, %145
  %148 = fmul double %140, %146
  %149 = fmul double %141, %146
  %150 = fmul double %140, %145
  %151 = fsub double %147, %148
  %152 = fadd double %149, %150
  %153 = fcmp uno double %151, %151
  br i1 %153, label %154, label %160, !prof !6

154:                                              ; preds = %0
  %155 = fcmp uno double %152, %152
  br i1 %155, label %156, label %160, !prof !6

156:                                              ; preds = %154
  %157 = call { double, double } @__muldc3(double noundef %141, double noundef %140, double noundef %145, double noundef %146) #7
  %158 = extractvalue { double, double } %157, 0
  %159 = extractvalue { double, double } %157, 1
  br label %160

160:                                              ; preds = %156, %154, %0
  %161 = phi double [ %151, %0 ], [ %151, %154 ], [ %158, %156 ]
  %162 = phi double [ %152, %0 ], [ %152, %154 ], [ %159, %156 ]
  %163 = getelementptr inbounds nuw { double, double }, ptr %8, i32 0, i32 0
  %164 = getelementptr inbounds nuw { double, double }, ptr %8, i32 0, i32 1
  store double %161, ptr %163, align 8
  store double %162, ptr %164, align 8
  %165 = getelementptr inbounds nuw { double, double }, ptr %8, i32 0, i32 0
  %166 = load double, ptr %165, align 8
  %167 = getelementptr inbounds nuw { double, double }, ptr %8, i32 0, i32 1
  %168 = load double, ptr %167, align 8
  %169 = load volatile double, ptr @one, align 8
  %170 = fadd double %169, 0.000000e+00
  %171 = call { double, double } @__divdc3(double noundef %166, double noundef %168, double noundef %170, double noundef 1.000000e+00) #7
  %172 = extractvalue { double, double } %171, 0
  %173 = extractvalue { double, double } %171, 1
  %174 = getelementptr inbounds nuw { double, double }, ptr %9, i32 0, i32 0
  %175 = getelementptr inbounds nuw { double, double }, ptr %9, i32 0, i32 1
  store double %172, ptr %174, align 8
  store double %173, ptr %175, align 8
  %176 = getelementptr inbounds nuw { double, double }, ptr %8, i32 0, i32 0
  %177 = load double, ptr %176, align 8
  %178 = getelementptr inbounds nuw { double, double }, ptr %8, i32 0, i32 1
  %179 = load double, ptr %178, align 8
  %180 = fptrunc double %177 to float
  %181 = fptrunc double %179 to float
  %182 = getelementptr inbounds nuw { double, double }, ptr %8, i32 0, i32 0
  %183 = load double, ptr %182, align 8
  %184 = getelementptr inbounds nuw { double, double }, ptr %8, i32 0, i32 1
  %185 = load double, ptr %184, align 8
  %186 = fptrunc double %183 to float
  %187 = fptrunc double %185 to float
  %188 = fmul float %180, %186
  %189 = fmul float %181, %187
  %190 = fmul float %180, %187
  %191 = fmul float %181, %186
  %192 = fsub float %188, %189
  %193 = fadd float %190, %191
  %194 = fcmp uno float %192, %192
  br i1 %194, label %195, label %203, !prof !6

195:                                              ; preds = %160
  %196 = fcmp uno float %193, %193
  br i1 %196, label %197, label %203, !prof !6

197:                                              ; preds = %195
  %198 = call <2 x float> @__mulsc3(float noundef %180, float noundef %181, float noundef %186, float noundef %187) #7
  store <2 x float> %198, ptr %11, align 4
  %199 = getelementptr inbounds nuw { float, float }, ptr %11, i32 0, i32 0
  %200 = load float, ptr %199, align 4
  %201 = getelementptr inbounds nuw { float, float }, ptr %11, i32 0, i32 1
  %202 = load float, ptr %201, align 4
  br label %203

203:                                              ; preds = %197, %195, %160
  %204 = phi float [ %192, %160 ], [ %192, %195 ], [ %200, %197 ]
  %205 = phi float [ %193, %160 ], [ %193, %195 ], [ %202, %197 ]
  %206 = getelementptr inbounds nuw { float, float }, ptr %10, i32 0, i32 0
  %207 = getelementptr inbounds nuw { float, float }, ptr %10, i32 0, i32 1
  store float %204, ptr %206, align 4
  store float %205, ptr %207, align 4
  %208 = getelementptr inbounds nuw { double, double }, ptr %8, i32 0, i32 0
  %209 = load double, ptr %208, align 8
  %210 = getelementptr inbounds nuw { double, double }, ptr %8, i32 0, i32 1
  %211 = load double, ptr %210, align 8
  %212 = getelementptr inbounds nuw { double, double }, ptr %8, i32 0, i32 0
  %213 = load double, ptr %212, align 8
  %214 = getelementptr inbounds nuw { double, double }, ptr %8, i32 0, i32 1
  %215 = load double, ptr %214, align 8
  %216 = getelementptr inbounds nuw { double, double }, ptr %9, i32 0, i32 0
  %217 = load double, ptr %216, align 8
  %218 = getelementptr inbounds nuw { double, double }, ptr %9, i32 0, i32 1
  %219 = load double, ptr %218, align 8
  %220 = getelementptr inbounds nuw { double, double }, ptr %9, i32 0, i32 0
  %221 = load double, ptr %220, align 8
  %222 = getelementptr inbounds nuw { double, double }, ptr %9, i32 0, i32 1
  %223 = load double, ptr %222, align 8
  %224 = getelementptr inbounds nuw { float, float }, ptr %10, i32 0, i32 0
  %225 = load float, ptr %224, align 4
  %226 = getelementptr inbounds nuw { float, float }, ptr %10, i32 0, i32 1
  %227 = load float, ptr %226, align 4
  %228 = fpext float %225 to double
  %229 = getelementptr inbounds nuw { float, float }, ptr %10, i32 0, i32 0
  %230 = load float, ptr %229, align 4
  %231 = getelementptr inbounds nuw { float, float }, ptr %10, i32 0, i32 1
  %232 = load float, ptr %231, align 4
  %233 = fpext float %232 to double
  %234 = call i32 (ptr, ...) @printf(ptr noundef @.str.10, double noundef %209, double noundef %215, double noundef %217, double noundef %223, double noundef %228, double noundef %233)
  %235 = load double, ptr %2, align 8
  %236 = fcmp oeq double %235, 0.000000e+00
  br i1 %236, label %237, label %250

237:                                              ; preds = %255, %252, %250, %203
  %238 = phi i32 [ 2, %203 ], [ 0, %250 ], [ 1, %252 ], [ %257, %255 ]
  %239 = icmp eq i32 %238, 3
  %240 = zext i1 %239 to i32
  %241 = load volatile double, ptr @zero, align 8
  %242 = fneg double %241
  %243 = bitcast double %242 to i64
  %244 = icmp slt i64 %243, 0
  %245 = zext i1 %244 to i32
  %246 = icmp ne i32 %245, 0
  %247 = zext i1 %246 to i32
  %248 = load volatile double, ptr @zero, align 8
  %249 = fcmp oeq double %248, 0.000000e+00
  br i1 %249, label %258, label %263

250:                                              ; preds = %203
  %251 = fcmp uno double %235, %235
  br i1 %251, label %237, label %252

252:                                              ; preds = %250
  %253 = call double @llvm.fabs.f64(double %235) #6
  %254 = fcmp oeq double %253, 0x7FF0000000000000
  br i1 %254, label %237, label %255

255:                                              ; preds = %252
  %256 = fcmp uge double %253, 0x10000000000000
  %257 = select i1 %256, i32 4, i32 3
  br label %237

258:                                              ; preds = %268, %265, %263, %237
  %259 = phi i32 [ 2, %237 ], [ 0, %263 ], [ 1, %265 ], [ %270, %268 ]
  %260 = icmp eq i32 %259, 2
  %261 = zext i1 %260 to i32
  %262 = call i32 (ptr, ...) @printf(ptr noundef @.str.11, i32 noundef %240, i32 noundef %247, i32 noundef %261)
  ret i32 0

263:                                              ; preds = %237
  %264 = fcmp uno double %248, %248
  br i1 %264, label %258, label %265

265:                                              ; preds = %263
  %266 = call double @llvm.fabs.f64(double %248) #6
  %267 = fcmp oeq double %266, 0x7FF0000000000000
  br i1 %267, label %258, label %268

268:                                              ; preds = %265
  %269 = fcmp uge double %266, 0x10000000000000
  %270 = select i1 %269, i32 4, i32 3
  br label %258
}

declare i32 @printf(ptr noundef, ...) #1

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.fabs.f64(double) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare i1 @llvm.is.fpclass.f64(double, i32 immarg) #2

; Function Attrs: noinline nounwind optnone uwtable
define internal i64 @bits_of(double noundef %0) #3 {
  %2 = alloca double, align 8
  %3 = alloca i64, align 8
  store double %0, ptr %2, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %3, ptr align 8 %2, i64 8, i1 false)
  %4 = load i64, ptr %3, align 8
  ret i64 %4
}

; Function Attrs: noinline nounwind optnone uwtable
define internal double @harmonic(i32 noundef %0) #3 {
  %2 = alloca i32, align 4
  %3 = alloca double, align 8
  %4 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  store double 0.000000e+00, ptr %3, align 8
  store i32 1, ptr %4, align 4
  br label %5

5:                                                ; preds = %15, %1
  %6 = load i32, ptr %4, align 4
  %7 = load i32, ptr %2, align 4
  %8 = icmp sle i32 %6, %7
  br i1 %8, label %9, label %18

9:                                                ; preds = %5
  %10 = load i32, ptr %4, align 4
  %11 = sitofp i32 %10 to double
  %12 = fdiv double 1.000000e+00, %11
  %13 = load double, ptr %3, align 8
  %14 = fadd double %13, %12
  store double %14, ptr %3, align 8
  br label %15

15:                                               ; preds = %9
  %16 = load i32, ptr %4, align 4
  %17 = add nsw i32 %16, 1
  store i32 %17, ptr %4, align 4
  br label %5, !llvm.loop !7

18:                                               ; preds = %5
  %19 = load double, ptr %3, align 8
  ret double %19
}

; Function Attrs: noinline nounwind optnone uwtable
define internal double @power(double noundef %0, i32 noundef %1) #3 {
  %3 = alloca double, align 8
  %4 = alloca i32, align 4
  %5 = alloca double, align 8
  store double %0, ptr %3, align 8
  store i32 %1, ptr %4, align 4
  store double 1.000000e+00, ptr %5, align 8
  br label %6

6:                                                ; preds = %18, %2
  %7 = load i32, ptr %4, align 4
  %8 = icmp ne i32 %7, 0
  br i1 %8, label %9, label %24

9:                                                ; preds = %6
  %10 = load i32, ptr %4, align 4
  %11 = and i32 %10, 1
  %12 = icmp ne i32 %11, 0
  br i1 %12, label %13, label %17

13:                                               ; preds = %9
  %14 = load double, ptr %3, align 8
  %15 = load double, ptr %5, align 8
  %16 = fmul double %15, %14
  store double %16, ptr %5, align 8
  br label %17

17:                                               ; preds = %13, %9
  br label %18

18:                                               ; preds = %17
  %19 = load i32, ptr %4, align 4
  %20 = ashr i32 %19, 1
  store i32 %20, ptr %4, align 4
  %21 = load double, ptr %3, align 8
  %22 = load double, ptr %3, align 8
  %23 = fmul double %22, %21
  store double %23, ptr %3, align 8
  br label %6, !llvm.loop !9

24:                                               ; preds = %6
  %25 = load double, ptr %5, align 8
  ret double %25
}

; Function Attrs: noinline nounwind optnone uwtable
define internal double @fused_or_not(double noundef %0, double noundef %1, double noundef %2) #3 {
  %4 = alloca double, align 8
  %5 = alloca double, align 8
  %6 = alloca double, align 8
  store double %0, ptr %4, align 8
  store double %1, ptr %5, align 8
  store double %2, ptr %6, align 8
  %7 = load double, ptr %4, align 8
  %8 = load double, ptr %5, align 8
  %9 = fmul double %7, %8
  %10 = load double, ptr %6, align 8
  %11 = fadd double %9, %10
  ret double %11
}

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.floor.f64(double) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.ceil.f64(double) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.trunc.f64(double) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.round.f64(double) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.rint.f64(double) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.nearbyint.f64(double) #2

; Function Attrs: nounwind
declare double @fmod(double noundef, double noundef) #4

; Function Attrs: nounwind
declare double @remainder(double noundef, double noundef) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.copysign.f64(double, double) #2

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare double @llvm.maxnum.f64(double, double) #2

; Function Attrs: nounwind
declare double @sqrt(double noundef) #4

; Function Attrs: nounwind
declare float @sqrtf(float noundef) #4

; Function Attrs: nounwind
declare double @frexp(double noundef, ptr noundef) #4

; Function Attrs: nounwind
declare double @ldexp(double noundef, i32 noundef) #4

; Function Attrs: nounwind
declare double @scalbn(double noundef, i32 noundef) #4

; Function Attrs: nounwind
declare x86_fp80 @sqrtl(x86_fp80 noundef) #4

; Function Attrs: nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none)
declare x86_fp80 @llvm.floor.f80(x86_fp80) #2

declare { double, double } @__muldc3(double, double, double, double)

declare { double, double } @__divdc3(double, double, double, double)

declare <2 x float> @__mulsc3(float, float, float, float)

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #5

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="64" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { nocallback nocreateundeforpoison nofree nosync nounwind speculatable willreturn memory(none) }
attributes #3 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #6 = { memory(none) }
attributes #7 = { nounwind }

!llvm.module.flags = !{!0, !1, !2, !3, !4}
!llvm.ident = !{!5}

!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"PIE Level", i32 2}
!3 = !{i32 7, !"uwtable", i32 2}
!4 = !{i32 7, !"frame-pointer", i32 2}
!5 = !{!"Debian clang version 22.1.8 (1~deb12u1)"}
!6 = !{!"branch_weights", i32 1, i32 1048575}
!7 = distinct !{!7, !8}
!8 = !{!"llvm.loop.mustprogress"}
!9 = distinct !{!9, !8}
