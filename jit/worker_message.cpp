// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/worker_message.hpp"

#include <llvm/Support/xxhash.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <chrono>
#include <memory>

#include "jit/llvm_body.hpp"

namespace berth::jit {
namespace {

struct Header {
  uint32_t mark;
  uint32_t kind;
  uint64_t size;
  uint64_t checksum;
};
constexpr uint32_t kMark = 0x42435701;  // the last byte counts versions of the format
constexpr uint64_t kLongestMessage = uint64_t{1} << 30;

uint64_t checksum_of(std::string_view bytes) {
  return llvm::xxh3_64bits(llvm::StringRef(bytes.data(), bytes.size()));
}

Error closed() { return make_error(BERTH_SHUT_DOWN, "", "the other end is closed", ""); }

Result<void> wait_ready(int socket, short events, const Deadline& deadline) {
  for (;;) {
    int left = -1;
    if (!deadline.is_never()) {
      const auto rest =
          std::chrono::ceil<std::chrono::milliseconds>(deadline.time() - sync::Clock::now()).count();
      if (rest <= 0) return make_error(BERTH_TIMED_OUT, "", "the other end is silent", "");
      left = static_cast<int>(std::min<int64_t>(rest, INT32_MAX));
    }
    pollfd waited{socket, events, 0};
    const int ready = poll(&waited, 1, left);
    if (ready > 0) return success();
    if (ready < 0 && errno != EINTR && errno != EAGAIN) return closed();
  }
}

Result<void> send_all(int socket, const char* bytes, size_t size, const Deadline& deadline) {
  while (size != 0) {
    const ssize_t sent = send(socket, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      bytes += sent;
      size -= static_cast<size_t>(sent);
    } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      BERTH_TRYV(wait_ready(socket, POLLOUT, deadline));
    } else if (sent < 0 && errno != EINTR) {
      return closed();
    }
  }
  return success();
}

Result<void> receive_all(int socket, char* bytes, size_t size, const Deadline& deadline) {
  while (size != 0) {
    const ssize_t received = recv(socket, bytes, size, MSG_DONTWAIT);
    if (received > 0) {
      bytes += received;
      size -= static_cast<size_t>(received);
    } else if (received == 0) {
      return closed();
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      BERTH_TRYV(wait_ready(socket, POLLIN, deadline));
    } else if (errno != EINTR) {
      return closed();
    }
  }
  return success();
}

}  // namespace

Result<void> send_message(int socket, MessageKind kind, std::string_view bytes, const Deadline& deadline) {
  const Header header{kMark, static_cast<uint32_t>(kind), bytes.size(), checksum_of(bytes)};
  BERTH_TRYV(send_all(socket, reinterpret_cast<const char*>(&header), sizeof header, deadline));
  return send_all(socket, bytes.data(), bytes.size(), deadline);
}

Result<Message> receive_message(int socket, const Deadline& deadline) {
  const auto corrupt = [](const char* found) { return make_error(BERTH_CORRUPT, "", found, ""); };
  Header header{};
  BERTH_TRYV(receive_all(socket, reinterpret_cast<char*>(&header), sizeof header, deadline));
  const bool known = header.kind >= static_cast<uint32_t>(MessageKind::Hello) &&
                     header.kind <= static_cast<uint32_t>(MessageKind::Fatal);
  if (header.mark != kMark || !known || header.size > kLongestMessage)
    return corrupt("it sent what is no message");
  Message message{static_cast<MessageKind>(header.kind), std::string(static_cast<size_t>(header.size), '\0')};
  BERTH_TRYV(receive_all(socket, message.bytes.data(), message.bytes.size(), deadline));
  if (checksum_of(message.bytes) != header.checksum) return corrupt("it sent a damaged message");
  return message;
}

namespace {

// Stands for typed IR that another process has.
class LoweredBody final : public engine::SourceBody {
 public:
  engine::BodyKind kind() const noexcept override { return engine::BodyKind::TypedIr; }
};

}  // namespace

std::string write_order(const CompileRequest& request, bool counted, int64_t limit_ns) {
  const engine::Source& source = *request.job.source;
  ByteWriter to;
  to.text(request.job.label);
  to.text(source.entry_symbol);
  to.number(tier_of(request.job));
  to.number(counted);
  to.number(static_cast<uint64_t>(limit_ns));
  to.number(request.job.budget.instructions);
  to.number(request.job.budget.object_bytes);
  to.number(source.edges.size());
  for (const engine::Edge& edge : source.edges) to.text(edge.symbol);
  to.number(static_cast<uint64_t>(source.body->kind()));
  if (is_typed(request.job)) {
    write_member(to, request.lowered->member);
    to.text(request.lowered->bitcode);
  } else {
    to.text(static_cast<const LlvmBody&>(*source.body).bytes);
  }
  return to.take();
}

bool read_order(std::string_view bytes, WorkerOrder& order) {
  ByteReader from(bytes);
  auto source = std::make_shared<engine::Source>();
  order.job.label = from.text();
  source->entry_symbol = from.text();
  order.job.tier = source->tier =
      from.number() == BERTH_TIER_OPTIMIZED ? BERTH_TIER_OPTIMIZED : BERTH_TIER_FAST;
  if (from.number(1) != 0) source->tier = BERTH_TIER_ADAPTIVE;
  order.limit_ns = static_cast<int64_t>(from.number(INT64_MAX));
  order.job.budget.instructions = from.number();
  order.job.budget.object_bytes = from.number();
  for (size_t left = from.count(); left != 0 && !from.has_failed(); --left)
    source->edges.push_back({nullptr, std::string(from.text())});
  const auto kind =
      static_cast<engine::BodyKind>(from.number(static_cast<uint64_t>(engine::BodyKind::TypedIr)));
  if (kind == engine::BodyKind::TypedIr) {
    order.lowered.member = read_member(from);
    order.lowered.bitcode = from.text();
    source->body = std::make_unique<LoweredBody>();
  } else if (kind == engine::BodyKind::LlvmIr || kind == engine::BodyKind::Bitcode) {
    source->body = std::make_unique<LlvmBody>(kind, std::string(from.text()));
  } else {
    from.fail();
  }
  order.job.source = std::move(source);
  return from.is_whole();
}

}  // namespace berth::jit
