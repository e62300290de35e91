#include "log/values.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <limits>

#include "log/held_file.h"

namespace tensordbg {

SiteBytes::~SiteBytes() {
  for (auto& part : parts_) delete[] part.load();
}

std::atomic<std::uint8_t>* SiteBytes::slot(std::uint32_t site) {
  if (site / kPart >= kParts) return nullptr;
  std::atomic<std::uint8_t>* part = parts_[site / kPart].load(std::memory_order_acquire);
  if (part == nullptr) {
    const std::lock_guard<std::mutex> lock(mutex_);
    part = parts_[site / kPart].load(std::memory_order_relaxed);
    if (part == nullptr) {
      part = new std::atomic<std::uint8_t>[kPart]();
      parts_[site / kPart].store(part, std::memory_order_release);
    }
  }
  return part + site % kPart;
}

void SiteBytes::set(std::uint32_t site, std::uint8_t value) {
  if (std::atomic<std::uint8_t>* byte = slot(site)) byte->store(value, std::memory_order_relaxed);
}

void SiteBytes::add_bits(std::uint32_t site, std::uint8_t bits) {
  if ((get(site) & bits) == bits) return;
  if (std::atomic<std::uint8_t>* byte = slot(site)) byte->fetch_or(bits, std::memory_order_relaxed);
}

bool SiteBytes::count_below(std::uint32_t site, std::uint8_t limit) {
  std::atomic<std::uint8_t>* byte = slot(site);
  if (byte == nullptr) return false;
  std::uint8_t known = byte->load(std::memory_order_relaxed);
  while (known < limit) {
    if (byte->compare_exchange_weak(known, static_cast<std::uint8_t>(known + 1), std::memory_order_relaxed)) return true;
  }
  return false;
}

// Closed when the last thread that writes into it is done.
struct ValueStore::File {
  File(std::int64_t number, const std::string& path) : index(number), file(path, O_WRONLY | O_CREAT) {}

  const std::int64_t index;
  HeldFile file;
};

ValueStore::ValueStore(std::string folder, std::int64_t budget, std::int64_t file_bytes)
    : folder_(std::move(folder)), budget_(budget), file_bytes_(std::max<std::int64_t>(file_bytes, kAlignment)) {}

std::int64_t ValueStore::append(const void* data, std::int64_t bytes) {
  std::int64_t position = 0;
  const bool room = !stopped_.load(std::memory_order_relaxed) && reserve(bytes, &position);
  if (room && write_at(position, static_cast<const char*>(data), bytes)) return position;
  if (room || !reused_) stopped_.store(true, std::memory_order_relaxed);
  refused_.fetch_add(1, std::memory_order_relaxed);
  return -1;
}

void ValueStore::release(std::int64_t position, std::int64_t bytes) {
  const std::lock_guard<std::mutex> lock(reuse_mutex_);
  count_files(position, bytes, -1);
}

// Counts a value in each file that it touches, or counts it no longer, and deletes the files that hold none any more.
void ValueStore::count_files(std::int64_t position, std::int64_t size, std::int64_t change) {
  for (std::int64_t index = position / file_bytes_; index * file_bytes_ < position + size; ++index) {
    held_[index] += change;
  }
  const std::int64_t current = next_.load(std::memory_order_relaxed) / file_bytes_;
  for (auto each = held_.begin(); each != held_.end() && each->first < current;) {
    if (each->second != 0) {
      ++each;
      continue;
    }
    unlink(path(each->first).c_str());
    freed_.fetch_add(file_bytes_, std::memory_order_relaxed);
    each = held_.erase(each);
  }
}

bool ValueStore::reserve(std::int64_t bytes, std::int64_t* position) {
  if (bytes > std::numeric_limits<std::int64_t>::max() - kAlignment) return false;
  const std::int64_t size = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  if (reused_) {
    const std::lock_guard<std::mutex> lock(reuse_mutex_);
    if (size > budget_ - used()) return false;
    *position = next_.fetch_add(size, std::memory_order_relaxed);
    count_files(*position, bytes, 1);
    return true;
  }
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
    const ssize_t done = pwrite(target->file.descriptor(), data, wanted, static_cast<off_t>(offset));
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
    const bool made = mkdir(values.c_str(), 0777) == 0 || errno == EEXIST;
    auto opened = made ? std::make_shared<File>(index, path(index)) : nullptr;
    if (opened != nullptr && opened->file.descriptor() >= 0) {
      // A thread that is late with an older file must not push out the one that the others write.
      if (newest_ == nullptr || newest_->index < index) newest_ = opened;
      return opened;
    }
    why = values + ": " + std::strerror(errno);
  }
  fail(why);
  return nullptr;
}

std::string ValueStore::path(std::int64_t index) const {
  char name[40];
  std::snprintf(name, sizeof name, "/values/%06lld.bin", static_cast<long long>(index));
  return folder_ + name;
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
