// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "inference/runtime.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include "inference/interpreter.hpp"
#include "inference/method_table.hpp"
#include "inference/native_handle.hpp"
#include "inference/runtime_impl.hpp"
#include "inference/value_frame.hpp"

namespace berth::inference {
namespace {

// Below this much of its native stack a thread raises "stack overflow": room for the runtime's own functions.
constexpr uintptr_t kStackReserve = 256 * 1024;
constexpr unsigned kTupleDepth = 4;  // of types made for dispatch; deeper items are whole tuples

uintptr_t native_stack_limit() {
  thread_local uintptr_t limit = 0;
  if (limit != 0) return limit;
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  void* low = nullptr;
  size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  limit = reinterpret_cast<uintptr_t>(low) + std::min(kStackReserve, size / 2);
  return limit;
}

gc::Type layout_of(const Leaf& leaf) {
  gc::Type type;
  type.name = leaf.name;
  type.tag = &leaf;
  const auto with_elements = [&](uint32_t bytes, bool references) {
    type.bytes = gc::Object::kElementsOffset;
    type.element_bytes = bytes;
    type.elements_are_references = references;
  };
  switch (leaf.kind) {
    case LeafKind::Nothing: break;
    case LeafKind::String: with_elements(1, false); break;
    case LeafKind::Tuple: with_elements(8, true); break;
    case LeafKind::Array: {
      LeafKind kind{};
      const bool unboxed = is_unboxed(leaf.element, kind);
      with_elements(unboxed ? bytes_of(kind) : 8, !unboxed);
      break;
    }
    case LeafKind::Error:
      type.bytes = 48;
      type.reference_offsets = {8, 16, 24, 32, 40};
      break;
    case LeafKind::Task:
      type.bytes = 24;
      type.reference_offsets = {16};
      type.finalize = &NativeHandle::finalize;
      break;
    case LeafKind::Buffer:
    case LeafKind::Channel:
      type.bytes = 16;
      type.finalize = &NativeHandle::finalize;
      break;
    case LeafKind::Struct: {
      const auto& fields = leaf.structure->fields;
      type.bytes = static_cast<uint32_t>(8 + 8 * fields.size());
      for (size_t i = 0; i < fields.size(); ++i) {
        LeafKind kind{};
        if (!is_unboxed(fields[i].type, kind))
          type.reference_offsets.push_back(static_cast<uint32_t>(8 + 8 * i));
      }
      break;
    }
    default: type.bytes = 16;  // bool and numbers, functions, types: one word
  }
  return type;
}

bool constant_is(const Literal& literal, const Value& value) {
  if (literal.kind != value.kind) return false;
  switch (literal.kind) {
    case LeafKind::String: return *literal.string == Runtime::string_view(value.object);
    case LeafKind::TypeValue: return literal.type == type_held_by(value.object);
    case LeafKind::Function: return literal.function == function_of(value.object);
    default: return literal.bits == value.bits;
  }
}

std::string method_text(const Method& method) {
  std::string text = method.name + "(";
  for (size_t i = 0; i < method.signature.size(); ++i) {
    if (i) text += ", ";
    text += method.signature[i]->name;
  }
  text += ")";
  if (method.position.file) text += fmt::format(" at {}:{}", *method.position.file, method.position.line);
  return text;
}

}  // namespace

OutermostCall::OutermostCall(gc::Thread& thread, uint64_t world, berth_thread_t* caller)
    : thread_(thread), previous_(thread.language), frames_(thread.frames) {
  state.world = world;
  state.caller = caller;
  if (previous_) state.depth = static_cast<RuntimeThread*>(previous_)->depth;
  thread.language = &state;
  // Anew for each outermost call: the record may have served another native thread before, and agents bring
  // stacks of their own.
  if (!previous_)
    thread.stack_limit = thread.agent && thread.agent->stack_low ? thread.agent->stack_low + kStackReserve
                                                                 : native_stack_limit();
}

OutermostCall::~OutermostCall() {
  delete state.stack;
  thread_.frames = frames_;  // an exception of a host function came through code that unlinks nothing
  thread_.language = previous_;
}

Runtime::Runtime(Program& program) : program_(program), impl_(std::make_unique<Impl>(*this)) {
  for (size_t i = 0; i < kNumLeafKinds; ++i) {
    const auto kind = static_cast<LeafKind>(i);
    if (kind >= LeafKind::Function) break;
    impl_->leaves[i] = program.types().leaf(kind);
    if (kind == LeafKind::Bool || is_number(kind)) impl_->boxes[i] = layout(impl_->leaves[i]);
  }
  for (int i = 0; i < 2; ++i) {
    impl_->booleans[i] = heap().allocate_permanent(box_layout(LeafKind::Bool));
    impl_->booleans[i]->word(8) = static_cast<uint64_t>(i);
  }
  const auto text = [&](std::string_view words) {
    return literal_object({LeafKind::String, 0, program.types().string(words)});
  };
  gc::Object* error = heap().allocate_permanent(layout(impl_->leaves[static_cast<size_t>(LeafKind::Error)]));
  const auto put = [&](size_t offset, gc::Object* object) {
    gc::Heap::write(error, reinterpret_cast<gc::Object**>(error->at(offset)), object);
  };
  put(kErrorKind, text("memory"));
  put(kErrorText, text("out of memory"));
  put(kErrorAt, text(""));
  put(kErrorStack, text(""));
  impl_->out_of_memory = error;
}

Runtime::~Runtime() = default;

gc::Heap& Runtime::heap() noexcept { return program_.engine().collector().heap(); }

const gc::Type* Runtime::layout(const Leaf* leaf) {
  if (leaf->kind == LeafKind::Nothing) return nullptr;
  // Several threads may make it at once; the first that puts its own wins. Release: the type's fields were
  // written before.
  std::atomic_ref<const gc::Type*> slot(const_cast<Leaf*>(leaf)->layout);
  if (const gc::Type* made = slot.load(std::memory_order_acquire)) return made;
  const gc::Type* fresh = heap().add_type(layout_of(*leaf));
  const gc::Type* expected = nullptr;
  return slot.compare_exchange_strong(expected, fresh, std::memory_order_acq_rel) ? fresh : expected;
}

const gc::Type* Runtime::box_layout(LeafKind kind) { return impl_->boxes[static_cast<size_t>(kind)]; }
gc::Object* Runtime::boolean(bool value) const noexcept { return impl_->booleans[value]; }

gc::Object* Runtime::function_object(const Function* function) {
  Literal literal;
  literal.kind = LeafKind::Function;
  literal.function = function;
  return literal_object(literal);
}

gc::Object* Runtime::type_object(const Type* type) {
  Literal literal;
  literal.kind = LeafKind::TypeValue;
  literal.type = type;
  return literal_object(literal);
}

gc::Object* Runtime::literal_object(const Literal& literal) {
  if (literal.kind == LeafKind::Nothing) return nullptr;
  if (literal.kind == LeafKind::Bool) return boolean(literal.bits != 0);
  {
    sync::Lock lock(impl_->mutex);
    if (const auto found = impl_->literals.find(literal); found != impl_->literals.end())
      return found->second;
  }
  // Made outside the lock: allocation takes locks of the collector. Who comes second leaves an unused object.
  gc::Object* object = nullptr;
  if (literal.kind == LeafKind::String) {
    object =
        heap().allocate_permanent(layout(program_.types().leaf(LeafKind::String)), literal.string->size());
    std::copy(literal.string->begin(), literal.string->end(), object->elements());
  } else if (literal.kind == LeafKind::Function) {
    object = heap().allocate_permanent(layout(literal.function->leaf));
    object->word(8) = reinterpret_cast<uint64_t>(literal.function);
  } else if (literal.kind == LeafKind::TypeValue) {
    object = heap().allocate_permanent(layout(program_.types().leaf(LeafKind::TypeValue)));
    object->word(8) = reinterpret_cast<uint64_t>(literal.type);
  } else {
    object = heap().allocate_permanent(box_layout(literal.kind));
    object->word(8) = literal.bits;
  }
  sync::Lock lock(impl_->mutex);
  return impl_->literals.try_emplace(literal, object).first->second;
}

bool Runtime::box(gc::Thread& thread, const Value& value, gc::Object*& out) {
  if (value.kind == LeafKind::Nothing) {
    out = nullptr;
  } else if (value.is_object()) {
    out = value.object;
  } else if (value.kind == LeafKind::Bool) {
    out = boolean(value.bits != 0);
  } else {
    const uint64_t bits = value.bits;
    out = heap().allocate(thread, box_layout(value.kind));
    if (!out) return raise(thread, "memory", "out of memory");
    out->word(8) = bits;
  }
  return true;
}

Value Runtime::unbox(gc::Object* object) noexcept {
  if (!object) return Value::nothing();
  const LeafKind kind = leaf_of(object)->kind;
  return kind < LeafKind::String ? Value::of_bits(kind, object->word(8)) : object_value(kind, object);
}

const Leaf* Runtime::leaf_of_value(const Value& value) noexcept {
  return value.is_object() ? leaf_of(value.object) : impl_->leaves[static_cast<size_t>(value.kind)];
}

namespace {

const Type* type_of(Runtime& runtime, const Value& value, unsigned depth) {
  TypeInterner& types = runtime.program().types();
  if (value.kind != LeafKind::Tuple || depth == 0) return types.whole(runtime.leaf_of_value(value));
  std::vector<const Type*> items(value.object->length());
  const auto* slots = reinterpret_cast<gc::Object* const*>(value.object->elements());
  for (size_t i = 0; i < items.size(); ++i) items[i] = type_of(runtime, Runtime::unbox(slots[i]), depth - 1);
  return types.tuple(items);
}

}  // namespace

const Type* Runtime::type_of_value(const Value& value) { return type_of(*this, value, kTupleDepth); }

namespace {

bool field_is(Runtime& runtime, const gc::Object* object, size_t i, const Type* type) {
  const Leaf& leaf = *leaf_of(object);
  if (leaf.kind == LeafKind::Tuple)
    return runtime.is(Runtime::unbox(reinterpret_cast<gc::Object* const*>(object->elements())[i]), type);
  LeafKind kind{};
  auto* field = const_cast<gc::Object*>(object)->at(8 + 8 * i);
  if (is_unboxed(leaf.structure->fields[i].type, kind)) {
    return runtime.is(Value::of_bits(kind, *reinterpret_cast<uint64_t*>(field)), type);
  }
  return runtime.is(Runtime::unbox(*reinterpret_cast<gc::Object**>(field)), type);
}

bool part_has(Runtime& runtime, const Part& part, const Value& value) {
  if (part.precision == Part::Precision::Whole) return true;
  if (part.precision == Part::Precision::Constant) return constant_is(part.constant, value);
  for (size_t i = 0; i < part.fields.size(); ++i) {
    if (!part.fields[i]->is_any() && !field_is(runtime, value.object, i, part.fields[i])) return false;
  }
  return true;
}

}  // namespace

bool Runtime::is(const Value& value, const Type* type) {
  if (type->is_any()) return true;
  if (type->is_bottom()) return false;
  if (value.kind == LeafKind::Nothing) return type->has_nothing;
  const Leaf* leaf = leaf_of_value(value);
  if (type->kind == Type::Kind::Abstract) {
    for (const AbstractType* above = leaf->parent; above; above = above->parent) {
      if (above == type->abstract) return true;
    }
    return false;
  }
  for (const Part& part : type->parts) {
    if (part.leaf == leaf) return part_has(*this, part, value);
  }
  return false;
}

bool Runtime::same(const Value& first, const Value& second) {
  // A list of pairs instead of recursion: immutable structs may be nested as deep as memory allows.
  boost::container::small_vector<std::pair<Value, Value>, 8> pairs{{first, second}};
  while (!pairs.empty()) {
    const auto [a, b] = pairs.back();
    pairs.pop_back();
    if (a.kind != b.kind) return false;
    if (!a.is_object()) {
      if (a.bits != b.bits) return false;
      continue;
    }
    if (a.object == b.object) continue;
    const Leaf& leaf = *leaf_of(a.object);
    if (&leaf != leaf_of(b.object)) return false;
    if (leaf.kind == LeafKind::String) {
      if (string_view(a.object) != string_view(b.object)) return false;
    } else if (leaf.kind == LeafKind::Tuple) {
      auto* left = reinterpret_cast<gc::Object* const*>(a.object->elements());
      auto* right = reinterpret_cast<gc::Object* const*>(b.object->elements());
      for (size_t i = 0; i < a.object->length(); ++i) pairs.emplace_back(unbox(left[i]), unbox(right[i]));
    } else if (leaf.kind == LeafKind::Struct && !leaf.structure->is_mutable) {
      for (size_t i = 0; i < leaf.structure->fields.size(); ++i) {
        LeafKind kind{};
        const uint64_t left = a.object->word(8 + 8 * i), right = b.object->word(8 + 8 * i);
        if (is_unboxed(leaf.structure->fields[i].type, kind)) {
          if (left != right) return false;
        } else {
          pairs.emplace_back(unbox(reinterpret_cast<gc::Object*>(left)),
                             unbox(reinterpret_cast<gc::Object*>(right)));
        }
      }
    } else {
      return false;
    }
  }
  return true;
}

const Specialisation* Runtime::dispatch(gc::Thread& thread, const Function& function,
                                        std::span<const Value> arguments, uint64_t world,
                                        const Position* at) {
  boost::container::small_vector<const void*, 8> keys;
  for (const Value& argument : arguments) {
    keys.push_back(argument.kind == LeafKind::Tuple ? static_cast<const void*>(type_of_value(argument))
                                                    : static_cast<const void*>(leaf_of_value(argument)));
  }
  if (const Specialisation* hit = impl_->dispatch.find(&function, {keys.data(), keys.size()}, world))
    return hit;
  std::vector<const Type*> types;
  for (const Value& argument : arguments) types.push_back(type_of_value(argument));
  const Dispatch found = program_.methods().find(function, types, world);
  if (found.ambiguous[0]) {
    raise(
        thread, "method",
        fmt::format("ambiguous: {}, {}", method_text(*found.ambiguous[0]), method_text(*found.ambiguous[1])),
        at);
    return nullptr;
  }
  if (found.methods.empty()) {
    std::string text = "no method " + function.name + "(";
    for (size_t i = 0; i < types.size(); ++i) text += (i ? ", " : "") + types[i]->name;
    raise(thread, "method", text + ")", at);
    return nullptr;
  }
  for (const Type*& type : types) type = program_.lattice().widen(type);
  const Specialisation* specialisation = program_.specialise(*found.methods.front(), types);
  impl_->dispatch.insert(&function, {keys.data(), keys.size()}, world, specialisation);
  return specialisation;
}

namespace {

// Sets the world of the running call for a scope.
class WorldScope {
 public:
  WorldScope(RuntimeThread& state, uint64_t world) noexcept : state_(state), previous_(state.world) {
    state.world = world;
  }
  ~WorldScope() { state_.world = previous_; }
  WorldScope(const WorldScope&) = delete;
  WorldScope& operator=(const WorldScope&) = delete;

