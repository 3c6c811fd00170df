// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// GDB's JIT interface: a list of debug objects in the process, and a function that the debugger has a
// breakpoint on.
//
// One entry per unit, not per method: GDB's work per entry grows with the entries there are. List and
// function are LLVM's, as there is one of each in a process that the debugger finds by name. LLVM's own
// registration cannot be used: ORC's never unregisters, and the listener of RuntimeDyld takes what only
// RuntimeDyld makes.
#include <llvm/ExecutionEngine/Orc/TargetProcess/JITLoaderGDB.h>

#include <unordered_map>

#include "jit/observers/debug_object.hpp"
#include "jit/observers/observers.hpp"

extern "C" {
extern jit_descriptor __jit_debug_descriptor;
void __jit_debug_register_code();
}

namespace berth::jit {
namespace {

sync::Mutex& list_mutex() {
  static auto* const mutex =
      new sync::Mutex(kRankProcessObservers);  // engines may outlive static destructors
  return *mutex;
}

struct Entry {
  jit_code_entry links{};
  std::string object;  // read by the debugger at any stop: outlives the entry
};

void tell(jit_code_entry& entry, jit_actions_t action) {
  __jit_debug_descriptor.relevant_entry = &entry;
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_register_code();
  __jit_debug_descriptor.action_flag = JIT_NOACTION;
  __jit_debug_descriptor.relevant_entry = nullptr;
}

void add(jit_code_entry& entry) {
  sync::Lock lock(list_mutex());
  entry.next_entry = __jit_debug_descriptor.first_entry;
  if (entry.next_entry) entry.next_entry->prev_entry = &entry;
  __jit_debug_descriptor.first_entry = &entry;
  tell(entry, JIT_REGISTER_FN);
}

void remove(jit_code_entry& entry) {
  sync::Lock lock(list_mutex());
  if (entry.next_entry) entry.next_entry->prev_entry = entry.prev_entry;
  (entry.prev_entry ? entry.prev_entry->next_entry : __jit_debug_descriptor.first_entry) = entry.next_entry;
  tell(entry, JIT_UNREGISTER_FN);
}

class GdbObserver final : public Observer {
 public:
  ~GdbObserver() override {
    for (auto& [number, entry] : entries_) remove(entry.links);
  }
  Result<void> linked(uint64_t number, const LoadedUnit& unit) override {
    Entry& entry = entries_[number];
    entry.object = debug_object(unit);
    entry.links.symfile_addr = entry.object.data();
    entry.links.symfile_size = entry.object.size();
    add(entry.links);
    return success();
  }
  void retired(uint64_t number) noexcept override {
    const auto found = entries_.find(number);
    if (found == entries_.end()) return;
    remove(found->second.links);
    entries_.erase(found);
  }

 private:
  std::unordered_map<uint64_t, Entry> entries_;  // its nodes stay where they are
};

}  // namespace

Result<std::unique_ptr<Observer>> make_gdb_observer() {
  return std::unique_ptr<Observer>(std::make_unique<GdbObserver>());
}

}  // namespace berth::jit
