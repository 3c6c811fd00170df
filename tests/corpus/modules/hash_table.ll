; ModuleID = 'c/hash_table.c'
source_filename = "c/hash_table.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.table = type { ptr, i64, i64 }
%struct.entry = type { ptr, i64, i64, [0 x i8] }

@.str = private unnamed_addr constant [7 x i8] c"key-%u\00", align 1
@.str.1 = private unnamed_addr constant [22 x i8] c"keys %zu buckets %zu\0A\00", align 1
@.str.2 = private unnamed_addr constant [7 x i8] c"key-%d\00", align 1
@.str.3 = private unnamed_addr constant [44 x i8] c"dropped %d left %zu sum %lld mixed %016llx\0A\00", align 1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
  %1 = alloca i32, align 4
  %2 = alloca %struct.table, align 8
  %3 = alloca [32 x i8], align 16
  %4 = alloca i32, align 4
  %5 = alloca i32, align 4
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca i64, align 8
  %9 = alloca i64, align 8
  %10 = alloca i64, align 8
  %11 = alloca ptr, align 8
  store i32 0, ptr %1, align 4
  call void @llvm.memset.p0.i64(ptr align 8 %2, i8 0, i64 24, i1 false)
  store i32 1, ptr %4, align 4
  store i32 0, ptr %5, align 4
  br label %12

12:                                               ; preds = %30, %0
  %13 = load i32, ptr %5, align 4
  %14 = icmp slt i32 %13, 20000
  br i1 %14, label %15, label %33

15:                                               ; preds = %12
  %16 = load i32, ptr %4, align 4
  %17 = mul i32 %16, 1664525
  %18 = add i32 %17, 1013904223
  store i32 %18, ptr %4, align 4
  %19 = getelementptr inbounds [32 x i8], ptr %3, i64 0, i64 0
  %20 = load i32, ptr %4, align 4
  %21 = lshr i32 %20, 8
  %22 = urem i32 %21, 3000
  %23 = call i32 (ptr, i64, ptr, ...) @snprintf(ptr noundef %19, i64 noundef 32, ptr noundef @.str, i32 noundef %22) #8
  %24 = load i32, ptr %5, align 4
  %25 = sext i32 %24 to i64
  %26 = getelementptr inbounds [32 x i8], ptr %3, i64 0, i64 0
  %27 = call ptr @value_of(ptr noundef %2, ptr noundef %26)
  %28 = load i64, ptr %27, align 8
  %29 = add nsw i64 %28, %25
  store i64 %29, ptr %27, align 8
  br label %30

30:                                               ; preds = %15
  %31 = load i32, ptr %5, align 4
  %32 = add nsw i32 %31, 1
  store i32 %32, ptr %5, align 4
  br label %12, !llvm.loop !6

33:                                               ; preds = %12
  %34 = getelementptr inbounds nuw %struct.table, ptr %2, i32 0, i32 2
  %35 = load i64, ptr %34, align 8
  %36 = getelementptr inbounds nuw %struct.table, ptr %2, i32 0, i32 1
  %37 = load i64, ptr %36, align 8
  %38 = call i32 (ptr, ...) @printf(ptr noundef @.str.1, i64 noundef %35, i64 noundef %37)
  store i32 0, ptr %6, align 4
  store i32 0, ptr %7, align 4
  br label %39

39:                                               ; preds = %50, %33
  %40 = load i32, ptr %7, align 4
  %41 = icmp slt i32 %40, 3000
  br i1 %41, label %42, label %53

42:                                               ; preds = %39
  %43 = getelementptr inbounds [32 x i8], ptr %3, i64 0, i64 0
  %44 = load i32, ptr %7, align 4
  %45 = call i32 (ptr, i64, ptr, ...) @snprintf(ptr noundef %43, i64 noundef 32, ptr noundef @.str.2, i32 noundef %44) #8
  %46 = getelementptr inbounds [32 x i8], ptr %3, i64 0, i64 0
  %47 = call i32 @drop(ptr noundef %2, ptr noundef %46)
  %48 = load i32, ptr %6, align 4
  %49 = add nsw i32 %48, %47
  store i32 %49, ptr %6, align 4
  br label %50

