// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/thrown_exceptions.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <new>
#include <unordered_map>

#include "support/sync.hpp"

namespace berth::jit {
namespace {

struct Thrown {
  const std::type_info* type;
  void (*destroy)(void*);  // or null
};

struct Registry {
  sync::Mutex mutex{Rank{500, "thrown exceptions"}};
  std::unordered_map<void*, Thrown> thrown BERTH_GUARDED_BY(mutex);
  bool has_lost_one BERTH_GUARDED_BY(mutex) = false;  // memory was missing: no code goes any more
};

Registry& registry() {
  static Registry& one = *new Registry;  // exceptions may outlive every static
  return one;
}

// The object is known until its destructor, which is code, has returned.
void destroy_thrown(void* object) {
  Registry& all = registry();
  void (*destroy)(void*) = nullptr;
  {
    sync::Lock lock(all.mutex);
    if (const auto found = all.thrown.find(object); found != all.thrown.end())
      destroy = found->second.destroy;
  }
  if (destroy) destroy(object);
  sync::Lock lock(all.mutex);
  all.thrown.erase(object);
}

}  // namespace

void throw_from_code(void* object, std::type_info* type, void (*destroy)(void*)) {
  bool is_known = false;
  {
    Registry& all = registry();
    sync::Lock lock(all.mutex);
    try {
      all.thrown[object] = {type, destroy};
      is_known = true;
    } catch (const std::bad_alloc&) { all.has_lost_one = true; }
  }
  abi::__cxa_throw(object, type, is_known ? &destroy_thrown : destroy);
}

bool has_thrown_from(uintptr_t low, uintptr_t high) {
  Registry& all = registry();
  sync::Lock lock(all.mutex);
  const auto is_inside = [&](uintptr_t address) { return low <= address && address < high; };
  return all.has_lost_one || std::ranges::any_of(all.thrown, [&](const auto& each) {
           return is_inside(reinterpret_cast<uintptr_t>(each.second.type)) ||
                  is_inside(reinterpret_cast<uintptr_t>(each.second.destroy));
         });
}

}  // namespace berth::jit
