; ModuleID = 'c/structs.c'
source_filename = "c/structs.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.large = type { [12 x i32], double }
%struct.packed = type <{ i8, i32, i16 }>
%struct.two_floats = type { float, float }
%struct.three_floats = type { float, float, float }
%struct.mixed = type { double, i32 }
%struct.small = type { i8, i16, i8 }
%struct.two_words = type { i64, i64 }
%struct.nested = type { %struct.two_floats, %union.anon, i8 }
%union.anon = type { i32 }
%struct.empty_tail = type { i32, [3 x i8] }
%struct.bits = type { i16, i32, i64 }

@.str = private unnamed_addr constant [16 x i8] c"%a %a %a %a %a\0A\00", align 1
@.str.1 = private unnamed_addr constant [16 x i8] c"%a %d %d %d %d\0A\00", align 1
@.str.2 = private unnamed_addr constant [11 x i8] c"%llx %llx\0A\00", align 1
@__const.main.large = private unnamed_addr constant %struct.large { [12 x i32] [i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9, i32 10, i32 11, i32 12], double 3.000000e+00 }, align 8
@.str.3 = private unnamed_addr constant [13 x i8] c"%d %d %d %a\0A\00", align 1
@.str.4 = private unnamed_addr constant [13 x i8] c"%d %a %d %a\0A\00", align 1
@.str.5 = private unnamed_addr constant [4 x i8] c"%a\0A\00", align 1
@.str.6 = private unnamed_addr constant [12 x i8] c"%u %zu %zu\0A\00", align 1
@__const.main.bits = private unnamed_addr constant { i8, i8, [2 x i8], i8, i8, i8, i8, i8, i8, i8, i8, i8, i8, [2 x i8] } { i8 -3, i8 2, [2 x i8] zeroinitializer, i8 -17, i8 -51, i8 -85, i8 1, i8 -17, i8 -66, i8 -83, i8 -34, i8 -1, i8 3, [2 x i8] zeroinitializer }, align 8
@.str.7 = private unnamed_addr constant [18 x i8] c"%u %d %x %llx %u\0A\00", align 1
@__const.main.packed = private unnamed_addr constant [2 x %struct.packed] [%struct.packed <{ i8 1, i32 305419896, i16 2 }>, %struct.packed <{ i8 3, i32 -1698898192, i16 4 }>], align 1
@.str.8 = private unnamed_addr constant [6 x i8] c"%08x\0A\00", align 1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
  %1 = alloca i32, align 4
  %2 = alloca %struct.two_floats, align 4
  %3 = alloca %struct.two_floats, align 4
  %4 = alloca %struct.three_floats, align 4
  %5 = alloca %struct.three_floats, align 4
  %6 = alloca { <2 x float>, float }, align 4
  %7 = alloca { <2 x float>, float }, align 8
  %8 = alloca %struct.mixed, align 8
  %9 = alloca %struct.mixed, align 8
  %10 = alloca %struct.mixed, align 8
  %11 = alloca %struct.small, align 2
  %12 = alloca %struct.small, align 2
  %13 = alloca i48, align 8
  %14 = alloca %struct.two_words, align 8
  %15 = alloca %struct.two_words, align 8
  %16 = alloca %struct.two_words, align 8
  %17 = alloca %struct.large, align 8
  %18 = alloca i32, align 4
  %19 = alloca %struct.large, align 8
  %20 = alloca %struct.nested, align 4
  %21 = alloca %struct.nested, align 4
  %22 = alloca %struct.mixed, align 8
  %23 = alloca %struct.two_floats, align 4
  %24 = alloca i48, align 8
  %25 = alloca %struct.empty_tail, align 4
  %26 = alloca %struct.bits, align 8
  %27 = alloca [2 x %struct.packed], align 1
  %28 = alloca i32, align 4
  %29 = alloca i32, align 4
  store i32 0, ptr %1, align 4
  %30 = getelementptr inbounds nuw %struct.two_floats, ptr %3, i32 0, i32 0
  store float 1.500000e+00, ptr %30, align 4
  %31 = getelementptr inbounds nuw %struct.two_floats, ptr %3, i32 0, i32 1
  store float -2.250000e+00, ptr %31, align 4
  %32 = load <2 x float>, ptr %3, align 4
  %33 = call <2 x float> @swap_floats(<2 x float> %32)
  store <2 x float> %33, ptr %2, align 4
  %34 = getelementptr inbounds nuw %struct.three_floats, ptr %5, i32 0, i32 0
  store float 1.000000e+00, ptr %34, align 4
  %35 = getelementptr inbounds nuw %struct.three_floats, ptr %5, i32 0, i32 1
  store float 2.000000e+00, ptr %35, align 4
  %36 = getelementptr inbounds nuw %struct.three_floats, ptr %5, i32 0, i32 2
  store float 3.000000e+00, ptr %36, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %6, ptr align 4 %5, i64 12, i1 false)
  %37 = getelementptr inbounds nuw { <2 x float>, float }, ptr %6, i32 0, i32 0
  %38 = load <2 x float>, ptr %37, align 4
  %39 = getelementptr inbounds nuw { <2 x float>, float }, ptr %6, i32 0, i32 1
  %40 = load float, ptr %39, align 4
  %41 = call { <2 x float>, float } @scale_floats(<2 x float> %38, float %40, float noundef 5.000000e-01)
  store { <2 x float>, float } %41, ptr %7, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %4, ptr align 8 %7, i64 12, i1 false)
  %42 = getelementptr inbounds nuw %struct.two_floats, ptr %2, i32 0, i32 0
  %43 = load float, ptr %42, align 4
  %44 = fpext float %43 to double
  %45 = getelementptr inbounds nuw %struct.two_floats, ptr %2, i32 0, i32 1
  %46 = load float, ptr %45, align 4
  %47 = fpext float %46 to double
  %48 = getelementptr inbounds nuw %struct.three_floats, ptr %4, i32 0, i32 0
  %49 = load float, ptr %48, align 4
  %50 = fpext float %49 to double
  %51 = getelementptr inbounds nuw %struct.three_floats, ptr %4, i32 0, i32 1
  %52 = load float, ptr %51, align 4
  %53 = fpext float %52 to double
  %54 = getelementptr inbounds nuw %struct.three_floats, ptr %4, i32 0, i32 2
  %55 = load float, ptr %54, align 4
  %56 = fpext float %55 to double
  %57 = call i32 (ptr, ...) @printf(ptr noundef @.str, double noundef %44, double noundef %47, double noundef %50, double noundef %53, double noundef %56)
  %58 = getelementptr inbounds nuw %struct.mixed, ptr %9, i32 0, i32 0
  store double 2.500000e-01, ptr %58, align 8
  %59 = getelementptr inbounds nuw %struct.mixed, ptr %9, i32 0, i32 1
  store i32 3, ptr %59, align 8
  %60 = getelementptr i8, ptr %9, i64 12
  call void @llvm.memset.p0.i64(ptr align 4 %60, i8 0, i64 4, i1 false)
  %61 = getelementptr inbounds nuw %struct.mixed, ptr %10, i32 0, i32 0
  store double 8.000000e+00, ptr %61, align 8
  %62 = getelementptr inbounds nuw %struct.mixed, ptr %10, i32 0, i32 1
  store i32 -10, ptr %62, align 8
  %63 = getelementptr i8, ptr %10, i64 12
  call void @llvm.memset.p0.i64(ptr align 4 %63, i8 0, i64 4, i1 false)
  %64 = getelementptr inbounds nuw { double, i32 }, ptr %9, i32 0, i32 0
  %65 = load double, ptr %64, align 8
  %66 = getelementptr inbounds nuw { double, i32 }, ptr %9, i32 0, i32 1
  %67 = load i32, ptr %66, align 8
  %68 = getelementptr inbounds nuw { double, i32 }, ptr %10, i32 0, i32 0
  %69 = load double, ptr %68, align 8
  %70 = getelementptr inbounds nuw { double, i32 }, ptr %10, i32 0, i32 1
  %71 = load i32, ptr %70, align 8
  %72 = call { double, i32 } @add_mixed(double %65, i32 %67, double %69, i32 %71)
  %73 = getelementptr inbounds nuw { double, i32 }, ptr %8, i32 0, i32 0
  %74 = extractvalue { double, i32 } %72, 0
  store double %74, ptr %73, align 8
  %75 = getelementptr inbounds nuw { double, i32 }, ptr %8, i32 0, i32 1
  %76 = extractvalue { double, i32 } %72, 1
  store i32 %76, ptr %75, align 8
  %77 = getelementptr inbounds nuw %struct.small, ptr %12, i32 0, i32 0
  store i8 -1, ptr %77, align 2
  %78 = getelementptr i8, ptr %12, i64 1
  call void @llvm.memset.p0.i64(ptr align 1 %78, i8 0, i64 1, i1 false)
  %79 = getelementptr inbounds nuw %struct.small, ptr %12, i32 0, i32 1
  store i16 300, ptr %79, align 2
  %80 = getelementptr inbounds nuw %struct.small, ptr %12, i32 0, i32 2
  store i8 5, ptr %80, align 2
  %81 = getelementptr i8, ptr %12, i64 5
  call void @llvm.memset.p0.i64(ptr align 1 %81, i8 0, i64 1, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %13, ptr align 2 %12, i64 6, i1 false)
  %82 = load i48, ptr %13, align 8
  %83 = call i48 @turn_small(i48 %82)
  store i48 %83, ptr %11, align 2
  %84 = getelementptr inbounds nuw %struct.mixed, ptr %8, i32 0, i32 0
  %85 = load double, ptr %84, align 8
  %86 = getelementptr inbounds nuw %struct.mixed, ptr %8, i32 0, i32 1
  %87 = load i32, ptr %86, align 8
  %88 = getelementptr inbounds nuw %struct.small, ptr %11, i32 0, i32 0
  %89 = load i8, ptr %88, align 2
  %90 = sext i8 %89 to i32
  %91 = getelementptr inbounds nuw %struct.small, ptr %11, i32 0, i32 1
  %92 = load i16, ptr %91, align 2
  %93 = sext i16 %92 to i32
  %94 = getelementptr inbounds nuw %struct.small, ptr %11, i32 0, i32 2
  %95 = load i8, ptr %94, align 2
  %96 = sext i8 %95 to i32
  %97 = call i32 (ptr, ...) @printf(ptr noundef @.str.1, double noundef %85, i32 noundef %87, i32 noundef %90, i32 noundef %93, i32 noundef %96)
  %98 = getelementptr inbounds nuw %struct.two_words, ptr %15, i32 0, i32 0
  store i64 -1, ptr %98, align 8
  %99 = getelementptr inbounds nuw %struct.two_words, ptr %15, i32 0, i32 1
  store i64 1, ptr %99, align 8
  %100 = getelementptr inbounds nuw %struct.two_words, ptr %16, i32 0, i32 0
  store i64 2, ptr %100, align 8
  %101 = getelementptr inbounds nuw %struct.two_words, ptr %16, i32 0, i32 1
  store i64 40, ptr %101, align 8
  %102 = getelementptr inbounds nuw { i64, i64 }, ptr %15, i32 0, i32 0
  %103 = load i64, ptr %102, align 8
  %104 = getelementptr inbounds nuw { i64, i64 }, ptr %15, i32 0, i32 1
  %105 = load i64, ptr %104, align 8
  %106 = getelementptr inbounds nuw { i64, i64 }, ptr %16, i32 0, i32 0
  %107 = load i64, ptr %106, align 8
  %108 = getelementptr inbounds nuw { i64, i64 }, ptr %16, i32 0, i32 1
  %109 = load i64, ptr %108, align 8
  %110 = call { i64, i64 } @add_words(i64 %103, i64 %105, i64 %107, i64 %109)
  %111 = getelementptr inbounds nuw { i64, i64 }, ptr %14, i32 0, i32 0
  %112 = extractvalue { i64, i64 } %110, 0
  store i64 %112, ptr %111, align 8
  %113 = getelementptr inbounds nuw { i64, i64 }, ptr %14, i32 0, i32 1
  %114 = extractvalue { i64, i64 } %110, 1
  store i64 %114, ptr %113, align 8
  %115 = getelementptr inbounds nuw %struct.two_words, ptr %14, i32 0, i32 0
  %116 = load i64, ptr %115, align 8
  %117 = getelementptr inbounds nuw %struct.two_words, ptr %14, i32 0, i32 1
  %118 = load i64, ptr %117, align 8
  %119 = call i32 (ptr, ...) @printf(ptr noundef @.str.2, i64 noundef %116, i64 noundef %118)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %17, ptr align 8 @__const.main.large, i64 56, i1 false)
  store i32 0, ptr %18, align 4
  br label %120

