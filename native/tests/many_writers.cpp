// Many threads write into one log while others look at it; then everything must be there, once and whole. Built and run
// with ThreadSanitizer by `make sanitize`.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "log/event_log.h"
#include "tensorflow/probe.h"

namespace tensordbg {
namespace {

constexpr int kThreads = 8;
constexpr int kEach = 20000;
constexpr std::uint64_t kSegmentRecords = 1024;
constexpr int kElements = 16;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "many_writers: %s\n", what);
  std::exit(1);
}

// Each record says who wrote it, in several places, so that a torn one is seen.
void write_records(EventLog* log, int thread) {
  std::vector<float> elements(kElements, static_cast<float>(thread));
  for (int number = 0; number < kEach; ++number) {
    std::uint64_t sequence = 0;
    Record* record = log->reserve(&sequence);
    expect(record != nullptr, "the log stopped growing");
    record->time_ns = monotonic_ns();
    record->owner = number;
    record->frame = static_cast<std::uint64_t>(thread);
    record->iteration = thread;
    record->site = static_cast<std::uint32_t>(thread);
    record->path = log->intern(NameKind::kPath, "path" + std::to_string(number % 7));
    record->thread = thread_number();
    record->slot = 0;
    record->device = 0;
    record->kind = RecordKind::kGraphTensor;
    fill_tensor(log, DType::kFloat32, elements.data(), 1, [](int) { return std::int64_t{kElements}; }, record);
    log->finish(record, sequence);
  }
}

void look_on(EventLog* log, const std::atomic<bool>* done) {
  std::uint64_t before = 0;
  while (!done->load()) {
    const std::uint64_t now = log->appended();
    expect(now >= before, "the number of records shrank");
    before = now;
    expect(log->failure().empty(), "the log failed");
    log->mute(1000, true);
    log->values()->sites.set(3, true);
  }
}

std::vector<Record> read_records(const std::filesystem::path& folder) {
  std::vector<Record> records;
  for (const auto& entry : std::filesystem::directory_iterator(folder / "segments")) {
    std::ifstream file(entry.path(), std::ios::binary);
    Record record;
    while (file.read(reinterpret_cast<char*>(&record), sizeof record)) {
      if (record.sequence != 0) records.push_back(record);
    }
  }
  return records;
}

void check(const Record& record) {
  const auto writer = static_cast<std::int64_t>(record.site);
  expect(record.frame == record.site && record.iteration == writer, "a record holds parts of two");
  expect(record.tensor.size == kElements && record.tensor.health.min == static_cast<double>(writer), "a record is torn");
}

void run(const std::filesystem::path& folder, std::uint64_t last) {
  std::filesystem::create_directories(folder);
  auto values = std::make_unique<ValueStore>(folder.string(), std::int64_t{1} << 30, std::int64_t{1} << 20);
  values->sites.set(2, true);
  auto* log = new EventLog(folder.string(), kSegmentRecords, Detail::kValues, std::move(values), last);
  std::atomic<bool> done{false};
  std::thread onlooker(look_on, log, &done);
  std::vector<std::thread> writers;
  for (int thread = 0; thread < kThreads; ++thread) writers.emplace_back(write_records, log, thread);
  for (std::thread& writer : writers) writer.join();
  done = true;
  onlooker.join();
  const std::vector<Record> records = read_records(folder);
  std::vector<int> seen(kThreads * kEach + 1);
  for (const Record& record : records) {
    check(record);
    ++seen[record.sequence];
  }
  for (int sequence = 1; sequence <= kThreads * kEach; ++sequence) {
    const bool kept = last == 0 || sequence > kThreads * kEach - static_cast<int>(last);
    expect(seen[sequence] == (kept ? 1 : 0), "a record is missing, too many, or there twice");
  }
}

}  // namespace
}  // namespace tensordbg

int main(int count, char** arguments) {
  tensordbg::expect(count == 2, "give a folder");
  const std::filesystem::path folder = arguments[1];
  tensordbg::run(folder / "all", 0);
  tensordbg::run(folder / "last", 1000);
  std::puts("many_writers: all is there");
}
