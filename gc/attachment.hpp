// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attachment: the link between a native thread and its record in one collector. Shared, since either may end
// first.
#pragma once
#include <memory>

#include "support/sync.hpp"

namespace berth::gc {

class Collector;
class Thread;

struct Attachment {
  const Collector* collector;
  // Set at attach by the native thread, cleared by detach or the collector's end; release and acquire.
  sync::Atomic<Thread*> thread;
};

/// Remembers the link for the calling native thread.
void add_attachment(std::shared_ptr<Attachment> link);

}  // namespace berth::gc