 private:
  RuntimeThread& state_;
  const uint64_t previous_;
};

}  // namespace

bool Runtime::call(gc::Thread& thread, const Function* function, std::span<const Value> arguments,
                   uint64_t world, Value& result) {
  if (!thread.language) {
    const OutermostCall outermost(thread, world ? world : program_.engine().world(),
                                  reinterpret_cast<berth_thread_t*>(&thread));
    return call(thread, function, arguments, 0, result);
  }
  RuntimeThread& state = runtime_thread(thread);
  const WorldScope scope(state, world ? world : state.world);
  const Specialisation* callee = dispatch(thread, *function, arguments, state.world);
  return callee && invoke(thread, *callee, arguments, result);
}

bool Runtime::call_value(gc::Thread& thread, const Value& function, std::span<const Value> arguments,
                         uint64_t world, Value& result) {
  if (function.kind != LeafKind::Function) return raise_type(thread, "function", function);
  return call(thread, function_of(function.object), arguments, world, result);
}

bool Runtime::invoke(gc::Thread& thread, const Specialisation& callee, std::span<const Value> arguments,
                     Value& result) {
  if (!thread.language) {
    const OutermostCall outermost(thread, program_.engine().world(),
                                  reinterpret_cast<berth_thread_t*>(&thread));
    return invoke(thread, callee, arguments, result);
  }
  if (reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < thread.stack_limit)
    return raise(thread, "stack", "stack overflow");
  Execution::Target target;
  const ValueFrame roots(thread,
                         arguments);  // the first call of a method infers, waits, and so may see a collection
  if (!impl_->execution.resolve(thread, callee, target)) return false;
  if (target.interpreted) return Interpreter(thread, *this).call(*target.interpreted, roots.values(), result);
  return target.entry(&thread, roots.values().data(), arguments.size(), &result) == 0;
}

void Runtime::set_print(void (*print)(void*, berth_thread_t*, const char*, size_t), void* context) {
  sync::Lock lock(impl_->print_mutex);
  impl_->print = {print, context};
}

void Runtime::wait_for_tasks() { impl_->tasks.wait(); }

Runtime::Counters Runtime::counters() const noexcept { return {impl_->execution.num_fallbacks()}; }

}  // namespace berth::inference
