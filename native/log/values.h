// Whole tensors, kept in files beside the events: appended from any thread, without the GIL, up to a budget. Like the
// events they outlive the process: what was written lies in the kernel's page cache.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace tensordbg {

// A byte for each site, 0 at first, read by any thread while others change it.
class SiteBytes {
 public:
  SiteBytes() = default;
  ~SiteBytes();
  SiteBytes(const SiteBytes&) = delete;
  SiteBytes& operator=(const SiteBytes&) = delete;

  std::uint8_t get(std::uint32_t site) const {
    if (site / kPart >= kParts) return 0;
    const std::atomic<std::uint8_t>* part = parts_[site / kPart].load(std::memory_order_acquire);
    return part == nullptr ? 0 : part[site % kPart].load(std::memory_order_relaxed);
  }
  void set(std::uint32_t site, std::uint8_t value);
  void add_bits(std::uint32_t site, std::uint8_t bits);
  // Adds 1 to a byte that is below a limit; whether it was.
  bool count_below(std::uint32_t site, std::uint8_t limit);

 private:
  static constexpr std::uint32_t kPart = 16384;
  static constexpr std::uint32_t kParts = 4096;

  // Null where there is no such site.
  std::atomic<std::uint8_t>* slot(std::uint32_t site);

  std::atomic<std::atomic<std::uint8_t>*> parts_[kParts] = {};
  std::mutex mutex_;
};

// Which sites' values are kept.
class SiteSet {
 public:
  void set(std::uint32_t site, bool kept) {
    if (kept || bytes_.get(site) != 0) bytes_.set(site, kept ? 1 : 0);
  }
  bool has(std::uint32_t site) const { return bytes_.get(site) != 0; }

 private:
  SiteBytes bytes_;
};

// Position p, counted over all files, lies in file p / file_bytes at p % file_bytes; a value may go on in the next file.
class ValueStore {
 public:
  static constexpr std::int64_t kAlignment = 64;

  // The folder must exist; `values/` is made in it with the first value.
  ValueStore(std::string folder, std::int64_t budget, std::int64_t file_bytes);

  // Writes the bytes and returns their position; -1 where they are not kept. Once a value did not fit in the budget, or
  // could not be written, no more are kept: a history is cut at one point, not thinned out.
  std::int64_t append(const void* data, std::int64_t bytes);

  // Before the first value: values may be released, and their room is used again. One that does not fit is left out.
  void reuse() { reused_ = true; }
  // A value of so many bytes is wanted no longer. A file is deleted with the last value in it.
  void release(std::int64_t position, std::int64_t bytes);

  std::int64_t used() const { return next_.load(std::memory_order_relaxed) - freed_.load(std::memory_order_relaxed); }
  // How many values were not kept since the budget was used up or a write failed.
  std::uint64_t refused() const { return refused_.load(std::memory_order_relaxed); }
  // Why a write failed; empty if none did.
  std::string failure() const;

  SiteSet sites;

 private:
  struct File;

  bool reserve(std::int64_t bytes, std::int64_t* position);
  void count_files(std::int64_t position, std::int64_t size, std::int64_t change);
  std::string path(std::int64_t index) const;
  bool write_at(std::int64_t position, const char* data, std::int64_t bytes);
  std::shared_ptr<File> file(std::int64_t index);
  void fail(const std::string& why);

  const std::string folder_;
  const std::int64_t budget_;
  const std::int64_t file_bytes_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<bool> stopped_{false};
  mutable std::mutex mutex_;
  std::string failure_;
  std::shared_ptr<File> newest_;
  bool reused_ = false;
  std::atomic<std::int64_t> freed_{0};
  std::mutex reuse_mutex_;
  std::map<std::int64_t, std::int64_t> held_;  // for each file the number of values in it that are wanted
};

}  // namespace tensordbg
