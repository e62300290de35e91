#include "log/event_log.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <stdexcept>

#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include "health/measure.h"
#include "log/segment_file.h"

namespace tensordbg {
namespace {

std::atomic<std::uint64_t> g_generation{0};

std::string json_escape(const std::string& text) {
  std::string out;
  for (const unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\u%04x", c);
      out += buffer;
    } else {
      out += static_cast<char>(c);
    }
  }
  return out;
}

// The largest magnitude among the finite elements of a tensor of floating-point numbers; 0 where it was not measured.
double largest_magnitude(const Record& record) {
  const HealthFields& health = record.tensor.health;
  const bool tensor = record.kind == RecordKind::kGraphTensor || record.kind == RecordKind::kEagerTensor;
  const auto dtype = static_cast<DType>(record.dtype);
  const bool floating = dtype >= DType::kFloat16 && dtype <= DType::kFloat8E5M2;
  if (!tensor || !floating || (record.flags & kFlagHealth) == 0 || !(health.min <= health.max)) return 0;
  return std::max(std::abs(health.min), std::abs(health.max));
}

}  // namespace

std::int64_t monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

std::uint32_t thread_number() {
#if defined(__linux__)
  thread_local const auto number = static_cast<std::uint32_t>(syscall(SYS_gettid));
#else
  thread_local const std::uint32_t number = [] {
    std::uint64_t id = 0;
    pthread_threadid_np(nullptr, &id);
    return static_cast<std::uint32_t>(id);
  }();
#endif
  return number;
}

EventLog::EventLog(std::string folder, std::uint64_t segment_records, Detail detail, std::unique_ptr<ValueStore> values,
                   std::uint64_t last)
    : folder_(std::move(folder)),
      segment_records_(segment_records),
      detail_(detail),
      values_(std::move(values)),
      generation_(g_generation.fetch_add(1) + 1) {
  const std::string segments = folder_ + "/segments";
  if (mkdir(segments.c_str(), 0777) != 0 && errno != EEXIST) {
    throw std::runtime_error(segments + ": " + std::strerror(errno));
  }
  const std::string names = folder_ + "/names.jsonl";
  names_file_ = std::make_unique<HeldFile>(names, O_WRONLY | O_CREAT | O_APPEND);
  if (names_file_->descriptor() < 0) throw std::runtime_error(names + ": " + std::strerror(errno));
  intern(NameKind::kPath, "");
  intern(NameKind::kDevice, "");
  if (last > 0) {
    recent_ = std::make_unique<RecentRecords>(folder_, segment_records_, last, values_.get());
    if (!recent_->failure().empty()) throw std::runtime_error(recent_->failure());
  } else if (segment(0) == nullptr) {
    throw std::runtime_error(failure());
  }
}

EventLog::~EventLog() {
  for (const auto& each : segments_) {
    Segment* home = each.load(std::memory_order_acquire);
    if (home == nullptr) continue;
    munmap(home->records, segment_records_ * kRecordSize);
    delete home;
  }
}

Record* EventLog::reserve(std::uint64_t* sequence) {
  if (failed_.load(std::memory_order_relaxed)) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  if (recent_ != nullptr) {
    // Measuring takes time: only a finished record takes the place of an older one.
    thread_local Record draft;
    std::memset(static_cast<void*>(&draft), 0, sizeof draft);
    *sequence = 0;
    return &draft;
  }
  const std::uint64_t position = next_.fetch_add(1, std::memory_order_relaxed);
  Segment* home = segment(position / segment_records_);
  if (home == nullptr) {
    dropped_.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
  }
  *sequence = position + 1;
  const std::uint64_t slot = position % segment_records_;
  // This slot is not finished, so the segment stays mapped meanwhile.
  if (slot % kReady == 0) make_slots_ready(home->records, slot + kReady);
  return home->records + slot;
}

void EventLog::make_slots_ready(Record* records, std::uint64_t first) {
  if (first < segment_records_) make_ready(records + first, std::min(kReady, segment_records_ - first));
}

void EventLog::note_health(const Record& record) {
  if (not_finite(record)) bad_.fetch_add(1, std::memory_order_relaxed);
  const double magnitude = largest_magnitude(record);
  double known = largest_.load(std::memory_order_relaxed);
  while (magnitude > known && !largest_.compare_exchange_weak(known, magnitude, std::memory_order_relaxed)) {
  }
}

void EventLog::finish(Record* record, std::uint64_t sequence) {
  note_health(*record);
  if (recent_ != nullptr) {
    std::string error;
    try {
      if (recent_->append(*record)) return;
      error = recent_->failure();
    } catch (const std::exception& exception) {
      error = exception.what();
    }
    dropped_.fetch_add(1, std::memory_order_relaxed);
    const std::lock_guard<std::mutex> lock(mutex_);
    fail(error);
    return;
  }
  // The release store makes a record visible only when it is whole.
  __atomic_store_n(&record->sequence, sequence, __ATOMIC_RELEASE);
  const std::uint64_t index = (sequence - 1) / segment_records_;
  Segment* home = segments_[index % kMapped].load(std::memory_order_acquire);
  if (home->finished.fetch_add(1, std::memory_order_acq_rel) + 1 == segment_records_) {
    segments_[index % kMapped].store(nullptr, std::memory_order_release);
    munmap(home->records, segment_records_ * kRecordSize);
    delete home;
  }
}

Segment* EventLog::segment(std::uint64_t index) {
  Segment* home = segments_[index % kMapped].load(std::memory_order_acquire);
  if (home != nullptr && home->index == index) return home;
  const std::lock_guard<std::mutex> lock(mutex_);
  home = segments_[index % kMapped].load(std::memory_order_acquire);
  if (home != nullptr && home->index == index) return home;
  return map_segment(index);
}

Segment* EventLog::map_segment(std::uint64_t index) {
  if (failed_.load(std::memory_order_relaxed)) return nullptr;
  std::string error;
  Record* records = map_segment_file(folder_, index, segment_records_, &error);
  if (records == nullptr) {
    fail(error);
    return nullptr;
  }
  make_slots_ready(records, 0);
  auto* home = new Segment{records, index, {}};
  segments_[index % kMapped].store(home, std::memory_order_release);
  return home;
}

void EventLog::fail(const std::string& why) {
  failure_ = why;
  failed_.store(true, std::memory_order_release);
}

std::string EventLog::failure() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

std::uint32_t EventLog::intern(NameKind kind, const std::string& name) {
  const std::lock_guard<std::mutex> lock(names_mutex_);
  auto& known = names_[static_cast<int>(kind)];
  const auto found = known.find(name);
  if (found != known.end()) return found->second;
  const auto number = static_cast<std::uint32_t>(known.size());
  const std::string line = std::string("{\"kind\": \"") + (kind == NameKind::kPath ? "path" : "device") +
                           "\", \"id\": " + std::to_string(number) + ", \"name\": \"" + json_escape(name) + "\"}\n";
  // A failed write costs the name, not the program; the reader then shows none.
  if (!names_file_->append(line)) errno = 0;
  known.emplace(name, number);
  return number;
}

}  // namespace tensordbg
