#include "values.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>

namespace tensordbg {

SiteSet::~SiteSet() {
  for (auto& part : parts_) delete[] part.load();
}

void SiteSet::set(std::uint32_t site, bool kept) {
  if (site / kPart >= kParts) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  std::atomic<std::uint8_t>* part = parts_[site / kPart].load(std::memory_order_relaxed);
  if (part == nullptr) {
    if (!kept) return;
    part = new std::atomic<std::uint8_t>[kPart]();
    parts_[site / kPart].store(part, std::memory_order_release);
  }
  part[site % kPart].store(kept ? 1 : 0, std::memory_order_relaxed);
}

// Closed when the last thread that writes into it is done.
struct ValueStore::File {
  File(std::int64_t number, int opened) : index(number), descriptor(opened) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(descriptor); }

  const std::int64_t index;
  const int descriptor;
};

ValueStore::ValueStore(std::string folder, std::int64_t budget, std::int64_t file_bytes)
    : folder_(std::move(folder)), budget_(budget), file_bytes_(std::max<std::int64_t>(file_bytes, kAlignment)) {}

std::int64_t ValueStore::append(const void* data, std::int64_t bytes) {
  std::int64_t position = 0;
  if (stopped_.load(std::memory_order_relaxed) || !reserve(bytes, &position) ||
      !write_at(position, static_cast<const char*>(data), bytes)) {
    stopped_.store(true, std::memory_order_relaxed);
    refused_.fetch_add(1, std::memory_order_relaxed);
    return -1;
  }
  return position;
}

bool ValueStore::reserve(std::int64_t bytes, std::int64_t* position) {
  if (bytes > std::numeric_limits<std::int64_t>::max() - kAlignment) return false;
  const std::int64_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  std::int64_t known = next_.load(std::memory_order_relaxed);
  do {
    if (size > budget_ - known) return false;
  } while (!next_.compare_exchange_weak(known, known + size, std::memory_order_relaxed));
  *position = known;
  return true;
}

bool ValueStore::write_at(std::int64_t position, const char* data, std::int64_t bytes) {
  while (bytes > 0) {
    const std::shared_ptr<File> target = file(position / file_bytes_);
    if (target == nullptr) return false;
    const std::int64_t offset = position % file_bytes_;
    const auto wanted = static_cast<std::size_t>(std::min(bytes, file_bytes_ - offset));
    const ssize_t done = pwrite(target->descriptor, data, wanted, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      fail(std::string("writing failed: ") + std::strerror(done < 0 ? errno : ENOSPC));
      return false;
    }
    position += done;
    data += done;
    bytes -= done;
  }
  return true;
}

std::shared_ptr<ValueStore::File> ValueStore::file(std::int64_t index) {
  std::string why;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (newest_ != nullptr && newest_->index == index) return newest_;
    const std::string values = folder_ + "/values";
    char name[32];
    std::snprintf(name, sizeof name, "/%06lld.bin", static_cast<long long>(index));
    const bool made = mkdir(values.c_str(), 0777) == 0 || errno == EEXIST;
    const int descriptor = made ? open((values + name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : -1;
    if (descriptor >= 0) {
      auto opened = std::make_shared<File>(index, descriptor);
      // A thread that is late with an older file must not push out the one that the others write.
      if (newest_ == nullptr || newest_->index < index) newest_ = opened;
      return opened;
    }
    why = values + ": " + std::strerror(errno);
  }
  fail(why);
  return nullptr;
}

void ValueStore::fail(const std::string& why) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failure_.empty()) failure_ = why;
}

std::string ValueStore::failure() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return failure_;
}

}  // namespace tensordbg
