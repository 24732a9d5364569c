#include "runtime/opened_output.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string_view>

namespace matcha::runtime {

namespace {

constexpr int kMostLinks = 40;  // As the kernel follows.
constexpr int kTries = 16;
constexpr unsigned kPermissions = 07777;

/// The open descriptor that a path names; negative: it names none.
int named_descriptor(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const std::string_view digits = path.substr(folder.size());
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error == std::errc{} && end == digits.data() + digits.size()) return number;
  }
  return -1;
}

/// The path of the file that would be created or replaced. Empty: the links have no end.
std::string followed(const std::string& path) {
  std::filesystem::path found = path;
  std::error_code error;
  for (int i = 0; i < kMostLinks; ++i) {
    if (!std::filesystem::is_symlink(std::filesystem::symlink_status(found, error))) return found.string();
    const std::filesystem::path target = std::filesystem::read_symlink(found, error);
    if (error) return found.string();
    found = target.is_absolute() ? target : found.parent_path() / target;
  }
  return {};
}

std::string random_name(const std::string& path) {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) != static_cast<ssize_t>(sizeof bits)) {
    bits = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
  }
  char digits[20];
  std::snprintf(digits, sizeof digits, ".%016llx", static_cast<unsigned long long>(bits));
  return path + ".tmp" + digits;
}

OpenedOutput failed(const std::string& path, int code) { return {-1, code, path, {}}; }

}  // namespace

std::optional<int> copy_named_descriptor(const std::string& path) {
  const int number = named_descriptor(path);
  if (number < 0) return std::nullopt;
  return ::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

OpenedOutput create_beside(const std::string& path, unsigned mode) {
  for (int i = 0; i < kTries; ++i) {
    const std::string name = random_name(path);
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    if (descriptor >= 0) return {descriptor, 0, path, UnfinishedFile(name)};
    if (errno != EEXIST) break;
  }
  return failed(path, errno);
}

OpenedOutput open_output(const std::string& path) {
  if (const std::optional<int> named = copy_named_descriptor(path)) return {*named, *named < 0 ? errno : 0, path, {}};
  struct stat facts {};
  const bool exists = ::stat(path.c_str(), &facts) == 0;
  if (exists && S_ISDIR(facts.st_mode)) return failed(path, EISDIR);
  if (exists && !S_ISREG(facts.st_mode)) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    return {descriptor, descriptor < 0 ? errno : 0, path, {}};
  }
  if (exists && ::access(path.c_str(), W_OK) != 0) return failed(path, errno);
  const std::string real = followed(path);
  if (real.empty()) return failed(path, ELOOP);
  constexpr unsigned kNew = 0666;
  constexpr unsigned kPrivate = 0600;
  OpenedOutput output = create_beside(real, exists ? kPrivate : kNew);
  if (output.descriptor >= 0 && exists) {
    // Of another owner: root keeps them, others cannot.
    const bool kept = facts.st_uid == ::geteuid() || ::fchown(output.descriptor, facts.st_uid, facts.st_gid) == 0;
    const unsigned mode = facts.st_mode & kPermissions;
    static_cast<void>(::fchmod(output.descriptor, kept ? mode : mode & 0777));
  }
  return output;
}

}  // namespace matcha::runtime
