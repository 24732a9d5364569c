#include "runtime/code_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "runtime/private_files.h"

namespace matcha::runtime {

namespace {

namespace fs = std::filesystem;

/// The start of a file; the last character is the version of the format.
constexpr char kMagic[8] = {'M', 'A', 'T', 'C', 'H', 'A', 'C', '1'};
constexpr std::size_t kKeyDigits = 32;
/// The start of a temporary file's name.
constexpr std::string_view kUnfinished = ".writing-";
/// Seconds after which such a file is abandoned.
constexpr std::time_t kAbandoned = 3600;

/// The start of a file; the code follows.
struct Header {
  char magic[8];
  char key[kKeyDigits];
  std::uint64_t length;
  unsigned char checksum[16];  ///< XXH3-128 of the code, in canonical form.
};
static_assert(sizeof(Header) == 64);

std::string error_text(int code) { return std::generic_category().message(code); }

std::string unwritable(const std::string& folder, int code) {
  return "compiled code is not kept: `" + folder + "` cannot be written; " + error_text(code);
}

/// The folder, if it is safe for code. Else `why` is the reason; empty if the folder does not exist.
Descriptor open_folder(const std::string& folder, std::string& why) {
  std::string reason;
  Descriptor opened = open_private_folder(folder, reason);
  why = reason.empty() ? "" : "compiled code is not kept: `" + folder + "` " + reason;
  return opened;
}

/// The same; creates the folder if it is missing.
Descriptor make_folder(const std::string& folder, std::string& why) {
  std::error_code failure;
  fs::create_directories(fs::path(folder).parent_path(), failure);
  if (!failure && ::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    failure.assign(errno, std::generic_category());
  }
  if (failure) {
    why = unwritable(folder, failure.value());
    return Descriptor(-1);
  }
  Descriptor opened = open_folder(folder, why);
  if (opened.valid() && ::faccessat(opened.get(), ".", W_OK | X_OK, AT_EACCESS) != 0) {
    why = unwritable(folder, errno);
    return Descriptor(-1);
  }
  return opened;
}

/// Reads the rest of a file; false: it cannot be read.
bool read_all(int descriptor, std::string& bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = ::read(descriptor, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

/// Writes all bytes; false with errno set on failure.
bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

XXH128_canonical_t canonical(XXH128_hash_t hash) {
  XXH128_canonical_t result;
  XXH128_canonicalFromHash(&result, hash);
  return result;
}

Header header_of(std::string_view name, std::string_view code) {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  std::memcpy(header.key, name.data(), std::min(name.size(), kKeyDigits));
  header.length = code.size();
  const XXH128_canonical_t checksum = canonical(XXH3_128bits(code.data(), code.size()));
  std::memcpy(header.checksum, checksum.digest, sizeof(header.checksum));
  return header;
}

/// The code of an open file, or nothing with the reason in `why`.
std::optional<std::string> read_code(int descriptor, std::string_view name, std::string& why) {
  struct stat facts {};
  if (::fstat(descriptor, &facts) != 0) {
    why = "cannot be read; " + error_text(errno);
    return std::nullopt;
  }
  Header header{};
  std::string code;
  const std::uint64_t size = static_cast<std::uint64_t>(facts.st_size);
  why = "is damaged";
  if (size < sizeof(header)) return std::nullopt;
  std::string start(sizeof(header), '\0');
  code.resize(size - sizeof(header));
  if (!read_all(descriptor, start) || !read_all(descriptor, code)) return std::nullopt;
  std::memcpy(&header, start.data(), sizeof(header));
  const Header wanted = header_of(name, code);
  if (std::memcmp(&header, &wanted, sizeof(header)) != 0) return std::nullopt;
  why.clear();
  return code;
}

/// A file of a cache.
struct Entry {
  std::string name;
  std::uint64_t bytes = 0;
  struct timespec used {};
};

bool is_entry(std::string_view name) {
  return name.size() > kKeyDigits && name[kKeyDigits] == '.' &&
         name.substr(0, kKeyDigits).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// The files in the folder. If `clean`, removes those that interrupted writers left.
std::vector<Entry> entries(int folder, bool clean) {
  std::vector<Entry> found;
  const int again = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (again < 0) return found;
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::fdopendir(again), ::closedir);
  if (listing == nullptr) {
    ::close(again);
    return found;
  }
  while (const struct dirent* next = ::readdir(listing.get())) {
    const std::string name = next->d_name;
    const bool unfinished = name.starts_with(kUnfinished);
    struct stat facts {};
    if (!unfinished && !is_entry(name)) continue;
    if (::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(facts.st_mode)) continue;
    if (!unfinished) found.push_back({name, static_cast<std::uint64_t>(facts.st_size), facts.st_mtim});
    if (unfinished && clean && facts.st_mtim.tv_sec + kAbandoned < std::time(nullptr)) {
      ::unlinkat(folder, name.c_str(), 0);
    }
  }
  return found;
}

/// Removes the least recently used files until the others are within the limits; `newest` stays.
void trim(int folder, const CodeCache::Limits& limits, const std::string& newest) {
  std::vector<Entry> all = entries(folder, true);
  std::uint64_t bytes = 0;
  for (const Entry& entry : all) bytes += entry.bytes;
  std::uint64_t files = all.size();
  if (bytes <= limits.bytes && files <= limits.files) return;
  std::sort(all.begin(), all.end(), [](const Entry& a, const Entry& b) {
    if (a.used.tv_sec != b.used.tv_sec) return a.used.tv_sec < b.used.tv_sec;
    return a.used.tv_nsec != b.used.tv_nsec ? a.used.tv_nsec < b.used.tv_nsec : a.name < b.name;
  });
  for (const Entry& entry : all) {
    if (bytes <= limits.bytes && files <= limits.files) return;
    if (entry.name == newest) continue;
    ::unlinkat(folder, entry.name.c_str(), 0);
    bytes -= entry.bytes;
    --files;
  }
}

/// A name that is unique among writers on all machines.
std::string unfinished_name(const std::string& name) {
  static std::atomic<std::uint64_t> number{0};
  const std::int64_t now = std::chrono::system_clock::now().time_since_epoch().count();
  return std::string(kUnfinished) + std::to_string(::getpid()) + "-" + std::to_string(now) + "-" +
         std::to_string(number.fetch_add(1)) + "-" + name;
}

/// Writes a file atomically. Returns the error number, or 0.
int write_file(int folder, const std::string& name, std::initializer_list<std::string_view> parts) {
  const std::string unfinished = unfinished_name(name);
  Descriptor file(
      ::openat(folder, unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file.valid()) return errno;
  int problem = 0;
  for (std::string_view part : parts) {
    if (problem == 0 && !write_all(file.get(), part)) problem = errno;
  }
  const int closed = file.close();
  if (problem == 0) problem = closed;
  if (problem == 0 && ::renameat(folder, unfinished.c_str(), folder, name.c_str()) != 0) problem = errno;
  if (problem != 0) ::unlinkat(folder, unfinished.c_str(), 0);
  return problem;
}

}  // namespace

std::string CodeCache::key(std::span<const std::string_view> parts) {
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_128bits_reset(&state);
  // Hashing the lengths too keeps different lists of texts distinct.
  for (std::string_view part : parts) {
    const std::uint64_t length = part.size();
    XXH3_128bits_update(&state, &length, sizeof(length));
    XXH3_128bits_update(&state, part.data(), part.size());
  }
  constexpr char kDigits[] = "0123456789abcdef";
  std::string digits;
  for (const unsigned char byte : canonical(XXH3_128bits_digest(&state)).digest) {
    digits += kDigits[byte >> 4];
    digits += kDigits[byte & 15];
  }
  return digits;
}

CodeCache::Found CodeCache::load(const std::string& name) const {
  Found found;
  if (folder_.empty()) return found;
  const Descriptor folder = open_folder(folder_, found.note);
  if (!folder.valid()) return found;
  std::string why;
  const Descriptor file = open_private_file(folder.get(), name, O_RDONLY, 0, why);
  if (file.valid()) {
    found.code = read_code(file.get(), name, why);
  } else if (errno == ENOENT) {
    why.clear();
  }
  if (found.code) ::futimens(file.get(), nullptr);
  if (!why.empty()) found.note = "code is compiled again: a file in `" + folder_ + "` " + why;
  return found;
}

std::string CodeCache::store(const std::string& name, std::string_view code) const {
  if (folder_.empty()) return "";
  std::string why;
  const Descriptor folder = make_folder(folder_, why);
  if (!folder.valid()) return why;
  const Header header = header_of(name, code);
  const std::string_view start(reinterpret_cast<const char*>(&header), sizeof(header));
  const int failure = write_file(folder.get(), name, {start, code});
  if (failure != 0) return unwritable(folder_, failure);
  trim(folder.get(), limits_, name);
  return "";
}

std::string CodeCache::problem() const {
  if (folder_.empty()) return "compiled code is not kept: no folder is named";
  std::string why;
  make_folder(folder_, why);
  return why;
}

CodeCache::Size CodeCache::size() const {
  Size total;
  std::string ignored;
  const Descriptor folder = open_folder(folder_, ignored);
  if (!folder.valid()) return total;
  for (const Entry& entry : entries(folder.get(), false)) {
    ++total.files;
    total.bytes += entry.bytes;
  }
  return total;
}

}  // namespace matcha::runtime