120:                                              ; preds = %125, %0
  %121 = load i32, ptr %18, align 4
  %122 = icmp slt i32 %121, 5
  br i1 %122, label %123, label %128

123:                                              ; preds = %120
  %124 = load i32, ptr %18, align 4
  call void @rotate_large(ptr dead_on_unwind writable sret(%struct.large) align 8 %19, ptr noundef byval(%struct.large) align 8 %17, i32 noundef %124)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %17, ptr align 8 %19, i64 56, i1 false)
  br label %125

125:                                              ; preds = %123
  %126 = load i32, ptr %18, align 4
  %127 = add nsw i32 %126, 1
  store i32 %127, ptr %18, align 4
  br label %120, !llvm.loop !6

128:                                              ; preds = %120
  %129 = getelementptr inbounds nuw %struct.large, ptr %17, i32 0, i32 0
  %130 = getelementptr inbounds [12 x i32], ptr %129, i64 0, i64 0
  %131 = load i32, ptr %130, align 8
  %132 = getelementptr inbounds nuw %struct.large, ptr %17, i32 0, i32 0
  %133 = getelementptr inbounds [12 x i32], ptr %132, i64 0, i64 5
  %134 = load i32, ptr %133, align 4
  %135 = getelementptr inbounds nuw %struct.large, ptr %17, i32 0, i32 0
  %136 = getelementptr inbounds [12 x i32], ptr %135, i64 0, i64 11
  %137 = load i32, ptr %136, align 4
  %138 = getelementptr inbounds nuw %struct.large, ptr %17, i32 0, i32 1
  %139 = load double, ptr %138, align 8
  %140 = call i32 (ptr, ...) @printf(ptr noundef @.str.3, i32 noundef %131, i32 noundef %134, i32 noundef %137, double noundef %139)
  %141 = call { <2 x float>, i64 } @make_nested(float noundef 1.000000e+00, float noundef 2.000000e+00, i32 noundef 77)
  %142 = getelementptr inbounds nuw { <2 x float>, i64 }, ptr %20, i32 0, i32 0
  %143 = extractvalue { <2 x float>, i64 } %141, 0
  store <2 x float> %143, ptr %142, align 4
  %144 = getelementptr inbounds nuw { <2 x float>, i64 }, ptr %20, i32 0, i32 1
  %145 = extractvalue { <2 x float>, i64 } %141, 1
  store i64 %145, ptr %144, align 4
  %146 = call { <2 x float>, i64 } @make_nested(float noundef 3.000000e+00, float noundef 4.000000e+00, i32 noundef -9)
  %147 = getelementptr inbounds nuw { <2 x float>, i64 }, ptr %21, i32 0, i32 0
  %148 = extractvalue { <2 x float>, i64 } %146, 0
  store <2 x float> %148, ptr %147, align 4
  %149 = getelementptr inbounds nuw { <2 x float>, i64 }, ptr %21, i32 0, i32 1
  %150 = extractvalue { <2 x float>, i64 } %146, 1
  store i64 %150, ptr %149, align 4
  %151 = getelementptr inbounds nuw %struct.nested, ptr %20, i32 0, i32 1
  %152 = load i32, ptr %151, align 4
  %153 = getelementptr inbounds nuw %struct.nested, ptr %21, i32 0, i32 1
  %154 = load float, ptr %153, align 4
  %155 = fpext float %154 to double
  %156 = getelementptr inbounds nuw %struct.nested, ptr %21, i32 0, i32 2
  %157 = load i8, ptr %156, align 4
  %158 = zext i8 %157 to i32
  %159 = getelementptr inbounds nuw %struct.nested, ptr %20, i32 0, i32 0
  %160 = getelementptr inbounds nuw %struct.two_floats, ptr %159, i32 0, i32 0
  %161 = load float, ptr %160, align 4
  %162 = getelementptr inbounds nuw %struct.nested, ptr %21, i32 0, i32 0
  %163 = getelementptr inbounds nuw %struct.two_floats, ptr %162, i32 0, i32 1
  %164 = load float, ptr %163, align 4
  %165 = fadd float %161, %164
  %166 = fpext float %165 to double
  %167 = call i32 (ptr, ...) @printf(ptr noundef @.str.4, i32 noundef %152, double noundef %155, i32 noundef %158, double noundef %166)
  %168 = getelementptr inbounds nuw %struct.mixed, ptr %22, i32 0, i32 0
  store double 2.000000e+00, ptr %168, align 8
  %169 = getelementptr inbounds nuw %struct.mixed, ptr %22, i32 0, i32 1
  store i32 3, ptr %169, align 8
  %170 = getelementptr i8, ptr %22, i64 12
  call void @llvm.memset.p0.i64(ptr align 4 %170, i8 0, i64 4, i1 false)
  %171 = getelementptr inbounds nuw %struct.two_floats, ptr %23, i32 0, i32 0
  store float 5.000000e+00, ptr %171, align 4
  %172 = getelementptr inbounds nuw %struct.two_floats, ptr %23, i32 0, i32 1
  store float 6.000000e+00, ptr %172, align 4
  %173 = getelementptr inbounds nuw { double, i32 }, ptr %22, i32 0, i32 0
  %174 = load double, ptr %173, align 8
  %175 = getelementptr inbounds nuw { double, i32 }, ptr %22, i32 0, i32 1
  %176 = load i32, ptr %175, align 8
  %177 = load <2 x float>, ptr %23, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %24, ptr align 2 %11, i64 6, i1 false)
  %178 = load i48, ptr %24, align 8
  %179 = call double @many(i32 noundef 1, double %174, i32 %176, double noundef 4.000000e+00, <2 x float> %177, i32 noundef 7, ptr noundef byval(%struct.large) align 8 %17, i48 %178, i64 noundef 8, ptr noundef byval(%struct.two_words) align 8 %14, float noundef 9.000000e+00)
  %180 = call i32 (ptr, ...) @printf(ptr noundef @.str.5, double noundef %179)
  %181 = getelementptr inbounds nuw %struct.empty_tail, ptr %25, i32 0, i32 0
  store i32 1, ptr %181, align 4
  %182 = getelementptr inbounds nuw %struct.empty_tail, ptr %25, i32 0, i32 1
  store i8 2, ptr %182, align 1
  %183 = getelementptr inbounds i8, ptr %182, i64 1
  store i8 3, ptr %183, align 1
  %184 = getelementptr inbounds i8, ptr %182, i64 2
  store i8 4, ptr %184, align 1
  %185 = getelementptr i8, ptr %25, i64 7
  call void @llvm.memset.p0.i64(ptr align 1 %185, i8 0, i64 1, i1 false)
  %186 = load i64, ptr %25, align 4
  %187 = call i32 @sum_tail(i64 %186)
  %188 = call i32 (ptr, ...) @printf(ptr noundef @.str.6, i32 noundef %187, i64 noundef 16, i64 noundef 7)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %26, ptr align 8 @__const.main.bits, i64 16, i1 false)
  %189 = load i16, ptr %26, align 8
  %190 = and i16 %189, 7
  %191 = zext i16 %190 to i32
  %192 = add nsw i32 %191, 4
  %193 = trunc i32 %192 to i16
  %194 = load i16, ptr %26, align 8
  %195 = and i16 %193, 7
  %196 = and i16 %194, -8
  %197 = or i16 %196, %195
  store i16 %197, ptr %26, align 8
  %198 = zext i16 %195 to i32
  %199 = load i16, ptr %26, align 8
  %200 = shl i16 %199, 6
  %201 = ashr i16 %200, 9
  %202 = sext i16 %201 to i32
  %203 = mul nsw i32 %202, 2
  %204 = trunc i32 %203 to i16
  %205 = load i16, ptr %26, align 8
  %206 = and i16 %204, 127
  %207 = shl i16 %206, 3
  %208 = and i16 %205, -1017
  %209 = or i16 %208, %207
  store i16 %209, ptr %26, align 8
  %210 = shl i16 %206, 9
  %211 = ashr i16 %210, 9
  %212 = sext i16 %211 to i32
  %213 = getelementptr inbounds nuw %struct.bits, ptr %26, i32 0, i32 2
  %214 = load i64, ptr %213, align 8
  %215 = and i64 %214, 2199023255551
  %216 = xor i64 %215, 4294967295
  %217 = load i64, ptr %213, align 8
  %218 = and i64 %216, 2199023255551
  %219 = and i64 %217, -2199023255552
  %220 = or i64 %219, %218
  store i64 %220, ptr %213, align 8
  %221 = load i16, ptr %26, align 8
  %222 = and i16 %221, 7
  %223 = zext i16 %222 to i32
  %224 = load i16, ptr %26, align 8
  %225 = shl i16 %224, 6
  %226 = ashr i16 %225, 9
  %227 = sext i16 %226 to i32
  %228 = getelementptr inbounds nuw %struct.bits, ptr %26, i32 0, i32 1
  %229 = load i32, ptr %228, align 4
  %230 = and i32 %229, 536870911
  %231 = getelementptr inbounds nuw %struct.bits, ptr %26, i32 0, i32 2
  %232 = load i64, ptr %231, align 8
  %233 = and i64 %232, 2199023255551
  %234 = getelementptr inbounds nuw %struct.bits, ptr %26, i32 0, i32 2
  %235 = load i64, ptr %234, align 8
  %236 = lshr i64 %235, 41
  %237 = and i64 %236, 1
  %238 = trunc i64 %237 to i32
  %239 = call i32 (ptr, ...) @printf(ptr noundef @.str.7, i32 noundef %223, i32 noundef %227, i32 noundef %230, i64 noundef %233, i32 noundef %238)
  call void @llvm.memcpy.p0.p0.i64(ptr align 1 %27, ptr align 1 @__const.main.packed, i64 14, i1 false)
  store i32 0, ptr %28, align 4
  store i32 0, ptr %29, align 4
  br label %240

