// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C++ twin of the C API: owners that give back in their destructors. Header-only; the ABI is the C one.
//
//   berth::EngineOwner engine;                             // failures throw berth::ApiError
//   berth::ThreadOwner thread(engine);
//   auto reservation = thread.reserve({method, nullptr});
//   if (reservation.lease) reservation.lease.release(berth::SourceOwner::from_ir(text, "f"));
#ifndef BERTH_BERTH_HPP
#define BERTH_BERTH_HPP

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "berth/berth.h"

namespace berth {

/// A failed call, as an exception.
class ApiError : public std::exception {
 public:
  explicit ApiError(berth_error_t* error) : error_(error, &berth_error_delete) {}
  berth_code_t code() const noexcept { return berth_error_code(error_.get()); }
  const char* what() const noexcept override { return berth_error_message(error_.get()); }
  const char* details_json() const noexcept { return berth_error_details_json(error_.get()); }

 private:
  std::shared_ptr<berth_error_t> error_;
};

/// Throws ApiError if the call failed.
inline void check(berth_error_t* error) {
  if (error) throw ApiError(error);
}

namespace detail {
template <class T, void (*Delete)(T*)>
struct Deleter {
  void operator()(T* object) const noexcept { Delete(object); }
};
template <class T, void (*Delete)(T*)>
using Owner = std::unique_ptr<T, Deleter<T, Delete>>;

inline std::string take_string(char* text) {
  std::string copy = text ? text : "";
  berth_string_delete(text);
  return copy;
}
}  // namespace detail

using ConfigOwner = detail::Owner<berth_config_t, &berth_config_delete>;

/// Deleted last: after its threads are detached and its programs and devices are gone.
class EngineOwner {
 public:
  EngineOwner() : EngineOwner(nullptr) {}
  explicit EngineOwner(const berth_config_t* config) {
    berth_engine_t* engine = nullptr;
    check(berth_engine_new(config, &engine));
    engine_.reset(engine);
  }
  berth_engine_t* get() const noexcept { return engine_.get(); }
  uint64_t world() const noexcept { return berth_engine_world(get()); }
  std::string explain() const { return detail::take_string(berth_engine_explain(get())); }
  std::string metrics() const { return detail::take_string(berth_engine_metrics(get())); }
  /// Bits of berth_observer_t.
  void set_observers(uint32_t flags) const { check(berth_engine_set_observers(get(), flags)); }

 private:
  detail::Owner<berth_engine_t, &berth_engine_delete> engine_;
};

/// A source until it is released.
class SourceOwner {
 public:
  SourceOwner() noexcept = default;
  /// Takes over a source.
  explicit SourceOwner(berth_source_t* source) noexcept : source_(source) {}
  static SourceOwner from_ir(std::string_view llvm_ir, const char* entry) {
    SourceOwner source;
    berth_source_t* made = nullptr;
    check(berth_source_from_ir(llvm_ir.data(), llvm_ir.size(), entry, &made));
    source.source_.reset(made);
    return source;
  }
  static SourceOwner from_native(void* entry) {
    SourceOwner source;
    berth_source_t* made = nullptr;
    check(berth_source_from_native(entry, &made));
    source.source_.reset(made);
    return source;
  }
  berth_source_t* get() const noexcept { return source_.get(); }
  berth_source_t* consume() noexcept { return source_.release(); }

 private:
  detail::Owner<berth_source_t, &berth_source_delete> source_;
};

/// A reference to an instance.
class InstanceRef {
 public:
  InstanceRef() noexcept = default;
  /// Takes over a reference.
  explicit InstanceRef(berth_instance_t* instance) noexcept : instance_(instance) {}
  static InstanceRef retain(berth_instance_t* instance) noexcept {
    berth_instance_retain(instance);
    return InstanceRef(instance);
  }
  berth_instance_t* get() const noexcept { return instance_.get(); }
  explicit operator bool() const noexcept { return instance_ != nullptr; }
  void* entry() const noexcept { return berth_instance_entry(get()); }
  void* payload() const noexcept { return berth_instance_payload(get()); }
  std::string times_json() const { return detail::take_string(berth_instance_times_json(get())); }

