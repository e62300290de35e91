#include "log/held_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tensordbg {
namespace {

// The program's own files get the numbers that they would get without us, and what closes a range from 3 on to some
// hundreds misses ours.
constexpr int kHigh = 900;

int open_high(const char* path, int flags) {
  const int low = open(path, flags | O_CLOEXEC, 0666);
  if (low < 0) return -1;
  const int high = fcntl(low, F_DUPFD_CLOEXEC, kHigh);
  if (high < 0) return low;  // the process may have few descriptors
  close(low);
  return high;
}

}  // namespace

HeldFile::HeldFile(std::string path, int flags) : path_(std::move(path)), flags_(flags) {
  const int opened = open_high(path_.c_str(), flags_);
  struct stat found;
  if (opened < 0 || fstat(opened, &found) != 0) return;
  device_ = found.st_dev;
  inode_ = found.st_ino;
  descriptor_.store(opened, std::memory_order_release);
}

HeldFile::~HeldFile() {
  const int held = descriptor_.load(std::memory_order_acquire);
  if (is_ours(held)) close(held);
}

int HeldFile::descriptor() {
  const int held = descriptor_.load(std::memory_order_acquire);
  if (held < 0) return -1;
  if (is_ours(held)) return held;
  const std::lock_guard<std::mutex> lock(mutex_);
  const int newer = descriptor_.load(std::memory_order_acquire);
  if (is_ours(newer)) return newer;
  const int opened = open_high(path_.c_str(), flags_ & ~(O_CREAT | O_EXCL));
  if (opened < 0) return -1;
  if (!is_ours(opened)) {
    close(opened);
    errno = ESTALE;  // another file has taken its place
    return -1;
  }
  descriptor_.store(opened, std::memory_order_release);
  return opened;
}

bool HeldFile::append(const std::string& data) {
  std::size_t done = 0;
  while (done < data.size()) {
    const ssize_t taken = write(descriptor(), data.data() + done, data.size() - done);
    if (taken > 0) {
      done += static_cast<std::size_t>(taken);
    } else if (taken == 0 || errno != EINTR) {
      take_back(done);
      return false;
    }
  }
  return true;
}

void HeldFile::take_back(std::size_t count) {
  const int failure = errno;
  struct stat found;
  const int held = descriptor();
  if (count > 0 && held >= 0 && fstat(held, &found) == 0) {
    (void)!ftruncate(held, found.st_size - static_cast<off_t>(count));
  }
  errno = failure;
}

bool HeldFile::is_ours(int descriptor) const {
  struct stat found;
  return descriptor >= 0 && fstat(descriptor, &found) == 0 && found.st_dev == device_ && found.st_ino == inode_;
}

}  // namespace tensordbg