240:                                              ; preds = %265, %128
  %241 = load i32, ptr %29, align 4
  %242 = icmp slt i32 %241, 2
  br i1 %242, label %243, label %268

243:                                              ; preds = %240
  %244 = load i32, ptr %29, align 4
  %245 = sext i32 %244 to i64
  %246 = getelementptr inbounds [2 x %struct.packed], ptr %27, i64 0, i64 %245
  %247 = getelementptr inbounds nuw %struct.packed, ptr %246, i32 0, i32 0
  %248 = load i8, ptr %247, align 1
  %249 = zext i8 %248 to i32
  %250 = load i32, ptr %29, align 4
  %251 = sext i32 %250 to i64
  %252 = getelementptr inbounds [2 x %struct.packed], ptr %27, i64 0, i64 %251
  %253 = getelementptr inbounds nuw %struct.packed, ptr %252, i32 0, i32 1
  %254 = load i32, ptr %253, align 1
  %255 = mul i32 %249, %254
  %256 = load i32, ptr %29, align 4
  %257 = sext i32 %256 to i64
  %258 = getelementptr inbounds [2 x %struct.packed], ptr %27, i64 0, i64 %257
  %259 = getelementptr inbounds nuw %struct.packed, ptr %258, i32 0, i32 2
  %260 = load i16, ptr %259, align 1
  %261 = zext i16 %260 to i32
  %262 = add i32 %255, %261
  %263 = load i32, ptr %28, align 4
  %264 = add i32 %263, %262
  store i32 %264, ptr %28, align 4
  br label %265