50:                                               ; preds = %42
  %51 = load i32, ptr %7, align 4
  %52 = add nsw i32 %51, 3
  store i32 %52, ptr %7, align 4
  br label %39, !llvm.loop !8

53:                                               ; preds = %39
  store i64 0, ptr %8, align 8
  store i64 0, ptr %9, align 8
  store i64 0, ptr %10, align 8
  br label %54

54:                                               ; preds = %88, %53
  %55 = load i64, ptr %10, align 8
  %56 = getelementptr inbounds nuw %struct.table, ptr %2, i32 0, i32 1
  %57 = load i64, ptr %56, align 8
  %58 = icmp ult i64 %55, %57
  br i1 %58, label %59, label %91

59:                                               ; preds = %54
  %60 = getelementptr inbounds nuw %struct.table, ptr %2, i32 0, i32 0
  %61 = load ptr, ptr %60, align 8
  %62 = load i64, ptr %10, align 8
  %63 = getelementptr inbounds nuw ptr, ptr %61, i64 %62
  %64 = load ptr, ptr %63, align 8
  store ptr %64, ptr %11, align 8
  br label %65

65:                                               ; preds = %83, %59
  %66 = load ptr, ptr %11, align 8
  %67 = icmp ne ptr %66, null
  br i1 %67, label %68, label %87

68:                                               ; preds = %65
  %69 = load ptr, ptr %11, align 8
  %70 = getelementptr inbounds nuw %struct.entry, ptr %69, i32 0, i32 2
  %71 = load i64, ptr %70, align 8
  %72 = load i64, ptr %8, align 8
  %73 = add nsw i64 %72, %71
  store i64 %73, ptr %8, align 8
  %74 = load ptr, ptr %11, align 8
  %75 = getelementptr inbounds nuw %struct.entry, ptr %74, i32 0, i32 1
  %76 = load i64, ptr %75, align 8
  %77 = load ptr, ptr %11, align 8
  %78 = getelementptr inbounds nuw %struct.entry, ptr %77, i32 0, i32 2
  %79 = load i64, ptr %78, align 8
  %80 = mul i64 %76, %79
  %81 = load i64, ptr %9, align 8
  %82 = xor i64 %81, %80
  store i64 %82, ptr %9, align 8
  br label %83

83:                                               ; preds = %68
  %84 = load ptr, ptr %11, align 8
  %85 = getelementptr inbounds nuw %struct.entry, ptr %84, i32 0, i32 0
  %86 = load ptr, ptr %85, align 8
  store ptr %86, ptr %11, align 8
  br label %65, !llvm.loop !9

87:                                               ; preds = %65
  br label %88

88:                                               ; preds = %87
  %89 = load i64, ptr %10, align 8
  %90 = add i64 %89, 1
  store i64 %90, ptr %10, align 8
  br label %54, !llvm.loop !10

91:                                               ; preds = %54
  %92 = load i32, ptr %6, align 4
  %93 = getelementptr inbounds nuw %struct.table, ptr %2, i32 0, i32 2
  %94 = load i64, ptr %93, align 8
  %95 = load i64, ptr %8, align 8
  %96 = load i64, ptr %9, align 8
  %97 = call i32 (ptr, ...) @printf(ptr noundef @.str.3, i32 noundef %92, i64 noundef %94, i64 noundef %95, i64 noundef %96)
  call void @clear(ptr noundef %2)
  ret i32 0
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #1

; Function Attrs: nounwind
declare i32 @snprintf(ptr noundef, i64 noundef, ptr noundef, ...) #2

