// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// embed_llvm: two methods as LLVM IR, one calls the other over an edge and the host by a symbol; then one
// that does not compile.
#include <cstdio>

#include "berth/berth.hpp"

namespace {

extern "C" void report(int64_t square) { std::printf("host hears %lld\n", static_cast<long long>(square)); }

struct Method {
  const char *label, *entry, *ir;
};

const Method kSquare = {"square(Int)", "square",
                        "define i64 @square(i64 %x) {\n"
                        "  %y = mul i64 %x, %x\n"
                        "  ret i64 %y\n"
                        "}\n"};
const Method kSum = {"sum(Int, Int)", "sum",
                     "declare i64 @square(i64)\n"   // an edge
                     "declare void @report(i64)\n"  // the host's
                     "define i64 @sum(i64 %a, i64 %b) {\n"
                     "  %p = call i64 @square(i64 %a)\n"
                     "  call void @report(i64 %p)\n"
                     "  %q = call i64 @square(i64 %b)\n"
                     "  %r = add i64 %p, %q\n"
                     "  ret i64 %r\n"
                     "}\n"};
const Method kBad = {"bad()", "bad", "define i64 @bad() {\n  ret i32 0\n}\n"};

/// Of many threads that ask for a method, one gets the lease and gives the source; the others get its
/// instance.
berth::InstanceRef instance_of(berth::ThreadOwner& thread, const Method& method,
                               const berth::InstanceRef* callee = nullptr) {
  berth_reserve_options_t options{};
  options.struct_size = sizeof options;
  options.timeout_ns = -1;
  options.label = method.label;
  auto got = thread.reserve({&method, nullptr}, &options);
  if (!got.lease) return std::move(got.published);
  auto instance = got.lease.instance();
  auto source = berth::SourceOwner::from_ir(method.ir, method.entry);
  if (callee) berth_source_add_edge(source.get(), callee->get(), "square");
  got.lease.release(std::move(source));  // a compile thread has it now
  return instance;
}

}  // namespace

int main() {
  try {
    berth::EngineOwner engine;
    berth::check(berth_engine_define_symbol(engine.get(), "report", reinterpret_cast<void*>(&report)));
    berth::ThreadOwner thread(engine);
    const auto square = instance_of(thread, kSquare);
    const auto sum = instance_of(thread, kSum, &square);
    const auto call = reinterpret_cast<int64_t (*)(int64_t, int64_t)>(thread.wait_entry(sum));
    std::printf("sum(3, 4) = %lld\n", static_cast<long long>(call(3, 4)));
    try {
      thread.wait_entry(instance_of(thread, kBad));
    } catch (const berth::ApiError& error) { std::printf("%s\n", error.what()); }
    return 0;
  } catch (const berth::ApiError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
