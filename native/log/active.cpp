#include "log/active.h"

#include <pthread.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "log/event_log.h"

namespace tensordbg {
namespace {

std::atomic<EventLog*> g_active{nullptr};

// Threads are divided among several counts, so that they do not wait for each other's cache lines.
struct alignas(64) Holders {
  std::atomic<std::int64_t> count{0};
};

std::array<Holders, 64> g_holders;

std::mutex g_mutex;
std::vector<EventLog*> g_stopped;  // not freed yet

// A forked child shares the mapped pages; it must not write into its parent's trace. Only the thread that forked is there.
void stop_in_child() {
  g_active.store(nullptr, std::memory_order_release);
  for (Holders& each : g_holders) each.count.store(0);
}

bool held() {
  return std::any_of(g_holders.begin(), g_holders.end(), [](const Holders& each) { return each.count.load() != 0; });
}

// Whoever counts itself after a log was stopped finds it stopped; so one that nobody holds now is held no more.
void free_stopped() {
  if (held()) return;
  for (EventLog* log : g_stopped) delete log;
  g_stopped.clear();
}

}  // namespace

ActiveLog::ActiveLog() {
  if (g_active.load(std::memory_order_relaxed) == nullptr) return;
  thread_local std::atomic<std::int64_t>* const mine = &g_holders[thread_number() % g_holders.size()].count;
  holders_ = mine;
  // Both are in one order with the reverse of them in `stop_log`.
  holders_->fetch_add(1);
  log_ = g_active.load();
}

void start_log(EventLog* log) {
  static const int registered = pthread_atfork(nullptr, nullptr, stop_in_child);
  (void)registered;
  g_active.store(log);
}

void stop_log() {
  EventLog* log = g_active.exchange(nullptr);
  const std::lock_guard<std::mutex> lock(g_mutex);
  if (log != nullptr) g_stopped.push_back(log);
  free_stopped();
}

}  // namespace tensordbg
