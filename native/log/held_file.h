// A file that stays open for as long as the program runs. The program may close descriptors that it has not opened
// (`os.closerange`), and its own next files then get their numbers: nothing of ours may ever be written into those.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

namespace tensordbg {

class HeldFile {
 public:
  // Opens or makes a file with `open`'s flags. Where that fails `descriptor` is -1, and errno says why.
  HeldFile(std::string path, int flags);
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;
  // Closes it, unless the program has done so.
  ~HeldFile();

  // What to write to: a descriptor that still is this file's. If the program has closed it, the file is opened again;
  // -1 where that fails, and errno says why. Any thread may call it.
  int descriptor();

  // Appends with one write, and more only where the system takes a part; all or nothing, so that on a full disk what
  // comes next is not taken for the rest of a line. Used by one thread at a time; where it fails, errno says why.
  bool append(const std::string& data);

 private:
  bool is_ours(int descriptor) const;
  void take_back(std::size_t count);

  const std::string path_;
  const int flags_;
  std::mutex mutex_;
  std::atomic<int> descriptor_{-1};
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace tensordbg