265:                                              ; preds = %243
  %266 = load i32, ptr %29, align 4
  %267 = add nsw i32 %266, 1
  store i32 %267, ptr %29, align 4
  br label %240, !llvm.loop !8

268:                                              ; preds = %240
  %269 = load i32, ptr %28, align 4
  %270 = call i32 (ptr, ...) @printf(ptr noundef @.str.8, i32 noundef %269)
  ret i32 0
}

; Function Attrs: noinline nounwind optnone uwtable
define internal <2 x float> @swap_floats(<2 x float> %0) #0 {
  %2 = alloca %struct.two_floats, align 4
  %3 = alloca %struct.two_floats, align 4
  store <2 x float> %0, ptr %3, align 4
  %4 = getelementptr inbounds nuw %struct.two_floats, ptr %2, i32 0, i32 0
  %5 = getelementptr inbounds nuw %struct.two_floats, ptr %3, i32 0, i32 1
  %6 = load float, ptr %5, align 4
  store float %6, ptr %4, align 4
  %7 = getelementptr inbounds nuw %struct.two_floats, ptr %2, i32 0, i32 1
  %8 = getelementptr inbounds nuw %struct.two_floats, ptr %3, i32 0, i32 0
  %9 = load float, ptr %8, align 4
  store float %9, ptr %7, align 4
  %10 = load <2 x float>, ptr %2, align 4
  ret <2 x float> %10
}

