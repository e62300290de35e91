// Which log is recorded into, if any, and who is using it: a log that was stopped is freed once nobody does.
#pragma once

#include <atomic>
#include <cstdint>

namespace tensordbg {

class EventLog;

// Holds the log that is recorded into, or null, while it lives. Not to be kept beyond one record or one question.
class ActiveLog {
 public:
  ActiveLog();
  ~ActiveLog() {
    if (holders_ != nullptr) holders_->fetch_sub(1, std::memory_order_release);
  }
  ActiveLog(const ActiveLog&) = delete;
  ActiveLog& operator=(const ActiveLog&) = delete;

  EventLog* get() const { return log_; }

 private:
  EventLog* log_ = nullptr;
  std::atomic<std::int64_t>* holders_ = nullptr;
};

// `start_log` takes the log over.
void start_log(EventLog* log);
void stop_log();

}  // namespace tensordbg
