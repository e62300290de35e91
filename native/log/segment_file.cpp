#include "log/segment_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace tensordbg {
namespace {

// Blocks are reserved up front: storing into a mapped hole of a full disk would raise SIGBUS in the program.
int reserve_space(int file, off_t size) {
#if defined(__APPLE__)
  return ftruncate(file, size) == 0 ? 0 : errno;
#else
  return posix_fallocate(file, 0, size);
#endif
}

#if defined(__linux__) && !defined(MADV_POPULATE_WRITE)
#define MADV_POPULATE_WRITE 23  // since Linux 5.14
#endif

}  // namespace

void make_ready(Record* records, std::uint64_t count) {
#if defined(MADV_POPULATE_WRITE)
  const int before = errno;
  madvise(records, count * kRecordSize, MADV_POPULATE_WRITE);  // where it is not known, each page comes when it is written
  errno = before;
#else
  (void)records;
  (void)count;
#endif
}

Record* map_segment_file(const std::string& folder, std::uint64_t index, std::uint64_t slots, std::string* error) {
  char name[32];
  std::snprintf(name, sizeof name, "/segments/%06llu.bin", static_cast<unsigned long long>(index));
  const std::string path = folder + name;
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) {
    *error = path + ": " + std::strerror(errno);
    return nullptr;
  }
  const std::size_t size = slots * kRecordSize;
  int failed = reserve_space(file, static_cast<off_t>(size));
  void* memory = MAP_FAILED;
  if (failed == 0) {
    memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) failed = errno;
  }
  close(file);
  if (memory == MAP_FAILED) {
    *error = path + ": " + std::strerror(failed);
    unlink(path.c_str());
    return nullptr;
  }
  return static_cast<Record*>(memory);
}

}  // namespace tensordbg
