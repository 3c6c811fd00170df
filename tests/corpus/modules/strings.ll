; ModuleID = 'c/strings.c'
source_filename = "c/strings.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

%struct.word = type { [16 x i8], i32 }

@text = internal constant [93 x i8] c"the quick brown fox jumps over the lazy dog; the dog sleeps, the fox runs and runs and runs.\00", align 16
@.str = private unnamed_addr constant [7 x i8] c"%s=%d \00", align 1
@.str.1 = private unnamed_addr constant [2 x i8] c"\0A\00", align 1
@.str.2 = private unnamed_addr constant [12 x i8] c"plain line\0A\00", align 1
@.str.3 = private unnamed_addr constant [4 x i8] c"%s\0A\00", align 1
@.str.4 = private unnamed_addr constant [13 x i8] c"one argument\00", align 1
@.str.5 = private unnamed_addr constant [3 x i8] c"%c\00", align 1
@.str.6 = private unnamed_addr constant [1 x i8] zeroinitializer, align 1
@.str.7 = private unnamed_addr constant [3 x i8] c"%s\00", align 1
@.str.8 = private unnamed_addr constant [7 x i8] c"copied\00", align 1
@.str.9 = private unnamed_addr constant [11 x i8] c"-and-added\00", align 1
@.str.10 = private unnamed_addr constant [11 x i8] c"%s %zu %s\0A\00", align 1
@.str.11 = private unnamed_addr constant [10 x i8] c"%s %d %d\0A\00", align 1
@.str.12 = private unnamed_addr constant [4 x i8] c"aug\00", align 1
@.str.13 = private unnamed_addr constant [4 x i8] c"xyz\00", align 1
@.str.14 = private unnamed_addr constant [7 x i8] c"%d %d\0A\00", align 1
@.str.15 = private unnamed_addr constant [7 x i8] c"kitten\00", align 1
@.str.16 = private unnamed_addr constant [8 x i8] c"sitting\00", align 1
@.str.17 = private unnamed_addr constant [9 x i8] c"saturday\00", align 1
@.str.18 = private unnamed_addr constant [7 x i8] c"sunday\00", align 1
@.str.19 = private unnamed_addr constant [10 x i8] c"%d %d %d\0A\00", align 1
@.str.20 = private unnamed_addr constant [11 x i8] c"%ld %d %s\0A\00", align 1
@.str.21 = private unnamed_addr constant [5 x i8] c"0x7f\00", align 1
@.str.22 = private unnamed_addr constant [4 x i8] c"-42\00", align 1
@.str.23 = private unnamed_addr constant [5 x i8] c"lazy\00", align 1
@.str.24 = private unnamed_addr constant [27 x i8] c"%5d|%-5d|%05d|%+.3f|%x|%%\0A\00", align 1
@months = internal constant [13 x ptr] [ptr @.str.25, ptr @.str.26, ptr @.str.27, ptr @.str.28, ptr @.str.29, ptr @.str.30, ptr @.str.31, ptr @.str.12, ptr @.str.32, ptr @.str.33, ptr @.str.34, ptr @.str.35, ptr null], align 16
@.str.25 = private unnamed_addr constant [4 x i8] c"jan\00", align 1
@.str.26 = private unnamed_addr constant [4 x i8] c"feb\00", align 1
@.str.27 = private unnamed_addr constant [4 x i8] c"mar\00", align 1
@.str.28 = private unnamed_addr constant [4 x i8] c"apr\00", align 1
@.str.29 = private unnamed_addr constant [4 x i8] c"may\00", align 1
@.str.30 = private unnamed_addr constant [4 x i8] c"jun\00", align 1
@.str.31 = private unnamed_addr constant [4 x i8] c"jul\00", align 1
@.str.32 = private unnamed_addr constant [4 x i8] c"sep\00", align 1
@.str.33 = private unnamed_addr constant [4 x i8] c"oct\00", align 1
@.str.34 = private unnamed_addr constant [4 x i8] c"nov\00", align 1
@.str.35 = private unnamed_addr constant [4 x i8] c"dec\00", align 1

