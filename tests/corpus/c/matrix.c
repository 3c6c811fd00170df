// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corpus: dense matrices of doubles and floats. Arrays of variable length, loops that are vectorised, exact
// output in hexadecimal.
#include <math.h>
#include <stdio.h>

enum { SIZE = 24 };

static double identity[SIZE][SIZE];
static float weights[SIZE * SIZE];

static void multiply(int n, double a[n][n], double b[n][n], double out[n][n]) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i][k] * b[k][j];
      out[i][j] = sum;
    }
  }
}

// Gauss with pivots; the determinant is returned.
static double solve(int n, double a[n][n], double* right) {
  double determinant = 1;
  for (int column = 0; column < n; ++column) {
    int pivot = column;
    for (int row = column + 1; row < n; ++row) {
      if (fabs(a[row][column]) > fabs(a[pivot][column])) pivot = row;
    }
    if (pivot != column) {
      for (int k = 0; k < n; ++k) {
        const double kept = a[column][k];
        a[column][k] = a[pivot][k];
        a[pivot][k] = kept;
      }
      const double kept = right[column];
      right[column] = right[pivot];
      right[pivot] = kept;
      determinant = -determinant;
    }
    determinant *= a[column][column];
    for (int row = column + 1; row < n; ++row) {
      const double factor = a[row][column] / a[column][column];
      for (int k = column; k < n; ++k) a[row][k] -= factor * a[column][k];
      right[row] -= factor * right[column];
    }
  }
  for (int row = n - 1; row >= 0; --row) {
    for (int k = row + 1; k < n; ++k) right[row] -= a[row][k] * right[k];
    right[row] /= a[row][row];
  }
  return determinant;
}

static int sum_of_bytes(const unsigned char* bytes, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += bytes[i];
  return sum;
}

int main(void) {
  double a[SIZE][SIZE], b[SIZE][SIZE], product[SIZE][SIZE], right[SIZE];
  for (int i = 0; i < SIZE; ++i) {
    identity[i][i] = 1;
    right[i] = i - SIZE / 2;
    for (int j = 0; j < SIZE; ++j) {
      a[i][j] = 1.0 / (1 + (i * 7 + j * 3) % 11) + (i == j);
      b[i][j] = (double)((i * j) % 5) - 2;
    }
  }
  multiply(SIZE, a, b, product);
  double trace = 0;
  for (int i = 0; i < SIZE; ++i) trace += product[i][i];
  multiply(SIZE, product, identity, b);
  int same = 1;
  for (int i = 0; i < SIZE; ++i) {
    for (int j = 0; j < SIZE; ++j) same &= b[i][j] == product[i][j];
  }
  printf("trace %a same %d\n", trace, same);
  const double determinant = solve(SIZE, a, right);
  printf("determinant %a first %a last %a\n", determinant, right[0], right[SIZE - 1]);

  float largest = 0, total = 0;
  for (int i = 0; i < SIZE * SIZE; ++i) weights[i] = (float)((i * 37) % 101) / 8.0f;
  for (int i = 0; i < SIZE * SIZE; ++i) {
    largest = weights[i] > largest ? weights[i] : largest;
    total += weights[i] * weights[i];
  }
  unsigned char bytes[333];
  for (int i = 0; i < 333; ++i) bytes[i] = (unsigned char)(i * 5);
  printf("largest %a total %a bytes %d\n", (double)largest, (double)total, sum_of_bytes(bytes, 333));
  printf("norm %a %a\n", sqrt(trace * trace + 1), floor(determinant));
  return 0;
}