; Function Attrs: noinline nounwind optnone uwtable
define internal ptr @value_of(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca i64, align 8
  %6 = alloca ptr, align 8
  %7 = alloca i64, align 8
  %8 = alloca ptr, align 8
  %9 = alloca %struct.entry, align 8
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %10 = load ptr, ptr %3, align 8
  %11 = getelementptr inbounds nuw %struct.table, ptr %10, i32 0, i32 2
  %12 = load i64, ptr %11, align 8
  %13 = load ptr, ptr %3, align 8
  %14 = getelementptr inbounds nuw %struct.table, ptr %13, i32 0, i32 1
  %15 = load i64, ptr %14, align 8
  %16 = icmp uge i64 %12, %15
  br i1 %16, label %17, label %19

17:                                               ; preds = %2
  %18 = load ptr, ptr %3, align 8
  call void @grow(ptr noundef %18)
  br label %19

19:                                               ; preds = %17, %2
  %20 = load ptr, ptr %4, align 8
  %21 = call i64 @hash_of(ptr noundef %20)
  store i64 %21, ptr %5, align 8
  %22 = load ptr, ptr %3, align 8
  %23 = load ptr, ptr %4, align 8
  %24 = load i64, ptr %5, align 8
  %25 = call ptr @place_of(ptr noundef %22, ptr noundef %23, i64 noundef %24)
  store ptr %25, ptr %6, align 8
  %26 = load ptr, ptr %6, align 8
  %27 = load ptr, ptr %26, align 8
  %28 = icmp ne ptr %27, null
  br i1 %28, label %52, label %29

29:                                               ; preds = %19
  %30 = load ptr, ptr %4, align 8
  %31 = call i64 @strlen(ptr noundef %30) #9
  %32 = add i64 %31, 1
  store i64 %32, ptr %7, align 8
  %33 = load i64, ptr %7, align 8
  %34 = add i64 24, %33
  %35 = call noalias ptr @malloc(i64 noundef %34) #10
  store ptr %35, ptr %8, align 8
  %36 = load ptr, ptr %8, align 8
  %37 = getelementptr inbounds nuw %struct.entry, ptr %9, i32 0, i32 0
  store ptr null, ptr %37, align 8
  %38 = getelementptr inbounds nuw %struct.entry, ptr %9, i32 0, i32 1
  %39 = load i64, ptr %5, align 8
  store i64 %39, ptr %38, align 8
  %40 = getelementptr inbounds nuw %struct.entry, ptr %9, i32 0, i32 2
  store i64 0, ptr %40, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %36, ptr align 8 %9, i64 24, i1 false)
  %41 = load ptr, ptr %8, align 8
  %42 = getelementptr inbounds nuw %struct.entry, ptr %41, i32 0, i32 3
  %43 = getelementptr inbounds [0 x i8], ptr %42, i64 0, i64 0
  %44 = load ptr, ptr %4, align 8
  %45 = load i64, ptr %7, align 8
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %43, ptr align 1 %44, i64 %45, i1 false)
  %46 = load ptr, ptr %8, align 8
  %47 = load ptr, ptr %6, align 8
  store ptr %46, ptr %47, align 8
  %48 = load ptr, ptr %3, align 8
  %49 = getelementptr inbounds nuw %struct.table, ptr %48, i32 0, i32 2
  %50 = load i64, ptr %49, align 8
  %51 = add i64 %50, 1
  store i64 %51, ptr %49, align 8
  br label %52

52:                                               ; preds = %29, %19
  %53 = load ptr, ptr %6, align 8
  %54 = load ptr, ptr %53, align 8
  %55 = getelementptr inbounds nuw %struct.entry, ptr %54, i32 0, i32 2
  ret ptr %55
}

declare i32 @printf(ptr noundef, ...) #3

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @drop(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca i32, align 4
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  %8 = load ptr, ptr %4, align 8
  %9 = load ptr, ptr %5, align 8
  %10 = load ptr, ptr %5, align 8
  %11 = call i64 @hash_of(ptr noundef %10)
  %12 = call ptr @place_of(ptr noundef %8, ptr noundef %9, i64 noundef %11)
  store ptr %12, ptr %6, align 8
  %13 = load ptr, ptr %6, align 8
  %14 = load ptr, ptr %13, align 8
  store ptr %14, ptr %7, align 8
  %15 = load ptr, ptr %7, align 8
  %16 = icmp ne ptr %15, null
  br i1 %16, label %18, label %17

17:                                               ; preds = %2
  store i32 0, ptr %3, align 4
  br label %28

18:                                               ; preds = %2
  %19 = load ptr, ptr %7, align 8
  %20 = getelementptr inbounds nuw %struct.entry, ptr %19, i32 0, i32 0
  %21 = load ptr, ptr %20, align 8
  %22 = load ptr, ptr %6, align 8
  store ptr %21, ptr %22, align 8
  %23 = load ptr, ptr %7, align 8
  call void @free(ptr noundef %23) #8
  %24 = load ptr, ptr %4, align 8
  %25 = getelementptr inbounds nuw %struct.table, ptr %24, i32 0, i32 2
  %26 = load i64, ptr %25, align 8
  %27 = add i64 %26, -1
  store i64 %27, ptr %25, align 8
  store i32 1, ptr %3, align 4
  br label %28

28:                                               ; preds = %18, %17
  %29 = load i32, ptr %3, align 4
  ret i32 %29
}

