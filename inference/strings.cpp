// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Strings of a running program, texts of values, printing.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "inference/arithmetic.hpp"
#include "inference/native_handle.hpp"
#include "inference/runtime_impl.hpp"
#include "inference/value_frame.hpp"

namespace berth::inference {
namespace {

constexpr unsigned kTextDepth = 8;          // deeper objects print as "..."
constexpr size_t kTextBytes = 1024 * 1024;  // of a compound value

gc::Object* allocate_string(gc::Thread& thread, Runtime& runtime, size_t length) {
  return runtime.heap().allocate(
      thread, runtime.layout(runtime.impl().leaves[static_cast<size_t>(LeafKind::String)]), length);
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char character : text) {
    switch (character) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\t': out += "\\t"; break;
      case '\r': out += "\\r"; break;
      default: out += character;
    }
  }
  return out + '"';
}

void append_value(Runtime& runtime, const Value& value, unsigned depth, std::string& out);

void append_items(Runtime& runtime, const gc::Object* object, unsigned depth, std::string& out) {
  const auto* slots = reinterpret_cast<gc::Object* const*>(object->elements());
  for (uint64_t i = 0; i < object->length() && out.size() < kTextBytes; ++i) {
    if (i) out += ", ";
    append_value(runtime, Runtime::unbox(slots[i]), depth - 1, out);
  }
}

uint64_t element_bits(const gc::Object* array, unsigned bytes, uint64_t i) noexcept {
  uint64_t bits = 0;
  std::memcpy(&bits, array->elements() + i * bytes, bytes);
  return bits;
}

void append_array(Runtime& runtime, const gc::Object* array, unsigned depth, std::string& out) {
  LeafKind kind{};
  out += '[';
  if (is_unboxed(leaf_of(array)->element, kind)) {
    const unsigned bytes = bytes_of(kind);
    for (uint64_t i = 0; i < array->length() && out.size() < kTextBytes; ++i) {
      if (i) out += ", ";
      uint64_t bits = element_bits(array, bytes, i);
      if (is_signed(kind) && bytes < 8)
        bits = static_cast<uint64_t>(static_cast<int64_t>(bits << (64 - 8 * bytes)) >> (64 - 8 * bytes));
      out += number_text(kind, bits);
    }
  } else {
    append_items(runtime, array, depth, out);
  }
  if (out.size() >= kTextBytes) out += ", ...";
  out += ']';
}

void append_struct(Runtime& runtime, const gc::Object* object, unsigned depth, std::string& out) {
  const StructType& type = *leaf_of(object)->structure;
  out += type.name + "(";
  for (size_t i = 0; i < type.fields.size(); ++i) {
    if (i) out += ", ";
    const uint64_t word = const_cast<gc::Object*>(object)->word(8 + 8 * i);
    LeafKind kind{};
    const Value field = is_unboxed(type.fields[i].type, kind)
                            ? Value::of_bits(kind, word)
                            : Runtime::unbox(reinterpret_cast<gc::Object*>(word));
    append_value(runtime, field, depth - 1, out);
  }
  out += ')';
}

void append_error(const gc::Object* error, std::string& out) {
  const auto part = [&](size_t offset) {
    return Runtime::string_view(*reinterpret_cast<gc::Object* const*>(error->at(offset)));
  };
  out += fmt::format("error({}, {}, {})", quoted(part(kErrorKind)), quoted(part(kErrorText)),
                     quoted(part(kErrorAt)));
}

void append_value(Runtime& runtime, const Value& value, unsigned depth, std::string& out) {
  if (value.kind == LeafKind::Nothing) {
    out += "nothing";
    return;
  }
  if (!value.is_object()) {
    out += number_text(value.kind, value.bits);
    return;
  }
  if (depth == 0) {
    out += "...";
    return;
  }
  switch (value.kind) {
    case LeafKind::String: out += quoted(Runtime::string_view(value.object)); break;
    case LeafKind::TypeValue: out += type_held_by(value.object)->name; break;
    case LeafKind::Function: out += function_of(value.object)->name; break;
    case LeafKind::Error: append_error(value.object, out); break;
    case LeafKind::Struct: append_struct(runtime, value.object, depth, out); break;
    case LeafKind::Array: append_array(runtime, value.object, depth, out); break;
    case LeafKind::Tuple:
      out += '(';
      append_items(runtime, value.object, depth, out);
      if (value.object->length() == 1) out += ',';
      out += ')';
      break;
    default: out += leaf_of(value.object)->name;  // task, buffer<T>, channel<T>
  }
}