; Function Attrs: noinline nounwind optnone uwtable
define internal { <2 x float>, float } @scale_floats(<2 x float> %0, float %1, float noundef %2) #0 {
  %4 = alloca %struct.three_floats, align 4
  %5 = alloca %struct.three_floats, align 4
  %6 = alloca { <2 x float>, float }, align 4
  %7 = alloca float, align 4
  %8 = alloca { <2 x float>, float }, align 8
  %9 = getelementptr inbounds nuw { <2 x float>, float }, ptr %6, i32 0, i32 0
  store <2 x float> %0, ptr %9, align 4
  %10 = getelementptr inbounds nuw { <2 x float>, float }, ptr %6, i32 0, i32 1
  store float %1, ptr %10, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 4 %5, ptr align 4 %6, i64 12, i1 false)
  store float %2, ptr %7, align 4
  %11 = getelementptr inbounds nuw %struct.three_floats, ptr %4, i32 0, i32 0
  %12 = getelementptr inbounds nuw %struct.three_floats, ptr %5, i32 0, i32 0
  %13 = load float, ptr %12, align 4
  %14 = load float, ptr %7, align 4
  %15 = fmul float %13, %14
  store float %15, ptr %11, align 4
  %16 = getelementptr inbounds nuw %struct.three_floats, ptr %4, i32 0, i32 1
  %17 = getelementptr inbounds nuw %struct.three_floats, ptr %5, i32 0, i32 1
  %18 = load float, ptr %17, align 4
  %19 = load float, ptr %7, align 4
  %20 = fmul float %18, %19
  store float %20, ptr %16, align 4
  %21 = getelementptr inbounds nuw %struct.three_floats, ptr %4, i32 0, i32 2
  %22 = getelementptr inbounds nuw %struct.three_floats, ptr %5, i32 0, i32 2
  %23 = load float, ptr %22, align 4
  %24 = load float, ptr %7, align 4
  %25 = fmul float %23, %24
  store float %25, ptr %21, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %8, ptr align 4 %4, i64 12, i1 false)
  %26 = load { <2 x float>, float }, ptr %8, align 8
  ret { <2 x float>, float } %26
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #1