; Function Attrs: noinline nounwind optnone uwtable
define dso_local i32 @main() #0 {
  %1 = alloca i32, align 4
  %2 = alloca [32 x %struct.word], align 16
  %3 = alloca i32, align 4
  %4 = alloca i32, align 4
  %5 = alloca [64 x i8], align 16
  store i32 0, ptr %1, align 4
  call void @llvm.memset.p0.i64(ptr align 16 %2, i8 0, i64 640, i1 false)
  %6 = getelementptr inbounds [32 x %struct.word], ptr %2, i64 0, i64 0
  %7 = call i32 @count_words(ptr noundef @text, ptr noundef %6, i32 noundef 32)
  store i32 %7, ptr %3, align 4
  store i32 0, ptr %4, align 4
  br label %8

8:                                                ; preds = %32, %0
  %9 = load i32, ptr %4, align 4
  %10 = load i32, ptr %3, align 4
  %11 = icmp slt i32 %9, %10
  br i1 %11, label %12, label %35

12:                                               ; preds = %8
  %13 = load i32, ptr %4, align 4
  %14 = sext i32 %13 to i64
  %15 = getelementptr inbounds [32 x %struct.word], ptr %2, i64 0, i64 %14
  %16 = getelementptr inbounds nuw %struct.word, ptr %15, i32 0, i32 1
  %17 = load i32, ptr %16, align 4
  %18 = icmp sgt i32 %17, 1
  br i1 %18, label %19, label %31

19:                                               ; preds = %12
  %20 = load i32, ptr %4, align 4
  %21 = sext i32 %20 to i64
  %22 = getelementptr inbounds [32 x %struct.word], ptr %2, i64 0, i64 %21
  %23 = getelementptr inbounds nuw %struct.word, ptr %22, i32 0, i32 0
  %24 = getelementptr inbounds [16 x i8], ptr %23, i64 0, i64 0
  %25 = load i32, ptr %4, align 4
  %26 = sext i32 %25 to i64
  %27 = getelementptr inbounds [32 x %struct.word], ptr %2, i64 0, i64 %26
  %28 = getelementptr inbounds nuw %struct.word, ptr %27, i32 0, i32 1
  %29 = load i32, ptr %28, align 4
  %30 = call i32 (ptr, ...) @printf(ptr noundef @.str, ptr noundef %24, i32 noundef %29)
  br label %31

31:                                               ; preds = %19, %12
  br label %32

32:                                               ; preds = %31
  %33 = load i32, ptr %4, align 4
  %34 = add nsw i32 %33, 1
  store i32 %34, ptr %4, align 4
  br label %8, !llvm.loop !6

35:                                               ; preds = %8
  %36 = call i32 (ptr, ...) @printf(ptr noundef @.str.1)
  %37 = call i32 (ptr, ...) @printf(ptr noundef @.str.2)
  %38 = call i32 (ptr, ...) @printf(ptr noundef @.str.3, ptr noundef @.str.4)
  %39 = call i32 (ptr, ...) @printf(ptr noundef @.str.5, i32 noundef 42)
  %40 = call i32 @puts(ptr noundef @.str.6)
  %41 = getelementptr inbounds [64 x i8], ptr %5, i64 0, i64 0
  %42 = call i32 (ptr, ptr, ...) @sprintf(ptr noundef %41, ptr noundef @.str.7, ptr noundef @.str.8) #6
  %43 = getelementptr inbounds [64 x i8], ptr %5, i64 0, i64 0
  %44 = call ptr @strcat(ptr noundef %43, ptr noundef @.str.9) #6
  %45 = getelementptr inbounds [64 x i8], ptr %5, i64 0, i64 0
  %46 = getelementptr inbounds [64 x i8], ptr %5, i64 0, i64 0
  %47 = call i64 @strlen(ptr noundef %46) #7
  %48 = getelementptr inbounds [64 x i8], ptr %5, i64 0, i64 0
  %49 = call ptr @strchr(ptr noundef %48, i32 noundef 97) #7
  %50 = call i32 (ptr, ...) @printf(ptr noundef @.str.10, ptr noundef %45, i64 noundef %47, ptr noundef %49)
  %51 = getelementptr inbounds [64 x i8], ptr %5, i64 0, i64 0
  call void @reverse(ptr noundef %51)
  %52 = getelementptr inbounds [64 x i8], ptr %5, i64 0, i64 0
  %53 = call i32 @month_of(ptr noundef @.str.12)
  %54 = call i32 @month_of(ptr noundef @.str.13)
  %55 = call i32 (ptr, ...) @printf(ptr noundef @.str.11, ptr noundef %52, i32 noundef %53, i32 noundef %54)
  %56 = call i32 @distance(ptr noundef @.str.15, ptr noundef @.str.16)
  %57 = call i32 @distance(ptr noundef @.str.17, ptr noundef @.str.18)
  %58 = call i32 (ptr, ...) @printf(ptr noundef @.str.14, i32 noundef %56, i32 noundef %57)
  %59 = call i32 (ptr, ...) @printf(ptr noundef @.str.19, i32 noundef 0, i32 noundef 1, i32 noundef 1)
  %60 = call i64 @strtol(ptr noundef @.str.21, ptr noundef null, i32 noundef 16) #6
  %61 = call i32 @atoi(ptr noundef @.str.22) #7
  %62 = call ptr @strstr(ptr noundef @text, ptr noundef @.str.23) #7
  %63 = call i32 (ptr, ...) @printf(ptr noundef @.str.20, i64 noundef %60, i32 noundef %61, ptr noundef %62)
  %64 = call i32 (ptr, ...) @printf(ptr noundef @.str.24, i32 noundef 42, i32 noundef 42, i32 noundef 42, double noundef 3.141590e+00, i32 noundef 255)
  ret i32 0
}

