// Where a debugger is asked within a session's runs: at the watches of tensors that go into, or come out of, what a line of
// the program made. What takes a tensor waits for its watch, so it runs once Python has answered.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "tensorflow/api.h"
#include "tensorflow/input_tensor.h"

namespace tensordbg {

// One watch. It is listed as long as it lives, so that it can be told which of a run's tensors are watched at all.
class SessionStop {
 public:
  SessionStop(std::int64_t run, std::string node, int slot);
  ~SessionStop();
  SessionStop(const SessionStop&) = delete;
  SessionStop& operator=(const SessionStop&) = delete;

  // Asks Python if it wants to be asked here; the operation fails where it says so.
  void reach(tensorflow::TF_OpKernelContext* context, const Given& tensor);

  // The place of the node among those of which Python wants to know, -1 where it is none. With the lock.
  int find() const;
  int slot() const { return slot_; }

 private:
  int place();

  const std::int64_t run_;
  const std::string node_;
  const int slot_;
  // Of which choice of nodes the place is, and the place + 1.
  std::atomic<std::uint64_t> known_{0};
};

}  // namespace tensordbg
