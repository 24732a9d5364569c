#include "runtime/private_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace matcha::runtime {

namespace {

std::string unreadable(int code) { return "cannot be opened; " + std::generic_category().message(code); }

}  // namespace

int Descriptor::close() {
  if (number_ < 0) return 0;
  return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno;
}

std::string distrust(const struct stat& facts) {
  if (facts.st_uid != ::geteuid()) return "belongs to another user";
  if ((facts.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "may be written by others";
  return "";
}

Descriptor open_private_folder(const std::string& folder, std::string& why) {
  why.clear();
  Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat facts {};
  if (!opened.valid()) {
    const int code = errno;
    if (code == ENOENT) return opened;
    const bool link = ::lstat(folder.c_str(), &facts) == 0 && S_ISLNK(facts.st_mode);
    why = link ? "is a link" : unreadable(code);
  } else if (::fstat(opened.get(), &facts) != 0) {
    why = unreadable(errno);
  } else {
    why = distrust(facts);
  }
  return why.empty() ? std::move(opened) : Descriptor();
}

Descriptor open_private_file(int folder, const std::string& name, int flags, mode_t mode, std::string& why) {
  why.clear();
  // Does not block on a pipe in place of a file.
  Descriptor opened(::openat(folder, name.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode));
  if (!opened.valid()) {
    const int code = errno;
    why = code == ELOOP ? "is a link" : code == ENXIO ? "is no plain file" : unreadable(code);
    errno = code;
    return opened;
  }
  struct stat facts {};
  if (::fstat(opened.get(), &facts) != 0) {
    why = unreadable(errno);
  } else {
    why = S_ISREG(facts.st_mode) ? distrust(facts) : "is no plain file";
  }
  errno = 0;
  return why.empty() ? std::move(opened) : Descriptor();
}

}  // namespace matcha::runtime