; Function Attrs: nocallback nofree nounwind willreturn memory(argmem: write)
declare void @llvm.memset.p0.i64(ptr writeonly captures(none), i8, i64, i1 immarg) #1

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @count_words(ptr noundef %0, ptr noundef %1, i32 noundef %2) #0 {
  %4 = alloca ptr, align 8
  %5 = alloca ptr, align 8
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca [16 x i8], align 16
  %9 = alloca i64, align 8
  %10 = alloca i32, align 4
  store ptr %0, ptr %4, align 8
  store ptr %1, ptr %5, align 8
  store i32 %2, ptr %6, align 4
  store i32 0, ptr %7, align 4
  br label %11

11:                                               ; preds = %108, %93, %3
  %12 = load ptr, ptr %4, align 8
  %13 = load i8, ptr %12, align 1
  %14 = icmp ne i8 %13, 0
  br i1 %14, label %15, label %116

15:                                               ; preds = %11
  br label %16

16:                                               ; preds = %36, %15
  %17 = load ptr, ptr %4, align 8
  %18 = load i8, ptr %17, align 1
  %19 = sext i8 %18 to i32
  %20 = icmp ne i32 %19, 0
  br i1 %20, label %21, label %34

21:                                               ; preds = %16
  %22 = call ptr @__ctype_b_loc() #8
  %23 = load ptr, ptr %22, align 8
  %24 = load ptr, ptr %4, align 8
  %25 = load i8, ptr %24, align 1
  %26 = zext i8 %25 to i32
  %27 = sext i32 %26 to i64
  %28 = getelementptr inbounds i16, ptr %23, i64 %27
  %29 = load i16, ptr %28, align 2
  %30 = zext i16 %29 to i32
  %31 = and i32 %30, 1024
  %32 = icmp ne i32 %31, 0
  %33 = xor i1 %32, true
  br label %34

34:                                               ; preds = %21, %16
  %35 = phi i1 [ false, %16 ], [ %33, %21 ]
  br i1 %35, label %36, label %39

36:                                               ; preds = %34
  %37 = load ptr, ptr %4, align 8
  %38 = getelementptr inbounds nuw i8, ptr %37, i32 1
  store ptr %38, ptr %4, align 8
  br label %16, !llvm.loop !8

39:                                               ; preds = %34
  call void @llvm.memset.p0.i64(ptr align 16 %8, i8 0, i64 16, i1 false)
  store i64 0, ptr %9, align 8
  br label %40

