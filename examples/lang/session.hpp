// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Session: the C API's handles as owners, its errors as Failure, and the files that the commands read.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "berth/berth.h"
#include "failure.hpp"

namespace berth::lang {

template <auto Delete>
struct Deleter {
  template <typename T>
  void operator()(T* handle) const noexcept {
    Delete(handle);
  }
};

using Engine = std::unique_ptr<berth_engine_t, Deleter<berth_engine_delete>>;
using Thread = std::unique_ptr<berth_thread_t, Deleter<berth_thread_detach>>;
using Program = std::unique_ptr<berth_program_t, Deleter<berth_program_delete>>;
using Source = std::unique_ptr<berth_source_t, Deleter<berth_source_delete>>;
using Instance = std::unique_ptr<berth_instance_t, Deleter<berth_instance_release>>;
using Text = std::unique_ptr<char, Deleter<berth_string_delete>>;

/// Throws what the call answered, as one line. Owns: error consumed.
void check(berth_error_t* error);

/// With the object cache in `cache_directory`; empty: without.
Engine new_engine(const std::string& cache_directory = {});
Thread attach(berth_engine_t* engine);

/// Everything in a file. Throws Failure.
std::string read_file(const std::string& path);
std::string file_name(const std::string& path);
std::string first_line(std::string_view text);

/// A program of a `.bth` file (prelude first) or a `.bir` file. Throws Failure.
Program load_program(berth_engine_t* engine, berth_thread_t* thread, const std::string& path);
bool has_extension(const std::string& path, std::string_view extension);

}  // namespace berth::lang
