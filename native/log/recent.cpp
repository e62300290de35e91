#include "log/recent.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "health/measure.h"
#include "log/segment_file.h"
#include "log/strings.h"

namespace tensordbg {

RecentRecords::RecentRecords(std::string folder, std::uint64_t segment_records, std::uint64_t limit, ValueStore* values)
    : folder_(std::move(folder)), segment_records_(segment_records), limit_(limit), values_(values) {
  grow();
}

RecentRecords::~RecentRecords() {
  for (Record* each : segments_) munmap(each, segment_records_ * kRecordSize);
}

bool RecentRecords::append(const Record& record) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool of_execution = record.kind != RecordKind::kGraphTensor && record.kind != RecordKind::kExecutionBegin;
  const auto owner = of_execution ? known_.find(record.owner) : known_.end();
  // What belongs to an execution that is gone goes with it.
  if (of_execution && owner == known_.end() && record.owner > permanent_through_) {
    release_values(record);
    return true;
  }
  Slot slot = kNone;
  if (!write(record, &slot)) return false;
  if (record.kind == RecordKind::kGraphTensor) {
    tensors_.push_back({sequence_, slot});
    if (tensors_.size() > limit_) drop_tensor();
  } else if (record.kind == RecordKind::kExecutionBegin) {
    begin(record, slot);
  } else if (owner != known_.end()) {
    follow(&owner->second, record, slot);
  }
  return true;
}

bool RecentRecords::write(const Record& record, Slot* slot) {
  if (free_.empty() && !grow()) return false;
  *slot = free_.back();
  free_.pop_back();
  Record* target = at(*slot);
  // A reader that comes by now sees an empty slot, before and after the change or a change of the number.
  __atomic_thread_fence(__ATOMIC_RELEASE);
  constexpr std::size_t kBody = offsetof(Record, time_ns);
  std::memcpy(reinterpret_cast<char*>(target) + kBody, reinterpret_cast<const char*>(&record) + kBody,
              kRecordSize - kBody);
  __atomic_store_n(&target->sequence, ++sequence_, __ATOMIC_RELEASE);
  return true;
}

bool RecentRecords::grow() {
  if (!failure_.empty()) return false;
  Record* segment = map_segment_file(folder_, segments_.size(), segment_records_, &failure_);
  if (segment == nullptr) return false;
  const auto first = static_cast<Slot>(segments_.size() * segment_records_);
  segments_.push_back(segment);
  next_.resize(segments_.size() * segment_records_, kNone);
  for (std::uint64_t k = segment_records_; k > 0; --k) free_.push_back(first + static_cast<Slot>(k) - 1);
  return true;
}

void RecentRecords::begin(const Record& record, Slot slot) {
  const bool function = (record.flags & kFlagFunction) != 0;
  Execution& execution = known_[record.owner];
  execution.begin = sequence_;
  execution.end = function ? 0 : sequence_;
  execution.first = execution.last = slot;
  next_[slot] = kNone;
  const bool source = !function && record.rank == 0;
  auto* oldest_first = source ? &sources_ : &executions_;
  oldest_first->push_back(record.owner);
  if (oldest_first->size() > (source ? kSources * limit_ : limit_)) drop_execution(oldest_first);
}

void RecentRecords::follow(Execution* execution, const Record& record, Slot slot) {
  next_[execution->last] = slot;
  next_[slot] = kNone;
  execution->last = slot;
  if (record.kind != RecordKind::kExecutionEnd) return;
  execution->end = sequence_;
  if (execution->permanent) {
    known_.erase(record.owner);
  } else if (execution->expired) {
    settle(record.owner);
  }
}

void RecentRecords::drop_tensor() {
  const Event oldest = tensors_.front();
  tensors_.pop_front();
  empty(oldest.slot);
  while (!held_.empty() && held_.begin()->first <= oldest.sequence) {
    const std::int64_t number = held_.begin()->second;
    held_.erase(held_.begin());
    remove(number);
  }
}

void RecentRecords::drop_execution(std::deque<std::int64_t>* oldest_first) {
  const std::int64_t number = oldest_first->front();
  oldest_first->pop_front();
  Execution& execution = known_[number];
  if (execution.end == 0) {
    execution.expired = true;
  } else {
    settle(number);
  }
}

// An execution that is too old has ended: it goes, or waits for the last tensor that may be its own.
void RecentRecords::settle(std::int64_t number) {
  const Execution& execution = known_[number];
  const auto after = std::upper_bound(tensors_.begin(), tensors_.end(), execution.end,
                                      [](std::uint64_t end, const Event& event) { return end < event.sequence; });
  if (after != tensors_.begin() && std::prev(after)->sequence > execution.begin) {
    held_.emplace(std::prev(after)->sequence, number);
  } else {
    remove(number);
  }
}

void RecentRecords::remove(std::int64_t number) {
  const auto found = known_.find(number);
  for (Slot slot = found->second.first; slot != kNone; slot = next_[slot]) empty(slot);
  known_.erase(found);
}

void RecentRecords::empty(Slot slot) {
  Record* record = at(slot);
  release_values(*record);
  __atomic_store_n(&record->sequence, 0, __ATOMIC_RELEASE);
  free_.push_back(slot);
}

void RecentRecords::release_values(const Record& record) {
  const bool tensor = record.kind == RecordKind::kGraphTensor || record.kind == RecordKind::kEagerTensor;
  if (!tensor || values_ == nullptr || record.tensor.value_position <= 0) return;
  const TensorFields& fields = record.tensor;
  const auto dtype = static_cast<DType>(record.dtype);
  const bool strings = dtype == DType::kString;
  const std::int64_t bytes = strings ? packed_bytes(fields.size, fields.health.sum)
                                     : fields.size * static_cast<std::int64_t>(element_size(dtype));
  values_->release(fields.value_position - 1, bytes);
}

void RecentRecords::keep_all() {
  const std::lock_guard<std::mutex> lock(mutex_);
  tensors_.clear();
  executions_.clear();
  sources_.clear();
  held_.clear();
  for (auto each = known_.begin(); each != known_.end();) {
    permanent_through_ = std::max(permanent_through_, each->first);
    each->second.permanent = true;
    each = each->second.end == 0 ? std::next(each) : known_.erase(each);
  }
}

void RecentRecords::forget(std::uint64_t begin, std::uint64_t end) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto before = [](const Event& event, std::uint64_t sequence) { return event.sequence < sequence; };
  const auto first = std::lower_bound(tensors_.begin(), tensors_.end(), begin, before);
  const auto last = std::lower_bound(first, tensors_.end(), end, before);
  for (auto each = first; each != last; ++each) empty(each->slot);
  tensors_.erase(first, last);
  forget_executions(&executions_, begin, end);
  forget_executions(&sources_, begin, end);
}

void RecentRecords::forget_executions(std::deque<std::int64_t>* oldest_first, std::uint64_t begin, std::uint64_t end) {
  const auto before = [this](std::int64_t number, std::uint64_t sequence) { return known_[number].begin < sequence; };
  const auto first = std::lower_bound(oldest_first->begin(), oldest_first->end(), begin, before);
  const auto last = std::lower_bound(first, oldest_first->end(), end, before);
  const auto stays = [this, end](std::int64_t number) { return known_[number].end == 0 || known_[number].end >= end; };
  const auto gone = std::stable_partition(first, last, stays);
  for (auto each = gone; each != last; ++each) remove(*each);
  oldest_first->erase(gone, last);
}

std::uint64_t RecentRecords::appended() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return sequence_;
}

std::string RecentRecords::failure() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

}  // namespace tensordbg
