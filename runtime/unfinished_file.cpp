#include "runtime/unfinished_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <mutex>
#include <set>
#include <utility>

namespace matcha::runtime {

namespace {

struct All {
  std::mutex mutex;
  std::multiset<std::string> paths;
};

/// Never destroyed.
All& all() {
  static All* const made = new All;
  return *made;
}

}  // namespace

UnfinishedFile::UnfinishedFile(std::string path) : path_(std::move(path)) {
  const std::lock_guard<std::mutex> lock(all().mutex);
  all().paths.insert(path_);
}

UnfinishedFile::~UnfinishedFile() {
  if (!exists()) return;
  ::unlink(path_.c_str());
  forget();
}

UnfinishedFile::UnfinishedFile(UnfinishedFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}

UnfinishedFile& UnfinishedFile::operator=(UnfinishedFile&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

int UnfinishedFile::rename_to(const std::string& name) {
  if (::rename(path_.c_str(), name.c_str()) != 0) return errno;
  forget();
  return 0;
}

void UnfinishedFile::discard_all() {
  const std::lock_guard<std::mutex> lock(all().mutex);
  for (const std::string& path : all().paths) ::unlink(path.c_str());
}

void UnfinishedFile::forget() {
  const std::lock_guard<std::mutex> lock(all().mutex);
  all().paths.extract(path_);
  path_.clear();
}

}  // namespace matcha::runtime