declare i32 @printf(ptr noundef, ...) #2

; Function Attrs: noinline nounwind optnone uwtable
define internal { double, i32 } @add_mixed(double %0, i32 %1, double %2, i32 %3) #3 {
  %5 = alloca %struct.mixed, align 8
  %6 = alloca %struct.mixed, align 8
  %7 = alloca %struct.mixed, align 8
  %8 = getelementptr inbounds nuw { double, i32 }, ptr %6, i32 0, i32 0
  store double %0, ptr %8, align 8
  %9 = getelementptr inbounds nuw { double, i32 }, ptr %6, i32 0, i32 1
  store i32 %1, ptr %9, align 8
  %10 = getelementptr inbounds nuw { double, i32 }, ptr %7, i32 0, i32 0
  store double %2, ptr %10, align 8
  %11 = getelementptr inbounds nuw { double, i32 }, ptr %7, i32 0, i32 1
  store i32 %3, ptr %11, align 8
  %12 = getelementptr inbounds nuw %struct.mixed, ptr %5, i32 0, i32 0
  %13 = getelementptr inbounds nuw %struct.mixed, ptr %6, i32 0, i32 0
  %14 = load double, ptr %13, align 8
  %15 = getelementptr inbounds nuw %struct.mixed, ptr %7, i32 0, i32 0
  %16 = load double, ptr %15, align 8
  %17 = fadd double %14, %16
  store double %17, ptr %12, align 8
  %18 = getelementptr inbounds nuw %struct.mixed, ptr %5, i32 0, i32 1
  %19 = getelementptr inbounds nuw %struct.mixed, ptr %6, i32 0, i32 1
  %20 = load i32, ptr %19, align 8
  %21 = getelementptr inbounds nuw %struct.mixed, ptr %7, i32 0, i32 1
  %22 = load i32, ptr %21, align 8
  %23 = add nsw i32 %20, %22
  store i32 %23, ptr %18, align 8
  %24 = getelementptr i8, ptr %5, i64 12
  call void @llvm.memset.p0.i64(ptr align 4 %24, i8 0, i64 4, i1 false)
  %25 = load { double, i32 }, ptr %5, align 8
  ret { double, i32 } %25
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #4

; Function Attrs: noinline nounwind optnone uwtable
define internal i48 @turn_small(i48 %0) #3 {
  %2 = alloca %struct.small, align 2
  %3 = alloca %struct.small, align 2
  %4 = alloca i48, align 8
  store i48 %0, ptr %3, align 2
  %5 = getelementptr inbounds nuw %struct.small, ptr %2, i32 0, i32 0
  %6 = getelementptr inbounds nuw %struct.small, ptr %3, i32 0, i32 2
  %7 = load i8, ptr %6, align 2
  store i8 %7, ptr %5, align 2
  %8 = getelementptr i8, ptr %2, i64 1
  call void @llvm.memset.p0.i64(ptr align 1 %8, i8 0, i64 1, i1 false)
  %9 = getelementptr inbounds nuw %struct.small, ptr %2, i32 0, i32 1
  %10 = getelementptr inbounds nuw %struct.small, ptr %3, i32 0, i32 1
  %11 = load i16, ptr %10, align 2
  %12 = sext i16 %11 to i32
  %13 = sub nsw i32 0, %12
  %14 = trunc i32 %13 to i16
  store i16 %14, ptr %9, align 2
  %15 = getelementptr inbounds nuw %struct.small, ptr %2, i32 0, i32 2
  %16 = getelementptr inbounds nuw %struct.small, ptr %3, i32 0, i32 0
  %17 = load i8, ptr %16, align 2
  store i8 %17, ptr %15, align 2
  %18 = getelementptr i8, ptr %2, i64 5
  call void @llvm.memset.p0.i64(ptr align 1 %18, i8 0, i64 1, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %4, ptr align 2 %2, i64 6, i1 false)
  %19 = load i48, ptr %4, align 8
  ret i48 %19
}