; Function Attrs: noinline nounwind optnone uwtable
define internal void @clear(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  store i64 0, ptr %3, align 8
  br label %6

6:                                                ; preds = %30, %1
  %7 = load i64, ptr %3, align 8
  %8 = load ptr, ptr %2, align 8
  %9 = getelementptr inbounds nuw %struct.table, ptr %8, i32 0, i32 1
  %10 = load i64, ptr %9, align 8
  %11 = icmp ult i64 %7, %10
  br i1 %11, label %12, label %33

12:                                               ; preds = %6
  %13 = load ptr, ptr %2, align 8
  %14 = getelementptr inbounds nuw %struct.table, ptr %13, i32 0, i32 0
  %15 = load ptr, ptr %14, align 8
  %16 = load i64, ptr %3, align 8
  %17 = getelementptr inbounds nuw ptr, ptr %15, i64 %16
  %18 = load ptr, ptr %17, align 8
  store ptr %18, ptr %4, align 8
  br label %19

19:                                               ; preds = %27, %12
  %20 = load ptr, ptr %4, align 8
  %21 = icmp ne ptr %20, null
  br i1 %21, label %22, label %29

22:                                               ; preds = %19
  %23 = load ptr, ptr %4, align 8
  %24 = getelementptr inbounds nuw %struct.entry, ptr %23, i32 0, i32 0
  %25 = load ptr, ptr %24, align 8
  store ptr %25, ptr %5, align 8
  %26 = load ptr, ptr %4, align 8
  call void @free(ptr noundef %26) #8
  br label %27

27:                                               ; preds = %22
  %28 = load ptr, ptr %5, align 8
  store ptr %28, ptr %4, align 8
  br label %19, !llvm.loop !11

29:                                               ; preds = %19
  br label %30

30:                                               ; preds = %29
  %31 = load i64, ptr %3, align 8
  %32 = add i64 %31, 1
  store i64 %32, ptr %3, align 8
  br label %6, !llvm.loop !12

33:                                               ; preds = %6
  %34 = load ptr, ptr %2, align 8
  %35 = getelementptr inbounds nuw %struct.table, ptr %34, i32 0, i32 0
  %36 = load ptr, ptr %35, align 8
  call void @free(ptr noundef %36) #8
  ret void
}

