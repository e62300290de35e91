// The event log: fixed-size records appended from any thread, without a lock or the GIL, to memory-mapped segments.
// What was written outlives the process, however it ends: the pages belong to the kernel.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "health/measure.h"
#include "log/first_bad.h"
#include "log/held_file.h"
#include "log/recent.h"
#include "log/values.h"
#include "record.h"

namespace tensordbg {

enum class Detail : int { kOps = 0, kShapes = 1, kHealth = 2, kValues = 3 };

enum class NameKind : int { kPath = 0, kDevice = 1 };

// One mapped file of `segment_records` slots. It is unmapped by whoever finishes its last slot.
struct Segment {
  Record* records;
  std::uint64_t index;
  std::atomic<std::uint64_t> finished{0};
};

class EventLog {
 public:
  // The folder must exist; `segments/` and `names.jsonl` are made in it. `values` is null where none are kept. With
  // `last` > 0 only the most recent records are kept, see recent.h. Throws std::runtime_error.
  EventLog(std::string folder, std::uint64_t segment_records, Detail detail, std::unique_ptr<ValueStore> values,
           std::uint64_t last);
  // Nobody may use it any more; what was recorded stays.
  ~EventLog();

  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // Reserves the next slot, or returns null where the log can't grow (a full disk): the event is then dropped.
  // The caller fills the record, leaving `sequence`, and hands it to `finish`.
  Record* reserve(std::uint64_t* sequence);
  void finish(Record* record, std::uint64_t sequence);

  // Whether tensors of a site and dtype are recorded: what does not pass the program's filters is not looked at.
  bool wants(std::uint32_t site, DType dtype) const {
    if (paused()) return false;
    return (dtypes_.load(std::memory_order_relaxed) >> static_cast<int>(dtype) & 1) != 0 && !muted_.has(site);
  }
  bool paused() const { return pauses_.load(std::memory_order_relaxed) > 0; }
  // No tensors are recorded until as many pauses have ended as began.
  void pause() { pauses_.fetch_add(1, std::memory_order_relaxed); }
  void go_on() { pauses_.fetch_sub(1, std::memory_order_relaxed); }
  void mute(std::uint32_t site, bool muted) { muted_.set(site, muted); }
  // One bit for each dtype.
  void choose_dtypes(std::uint64_t mask) { dtypes_.store(mask, std::memory_order_relaxed); }

  // Of a log that keeps the most recent records: what is there stays for good.
  void keep_all() {
    if (recent_ != nullptr) recent_->keep_all();
  }
  // ... and what was written in between goes, see recent.h.
  void forget(std::uint64_t begin, std::uint64_t end) {
    if (recent_ != nullptr) recent_->forget(begin, end);
  }

  // The number of a name, given out on first sight; it is on disk before this returns.
  std::uint32_t intern(NameKind kind, const std::string& name);

  std::int64_t new_execution() { return next_execution_.fetch_add(1, std::memory_order_relaxed); }

  Detail detail() const { return detail_; }
  ValueStore* values() const { return values_.get(); }
  // Keeps the elements of the first bad tensors too, in so many bytes. Before anything is recorded.
  void keep_first_bad(std::int64_t budget) { first_bad_ = std::make_unique<FirstBad>(budget); }
  // Null where they are not kept.
  FirstBad* first_bad() const { return first_bad_.get(); }
  // Records the sketches of tensors too. Before anything is recorded.
  void keep_sketches() { sketches_ = true; }
  bool sketches() const { return sketches_; }
  std::uint64_t generation() const { return generation_; }
  std::uint64_t appended() const {
    return recent_ != nullptr ? recent_->appended() : next_.load(std::memory_order_relaxed);
  }
  // How many tensors were recorded that are not finite, as far as they were measured.
  std::uint64_t bad() const { return bad_.load(std::memory_order_relaxed); }
  // The largest magnitude recorded since this was last asked for.
  double take_largest() { return largest_.exchange(0, std::memory_order_relaxed); }
  // Why the log stopped growing; empty while it grows.
  std::string failure() const;
  // How many records were dropped since then.
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  Segment* segment(std::uint64_t index);
  Segment* map_segment(std::uint64_t index);
  void make_slots_ready(Record* records, std::uint64_t first);
  void fail(const std::string& why);
  void note_health(const Record& record);

  // So many slots are made ready together, by the thread that takes the first of those before them.
  static constexpr std::uint64_t kReady = 1024;

  // More than can be unfinished at once: a thread writes one record at a time.
  static constexpr std::uint64_t kMapped = 1024;

  const std::string folder_;
  const std::uint64_t segment_records_;
  const Detail detail_;
  const std::unique_ptr<ValueStore> values_;
  std::unique_ptr<FirstBad> first_bad_;
  std::unique_ptr<RecentRecords> recent_;  // null where all records are kept
  bool sketches_ = false;
  SiteSet muted_;
  std::atomic<int> pauses_{0};
  std::atomic<std::uint64_t> dtypes_{~std::uint64_t{0}};
  const std::uint64_t generation_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic<std::int64_t> next_execution_{1};
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<std::uint64_t> bad_{0};
  std::atomic<double> largest_{0};
  std::atomic<bool> failed_{false};
  std::atomic<Segment*> segments_[kMapped] = {};
  mutable std::mutex mutex_;
  std::string failure_;
  std::mutex names_mutex_;
  std::unique_ptr<HeldFile> names_file_;
  std::unordered_map<std::string, std::uint32_t> names_[2];
};

std::int64_t monotonic_ns();
std::uint32_t thread_number();

}  // namespace tensordbg