 private:
  detail::Owner<berth_instance_t, &berth_instance_release> instance_;
};

/// A lease: given back without result by its destructor, unless it was released.
class LeaseOwner {
 public:
  LeaseOwner() noexcept = default;
  LeaseOwner(berth_thread_t* thread, berth_lease_t lease) noexcept : thread_(thread), lease_(lease) {}
  LeaseOwner(LeaseOwner&& other) noexcept
      : thread_(std::exchange(other.thread_, nullptr)), lease_(other.lease_) {}
  LeaseOwner& operator=(LeaseOwner&& other) noexcept {
    std::swap(thread_, other.thread_);
    std::swap(lease_, other.lease_);
    return *this;
  }
  ~LeaseOwner() {
    if (thread_) berth_error_delete(berth_release(thread_, lease_, nullptr));
  }
  explicit operator bool() const noexcept { return thread_ != nullptr; }
  berth_lease_t get() const noexcept { return lease_; }
  InstanceRef instance() const noexcept { return InstanceRef::retain(lease_.instance); }
  /// Ends the lease. Any attached thread.
  void release(SourceOwner source) {
    check(berth_release(std::exchange(thread_, nullptr), lease_, source.consume()));
  }

 private:
  berth_thread_t* thread_ = nullptr;
  berth_lease_t lease_{};
};

struct ReservationResult {
  berth_outcome_t outcome;
  InstanceRef published;  // if outcome is BERTH_PUBLISHED
  LeaseOwner lease;       // else
  uint32_t depth;
};

/// Attaches the calling thread; detaches it in the destructor, on the same thread.
class ThreadOwner {
 public:
  explicit ThreadOwner(const EngineOwner& engine) {
    berth_thread_t* thread = nullptr;
    check(berth_thread_attach(engine.get(), &thread));
    thread_.reset(thread);
  }
  berth_thread_t* get() const noexcept { return thread_.get(); }
  void safepoint() { berth_thread_safepoint(get()); }
  ReservationResult reserve(berth_key_t key, const berth_reserve_options_t* options = nullptr) {
    berth_reservation_t reservation;
    check(berth_reserve(get(), key, options, &reservation));
    if (reservation.outcome == BERTH_PUBLISHED)
      return {reservation.outcome, InstanceRef(reservation.published), {}, 0};
    return {reservation.outcome, {}, LeaseOwner(get(), reservation.lease), reservation.depth};
  }
  void* wait_entry(const InstanceRef& instance, int64_t timeout_ns = -1) {
    void* entry = nullptr;
    check(berth_instance_wait_entry(get(), instance.get(), timeout_ns, &entry));
    return entry;
  }

 private:
  detail::Owner<berth_thread_t, &berth_thread_detach> thread_;
};

/// A safe region for its scope: no managed object is touched, and it may block.
class SafeScope {
 public:
  explicit SafeScope(berth_thread_t* thread) noexcept
      : thread_(thread), previous_(berth_thread_safe_enter(thread)) {}
  ~SafeScope() { berth_thread_safe_leave(thread_, previous_); }
  SafeScope(const SafeScope&) = delete;
  SafeScope& operator=(const SafeScope&) = delete;

 private:
  berth_thread_t* thread_;
  berth_gc_state_t previous_;
};

using AgentOwner = detail::Owner<berth_agent_t, &berth_agent_delete>;
using CancelOwner = detail::Owner<berth_cancel_t, &berth_cancel_delete>;
using ProgramOwner = detail::Owner<berth_program_t, &berth_program_delete>;
using DeviceOwner = detail::Owner<berth_device_t, &berth_device_delete>;
using BufferOwner = detail::Owner<berth_buffer_t, &berth_buffer_delete>;
using KernelOwner = detail::Owner<berth_kernel_t, &berth_kernel_delete>;
using QueueOwner = detail::Owner<berth_queue_t, &berth_queue_delete>;
using SemaphoreOwner = detail::Owner<berth_semaphore_t, &berth_semaphore_delete>;
using ChannelOwner = detail::Owner<berth_channel_t, &berth_channel_delete>;
using WorkerPoolOwner = detail::Owner<berth_worker_pool_t, &berth_worker_pool_delete>;

}  // namespace berth

#endif