40:                                               ; preds = %58, %39
  %41 = call ptr @__ctype_b_loc() #8
  %42 = load ptr, ptr %41, align 8
  %43 = load ptr, ptr %4, align 8
  %44 = load i8, ptr %43, align 1
  %45 = zext i8 %44 to i32
  %46 = sext i32 %45 to i64
  %47 = getelementptr inbounds i16, ptr %42, i64 %46
  %48 = load i16, ptr %47, align 2
  %49 = zext i16 %48 to i32
  %50 = and i32 %49, 1024
  %51 = icmp ne i32 %50, 0
  br i1 %51, label %52, label %56

52:                                               ; preds = %40
  %53 = load i64, ptr %9, align 8
  %54 = add i64 %53, 1
  %55 = icmp ult i64 %54, 16
  br label %56

56:                                               ; preds = %52, %40
  %57 = phi i1 [ false, %40 ], [ %55, %52 ]
  br i1 %57, label %58, label %65

58:                                               ; preds = %56
  %59 = load ptr, ptr %4, align 8
  %60 = getelementptr inbounds nuw i8, ptr %59, i32 1
  store ptr %60, ptr %4, align 8
  %61 = load i8, ptr %59, align 1
  %62 = load i64, ptr %9, align 8
  %63 = add i64 %62, 1
  store i64 %63, ptr %9, align 8
  %64 = getelementptr inbounds nuw [16 x i8], ptr %8, i64 0, i64 %62
  store i8 %61, ptr %64, align 1
  br label %40, !llvm.loop !9

65:                                               ; preds = %56
  %66 = load i64, ptr %9, align 8
  %67 = icmp ne i64 %66, 0
  br i1 %67, label %69, label %68

68:                                               ; preds = %65
  br label %116

69:                                               ; preds = %65
  store i32 0, ptr %10, align 4
  br label %70

70:                                               ; preds = %86, %69
  %71 = load i32, ptr %10, align 4
  %72 = load i32, ptr %7, align 4
  %73 = icmp slt i32 %71, %72
  br i1 %73, label %74, label %84

74:                                               ; preds = %70
  %75 = load ptr, ptr %5, align 8
  %76 = load i32, ptr %10, align 4
  %77 = sext i32 %76 to i64
  %78 = getelementptr inbounds %struct.word, ptr %75, i64 %77
  %79 = getelementptr inbounds nuw %struct.word, ptr %78, i32 0, i32 0
  %80 = getelementptr inbounds [16 x i8], ptr %79, i64 0, i64 0
  %81 = getelementptr inbounds [16 x i8], ptr %8, i64 0, i64 0
  %82 = call i32 @strcmp(ptr noundef %80, ptr noundef %81) #7
  %83 = icmp ne i32 %82, 0
  br label %84

84:                                               ; preds = %74, %70
  %85 = phi i1 [ false, %70 ], [ %83, %74 ]
  br i1 %85, label %86, label %89

86:                                               ; preds = %84
  %87 = load i32, ptr %10, align 4
  %88 = add nsw i32 %87, 1
  store i32 %88, ptr %10, align 4
  br label %70, !llvm.loop !10

89:                                               ; preds = %84
  %90 = load i32, ptr %10, align 4
  %91 = load i32, ptr %6, align 4
  %92 = icmp eq i32 %90, %91
  br i1 %92, label %93, label %94

93:                                               ; preds = %89
  br label %11, !llvm.loop !11

94:                                               ; preds = %89
  %95 = load i32, ptr %10, align 4
  %96 = load i32, ptr %7, align 4
  %97 = icmp eq i32 %95, %96
  br i1 %97, label %98, label %108

98:                                               ; preds = %94
  %99 = load ptr, ptr %5, align 8
  %100 = load i32, ptr %7, align 4
  %101 = add nsw i32 %100, 1
  store i32 %101, ptr %7, align 4
  %102 = sext i32 %100 to i64
  %103 = getelementptr inbounds %struct.word, ptr %99, i64 %102
  %104 = getelementptr inbounds nuw %struct.word, ptr %103, i32 0, i32 0
  %105 = getelementptr inbounds [16 x i8], ptr %104, i64 0, i64 0
  %106 = getelementptr inbounds [16 x i8], ptr %8, i64 0, i64 0
  %107 = call ptr @strcpy(ptr noundef %105, ptr noundef %106) #6
  br label %108

