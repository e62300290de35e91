// The most recent records only: the slots of mapped files are used again, so the files grow no larger than what is kept.
//
// Kept are the last `limit` executions, and the last `limit` tensors of graphs. Executions that take nothing, which are
// mostly values that come in from outside, are counted by themselves: four times `limit` of them are kept. Records of an execution stay and go together. The call of a function that is
// still open, or during which a kept tensor was computed, stays until that tensor goes.
//
// A slot whose sequence is 0 is empty; the order of the records is that of their sequence numbers. Nothing has to be
// done at the end: what a killed process leaves is what is kept.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "log/values.h"
#include "record.h"

namespace tensordbg {

class RecentRecords {
 public:
  // The folder `segments` must exist in `folder`. `values` may be null; it gets back the room of tensors that go.
  RecentRecords(std::string folder, std::uint64_t segment_records, std::uint64_t limit, ValueStore* values);

  ~RecentRecords();
  RecentRecords(const RecentRecords&) = delete;
  RecentRecords& operator=(const RecentRecords&) = delete;

  // Writes a record, whose sequence is given out here, and drops what is too old with it. Any thread may call it.
  // False where there is no room left; `failure` says why.
  bool append(const Record& record);

  // What is there now stays for good; the counting begins anew.
  void keep_all();

  // Drops what was written from the sequence number `begin` up to and without `end`. A call that is open at that end
  // stays, without its tensors.
  void forget(std::uint64_t begin, std::uint64_t end);

  std::uint64_t appended() const;
  std::string failure() const;

 private:
  using Slot = std::uint32_t;
  static constexpr Slot kNone = 0xFFFFFFFF;
  static constexpr std::uint64_t kSources = 4;  // for each execution

  struct Execution {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;  // sequence of its end, 0 while it is open; of an eager operation its beginning
    Slot first = kNone;
    Slot last = kNone;
    bool expired = false;  // too old, but open
    bool permanent = false;
  };

  struct Event {
    std::uint64_t sequence;
    Slot slot;
  };

  Record* at(Slot slot) const { return segments_[slot / segment_records_] + slot % segment_records_; }
  bool write(const Record& record, Slot* slot);
  bool grow();
  void begin(const Record& record, Slot slot);
  void follow(Execution* execution, const Record& record, Slot slot);
  void drop_tensor();
  void drop_execution(std::deque<std::int64_t>* oldest_first);
  void forget_executions(std::deque<std::int64_t>* oldest_first, std::uint64_t begin, std::uint64_t end);
  void settle(std::int64_t number);
  void remove(std::int64_t number);
  void empty(Slot slot);
  void release_values(const Record& record);

  const std::string folder_;
  const std::uint64_t segment_records_;
  const std::uint64_t limit_;
  ValueStore* const values_;
  mutable std::mutex mutex_;
  std::uint64_t sequence_ = 0;
  std::string failure_;
  std::vector<Record*> segments_;
  std::vector<Slot> free_;
  std::vector<Slot> next_;  // for each slot the next one of its execution
  std::deque<Event> tensors_;
  std::deque<std::int64_t> executions_;
  std::deque<std::int64_t> sources_;
  std::unordered_map<std::int64_t, Execution> known_;
  std::multimap<std::uint64_t, std::int64_t> held_;  // too old, but the tensor with this sequence belongs to it
  std::int64_t permanent_through_ = 0;               // the largest number of an execution that stays for good
};

}  // namespace tensordbg
