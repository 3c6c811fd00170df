// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runtime::execute: every statement by its generic meaning, on values. The operands' objects are rooted by
// the caller.
#include <dlfcn.h>
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>

#include "inference/kernel_lane.hpp"
#include "inference/kernel_launch.hpp"
#include "inference/method_table.hpp"
#include "inference/native_handle.hpp"
#include "inference/places.hpp"
#include "inference/runtime_impl.hpp"
#include "inference/value_frame.hpp"
#include "support/mutant.hpp"

namespace berth::inference {
namespace {

constexpr size_t kMostHostArguments = 6;  // arguments of a kind that a host function may have

/// The registers hold what the function wants, whatever its type is, which is not known here: so a check of
/// types against this call says nothing.
template <class Return>
#if defined(__clang__)
__attribute__((no_sanitize("function")))
#endif
Return call_by_registers(void* symbol, const uint64_t (&i)[kMostHostArguments],
                         const double (&f)[kMostHostArguments]) {
  using Function = Return (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, double, double,
                              double, double, double, double);
  return reinterpret_cast<Function>(symbol)(i[0], i[1], i[2], i[3], i[4], i[5], f[0], f[1], f[2], f[3], f[4],
                                            f[5]);
}

/// One statement being executed; each group of operations has a function.
class Executor {
 public:
  Executor(gc::Thread& thread, Runtime& runtime, const Statement& statement, std::span<const Value> operands,
           Value& result)
      : thread_(thread), runtime_(runtime), statement_(statement), operands_(operands), result_(result) {}

  bool run();

 private:
  const Value& at(size_t i) const noexcept { return operands_[i]; }
  const Position* position() const noexcept { return &statement_.position; }
  bool give(const Value& value) {
    result_ = value;
    return true;
  }
  bool give(LeafKind kind, gc::Object* object) { return give(object_value(kind, object)); }
  bool expect(size_t i, LeafKind kind) {
    return at(i).kind == kind || runtime_.raise_type(thread_, name_of(kind), at(i), position());
  }
  int64_t integer(size_t i) const noexcept { return static_cast<int64_t>(at(i).bits); }
  RuntimeCalls& calls() noexcept { return runtime_.program().calls(); }
  std::memory_order order() const noexcept { return memory_order_of(statement_.order); }

  bool number();
  bool call();
  bool host();
  bool data();
  bool string();
  bool type();
  bool global();
  bool item_place(Place& place, const Type*& declared);
  bool atomic();
  bool kernel();
  bool buffer();
  bool new_buffer(LeafKind element, void* native);
  bool buffer_of();
  bool buffer_array();
  bool buffer_item();
  bool launch();
  bool channel();
  bool make_shared();