108:                                              ; preds = %98, %94
  %109 = load ptr, ptr %5, align 8
  %110 = load i32, ptr %10, align 4
  %111 = sext i32 %110 to i64
  %112 = getelementptr inbounds %struct.word, ptr %109, i64 %111
  %113 = getelementptr inbounds nuw %struct.word, ptr %112, i32 0, i32 1
  %114 = load i32, ptr %113, align 4
  %115 = add nsw i32 %114, 1
  store i32 %115, ptr %113, align 4
  br label %11, !llvm.loop !11

116:                                              ; preds = %68, %11
  %117 = load i32, ptr %7, align 4
  ret i32 %117
}

declare i32 @printf(ptr noundef, ...) #2

declare i32 @puts(ptr noundef) #2

; Function Attrs: nounwind
declare i32 @sprintf(ptr noundef, ptr noundef, ...) #3

; Function Attrs: nounwind
declare ptr @strcat(ptr noundef, ptr noundef) #3

; Function Attrs: nounwind willreturn memory(read)
declare i64 @strlen(ptr noundef) #4

; Function Attrs: nounwind willreturn memory(read)
declare ptr @strchr(ptr noundef, i32 noundef) #4

; Function Attrs: noinline nounwind optnone uwtable
define internal void @reverse(ptr noundef %0) #0 {
  %2 = alloca ptr, align 8
  %3 = alloca ptr, align 8
  %4 = alloca i8, align 1
  store ptr %0, ptr %2, align 8
  %5 = load ptr, ptr %2, align 8
  %6 = load ptr, ptr %2, align 8
  %7 = call i64 @strlen(ptr noundef %6) #7
  %8 = getelementptr inbounds nuw i8, ptr %5, i64 %7
  store ptr %8, ptr %3, align 8
  br label %9

9:                                                ; preds = %14, %1
  %10 = load ptr, ptr %2, align 8
  %11 = load ptr, ptr %3, align 8
  %12 = getelementptr inbounds i8, ptr %11, i32 -1
  store ptr %12, ptr %3, align 8
  %13 = icmp ult ptr %10, %11
  br i1 %13, label %14, label %23

14:                                               ; preds = %9
  %15 = load ptr, ptr %2, align 8
  %16 = load i8, ptr %15, align 1
  store i8 %16, ptr %4, align 1
  %17 = load ptr, ptr %3, align 8
  %18 = load i8, ptr %17, align 1
  %19 = load ptr, ptr %2, align 8
  %20 = getelementptr inbounds nuw i8, ptr %19, i32 1
  store ptr %20, ptr %2, align 8
  store i8 %18, ptr %19, align 1
  %21 = load i8, ptr %4, align 1
  %22 = load ptr, ptr %3, align 8
  store i8 %21, ptr %22, align 1
  br label %9, !llvm.loop !12

23:                                               ; preds = %9
  ret void
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @month_of(ptr noundef %0) #0 {
  %2 = alloca i32, align 4
  %3 = alloca ptr, align 8
  %4 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store i32 0, ptr %4, align 4
  br label %5

5:                                                ; preds = %23, %1
  %6 = load i32, ptr %4, align 4
  %7 = sext i32 %6 to i64
  %8 = getelementptr inbounds [13 x ptr], ptr @months, i64 0, i64 %7
  %9 = load ptr, ptr %8, align 8
  %10 = icmp ne ptr %9, null
  br i1 %10, label %11, label %26

11:                                               ; preds = %5
  %12 = load i32, ptr %4, align 4
  %13 = sext i32 %12 to i64
  %14 = getelementptr inbounds [13 x ptr], ptr @months, i64 0, i64 %13
  %15 = load ptr, ptr %14, align 8
  %16 = load ptr, ptr %3, align 8
  %17 = call i32 @strcmp(ptr noundef %15, ptr noundef %16) #7
  %18 = icmp eq i32 %17, 0
  br i1 %18, label %19, label %22

19:                                               ; preds = %11
  %20 = load i32, ptr %4, align 4
  %21 = add nsw i32 %20, 1
  store i32 %21, ptr %2, align 4
  br label %27

22:                                               ; preds = %11
  br label %23

23:                                               ; preds = %22
  %24 = load i32, ptr %4, align 4
  %25 = add nsw i32 %24, 1
  store i32 %25, ptr %4, align 4
  br label %5, !llvm.loop !13

