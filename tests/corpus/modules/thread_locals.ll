; ModuleID = 'c/thread_locals.c'
source_filename = "c/thread_locals.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.anon = type { i32, double, ptr }

@seeded = internal thread_local global i64 41, align 8
@counter = dso_local thread_local global i32 0, align 4
@.str = private unnamed_addr constant [18 x i8] c"%d %lld %d %a %s\0A\00", align 1
@.str.1 = private unnamed_addr constant [10 x i8] c"%s %d %d\0A\00", align 1
@aligned = internal thread_local global [128 x i8] c"aligned\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00", align 64
@shared = internal global i32 5, align 4
@.str.2 = private unnamed_addr constant [13 x i8] c"%.10s %d %d\0A\00", align 1
@next.calls = internal thread_local global i32 100, align 4
@.str.3 = private unnamed_addr constant [6 x i8] c"three\00", align 1
@record = internal thread_local global { i32, [4 x i8], double, ptr } { i32 1, [4 x i8] zeroinitializer, double 2.500000e+00, ptr @.str.3 }, align 8

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
  %1 = alloca i32, align 4
  %2 = alloca i32, align 4
  store i32 0, ptr %1, align 4
  store i32 0, ptr %2, align 4
  br label %3

3:                                                ; preds = %16, %0
  %4 = load i32, ptr %2, align 4
  %5 = icmp slt i32 %4, 10
  br i1 %5, label %6, label %19

6:                                                ; preds = %3
  %7 = load i32, ptr %2, align 4
  %8 = call ptr @where()
  %9 = load i32, ptr %8, align 4
  %10 = add nsw i32 %9, %7
  store i32 %10, ptr %8, align 4
  %11 = call i32 @next()
  %12 = sext i32 %11 to i64
  %13 = call align 8 ptr @llvm.threadlocal.address.p0(ptr align 8 @seeded)
  %14 = load i64, ptr %13, align 8
  %15 = add nsw i64 %14, %12
  store i64 %15, ptr %13, align 8
  br label %16

16:                                               ; preds = %6
  %17 = load i32, ptr %2, align 4
  %18 = add nsw i32 %17, 1
  store i32 %18, ptr %2, align 4
  br label %3, !llvm.loop !6

19:                                               ; preds = %3
  %20 = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @counter)
  %21 = load i32, ptr %20, align 4
  %22 = call align 8 ptr @llvm.threadlocal.address.p0(ptr align 8 @record)
  %23 = getelementptr inbounds nuw %struct.anon, ptr %22, i32 0, i32 0
  %24 = load i32, ptr %23, align 8
  %25 = add nsw i32 %24, %21
  store i32 %25, ptr %23, align 8
  %26 = call align 8 ptr @llvm.threadlocal.address.p0(ptr align 8 @record)
  %27 = getelementptr inbounds nuw %struct.anon, ptr %26, i32 0, i32 1
  %28 = load double, ptr %27, align 8
  %29 = fmul double %28, 2.000000e+00
  store double %29, ptr %27, align 8
  %30 = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @counter)
  %31 = load i32, ptr %30, align 4
  %32 = call align 8 ptr @llvm.threadlocal.address.p0(ptr align 8 @seeded)
  %33 = load i64, ptr %32, align 8
  %34 = call align 8 ptr @llvm.threadlocal.address.p0(ptr align 8 @record)
  %35 = getelementptr inbounds nuw %struct.anon, ptr %34, i32 0, i32 0
  %36 = load i32, ptr %35, align 8
  %37 = call align 8 ptr @llvm.threadlocal.address.p0(ptr align 8 @record)
  %38 = getelementptr inbounds nuw %struct.anon, ptr %37, i32 0, i32 1
  %39 = load double, ptr %38, align 8
  %40 = call align 8 ptr @llvm.threadlocal.address.p0(ptr align 8 @record)
  %41 = getelementptr inbounds nuw %struct.anon, ptr %40, i32 0, i32 2
  %42 = load ptr, ptr %41, align 8
  %43 = call i32 (ptr, ...) @printf(ptr noundef @.str, i32 noundef %31, i64 noundef %33, i32 noundef %36, double noundef %39, ptr noundef %42)
  %44 = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @aligned)
  %45 = getelementptr inbounds [128 x i8], ptr %44, i64 0, i64 0
  %46 = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @aligned)
  %47 = getelementptr inbounds [128 x i8], ptr %46, i64 0, i64 0
  %48 = ptrtoint ptr %47 to i64
  %49 = urem i64 %48, 64
  %50 = trunc i64 %49 to i32
  %51 = load i32, ptr @shared, align 4
  %52 = call i32 (ptr, ...) @printf(ptr noundef @.str.1, ptr noundef %45, i32 noundef %50, i32 noundef %51)
  %53 = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @aligned)
  %54 = getelementptr inbounds [128 x i8], ptr %53, i64 0, i64 0
  call void @fill(ptr noundef %54, i32 noundef 10)
  %55 = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @aligned)
  %56 = getelementptr inbounds [128 x i8], ptr %55, i64 0, i64 0
  %57 = call align 64 ptr @llvm.threadlocal.address.p0(ptr align 64 @aligned)
  %58 = getelementptr inbounds [128 x i8], ptr %57, i64 0, i64 11
  %59 = load i8, ptr %58, align 1
  %60 = sext i8 %59 to i32
  %61 = call ptr @where()
  %62 = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @counter)
  %63 = icmp eq ptr %61, %62
  %64 = zext i1 %63 to i32
  %65 = call i32 (ptr, ...) @printf(ptr noundef @.str.2, ptr noundef %56, i32 noundef %60, i32 noundef %64)
  ret i32 0
}

; Function Attrs: noinline nounwind optnone uwtable
define internal ptr @where() #0 {
  %1 = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @counter)
  ret ptr %1
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @next() #0 {
  %1 = call align 4 ptr @llvm.threadlocal.address.p0(ptr align 4 @next.calls)
  %2 = load i32, ptr %1, align 4
  %3 = add nsw i32 %2, 1
  store i32 %3, ptr %1, align 4
  ret i32 %2
}

; Function Attrs: nocallback nofree nosync nounwind speculatable willreturn memory(none)
declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull) #1

declare i32 @printf(ptr noundef, ...) #2

; Function Attrs: noinline nounwind optnone uwtable
define internal void @fill(ptr noundef %0, i32 noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store i32 %1, ptr %4, align 4
  store i32 0, ptr %5, align 4
  br label %6

6:                                                ; preds = %18, %2
  %7 = load i32, ptr %5, align 4
  %8 = load i32, ptr %4, align 4
  %9 = icmp slt i32 %7, %8
  br i1 %9, label %10, label %21

10:                                               ; preds = %6
  %11 = load i32, ptr %5, align 4
  %12 = add nsw i32 97, %11
  %13 = trunc i32 %12 to i8
  %14 = load ptr, ptr %3, align 8
  %15 = load i32, ptr %5, align 4
  %16 = sext i32 %15 to i64
  %17 = getelementptr inbounds i8, ptr %14, i64 %16
  store i8 %13, ptr %17, align 1
  br label %18

18:                                               ; preds = %10
  %19 = load i32, ptr %5, align 4
  %20 = add nsw i32 %19, 1
  store i32 %20, ptr %5, align 4
  br label %6, !llvm.loop !8

21:                                               ; preds = %6
  ret void
}

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }
attributes #2 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }

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
