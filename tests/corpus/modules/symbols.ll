; ModuleID = 'c/symbols.c'
source_filename = "c/symbols.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.anon = type { ptr, ptr }

@common_source = dso_local global i32 77, align 4
@weak_number = weak dso_local global i32 12, align 4
@hidden_number = hidden global i32 8, align 4
@kept_without_use = internal global i32 3, align 4
@.str = private unnamed_addr constant [7 x i8] c"%s %d \00", align 1
@operations = internal constant [3 x %struct.anon] [%struct.anon { ptr @.str.6, ptr @add }, %struct.anon { ptr @.str.7, ptr @sub }, %struct.anon { ptr @.str.8, ptr @mul }], align 16
@.str.1 = private unnamed_addr constant [14 x i8] c"\0A%d %d %s %s\0A\00", align 1
@numbers = internal global [10 x i32] [i32 0, i32 1, i32 2, i32 3, i32 4, i32 5, i32 6, i32 7, i32 8, i32 9], align 16
@.str.2 = private unnamed_addr constant [16 x i8] c"a long constant\00", align 1
@common_number = common dso_local global i32 0, align 4
@common_array = common dso_local global [100 x i32] zeroinitializer, align 16
@.str.3 = private unnamed_addr constant [10 x i8] c"%d %d %d\0A\00", align 1
@.str.4 = private unnamed_addr constant [4 x i8] c"%d\0A\00", align 1
@placed = internal global i32 31, section "corpus_data", align 4
@.str.5 = private unnamed_addr constant [7 x i8] c"%a %d\0A\00", align 1
@.str.6 = private unnamed_addr constant [4 x i8] c"add\00", align 1
@.str.7 = private unnamed_addr constant [4 x i8] c"sub\00", align 1
@.str.8 = private unnamed_addr constant [4 x i8] c"mul\00", align 1
@depth = internal global i32 0, align 4
@llvm.compiler.used = appending global [1 x ptr] [ptr @kept_without_use], section "llvm.metadata"

@other_name = dso_local alias i32 (i32), ptr @original
@aliased_number = dso_local alias i32, ptr @common_source

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @original(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  %4 = mul nsw i32 %3, 3
  ret i32 %4
}

; Function Attrs: noinline nounwind optnone uwtable
define weak dso_local i32 @weak_function(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  %4 = add nsw i32 %3, 1000
  ret i32 %4
}

; Function Attrs: noinline nounwind optnone willreturn memory(none) uwtable
define dso_local double @cbrt(double noundef %0) #1 {
  %2 = alloca double, align 8
  store double %0, ptr %2, align 8
  %3 = load double, ptr %2, align 8
  %4 = fadd double %3, 1.000000e+00
  ret double %4
}

; Function Attrs: noinline nounwind optnone willreturn memory(none) uwtable
define dso_local i32 @abs(i32 noundef %0) #1 {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  %4 = mul nsw i32 %3, 2
  ret i32 %4
}

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
  %1 = alloca i32, align 4
  %2 = alloca i32, align 4
  %3 = alloca double, align 8
  %4 = alloca i32, align 4
  %5 = alloca ptr, align 8
  %6 = alloca i8, align 1
  store i32 0, ptr %1, align 4
  store i32 0, ptr %2, align 4
  br label %7

7:                                                ; preds = %23, %0
  %8 = load i32, ptr %2, align 4
  %9 = icmp ult i32 %8, 3
  br i1 %9, label %10, label %26

10:                                               ; preds = %7
  %11 = load i32, ptr %2, align 4
  %12 = zext i32 %11 to i64
  %13 = getelementptr inbounds nuw [3 x %struct.anon], ptr @operations, i64 0, i64 %12
  %14 = getelementptr inbounds nuw %struct.anon, ptr %13, i32 0, i32 0
  %15 = load ptr, ptr %14, align 16
  %16 = load i32, ptr %2, align 4
  %17 = zext i32 %16 to i64
  %18 = getelementptr inbounds nuw [3 x %struct.anon], ptr @operations, i64 0, i64 %17
  %19 = getelementptr inbounds nuw %struct.anon, ptr %18, i32 0, i32 1
  %20 = load ptr, ptr %19, align 8
  %21 = call i32 @apply(ptr noundef %20, i32 noundef 7, i32 noundef 5)
  %22 = call i32 (ptr, ...) @printf(ptr noundef @.str, ptr noundef %15, i32 noundef %21)
  br label %23

23:                                               ; preds = %10
  %24 = load i32, ptr %2, align 4
  %25 = add i32 %24, 1
  store i32 %25, ptr %2, align 4
  br label %7, !llvm.loop !6

26:                                               ; preds = %7
  %27 = load i32, ptr getelementptr (i8, ptr @numbers, i64 20), align 4
  %28 = load i32, ptr getelementptr inbounds (i32, ptr getelementptr (i8, ptr @numbers, i64 20), i64 -2), align 4
  %29 = call i32 (ptr, ...) @printf(ptr noundef @.str.1, i32 noundef %27, i32 noundef %28, ptr noundef getelementptr (i8, ptr @.str.2, i64 7), ptr noundef getelementptr inbounds (i8, ptr getelementptr (i8, ptr @.str.2, i64 7), i64 2))
  %30 = load i32, ptr @common_number, align 4
  %31 = add nsw i32 %30, 4
  store i32 %31, ptr @common_number, align 4
  %32 = load i32, ptr @common_number, align 4
  store i32 %32, ptr getelementptr inbounds ([100 x i32], ptr @common_array, i64 0, i64 99), align 4
  %33 = load i32, ptr @common_array, align 16
  %34 = load i32, ptr getelementptr inbounds ([100 x i32], ptr @common_array, i64 0, i64 99), align 4
  %35 = icmp eq ptr @original, @other_name
  %36 = zext i1 %35 to i32
  %37 = call i32 (ptr, ...) @printf(ptr noundef @.str.3, i32 noundef %33, i32 noundef %34, i32 noundef %36)
  %38 = call i32 @other_name(i32 noundef 5)
  %39 = load i32, ptr @aliased_number, align 4
  %40 = load i32, ptr @weak_number, align 4
  %41 = call i32 @weak_function(i32 noundef %40)
  %42 = call i32 (ptr, ...) @printf(ptr noundef @.str.3, i32 noundef %38, i32 noundef %39, i32 noundef %41)
  %43 = icmp ne ptr @nowhere, null
  br i1 %43, label %44, label %46