26:                                               ; preds = %5
  store i32 0, ptr %2, align 4
  br label %27

27:                                               ; preds = %26, %19
  %28 = load i32, ptr %2, align 4
  ret i32 %28
}

; Function Attrs: noinline nounwind optnone uwtable
define internal i32 @distance(ptr noundef %0, ptr noundef %1) #0 {
  %3 = alloca ptr, align 8
  %4 = alloca ptr, align 8
  %5 = alloca [64 x i32], align 16
  %6 = alloca i32, align 4
  %7 = alloca i32, align 4
  %8 = alloca i32, align 4
  %9 = alloca i32, align 4
  %10 = alloca i32, align 4
  %11 = alloca i32, align 4
  %12 = alloca i32, align 4
  %13 = alloca i32, align 4
  store ptr %0, ptr %3, align 8
  store ptr %1, ptr %4, align 8
  %14 = load ptr, ptr %4, align 8
  %15 = call i64 @strlen(ptr noundef %14) #7
  %16 = trunc i64 %15 to i32
  store i32 %16, ptr %6, align 4
  store i32 0, ptr %7, align 4
  br label %17

17:                                               ; preds = %26, %2
  %18 = load i32, ptr %7, align 4
  %19 = load i32, ptr %6, align 4
  %20 = icmp sle i32 %18, %19
  br i1 %20, label %21, label %29

21:                                               ; preds = %17
  %22 = load i32, ptr %7, align 4
  %23 = load i32, ptr %7, align 4
  %24 = sext i32 %23 to i64
  %25 = getelementptr inbounds [64 x i32], ptr %5, i64 0, i64 %24
  store i32 %22, ptr %25, align 4
  br label %26

26:                                               ; preds = %21
  %27 = load i32, ptr %7, align 4
  %28 = add nsw i32 %27, 1
  store i32 %28, ptr %7, align 4
  br label %17, !llvm.loop !14

29:                                               ; preds = %17
  store i32 1, ptr %8, align 4
  br label %30

30:                                               ; preds = %104, %29
  %31 = load ptr, ptr %3, align 8
  %32 = load i32, ptr %8, align 4
  %33 = sub nsw i32 %32, 1
  %34 = sext i32 %33 to i64
  %35 = getelementptr inbounds i8, ptr %31, i64 %34
  %36 = load i8, ptr %35, align 1
  %37 = icmp ne i8 %36, 0
  br i1 %37, label %38, label %107

38:                                               ; preds = %30
  %39 = getelementptr inbounds [64 x i32], ptr %5, i64 0, i64 0
  %40 = load i32, ptr %39, align 16
  store i32 %40, ptr %9, align 4
  %41 = load i32, ptr %8, align 4
  %42 = getelementptr inbounds [64 x i32], ptr %5, i64 0, i64 0
  store i32 %41, ptr %42, align 16
  store i32 1, ptr %10, align 4
  br label %43

43:                                               ; preds = %100, %38
  %44 = load i32, ptr %10, align 4
  %45 = load i32, ptr %6, align 4
  %46 = icmp sle i32 %44, %45
  br i1 %46, label %47, label %103

47:                                               ; preds = %43
  %48 = load i32, ptr %10, align 4
  %49 = sext i32 %48 to i64
  %50 = getelementptr inbounds [64 x i32], ptr %5, i64 0, i64 %49
  %51 = load i32, ptr %50, align 4
  store i32 %51, ptr %11, align 4
  %52 = load i32, ptr %9, align 4
  %53 = load ptr, ptr %3, align 8
  %54 = load i32, ptr %8, align 4
  %55 = sub nsw i32 %54, 1
  %56 = sext i32 %55 to i64
  %57 = getelementptr inbounds i8, ptr %53, i64 %56
  %58 = load i8, ptr %57, align 1
  %59 = sext i8 %58 to i32
  %60 = load ptr, ptr %4, align 8
  %61 = load i32, ptr %10, align 4
  %62 = sub nsw i32 %61, 1
  %63 = sext i32 %62 to i64
  %64 = getelementptr inbounds i8, ptr %60, i64 %63
  %65 = load i8, ptr %64, align 1
  %66 = sext i8 %65 to i32
  %67 = icmp ne i32 %59, %66
  %68 = zext i1 %67 to i32
  %69 = add nsw i32 %52, %68
  store i32 %69, ptr %12, align 4
  %70 = load i32, ptr %11, align 4
  %71 = load i32, ptr %10, align 4
  %72 = sub nsw i32 %71, 1
  %73 = sext i32 %72 to i64
  %74 = getelementptr inbounds [64 x i32], ptr %5, i64 0, i64 %73
  %75 = load i32, ptr %74, align 4
  %76 = icmp slt i32 %70, %75
  br i1 %76, label %77, label %80