  gc::Thread& thread_;
  Runtime& runtime_;
  const Statement& statement_;
  const std::span<const Value> operands_;
  Value& result_;
};

bool Executor::number() {
  const unsigned n = number_operands(statement_.op);
  const bool converts =
      statement_.op == Op::Convert || statement_.op == Op::Truncate || statement_.op == Op::Bits;
  const NumberFault fault =
      converts
          ? number_conversion(statement_.op, statement_.number, statement_.to, at(0), result_)
          : number_operation(statement_.op, statement_.number, statement_.checked, operands_.data(), result_);
  return fault == NumberFault::None || runtime_.raise_number(thread_, statement_, fault, operands_.data(), n);
}

bool Executor::call() {
  const auto arguments = operands_.empty() ? operands_ : operands_.subspan(1);
  switch (statement_.op) {
    case Op::Call: return runtime_.call_value(thread_, at(0), arguments, 0, result_);
    case Op::CallLatest:
      return runtime_.call_value(thread_, at(0), arguments, runtime_.program().engine().world(), result_);
    case Op::Invoke: {
      const Specialisation* callee =
          statement_.callee ? statement_.callee : runtime_.fixed_method(thread_, statement_, operands_);
      return callee && runtime_.invoke(thread_, *callee, operands_, result_);
    }
    case Op::Spawn: {
      gc::Object* task = nullptr;
      return runtime_.spawn(thread_, at(0), arguments, task) && give(LeafKind::Task, task);
    }
    case Op::Join: return expect(0, LeafKind::Task) && runtime_.join(thread_, at(0).object, result_);
    default: return host();
  }
}

/// A C function of the process with i64 and f64 arguments: integers and floats go into registers of their
/// own, so one signature serves all orders of them (System V and AArch64 alike) as long as each kind fits its
/// registers.
bool Executor::host() {
  void* symbol = dlsym(RTLD_DEFAULT, statement_.name->c_str());
  if (!symbol) return runtime_.raise(thread_, "host", "no symbol " + *statement_.name, position());
  uint64_t integers[kMostHostArguments] = {};
  double floats[kMostHostArguments] = {};
  size_t num_integers = 0, num_floats = 0;
  for (const Value& value : operands_) {
    if (value.kind == LeafKind::F64 && num_floats < kMostHostArguments) {
      floats[num_floats++] = std::bit_cast<double>(value.bits);
    } else if (value.kind == LeafKind::I64 && num_integers < kMostHostArguments) {
      integers[num_integers++] = value.bits;
    } else {
      return runtime_.raise_type(thread_, "up to 6 i64 and 6 f64", value, position());
    }
  }
  const Leaf* leaf = statement_.type ? statement_.type->single_leaf() : nullptr;
  std::optional<gc::SafeRegion> safe;
  if (!mutant::is_on("G14_no_region")) safe.emplace(thread_);  // it may block
  if (leaf && leaf->kind == LeafKind::F64)
    return give(Value::f64(call_by_registers<double>(symbol, integers, floats)));
  const auto bits = call_by_registers<uint64_t>(symbol, integers, floats);
  return give(leaf && leaf->kind == LeafKind::I64 ? Value::of_bits(LeafKind::I64, bits) : Value::nothing());
}

bool Executor::data() {
  gc::Object* made = nullptr;
  switch (statement_.op) {
    case Op::New: {
      const StructType* type = statement_.type->single_leaf()->structure;
      return runtime_.struct_new(thread_, type, operands_, made) && give(LeafKind::Struct, made);
    }
    case Op::Field: return runtime_.field_get(thread_, at(0), statement_.field, statement_.name, result_);
    case Op::Set:
      return runtime_.field_set(thread_, at(0), statement_.field, statement_.name, at(1)) &&
             give(Value::nothing());
    case Op::Tuple: return runtime_.tuple_new(thread_, operands_, made) && give(LeafKind::Tuple, made);
    case Op::Item: {
      if (!expect(0, LeafKind::Tuple) || !expect(1, LeafKind::I64)) return false;
      const uint64_t length = at(0).object->length();
      if (at(1).bits >= length)
        return runtime_.raise(thread_, "index", fmt::format("index {} of {}", integer(1), length),
                              position());
      return give(Runtime::unbox(reinterpret_cast<gc::Object* const*>(at(0).object->elements())[at(1).bits]));
    }
    case Op::ArrayNew: {
      if (!expect(0, LeafKind::I64)) return false;
      const Leaf* leaf = runtime_.program().types().array_leaf(statement_.type);
      return runtime_.array_new(thread_, leaf, integer(0), at(1), made) && give(LeafKind::Array, made);
    }
    case Op::ArrayLen:
      return expect(0, LeafKind::Array) && give(Value::i64(static_cast<int64_t>(at(0).object->length())));
    case Op::ArrayGet:
      return expect(0, LeafKind::Array) && expect(1, LeafKind::I64) &&
             runtime_.array_get(thread_, at(0).object, integer(1), result_);
    case Op::ArraySet:
      return expect(0, LeafKind::Array) && expect(1, LeafKind::I64) &&
             runtime_.array_set(thread_, at(0).object, integer(1), at(2)) && give(Value::nothing());
    case Op::ArrayCopy:
      return expect(0, LeafKind::Array) && runtime_.array_copy(thread_, at(0).object, made) &&
             give(LeafKind::Array, made);
    default: return give(Value::boolean(Runtime::same(at(0), at(1))));
  }
}

bool Executor::string() {
  gc::Object* made = nullptr;
  switch (statement_.op) {
    case Op::StringLen:
      return expect(0, LeafKind::String) && give(Value::i64(static_cast<int64_t>(at(0).object->length())));
    case Op::StringByte: {
      if (!expect(0, LeafKind::String) || !expect(1, LeafKind::I64)) return false;
      const auto text = Runtime::string_view(at(0).object);
      if (at(1).bits >= text.size())
        return runtime_.raise(thread_, "index", fmt::format("index {} of {}", integer(1), text.size()),
                              position());
      return give(Value::of_bits(LeafKind::U8, static_cast<uint8_t>(text[at(1).bits])));
    }
    case Op::StringSlice:
      return expect(0, LeafKind::String) && expect(1, LeafKind::I64) && expect(2, LeafKind::I64) &&
             runtime_.string_slice(thread_, at(0).object, integer(1), integer(2), made) &&
             give(LeafKind::String, made);
    case Op::StringConcat:
      return expect(0, LeafKind::String) && expect(1, LeafKind::String) &&
             runtime_.string_concat(thread_, at(0).object, at(1).object, made) &&
             give(LeafKind::String, made);
    case Op::StringEq:
      return expect(0, LeafKind::String) && expect(1, LeafKind::String) &&
             give(Value::boolean(Runtime::string_view(at(0).object) == Runtime::string_view(at(1).object)));
    case Op::StringOf: return runtime_.string_of(thread_, at(0), made) && give(LeafKind::String, made);
    case Op::StringFixed:
      return expect(0, LeafKind::F64) && expect(1, LeafKind::I64) &&
             runtime_.string_fixed(thread_, std::bit_cast<double>(at(0).bits), integer(1), made) &&
             give(LeafKind::String, made);
    default: return runtime_.print(thread_, operands_) && give(Value::nothing());
  }
}

bool Executor::type() {
  switch (statement_.op) {
    case Op::Is: return give(Value::boolean(runtime_.is(at(0), statement_.type)));
    case Op::TypeOf: return give(LeafKind::TypeValue, runtime_.type_object(runtime_.type_of_value(at(0))));
    case Op::Assert:
      if (!runtime_.is(at(0), statement_.type))
        return runtime_.raise_type(thread_, statement_.type->name, at(0), position());
      return give(at(0));
    default: return give(at(0));
  }
}

bool Executor::global() {
  const uint64_t world =
      thread_.language ? runtime_thread(thread_).world : runtime_.program().engine().world();
  const Global* global = runtime_.program().global(*statement_.name, world);
  if (!global) return runtime_.raise(thread_, "global", "no global " + *statement_.name, position());
  if (global->is_constant) return give(Runtime::unbox(runtime_.literal_object(global->constant)));
  LeafKind kind{};
  const bool unboxed = is_unboxed(global->type, kind);
  const Place place{global->cell->at(8), unboxed ? kind : LeafKind::Nothing, 8, global->cell};
  if (statement_.op == Op::GlobalGet) return give(load_place(place, std::memory_order_relaxed));
  return store_place(thread_, runtime_, place, global->type, at(0), std::memory_order_relaxed) &&
         give(Value::nothing());
}

// The item of an array, or of a kernel's buffer in host memory.
bool Executor::item_place(Place& place, const Type*& declared) {
  if (!expect(1, LeafKind::I64)) return false;
  if (at(0).kind == LeafKind::Array) {
    declared = leaf_of(at(0).object)->element;
    return array_place(thread_, runtime_, at(0).object, integer(1), place);
  }
  if (!expect(0, LeafKind::Buffer)) return false;
  declared = leaf_of(at(0).object)->element;
  BufferHandle& handle = BufferHandle::of(at(0).object);
  const uint64_t length = calls().buffer_length(handle.buffer);
  if (at(1).bits >= length)
    return runtime_.raise(thread_, "index", fmt::format("index {} of {}", integer(1), length), position());
  void* memory = calls().buffer_memory(handle.buffer);
  if (!memory) return runtime_.raise(thread_, "device", "buffer is not visible to the host", position());
  const unsigned bytes = bytes_of(handle.kind);
  place = {static_cast<char*>(memory) + at(1).bits * bytes, handle.kind, bytes, nullptr};
  return true;
}

bool Executor::atomic() {
  Place place;
  const Type* declared = nullptr;
  const bool is_field = statement_.op == Op::AtomicField || statement_.op == Op::AtomicSet ||
                        statement_.op == Op::RmwField || statement_.op == Op::CasField;
  const bool found =
      statement_.op == Op::AtomicField
          ? field_place(thread_, runtime_, at(0), statement_.field, statement_.name, place, declared)
      : is_field
          ? mutable_field_place(thread_, runtime_, at(0), statement_.field, statement_.name, place, declared)
          : item_place(place, declared);
  if (!found) return false;
  const size_t first = is_field ? 1 : 2;  // of the values after the place
  switch (statement_.op) {
    case Op::AtomicField:
    case Op::AtomicGet: return give(load_place(place, order()));
    case Op::AtomicSet:
    case Op::AtomicPut:
      return store_place(thread_, runtime_, place, declared, at(first), order()) && give(Value::nothing());
    case Op::RmwField:
    case Op::RmwItem: return add_place(thread_, runtime_, place, at(first), order(), result_);
    default: {
      bool done = false;
      return exchange_place(thread_, runtime_, place, declared, at(first), at(first + 1), order(), done) &&
             give(Value::boolean(done));
    }
  }
}

bool Executor::kernel() {
  const KernelLane* lane = thread_.language ? runtime_thread(thread_).lane : nullptr;
  if (!lane) return runtime_.raise(thread_, "device", "outside a kernel", position());
  if (statement_.op == Op::Shared) return make_shared();
  if (!expect(0, LeafKind::I64)) return false;
  if (statement_.op == Op::Fault) {
    lane->record(fmt::format("fault {}", integer(0)));
    return give(Value::nothing());
  }
  const uint64_t d = at(0).bits % 3;
  switch (statement_.op) {
    case Op::Lane: return give(Value::of_bits(LeafKind::I64, lane->lane[d]));
    case Op::Block: return give(Value::of_bits(LeafKind::I64, lane->block[d]));
    case Op::Lanes: return give(Value::of_bits(LeafKind::I64, lane->launch->lanes[d]));
    default: return give(Value::of_bits(LeafKind::I64, lane->launch->blocks[d]));
  }
}

// One buffer for each block and statement; rooted by the launch.
bool Executor::make_shared() {
  const KernelLane& lane = *runtime_thread(thread_).lane;
  if (const auto found = lane.shared->find(&statement_); found != lane.shared->end())
    return give(found->second);
  const Leaf* element = statement_.type->single_leaf();
  if (!element || bytes_of(element->kind) == 0 || !expect(0, LeafKind::I64))
    return runtime_.raise_type(thread_, "a number type", at(0), position());
  auto made = calls().buffer_new(thread_, element->kind, at(0).bits);
  if (made.has_error()) return runtime_.raise_error(thread_, "device", made.error(), position());
  if (!new_buffer(element->kind, made.value())) return false;
  lane.shared->emplace(&statement_, result_);
  return true;
}

bool Executor::new_buffer(LeafKind element, void* native) {
  const std::shared_ptr<RuntimeCalls>& calls = runtime_.program().shared_calls();
  auto handle = std::make_unique<BufferHandle>(calls, native, element);  // drops it if there is no memory
  TypeInterner& types = runtime_.program().types();
  gc::Object* object =
      runtime_.heap().allocate(thread_, runtime_.layout(types.buffer_leaf(types.kind(element))));
  if (!object) return runtime_.raise(thread_, "memory", "out of memory");
  object->word(NativeHandle::kOffset) =
      reinterpret_cast<uint64_t>(static_cast<NativeHandle*>(handle.release()));
  return give(LeafKind::Buffer, object);
}

bool Executor::buffer_of() {
  LeafKind kind{};
  if (!expect(0, LeafKind::Array)) return false;
  if (!is_unboxed(leaf_of(at(0).object)->element, kind))
    return runtime_.raise_type(thread_, "an array of numbers", at(0), position());
  const ValueFrame roots(thread_, operands_);
  auto made = calls().buffer_new(thread_, kind, at(0).object->length());
  if (made.has_error()) return runtime_.raise_error(thread_, "device", made.error(), position());
  if (!new_buffer(kind, made.value())) return false;
  // Through native memory: while the device call waits, the thread is safe and may touch no managed object.
  const gc::Object* array = roots.values()[0].object;
  const std::string bytes(array->elements(), array->length() * bytes_of(kind));
  const Value buffer = result_;
  const ValueFrame kept(thread_, {&buffer, 1});
  const auto written =
      calls().buffer_write(thread_, made.value(), 0, bytes.size() / bytes_of(kind), bytes.data());
  if (written.has_error()) return runtime_.raise_error(thread_, "device", written.error(), position());
  return give(kept.values()[0]);
}

bool Executor::buffer_array() {
  if (!expect(0, LeafKind::Buffer)) return false;
  const ValueFrame roots(thread_, operands_);
  BufferHandle& handle = BufferHandle::of(at(0).object);
  const uint64_t length = calls().buffer_length(handle.buffer);
  std::string bytes(length * bytes_of(handle.kind), '\0');
  const auto read = calls().buffer_read(thread_, handle.buffer, 0, length, bytes.data());
  if (read.has_error()) return runtime_.raise_error(thread_, "device", read.error(), position());
  gc::Object* array = nullptr;
  const Leaf* leaf = runtime_.program().types().array_leaf(leaf_of(roots.values()[0].object)->element);
  if (!runtime_.array_new(thread_, leaf, static_cast<int64_t>(length), Value::of_bits(handle.kind, 0), array))
    return false;
  std::memcpy(array->elements(), bytes.data(), bytes.size());
  return give(LeafKind::Array, array);
}

bool Executor::buffer_item() {
  Place place;
  const Type* declared = nullptr;
  if (!item_place(place, declared)) return false;
  if (statement_.op == Op::BufferGet) return give(load_place(place, std::memory_order_relaxed));
  return store_place(thread_, runtime_, place, declared, at(2), std::memory_order_relaxed) &&
         give(Value::nothing());
}

bool Executor::buffer() {
  switch (statement_.op) {
    case Op::BufferOf: return buffer_of();
    case Op::BufferArray: return buffer_array();
    case Op::BufferNew: {
      const Leaf* element = statement_.type->single_leaf();
      if (!expect(0, LeafKind::I64)) return false;
      if (integer(0) < 0)
        return runtime_.raise(thread_, "index", fmt::format("index {} of {}", integer(0), 0), position());
      auto made = calls().buffer_new(thread_, element->kind, at(0).bits);
      if (made.has_error()) return runtime_.raise_error(thread_, "device", made.error(), position());
      return new_buffer(element->kind, made.value());
    }
    case Op::BufferLen:
      return expect(0, LeafKind::Buffer) &&
             give(
                 Value::of_bits(LeafKind::I64, calls().buffer_length(BufferHandle::of(at(0).object).buffer)));
    default: return buffer_item();
  }
}

bool Executor::launch() {
  uint64_t blocks[3], lanes[3];
  for (size_t i = 0; i < 6; ++i) {
    if (!expect(i, LeafKind::I64)) return false;
    if (integer(i) < 0)
      return runtime_.raise(thread_, "index", fmt::format("index {} of {}", integer(i), 0), position());
    (i < 3 ? blocks[i] : lanes[i - 3]) = at(i).bits;
  }
  const ValueFrame roots(thread_, operands_);
  return launch_kernel(thread_, runtime_, *statement_.name, blocks, lanes, roots.values().subspan(6),
                       position()) &&
         give(Value::nothing());
}

bool Executor::channel() {
  const auto failed = [&](const Error& error) {
    return runtime_.raise_error(thread_, "channel", error, position());
  };
  if (statement_.op == Op::ChannelNew) {
    const Leaf* element = statement_.type->single_leaf();
    if (!expect(0, LeafKind::I64) || !expect(1, LeafKind::I64) || !expect(2, LeafKind::String)) return false;
    const bool out = Runtime::string_view(at(2).object) == "out";
    auto made = calls().channel_new(thread_, element->kind, at(0).bits, at(1).bits, out);
    if (made.has_error()) return failed(made.error());
    auto handle =
        std::make_unique<ChannelHandle>(runtime_.program().shared_calls(), made.value(), element->kind);
    gc::Object* object = runtime_.heap().allocate(
        thread_, runtime_.layout(runtime_.program().types().channel_leaf(statement_.type)));
    if (!object) return runtime_.raise(thread_, "memory", "out of memory");
    object->word(NativeHandle::kOffset) =
        reinterpret_cast<uint64_t>(static_cast<NativeHandle*>(handle.release()));
    return give(LeafKind::Channel, object);
  }
  if (!expect(0, LeafKind::Channel)) return false;
  const ValueFrame roots(thread_, operands_);
  ChannelHandle& handle = ChannelHandle::of(at(0).object);
  const auto slot = [&](Result<void*> made) {
    return made.has_error() ? failed(made.error()) : new_buffer(handle.kind, made.value());
  };
  const auto plain = [&](Result<void> done) {
    return done.has_error() ? failed(done.error()) : give(Value::nothing());
  };
  const auto ticket = [&] { return expect(1, LeafKind::I64) ? at(1).bits : 0; };
  switch (statement_.op) {
    case Op::ChannelWaitWritable: return slot(calls().channel_wait_writable(thread_, handle.channel));
    case Op::ChannelPublish: {
      std::vector<uint64_t> words;
      for (const Value& value : operands_.subspan(1)) {
        if (value.is_object()) return runtime_.raise_type(thread_, "a number", value, position());
        words.push_back(value.bits);
      }
      auto published = calls().channel_publish(thread_, handle.channel, words);
      return published.has_error() ? failed(published.error())
                                   : give(Value::of_bits(LeafKind::I64, published.value()));
    }
    case Op::ChannelWaitReadable:
      return expect(1, LeafKind::I64) &&
             slot(calls().channel_wait_readable(thread_, handle.channel, ticket()));
    case Op::ChannelTake: {
      // (ticket, slot, arguments...), or nothing once the channel is closed and empty.
      auto taken = calls().channel_take(thread_, handle.channel);
      if (taken.has_error()) return failed(taken.error());
      if (taken.value().closed) return give(Value::nothing());
      std::vector<Value> items{Value::of_bits(LeafKind::I64, taken.value().ticket), Value::nothing()};
      for (const uint64_t word : taken.value().args) items.push_back(Value::of_bits(LeafKind::I64, word));
      if (!new_buffer(handle.kind, taken.value().slot)) return false;
      items[1] = result_;
      gc::Object* tuple = nullptr;
      return runtime_.tuple_new(thread_, items, tuple) && give(LeafKind::Tuple, tuple);
    }
    case Op::ChannelSnap:
      return expect(1, LeafKind::I64) && plain(calls().channel_snap(thread_, handle.channel, ticket()));
    case Op::ChannelFinish:
      return expect(1, LeafKind::I64) && plain(calls().channel_finish(thread_, handle.channel, ticket()));
    default: calls().channel_close(handle.channel); return give(Value::nothing());
  }
}

bool Executor::run() {
  const Op op = statement_.op;
  if (op <= Op::Bits) return number();
  if (op == Op::Not) return expect(0, LeafKind::Bool) && give(Value::boolean(at(0).bits == 0));
  if (op <= Op::CallHost || op == Op::Spawn || op == Op::Join) return call();
  if (op <= Op::ArrayCopy || op == Op::Same) return data();
  if (op <= Op::Print) return string();
  if (op <= Op::Refine) return type();
  if (op <= Op::GlobalSet) return global();
  if (op <= Op::CasItem) return atomic();
  if (op == Op::BarrierBlock || op == Op::BarrierGrid)
    return runtime_.raise(thread_, "device", "barrier in a called method", position());
  if (op <= Op::Fault) return kernel();
  if (op <= Op::BufferSet) return buffer();
  return op == Op::Launch ? launch() : channel();
}

}  // namespace

bool Runtime::execute(gc::Thread& thread, const Statement& statement, std::span<const Value> operands,
                      Value& result) {
  return Executor(thread, *this, statement, operands, result).run();
}

bool Runtime::raise_number(gc::Thread& thread, const Statement& statement, NumberFault fault,
                           const Value* operands, unsigned n) {
  if (fault != NumberFault::Operand) {
    return raise(thread, fault_kind(fault), fault_text(fault, statement.number, statement.to, operands),
                 &statement.position);
  }
  for (unsigned i = 0; i < n; ++i) {
    if (operands[i].kind != statement.number)
      return raise_type(thread, name_of(statement.number), operands[i], &statement.position);
  }
  return raise(thread, "type",
               fmt::format("type: no {} of {}", text_of(statement.op), name_of(statement.number)),
               &statement.position);
}

const Specialisation* Runtime::fixed_method(gc::Thread& thread, const Statement& invoke,
                                            std::span<const Value> arguments) {
  const Function* function = program_.function(*invoke.name);
  const uint64_t world = runtime_thread(thread).world;
  const Method* found = nullptr;
  if (function) {
    for (const Method* method : program_.methods().all(*function, world)) {
      if (method->signature == invoke.signature) found = method;
    }
  }
  if (!found || arguments.size() != invoke.signature.size()) {
    std::string text = "no method " + *invoke.name + "(";
    for (size_t i = 0; i < invoke.signature.size(); ++i) text += (i ? ", " : "") + invoke.signature[i]->name;
    raise(thread, "method", text + ")", &invoke.position);
    return nullptr;
  }
  std::vector<const Type*> types;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!is(arguments[i], found->signature[i])) {
      raise_type(thread, found->signature[i]->name, arguments[i], &invoke.position);
      return nullptr;
    }
    types.push_back(program_.lattice().widen(type_of_value(arguments[i])));
  }
  return program_.specialise(*found, types);
}

}  // namespace berth::inference