; Function Attrs: noinline nounwind optnone uwtable
define internal { i64, i64 } @add_words(i64 %0, i64 %1, i64 %2, i64 %3) #3 {
  %5 = alloca %struct.two_words, align 8
  %6 = alloca %struct.two_words, align 8
  %7 = alloca %struct.two_words, align 8
  %8 = alloca i64, align 8
  %9 = getelementptr inbounds nuw { i64, i64 }, ptr %6, i32 0, i32 0
  store i64 %0, ptr %9, align 8
  %10 = getelementptr inbounds nuw { i64, i64 }, ptr %6, i32 0, i32 1
  store i64 %1, ptr %10, align 8
  %11 = getelementptr inbounds nuw { i64, i64 }, ptr %7, i32 0, i32 0
  store i64 %2, ptr %11, align 8
  %12 = getelementptr inbounds nuw { i64, i64 }, ptr %7, i32 0, i32 1
  store i64 %3, ptr %12, align 8
  %13 = getelementptr inbounds nuw %struct.two_words, ptr %6, i32 0, i32 0
  %14 = load i64, ptr %13, align 8
  %15 = getelementptr inbounds nuw %struct.two_words, ptr %7, i32 0, i32 0
  %16 = load i64, ptr %15, align 8
  %17 = add i64 %14, %16
  store i64 %17, ptr %8, align 8
  %18 = getelementptr inbounds nuw %struct.two_words, ptr %5, i32 0, i32 0
  %19 = load i64, ptr %8, align 8
  store i64 %19, ptr %18, align 8
  %20 = getelementptr inbounds nuw %struct.two_words, ptr %5, i32 0, i32 1
  %21 = getelementptr inbounds nuw %struct.two_words, ptr %6, i32 0, i32 1
  %22 = load i64, ptr %21, align 8
  %23 = getelementptr inbounds nuw %struct.two_words, ptr %7, i32 0, i32 1
  %24 = load i64, ptr %23, align 8
  %25 = add i64 %22, %24
  %26 = load i64, ptr %8, align 8
  %27 = getelementptr inbounds nuw %struct.two_words, ptr %6, i32 0, i32 0
  %28 = load i64, ptr %27, align 8
  %29 = icmp ult i64 %26, %28
  %30 = zext i1 %29 to i32
  %31 = sext i32 %30 to i64
  %32 = add i64 %25, %31
  store i64 %32, ptr %20, align 8
  %33 = load { i64, i64 }, ptr %5, align 8
  ret { i64, i64 } %33
}

; Function Attrs: noinline nounwind optnone uwtable
define internal void @rotate_large(ptr dead_on_unwind noalias writable sret(%struct.large) align 8 %0, ptr noundef byval(%struct.large) align 8 %1, i32 noundef %2) #3 {
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  store i32 %2, ptr %4, align 4
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %0, ptr align 8 %1, i64 56, i1 false)
  store i32 0, ptr %5, align 4
  br label %6

6:                                                ; preds = %22, %3
  %7 = load i32, ptr %5, align 4
  %8 = icmp slt i32 %7, 12
  br i1 %8, label %9, label %25

9:                                                ; preds = %6
  %10 = getelementptr inbounds nuw %struct.large, ptr %1, i32 0, i32 0
  %11 = load i32, ptr %5, align 4
  %12 = sext i32 %11 to i64
  %13 = getelementptr inbounds [12 x i32], ptr %10, i64 0, i64 %12
  %14 = load i32, ptr %13, align 4
  %15 = getelementptr inbounds nuw %struct.large, ptr %0, i32 0, i32 0
  %16 = load i32, ptr %5, align 4
  %17 = load i32, ptr %4, align 4
  %18 = add nsw i32 %16, %17
  %19 = srem i32 %18, 12
  %20 = sext i32 %19 to i64
  %21 = getelementptr inbounds [12 x i32], ptr %15, i64 0, i64 %20
  store i32 %14, ptr %21, align 4
  br label %22

22:                                               ; preds = %9
  %23 = load i32, ptr %5, align 4
  %24 = add nsw i32 %23, 1
  store i32 %24, ptr %5, align 4
  br label %6, !llvm.loop !9

25:                                               ; preds = %6
  %26 = getelementptr inbounds nuw %struct.large, ptr %1, i32 0, i32 1
  %27 = load double, ptr %26, align 8
  %28 = fdiv double %27, 2.000000e+00
  %29 = getelementptr inbounds nuw %struct.large, ptr %0, i32 0, i32 1
  store double %28, ptr %29, align 8
  ret void
}

; Function Attrs: noinline nounwind optnone uwtable
define internal { <2 x float>, i64 } @make_nested(float noundef %0, float noundef %1, i32 noundef %2) #3 {
  %4 = alloca %struct.nested, align 4
  %5 = alloca float, align 4
  %6 = alloca float, align 4
  %7 = alloca i32, align 4
  store float %0, ptr %5, align 4
  store float %1, ptr %6, align 4
  store i32 %2, ptr %7, align 4
  %8 = getelementptr inbounds nuw %struct.nested, ptr %4, i32 0, i32 0
  %9 = getelementptr inbounds nuw %struct.two_floats, ptr %8, i32 0, i32 0
  %10 = load float, ptr %5, align 4
  store float %10, ptr %9, align 4
  %11 = getelementptr inbounds nuw %struct.two_floats, ptr %8, i32 0, i32 1
  %12 = load float, ptr %6, align 4
  store float %12, ptr %11, align 4
  %13 = getelementptr inbounds nuw %struct.nested, ptr %4, i32 0, i32 1
  %14 = load i32, ptr %7, align 4
  store i32 %14, ptr %13, align 4
  %15 = getelementptr inbounds nuw %struct.nested, ptr %4, i32 0, i32 2
  store i8 7, ptr %15, align 4
  %16 = getelementptr i8, ptr %4, i64 13
  call void @llvm.memset.p0.i64(ptr align 1 %16, i8 0, i64 3, i1 false)
  %17 = load i32, ptr %7, align 4
  %18 = icmp slt i32 %17, 0
  br i1 %18, label %19, label %24

19:                                               ; preds = %3
  %20 = load i32, ptr %7, align 4
  %21 = sitofp i32 %20 to float
  %22 = fmul float %21, 5.000000e-01
  %23 = getelementptr inbounds nuw %struct.nested, ptr %4, i32 0, i32 1
  store float %22, ptr %23, align 4
  br label %24