77:                                               ; preds = %47
  %78 = load i32, ptr %11, align 4
  %79 = add nsw i32 %78, 1
  br label %87

80:                                               ; preds = %47
  %81 = load i32, ptr %10, align 4
  %82 = sub nsw i32 %81, 1
  %83 = sext i32 %82 to i64
  %84 = getelementptr inbounds [64 x i32], ptr %5, i64 0, i64 %83
  %85 = load i32, ptr %84, align 4
  %86 = add nsw i32 %85, 1
  br label %87

87:                                               ; preds = %80, %77
  %88 = phi i32 [ %79, %77 ], [ %86, %80 ]
  store i32 %88, ptr %13, align 4
  %89 = load i32, ptr %12, align 4
  %90 = load i32, ptr %13, align 4
  %91 = icmp slt i32 %89, %90
  br i1 %91, label %92, label %94

92:                                               ; preds = %87
  %93 = load i32, ptr %12, align 4
  store i32 %93, ptr %13, align 4
  br label %94

94:                                               ; preds = %92, %87
  %95 = load i32, ptr %13, align 4
  %96 = load i32, ptr %10, align 4
  %97 = sext i32 %96 to i64
  %98 = getelementptr inbounds [64 x i32], ptr %5, i64 0, i64 %97
  store i32 %95, ptr %98, align 4
  %99 = load i32, ptr %11, align 4
  store i32 %99, ptr %9, align 4
  br label %100

100:                                              ; preds = %94
  %101 = load i32, ptr %10, align 4
  %102 = add nsw i32 %101, 1
  store i32 %102, ptr %10, align 4
  br label %43, !llvm.loop !15

103:                                              ; preds = %43
  br label %104

104:                                              ; preds = %103
  %105 = load i32, ptr %8, align 4
  %106 = add nsw i32 %105, 1
  store i32 %106, ptr %8, align 4
  br label %30, !llvm.loop !16

107:                                              ; preds = %30
  %108 = load i32, ptr %6, align 4
  %109 = sext i32 %108 to i64
  %110 = getelementptr inbounds [64 x i32], ptr %5, i64 0, i64 %109
  %111 = load i32, ptr %110, align 4
  ret i32 %111
}

; Function Attrs: nounwind
declare i64 @strtol(ptr noundef, ptr noundef, i32 noundef) #3

; Function Attrs: nounwind willreturn memory(read)
declare i32 @atoi(ptr noundef) #4

; Function Attrs: nounwind willreturn memory(read)
declare ptr @strstr(ptr noundef, ptr noundef) #4

; Function Attrs: nounwind willreturn memory(none)
declare ptr @__ctype_b_loc() #5

; Function Attrs: nounwind willreturn memory(read)
declare i32 @strcmp(ptr noundef, ptr noundef) #4

; Function Attrs: nounwind
declare ptr @strcpy(ptr noundef, ptr noundef) #3

attributes #0 = { noinline nounwind optnone uwtable "frame-pointer"="all" "min-legal-vector-width"="0" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #1 = { nocallback nofree nounwind willreturn memory(argmem: write) }
attributes #2 = { "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #3 = { nounwind "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #4 = { nounwind willreturn memory(read) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #5 = { nounwind willreturn memory(none) "frame-pointer"="all" "no-trapping-math"="true" "stack-protector-buffer-size"="8" "target-cpu"="x86-64" "target-features"="+cmov,+cx8,+fxsr,+mmx,+sse,+sse2,+x87" "tune-cpu"="generic" }
attributes #6 = { nounwind }
attributes #7 = { nounwind willreturn memory(read) }
attributes #8 = { nounwind willreturn memory(none) }

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