bool is_bytes(const Value& value) noexcept {
  if (value.kind != LeafKind::Array) return false;
  LeafKind kind{};
  return is_unboxed(leaf_of(value.object)->element, kind) && kind == LeafKind::U8;
}

}  // namespace

bool Runtime::string_new(gc::Thread& thread, std::string_view text, gc::Object*& out) {
  out = allocate_string(thread, *this, text.size());
  if (!out) return raise(thread, "memory", "out of memory");
  std::copy(text.begin(), text.end(), out->elements());
  return true;
}

std::string_view Runtime::string_view(const gc::Object* string) noexcept {
  return {string->elements(), string->length()};
}

bool Runtime::string_concat(gc::Thread& thread, gc::Object* a, gc::Object* b, gc::Object*& out) {
  gc::Rooted<2> roots(thread);
  roots[0] = a;
  roots[1] = b;
  out = allocate_string(thread, *this, a->length() + b->length());
  if (!out) return raise(thread, "memory", "out of memory");
  const auto first = string_view(roots[0]), second = string_view(roots[1]);
  std::copy(second.begin(), second.end(), std::copy(first.begin(), first.end(), out->elements()));
  return true;
}

bool Runtime::string_slice(gc::Thread& thread, gc::Object* s, int64_t from, int64_t to, gc::Object*& out) {
  const auto length = static_cast<int64_t>(s->length());
  if (from < 0 || from > length) return raise(thread, "index", fmt::format("index {} of {}", from, length));
  if (to < from || to > length) return raise(thread, "index", fmt::format("index {} of {}", to, length));
  gc::Rooted<1> roots(thread);
  roots[0] = s;
  out = allocate_string(thread, *this, static_cast<size_t>(to - from));
  if (!out) return raise(thread, "memory", "out of memory");
  const auto text = string_view(roots[0]).substr(static_cast<size_t>(from), static_cast<size_t>(to - from));
  std::copy(text.begin(), text.end(), out->elements());
  return true;
}

bool Runtime::string_of(gc::Thread& thread, const Value& value, gc::Object*& out) {
  if (value.kind == LeafKind::String) {
    out = value.object;
    return true;
  }
  return string_new(thread, text_of_value(value), out);
}

bool Runtime::string_fixed(gc::Thread& thread, double value, int64_t decimals, gc::Object*& out) {
  if (decimals < 0 || decimals > 1000)
    return raise(thread, "index", fmt::format("index {} of {}", decimals, 1001));
  return string_new(thread, fixed_text(value, decimals), out);
}

std::string Runtime::text_of_value(const Value& value) {
  if (value.kind == LeafKind::String) return std::string(string_view(value.object));
  if (is_bytes(value)) return {value.object->elements(), value.object->length()};
  if (value.kind == LeafKind::Error)
    return std::string(string_view(*reinterpret_cast<gc::Object**>(value.object->at(kErrorText))));
  std::string out;
  append_value(*this, value, kTextDepth, out);
  return out;
}

bool Runtime::print(gc::Thread& thread, std::span<const Value> values) {
  std::string text;
  for (const Value& value : values) text += text_of_value(value);
  Impl::Print print;
  {
    sync::Lock lock(impl_->print_mutex);
    print = impl_->print;
  }
  berth_thread_t* caller =
      thread.language ? runtime_thread(thread).caller : reinterpret_cast<berth_thread_t*>(&thread);
  const gc::SafeRegion safe(thread);  // the other end of a pipe may be slow
  if (print.function) {
    print.function(print.context, caller, text.data(), text.size());
  } else {
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  return true;
}

}  // namespace berth::inference