24:                                               ; preds = %19, %3
  %25 = load { <2 x float>, i64 }, ptr %4, align 4
  ret { <2 x float>, i64 } %25
}

; Function Attrs: noinline nounwind optnone uwtable
define internal double @many(i32 noundef %0, double %1, i32 %2, double noundef %3, <2 x float> %4, i32 noundef %5, ptr noundef byval(%struct.large) align 8 %6, i48 %7, i64 noundef %8, ptr noundef byval(%struct.two_words) align 8 %9, float noundef %10) #0 {
  %12 = alloca %struct.mixed, align 8
  %13 = alloca %struct.two_floats, align 4
  %14 = alloca %struct.small, align 2
  %15 = alloca i32, align 4
  %16 = alloca double, align 8
  %17 = alloca i32, align 4
  %18 = alloca i64, align 8
  %19 = alloca float, align 4
  %20 = getelementptr inbounds nuw { double, i32 }, ptr %12, i32 0, i32 0
  store double %1, ptr %20, align 8
  %21 = getelementptr inbounds nuw { double, i32 }, ptr %12, i32 0, i32 1
  store i32 %2, ptr %21, align 8
  store <2 x float> %4, ptr %13, align 4
  store i48 %7, ptr %14, align 2
  store i32 %0, ptr %15, align 4
  store double %3, ptr %16, align 8
  store i32 %5, ptr %17, align 4
  store i64 %8, ptr %18, align 8
  store float %10, ptr %19, align 4
  %22 = load i32, ptr %15, align 4
  %23 = sitofp i32 %22 to double
  %24 = getelementptr inbounds nuw %struct.mixed, ptr %12, i32 0, i32 0
  %25 = load double, ptr %24, align 8
  %26 = getelementptr inbounds nuw %struct.mixed, ptr %12, i32 0, i32 1
  %27 = load i32, ptr %26, align 8
  %28 = sitofp i32 %27 to double
  %29 = fmul double %25, %28
  %30 = fadd double %23, %29
  %31 = load double, ptr %16, align 8
  %32 = fadd double %30, %31
  %33 = getelementptr inbounds nuw %struct.two_floats, ptr %13, i32 0, i32 0
  %34 = load float, ptr %33, align 4
  %35 = fpext float %34 to double
  %36 = fadd double %32, %35
  %37 = getelementptr inbounds nuw %struct.two_floats, ptr %13, i32 0, i32 1
  %38 = load float, ptr %37, align 4
  %39 = fpext float %38 to double
  %40 = fsub double %36, %39
  %41 = load i32, ptr %17, align 4
  %42 = sitofp i32 %41 to double
  %43 = fadd double %40, %42
  %44 = getelementptr inbounds nuw %struct.large, ptr %6, i32 0, i32 0
  %45 = getelementptr inbounds [12 x i32], ptr %44, i64 0, i64 3
  %46 = load i32, ptr %45, align 4
  %47 = sitofp i32 %46 to double
  %48 = getelementptr inbounds nuw %struct.large, ptr %6, i32 0, i32 1
  %49 = load double, ptr %48, align 8
  %50 = fmul double %47, %49
  %51 = fadd double %43, %50
  %52 = getelementptr inbounds nuw %struct.small, ptr %14, i32 0, i32 1
  %53 = load i16, ptr %52, align 2
  %54 = sext i16 %53 to i32
  %55 = sitofp i32 %54 to double
  %56 = fadd double %51, %55
  %57 = load i64, ptr %18, align 8
  %58 = sitofp i64 %57 to double
  %59 = fadd double %56, %58
  %60 = getelementptr inbounds nuw %struct.two_words, ptr %9, i32 0, i32 0
  %61 = load i64, ptr %60, align 8
  %62 = uitofp i64 %61 to double
  %63 = fadd double %59, %62
  %64 = load float, ptr %19, align 4
  %65 = fpext float %64 to double
  %66 = fadd double %63, %65
  ret double %66
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @sum_tail(i64 %0) #3 {
  %2 = alloca %struct.empty_tail, align 4
  store i64 %0, ptr %2, align 4
  %3 = getelementptr inbounds nuw %struct.empty_tail, ptr %2, i32 0, i32 0
  %4 = load i32, ptr %3, align 4
  %5 = getelementptr inbounds nuw %struct.empty_tail, ptr %2, i32 0, i32 1
  %6 = getelementptr inbounds [3 x i8], ptr %5, i64 0, i64 0
  %7 = load i8, ptr %6, align 4
  %8 = zext i8 %7 to i32
  %9 = add i32 %4, %8
  %10 = getelementptr inbounds nuw %struct.empty_tail, ptr %2, i32 0, i32 1
  %11 = getelementptr inbounds [3 x i8], ptr %10, i64 0, i64 1
  %12 = load i8, ptr %11, align 1
  %13 = zext i8 %12 to i32
  %14 = add i32 %9, %13
  %15 = getelementptr inbounds nuw %struct.empty_tail, ptr %2, i32 0, i32 1
  %16 = getelementptr inbounds [3 x i8], ptr %15, i64 0, i64 2
  %17 = load i8, ptr %16, align 2
  %18 = zext i8 %17 to i32
  %19 = add i32 %14, %18
  ret i32 %19
}

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="64" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #2 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nocallback nofree nounwind willreturn memory(argmem: write) }

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
