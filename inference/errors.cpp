// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of a running program: how they are made, and how they leave it.
#include <fmt/format.h>

#include "inference/runtime_impl.hpp"
#include "inference/value_frame.hpp"

namespace berth::inference {
namespace {

constexpr unsigned kStackLines = 32;

bool is_shown(const Position* position) noexcept {
  return position && position->file && !position->file->empty() && position->file->front() != '<';
}

const Position* position_of(const gc::Frame& frame) noexcept {
  return reinterpret_cast<const Position*>(frame.position);
}

std::string place(const Position& position) { return fmt::format("{}:{}", *position.file, position.line); }

struct Trace {
  std::string at, stack;
};

// `at`: where the innermost frame is, if it has not said so itself.
Trace trace_of(const gc::Thread& thread, const Position* at) {
  Trace trace;
  if (is_shown(at)) trace.at = place(*at);
  unsigned lines = 0;
  bool innermost = true;
  for (const gc::Frame* frame = thread.frames; frame; frame = frame->previous) {
    const auto* method = static_cast<const Method*>(frame->kind->method);
    if (!method) continue;
    const Position* position = innermost && at ? at : position_of(*frame);
    innermost = false;
    // Methods inlined at this statement, innermost first, then the frame's own.
    for (bool is_last = false; position && !is_last;
         position = is_last ? nullptr : &position->inlined->call) {
      is_last = position->inlined == nullptr;
      if (!is_shown(position)) continue;
      if (trace.at.empty()) trace.at = place(*position);
      if (lines == kStackLines) {
        trace.stack += "\n...";
        return trace;
      }
      const Method* whose = is_last ? method : position->inlined->method;
      trace.stack += fmt::format("{}{} at {}", lines++ ? "\n" : "", whose->name, place(*position));
    }
  }
  return trace;
}

const char* advice_for(std::string_view kind) noexcept {
  if (kind == "method") return "define such a method, or pass other arguments";
  if (kind == "index") return "check the index against the length";
  if (kind == "arithmetic") return "check the operands before, or catch the error";
  if (kind == "conversion") return "use a truncating conversion, or check the value before";
  if (kind == "type") return "convert the value, or change the declared type";
  if (kind == "field") return "name a field that the type declares";
  if (kind == "stack") return "end the recursion earlier, or write it as a loop";
  if (kind == "memory") return "keep less alive, or raise the heap's limit";
  return "catch the error in the program";
}

std::string_view text_at(gc::Object* error, size_t offset) noexcept {
  const gc::Object* text = *reinterpret_cast<gc::Object**>(error->at(offset));
  return text ? Runtime::string_view(text) : std::string_view{};
}

// Makes the error object of its parts; value is rooted by the caller.
bool raise_parts(gc::Thread& thread, Runtime& runtime, std::string_view kind, std::string_view text,
                 const Value& value, const Position* at) {
  const Trace trace = trace_of(thread, at);
  enum { kKind, kText, kAt, kStack, kValue, kError };
  gc::Rooted<6> roots(thread);
  auto& impl = runtime.impl();
  // The parts by allocation order; any may fail, and then the one error that needs no memory is raised.
  const auto make = [&](uint32_t root, std::string_view words) {
    gc::Object* made = runtime.heap().allocate(
        thread, runtime.layout(impl.leaves[static_cast<size_t>(LeafKind::String)]), words.size());
    if (made) std::copy(words.begin(), words.end(), made->elements());
    roots[root] = made;
    return made != nullptr;
  };
  thread.pending_error = nullptr;
  const bool boxed = value.kind == LeafKind::Nothing || runtime.box(thread, value, roots[kValue]);
  if (!boxed || !make(kKind, kind) || !make(kText, text) || !make(kAt, trace.at) ||
      !make(kStack, trace.stack) ||
      !(roots[kError] = runtime.heap().allocate(
            thread, runtime.layout(impl.leaves[static_cast<size_t>(LeafKind::Error)])))) {
    thread.pending_error = impl.out_of_memory;
    return false;
  }
  gc::Object* error = roots[kError];
  const auto put = [&](size_t offset, uint32_t root) {
    gc::Heap::write(error, reinterpret_cast<gc::Object**>(error->at(offset)), roots[root]);
  };
  put(kErrorKind, kKind);
  put(kErrorText, kText);
  put(kErrorAt, kAt);
  put(kErrorStack, kStack);
  put(kErrorValue, kValue);
  thread.pending_error = error;
  return false;
}

}  // namespace

bool Runtime::raise(gc::Thread& thread, std::string_view kind, std::string_view text, const Position* at) {
  if (kind == "memory") {
    thread.pending_error = impl_->out_of_memory;
    return false;
  }
  return raise_parts(thread, *this, kind, std::string(text), Value::nothing(), at);
}

bool Runtime::raise_type(gc::Thread& thread, std::string_view expected, const Value& found,
                         const Position* at) {
  return raise(thread, "type", fmt::format("type: expected {}, got {}", expected, type_of_value(found)->name),
               at);
}

bool Runtime::raise_error(gc::Thread& thread, std::string_view kind, const Error& error, const Position* at) {
  if (error.code() == BERTH_OUT_OF_MEMORY) return raise(thread, "memory", "", at);
  return raise(thread, kind, error.message(), at);
}

bool Runtime::raise_value(gc::Thread& thread, const Value& thrown, const Position* at) {
  if (thrown.kind == LeafKind::Error) {
    thread.pending_error = thrown.object;
    return false;
  }
  const ValueFrame roots(thread, {&thrown, 1});
  return raise_parts(thread, *this, "thrown", text_of_value(thrown), roots.values()[0], at);
}

Error Runtime::take_error(gc::Thread& thread) {
  gc::Object* error = std::exchange(thread.pending_error, nullptr);
  if (!error)
    return make_error(BERTH_INTERNAL, "call", "failed without an error", "report this as a defect of Berth");
  const auto kind = text_at(error, kErrorKind), text = text_at(error, kErrorText),
             at = text_at(error, kErrorAt), stack = text_at(error, kErrorStack);
  std::string details = fmt::format(R"({{"kind":{},"text":{},"at":{},"stack":{}}})", json_quote(kind),
                                    json_quote(text), json_quote(at), json_quote(stack));
  const berth_code_t code = kind == "memory" ? BERTH_OUT_OF_MEMORY : BERTH_RUNTIME_ERROR;
  return make_error(code, at, text, advice_for(kind), std::move(details));
}

}  // namespace berth::inference
