// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tests/corpus/module_runner.hpp"

#include <ctype.h>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>

namespace berth::test {
namespace {

thread_local std::string printed;

int print_list(const char* format, va_list list) {
  va_list again;
  va_copy(again, list);
  const int length = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (length <= 0) return length;
  const size_t start = printed.size();
  printed.resize(start + static_cast<size_t>(length) + 1);
  std::vsnprintf(printed.data() + start, static_cast<size_t>(length) + 1, format, list);
  printed.pop_back();
  return length;
}
int print(const char* format, ...) {
  va_list list;
  va_start(list, format);
  const int length = print_list(format, list);
  va_end(list);
  return length;
}
int print_line(const char* text) {
  printed += text;
  printed += '\n';
  return 1;
}
int print_byte(int byte) {
  printed += static_cast<char>(byte);
  return byte;
}

struct Symbol {
  const char* name;
  void* address;
};
template <class Function>
void* at(Function* function) {
  return reinterpret_cast<void*>(function);
}

// The library functions of the corpus that are not in the engine's own runtime library.
const Symbol kHost[] = {
    {"printf", at(&print)},
    {"vprintf", at(&print_list)},
    {"puts", at(&print_line)},
    {"putchar", at(&print_byte)},
    {"malloc", at(&std::malloc)},
    {"calloc", at(&std::calloc)},
    {"realloc", at(&std::realloc)},
    {"free", at(&std::free)},
    {"abort", at(&std::abort)},
    {"snprintf", at(static_cast<int (*)(char*, size_t, const char*, ...)>(&std::snprintf))},
    {"vsnprintf", at(&std::vsnprintf)},
    {"sprintf", at(static_cast<int (*)(char*, const char*, ...)>(&std::sprintf))},
    {"qsort",
     at(static_cast<void (*)(void*, size_t, size_t, int (*)(const void*, const void*))>(&std::qsort))},
    {"bsearch",
     at(static_cast<void* (*)(const void*, const void*, size_t, size_t, int (*)(const void*, const void*))>(
         &::bsearch))},
    {"strcmp", at(&std::strcmp)},
    {"strncmp", at(&std::strncmp)},
    {"strcpy", at(&std::strcpy)},
    {"strcat", at(&std::strcat)},
    {"strchr", at(static_cast<char* (*)(char*, int)>(&std::strchr))},
    {"strstr", at(static_cast<char* (*)(char*, const char*)>(&std::strstr))},
    {"strtol", at(&std::strtol)},
    {"__isoc23_strtol", at(&std::strtol)},
    {"atoi", at(&std::atoi)},
    {"__ctype_b_loc", at(&__ctype_b_loc)},
    {"scalbn", at(static_cast<double (*)(double, int)>(&::scalbn))},
};

void check(berth_error_t* error) {
  if (!error) return;
  const std::string message = berth_error_message(error);
  berth_error_delete(error);
  throw std::runtime_error(message);
}

using Attached = std::unique_ptr<berth_thread_t, decltype(&berth_thread_detach)>;
using Instance = std::unique_ptr<berth_instance_t, decltype(&berth_instance_release)>;

}  // namespace

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error(path + " cannot be read");
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Module read_module(const std::string& path) { return {read_text(path), path.ends_with(".ll")}; }

ModuleRunner::ModuleRunner(unsigned compile_threads, const char* cache_directory) {
  const std::unique_ptr<berth_config_t, decltype(&berth_config_delete)> config(berth_config_new(),
                                                                               &berth_config_delete);
  berth_config_set_compile_threads(config.get(), compile_threads);
  berth_config_set_cache_directory(config.get(), cache_directory);
  check(berth_engine_new(config.get(), &engine_));
  for (const Symbol& symbol : kHost) check(berth_engine_define_symbol(engine_, symbol.name, symbol.address));
}

ModuleRunner::~ModuleRunner() { berth_engine_delete(engine_); }

std::string ModuleRunner::run(const Module& module, berth_tier_t tier, unsigned calls) {
  berth_thread_t* handle = nullptr;
  check(berth_thread_attach(engine_, &handle));
  const Attached thread(handle, &berth_thread_detach);
  const berth_key_t key{reinterpret_cast<const void*>(keys_.fetch_add(1, std::memory_order_relaxed) * 16),
                        nullptr};
  berth_reservation_t reservation{};
  check(berth_reserve(thread.get(), key, nullptr, &reservation));
  berth_instance_retain(reservation.lease.instance);
  const Instance instance(reservation.lease.instance, &berth_instance_release);
  berth_source_t* source = nullptr;
  check((module.is_text
             ? berth_source_from_ir(module.bytes.data(), module.bytes.size(), "main", &source)
             : berth_source_from_bitcode(module.bytes.data(), module.bytes.size(), "main", &source)));
  berth_source_set_tier(source, tier);
  check(berth_release(thread.get(), reservation.lease, source));
  void* entry = nullptr;
  check(berth_instance_wait_entry(thread.get(), instance.get(), -1, &entry));
  printed.clear();
  int result = 0;
  char name[] = "program";
  char* arguments[] = {name, nullptr};
  for (unsigned i = 0; i < calls; ++i)
    result = reinterpret_cast<int (*)(int, char**)>(berth_instance_entry(instance.get()))(1, arguments);
  return std::exchange(printed, {}) + "main gives " + std::to_string(result) + "\n";
}

berth_engine_counts_t ModuleRunner::counts() const {
  berth_engine_counts_t counts{};
  counts.struct_size = sizeof counts;
  berth_engine_counts(engine_, &counts);
  return counts;
}

}  // namespace berth::test