; Function Attrs: noinline nounwind optnone uwtable
define internal void @grow(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca ptr, align 8
  %4 = alloca i64, align 8
  %5 = alloca i64, align 8
  %6 = alloca ptr, align 8
  %7 = alloca ptr, align 8
  %8 = alloca ptr, align 8
  store ptr %0, ptr %2, align 8
  %9 = load ptr, ptr %2, align 8
  %10 = getelementptr inbounds nuw %struct.table, ptr %9, i32 0, i32 0
  %11 = load ptr, ptr %10, align 8
  store ptr %11, ptr %3, align 8
  %12 = load ptr, ptr %2, align 8
  %13 = getelementptr inbounds nuw %struct.table, ptr %12, i32 0, i32 1
  %14 = load i64, ptr %13, align 8
  store i64 %14, ptr %4, align 8
  %15 = load i64, ptr %4, align 8
  %16 = icmp ne i64 %15, 0
  br i1 %16, label %17, label %20

17:                                               ; preds = %1
  %18 = load i64, ptr %4, align 8
  %19 = mul i64 2, %18
  br label %21

20:                                               ; preds = %1
  br label %21

21:                                               ; preds = %20, %17
  %22 = phi i64 [ %19, %17 ], [ 8, %20 ]
  %23 = load ptr, ptr %2, align 8
  %24 = getelementptr inbounds nuw %struct.table, ptr %23, i32 0, i32 1
  store i64 %22, ptr %24, align 8
  %25 = load ptr, ptr %2, align 8
  %26 = getelementptr inbounds nuw %struct.table, ptr %25, i32 0, i32 1
  %27 = load i64, ptr %26, align 8
  %28 = call noalias ptr @calloc(i64 noundef %27, i64 noundef 8) #11
  %29 = load ptr, ptr %2, align 8
  %30 = getelementptr inbounds nuw %struct.table, ptr %29, i32 0, i32 0
  store ptr %28, ptr %30, align 8
  store i64 0, ptr %5, align 8
  br label %31

31:                                               ; preds = %68, %21
  %32 = load i64, ptr %5, align 8
  %33 = load i64, ptr %4, align 8
  %34 = icmp ult i64 %32, %33
  br i1 %34, label %35, label %71

35:                                               ; preds = %31
  %36 = load ptr, ptr %3, align 8
  %37 = load i64, ptr %5, align 8
  %38 = getelementptr inbounds nuw ptr, ptr %36, i64 %37
  %39 = load ptr, ptr %38, align 8
  store ptr %39, ptr %6, align 8
  br label %40

40:                                               ; preds = %65, %35
  %41 = load ptr, ptr %6, align 8
  %42 = icmp ne ptr %41, null
  br i1 %42, label %43, label %67

43:                                               ; preds = %40
  %44 = load ptr, ptr %6, align 8
  %45 = getelementptr inbounds nuw %struct.entry, ptr %44, i32 0, i32 0
  %46 = load ptr, ptr %45, align 8
  store ptr %46, ptr %7, align 8
  %47 = load ptr, ptr %2, align 8
  %48 = getelementptr inbounds nuw %struct.table, ptr %47, i32 0, i32 0
  %49 = load ptr, ptr %48, align 8
  %50 = load ptr, ptr %6, align 8
  %51 = getelementptr inbounds nuw %struct.entry, ptr %50, i32 0, i32 1
  %52 = load i64, ptr %51, align 8
  %53 = load ptr, ptr %2, align 8
  %54 = getelementptr inbounds nuw %struct.table, ptr %53, i32 0, i32 1
  %55 = load i64, ptr %54, align 8
  %56 = sub i64 %55, 1
  %57 = and i64 %52, %56
  %58 = getelementptr inbounds nuw ptr, ptr %49, i64 %57
  store ptr %58, ptr %8, align 8
  %59 = load ptr, ptr %8, align 8
  %60 = load ptr, ptr %59, align 8
  %61 = load ptr, ptr %6, align 8
  %62 = getelementptr inbounds nuw %struct.entry, ptr %61, i32 0, i32 0
  store ptr %60, ptr %62, align 8
  %63 = load ptr, ptr %6, align 8
  %64 = load ptr, ptr %8, align 8
  store ptr %63, ptr %64, align 8
  br label %65

65:                                               ; preds = %43
  %66 = load ptr, ptr %7, align 8
  store ptr %66, ptr %6, align 8
  br label %40, !llvm.loop !13

67:                                               ; preds = %40
  br label %68

68:                                               ; preds = %67
  %69 = load i64, ptr %5, align 8
  %70 = add i64 %69, 1
  store i64 %70, ptr %5, align 8
  br label %31, !llvm.loop !14

71:                                               ; preds = %31
  %72 = load ptr, ptr %3, align 8
  call void @free(ptr noundef %72) #8
  ret void
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i64 @hash_of(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca i64, align 8
  store ptr %0, ptr %2, align 8
  store i64 -3750763034362895579, ptr %3, align 8
  br label %4

4:                                                ; preds = %15, %1
  %5 = load ptr, ptr %2, align 8
  %6 = load i8, ptr %5, align 1
  %7 = icmp ne i8 %6, 0
  br i1 %7, label %8, label %18

8:                                                ; preds = %4
  %9 = load i64, ptr %3, align 8
  %10 = load ptr, ptr %2, align 8
  %11 = load i8, ptr %10, align 1
  %12 = zext i8 %11 to i64
  %13 = xor i64 %9, %12
  %14 = mul i64 %13, 1099511628211
  store i64 %14, ptr %3, align 8
  br label %15

15:                                               ; preds = %8
  %16 = load ptr, ptr %2, align 8
  %17 = getelementptr inbounds nuw i8, ptr %16, i32 1
  store ptr %17, ptr %2, align 8
  br label %4, !llvm.loop !15

18:                                               ; preds = %4
  %19 = load i64, ptr %3, align 8
  ret i64 %19
}

; Function Attrs: noinline nounwind optnone uwtable
define internal ptr @place_of(ptr noundef %0, ptr noundef %1, i64 noundef %2) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i64, align 8
  %7 = alloca ptr, align 8
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i64 %2, ptr %6, align 8
  %8 = load ptr, ptr %4, align 8
  %9 = getelementptr inbounds nuw %struct.table, ptr %8, i32 0, i32 0
  %10 = load ptr, ptr %9, align 8
  %11 = load i64, ptr %6, align 8
  %12 = load ptr, ptr %4, align 8
  %13 = getelementptr inbounds nuw %struct.table, ptr %12, i32 0, i32 1
  %14 = load i64, ptr %13, align 8
  %15 = sub i64 %14, 1
  %16 = and i64 %11, %15
  %17 = getelementptr inbounds nuw ptr, ptr %10, i64 %16
  store ptr %17, ptr %7, align 8
  br label %18

18:                                               ; preds = %41, %3
  %19 = load ptr, ptr %7, align 8
  %20 = load ptr, ptr %19, align 8
  %21 = icmp ne ptr %20, null
  br i1 %21, label %22, label %39

22:                                               ; preds = %18
  %23 = load ptr, ptr %7, align 8
  %24 = load ptr, ptr %23, align 8
  %25 = getelementptr inbounds nuw %struct.entry, ptr %24, i32 0, i32 1
  %26 = load i64, ptr %25, align 8
  %27 = load i64, ptr %6, align 8
  %28 = icmp ne i64 %26, %27
  br i1 %28, label %37, label %29

29:                                               ; preds = %22
  %30 = load ptr, ptr %7, align 8
  %31 = load ptr, ptr %30, align 8
  %32 = getelementptr inbounds nuw %struct.entry, ptr %31, i32 0, i32 3
  %33 = getelementptr inbounds [0 x i8], ptr %32, i64 0, i64 0
  %34 = load ptr, ptr %5, align 8
  %35 = call i32 @strcmp(ptr noundef %33, ptr noundef %34) #9
  %36 = icmp ne i32 %35, 0
  br label %37

37:                                               ; preds = %29, %22
  %38 = phi i1 [ true, %22 ], [ %36, %29 ]
  br label %39

39:                                               ; preds = %37, %18
  %40 = phi i1 [ false, %18 ], [ %38, %37 ]
  br i1 %40, label %41, label %45

41:                                               ; preds = %39
  %42 = load ptr, ptr %7, align 8
  %43 = load ptr, ptr %42, align 8
  %44 = getelementptr inbounds nuw %struct.entry, ptr %43, i32 0, i32 0
  store ptr %44, ptr %7, align 8
  br label %18, !llvm.loop !16

45:                                               ; preds = %39
  %46 = load ptr, ptr %7, align 8
  ret ptr %46
}

; Function Attrs: nounwind willreturn memory(read)
declare i64 @strlen(ptr noundef) #4

; Function Attrs: nounwind allocsize(0)
declare noalias ptr @malloc(i64 noundef) #5

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: readwrite)
declare void @llvm.memcpy.p0.p0.i64(ptr noalias writeonly captures(none), ptr noalias readonly captures(none), i64, i1 immarg) #6

; Function Attrs: nounwind allocsize(0,1)
declare noalias ptr @calloc(i64 noundef, i64 noundef) #7

; Function Attrs: nounwind
declare void @free(ptr noundef) #2

; Function Attrs: nounwind willreturn memory(read)
declare i32 @strcmp(ptr noundef, ptr noundef) #4

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #2 = { nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nounwind willreturn memory(read) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { nounwind allocsize(0) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #6 = { nocallback nofree nounwind willreturn memory(argmem: readwrite) }
attributes #7 = { nounwind allocsize(0,1) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #8 = { nounwind }
attributes #9 = { nounwind willreturn memory(read) }
attributes #10 = { nounwind allocsize(0) }
attributes #11 = { nounwind allocsize(0,1) }

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
