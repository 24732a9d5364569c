#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

struct stat;

/// Folders and files whose content only this user can change. Checks use the open descriptor, and no symbolic link is
/// followed.
namespace matcha::runtime {

/// An open file or folder, closed with the object.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) close();
    number_ = std::exchange(other.number_, number_);
    return *this;
  }

  int get() const { return number_; }
  bool valid() const { return number_ >= 0; }
  /// Closes it now. Returns the error number, or 0.
  int close();

 private:
  int number_;
};

/// Why other users may change a file or folder; empty: they may not.
std::string distrust(const struct stat& facts);

/// Opens a folder that only this user may write. Else `why` is the fault, such as `is a link`; empty: there
/// is no such folder.
Descriptor open_private_folder(const std::string& folder, std::string& why);

/// Opens a regular file that only this user may write, with `flags` of open(2) and, if it is created, `mode`. `folder`:
/// base of a relative `name`, or AT_FDCWD. On failure `why` is the fault, and errno is ENOENT for a missing file, or 0:
/// it was opened, and is not to be trusted.
Descriptor open_private_file(int folder, const std::string& name, int flags, mode_t mode, std::string& why);

}  // namespace matcha::runtime