44:                                               ; preds = %26
  %45 = call i32 @nowhere(i32 noundef 1)
  br label %47

46:                                               ; preds = %26
  br label %47

47:                                               ; preds = %46, %44
  %48 = phi i32 [ %45, %44 ], [ -1, %46 ]
  %49 = call i32 (ptr, ...) @printf(ptr noundef @.str.4, i32 noundef %48)
  %50 = load i32, ptr @placed, align 4
  %51 = add nsw i32 %50, 1
  store i32 %51, ptr @placed, align 4
  %52 = call i32 @placed_function(i32 noundef 64)
  %53 = load i32, ptr @hidden_number, align 4
  %54 = call i32 @visit(i32 noundef 20, ptr noundef @visit_again)
  %55 = call i32 (ptr, ...) @printf(ptr noundef @.str.3, i32 noundef %52, i32 noundef %53, i32 noundef %54)
  store volatile double 8.000000e+00, ptr %3, align 8
  store volatile i32 -4, ptr %4, align 4
  %56 = load volatile double, ptr %3, align 8
  %57 = call double @cbrt(double noundef %56) #4
  %58 = load volatile i32, ptr %4, align 4
  %59 = call i32 @llvm.abs.i32(i32 %58, i1 true)
  %60 = call i32 (ptr, ...) @printf(ptr noundef @.str.5, double noundef %57, i32 noundef %59)
  store ptr @next_of, ptr %5, align 8
  %61 = call ptr @next_of(ptr noundef %6)
  %62 = getelementptr inbounds i8, ptr %6, i64 1
  %63 = icmp eq ptr %61, %62
  %64 = zext i1 %63 to i32
  %65 = call i32 (ptr, ...) @printf(ptr noundef @.str.4, i32 noundef %64)
  ret i32 0
}

declare i32 @printf(ptr noundef, ...) #2

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @apply(ptr noundef %0, i32 noundef %1, i32 noundef %2) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store i32 %1, ptr %5, align 4
  store i32 %2, ptr %6, align 4
  %7 = load ptr, ptr %4, align 8
  %8 = load i32, ptr %5, align 4
  %9 = load i32, ptr %6, align 4
  %10 = call i32 %7(i32 noundef %8, i32 noundef %9)
  ret i32 %10
}

declare extern_weak i32 @nowhere(i32 noundef) #2

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @placed_function(i32 noundef %0) #0 section "corpus_text" {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  %4 = load i32, ptr @placed, align 4
  %5 = xor i32 %3, %4
  ret i32 %5
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @visit(i32 noundef %0, ptr noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  store i32 %0, ptr %3, align 4
  store ptr %1, ptr %4, align 8
  %5 = load i32, ptr %3, align 4
  %6 = icmp eq i32 %5, 0
  br i1 %6, label %7, label %9

7:                                                ; preds = %2
  %8 = load i32, ptr @depth, align 4
  br label %16

9:                                                ; preds = %2
  %10 = load i32, ptr @depth, align 4
  %11 = add nsw i32 %10, 1
  store i32 %11, ptr @depth, align 4
  %12 = load ptr, ptr %4, align 8
  %13 = load i32, ptr %3, align 4
  %14 = sub nsw i32 %13, 1
  %15 = call i32 %12(i32 noundef %14)
  br label %16

16:                                               ; preds = %9, %7
  %17 = phi i32 [ %8, %7 ], [ %15, %9 ]
  ret i32 %17
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @visit_again(i32 noundef %0) #0 {
  %2 = alloca i32, align 4
  store i32 %0, ptr %2, align 4
  %3 = load i32, ptr %2, align 4
  %4 = call i32 @visit(i32 noundef %3, ptr noundef @visit_again)
  ret i32 %4
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare i32 @llvm.abs.i32(i32, i1 immarg) #3

; Function Attrs: noinline nounwind optnone uwtable
define internal ptr @next_of(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %3 = load ptr, ptr %2, align 8
  %4 = getelementptr inbounds i8, ptr %3, i64 1
  ret ptr %4
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @add(i32 noundef %0, i32 noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  store i32 %0, ptr %3, align 4
  store i32 %1, ptr %4, align 4
  %5 = load i32, ptr %3, align 4
  %6 = load i32, ptr %4, align 4
  %7 = add nsw i32 %5, %6
  ret i32 %7
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @sub(i32 noundef %0, i32 noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  store i32 %0, ptr %3, align 4
  store i32 %1, ptr %4, align 4
  %5 = load i32, ptr %3, align 4
  %6 = load i32, ptr %4, align 4
  %7 = sub nsw i32 %5, %6
  ret i32 %7
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @mul(i32 noundef %0, i32 noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  store i32 %0, ptr %3, align 4
  store i32 %1, ptr %4, align 4
  %5 = load i32, ptr %3, align 4
  %6 = load i32, ptr %4, align 4
  %7 = mul nsw i32 %5, %6
  ret i32 %7
}

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { noinline nounwind optnone willreturn memory(none) uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #2 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #4 = { nounwind willreturn memory(none) }

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
