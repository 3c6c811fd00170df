// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Worker messages: what this process and a compile worker say to each other over a socket, and how an order
// to compile is written.
//
//   to the worker    Compile
//   from the worker  Hello, once; then for each Compile: Step for each step begun, and one of Unit, Failure,
//                    Fatal; after Fatal it ends
//
// A message is a header (mark, kind, size, checksum) and bytes. The other end may be damaged: nothing that it
// says is trusted before it is checked, and an end that speaks nonsense is not listened to any more.
#pragma once
#include <string>
#include <string_view>

#include "jit/byte_stream.hpp"
#include "jit/object_compiler.hpp"
#include "support/deadline.hpp"
#include "support/result.hpp"

namespace berth::jit {

/// The worker's end of the socket.
inline constexpr int kWorkerSocket = 3;

enum class MessageKind : uint32_t {
  Hello = 1,  // the worker's LLVM version
  Compile,    // a WorkerOrder
  Step,       // the step's name
  Unit,       // write_unit
  Failure,    // code, message: an error of the compile
  Fatal       // code, one byte; then LLVM's text
};

struct Message {
  MessageKind kind;
  std::string bytes;
};

/// Threads: one at a time per direction. Blocks: may wait, for the other end. GC: must be safe. Owns:
/// borrowed. Allocates nothing on success. Errors: TIMED_OUT; SHUT_DOWN: the other end is closed.
Result<void> send_message(int socket, MessageKind kind, std::string_view bytes, const Deadline& deadline);
/// As above, and CORRUPT: this is no message.
Result<Message> receive_message(int socket, const Deadline& deadline);

/// What a worker is to compile.
struct WorkerOrder {
  engine::CompileJob job;  // without instance; ADAPTIVE only if it counts
  LoweredMethod lowered;   // of typed IR, else empty
  int64_t limit_ns = 0;    // for a worker whose parent is gone: it ends itself after that
};
/// `request`: with what its typed IR was lowered to. `counted`: see ObjectCompiler::counts. Threads: any.
/// Blocks: never.
std::string write_order(const CompileRequest& request, bool counted, int64_t limit_ns);
/// False: these are no bytes of an order.
bool read_order(std::string_view bytes, WorkerOrder& order);

}  // namespace berth::jit
