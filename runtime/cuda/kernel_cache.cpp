#include "runtime/cuda/kernel_cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace matcha::runtime::cuda {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".cubin";
constexpr std::string_view kNoteSuffix = ".note";
/// Begins the name of a file that is being written.
constexpr std::string_view kUnfinished = ".writing-";
constexpr char kMagic[8] = {'M', 'A', 'T', 'C', 'H', 'A', 'K', '1'};

/// The start of an entry; the image follows.
struct EntryHeader {
  char magic[8];
  char key[32];
  std::uint64_t length;
  std::uint64_t checksum;  ///< XXH3-64 of the image, seeded with `arch` and `is_ptx`.
  std::int32_t arch;
  std::int32_t is_ptx;
};
static_assert(sizeof(EntryHeader) == 64);

std::uint64_t checksum_of(const EntryHeader& header, std::string_view image) {
  const std::uint64_t seed = static_cast<std::uint64_t>(header.arch) * 2 + (header.is_ptx != 0 ? 1 : 0);
  return XXH3_64bits_withSeed(image.data(), image.size(), seed);
}

/// A variable with an absolute path; the XDG specification has relative ones ignored.
std::string folder_variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value == '/' ? value : "";
}

/// Adds a text and its length, so that no two lists of texts look alike.
void add(XXH3_state_t& state, std::string_view text) {
  const std::uint64_t length = text.size();
  XXH3_128bits_update(&state, &length, sizeof(length));
  XXH3_128bits_update(&state, text.data(), text.size());
}

/// 32 digits.
std::string hexadecimal(XXH128_hash_t hash) {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, hash);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string name;
  for (const unsigned char byte : canonical.digest) {
    name += kDigits[byte >> 4];
    name += kDigits[byte & 15];
  }
  return name;
}

std::string note_file(std::string_view subject) {
  return hexadecimal(XXH3_128bits(subject.data(), subject.size())) + std::string(kNoteSuffix);
}

/// Calls `take` with each file of the cache.
template <typename Take>
void each_file(const std::string& folder, Take take) {
  std::error_code failure;
  for (fs::directory_iterator at(folder, failure), end; !failure && at != end; at.increment(failure)) {
    const std::string name = at->path().filename().string();
    const bool known = name.ends_with(kSuffix) || name.ends_with(kNoteSuffix) || name.starts_with(kUnfinished);
    if (known) take(at->path(), name);
  }
}

/// The bytes of a regular file. Size and bytes are of one file, whatever is renamed to its place meanwhile.
std::optional<std::string> read_all(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  struct stat facts {};
  std::string bytes;
  std::size_t done = 0;
  if (::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode)) {
    bytes.resize(static_cast<std::size_t>(facts.st_size));
    while (done < bytes.size()) {
      const ssize_t got = ::read(descriptor, bytes.data() + done, bytes.size() - done);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
  }
  ::close(descriptor);
  if (done == 0 || done < bytes.size()) return std::nullopt;
  return bytes;
}

std::string unwritable(const std::string& folder, int code) {
  return "compiled kernels are not kept: `" + folder + "` cannot be written; " + std::generic_category().message(code);
}

/// Writes all bytes; false leaves errno.
bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace

KernelCache KernelCache::standard() {
  const char* chosen = std::getenv("MATCHA_CACHE_DIR");
  if (chosen != nullptr && *chosen != '\0') return KernelCache(std::string(chosen) + "/kernels");
  if (const std::string xdg = folder_variable("XDG_CACHE_HOME"); !xdg.empty())
    return KernelCache(xdg + "/matcha/kernels");
  if (const std::string home = folder_variable("HOME"); !home.empty())
    return KernelCache(home + "/.cache/matcha/kernels");
  return KernelCache("");
}

std::string KernelCache::key(const CompileRequest& request, const std::string& nvrtc_version) {
  XXH3_state_t state;
  XXH3_INITSTATE(&state);
  XXH3_128bits_reset(&state);
  add(state, MATCHA_VERSION);
  add(state, nvrtc_version);
  add(state, std::to_string(request.arch));
  add(state, request.name);
  add(state, request.source);
  for (const std::string& option : request.options) add(state, option);
  return hexadecimal(XXH3_128bits_digest(&state));
}

std::optional<KernelImage> KernelCache::load(const std::string& key) const {
  if (folder_.empty()) return std::nullopt;
  const std::optional<std::string> kept = read_all(fs::path(folder_) / (key + std::string(kSuffix)));
  if (!kept) return std::nullopt;
  const std::string_view bytes = *kept;
  EntryHeader header;
  if (bytes.size() < sizeof(header)) return std::nullopt;
  std::memcpy(&header, bytes.data(), sizeof(header));
  const std::string_view image = bytes.substr(sizeof(header));
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0) return std::nullopt;
  if (std::string_view(header.key, sizeof(header.key)) != key) return std::nullopt;
  if (header.length != image.size() || header.checksum != checksum_of(header, image)) return std::nullopt;
  KernelImage found;
  found.bytes = image;
  found.is_ptx = header.is_ptx != 0;
  found.arch = header.arch;
  found.from_cache = true;
  return found;
}

std::string KernelCache::problem() const {
  if (folder_.empty()) {
    return "compiled kernels are not kept: neither MATCHA_CACHE_DIR, XDG_CACHE_HOME nor HOME names a folder";
  }
  std::error_code failure;
  fs::create_directories(folder_, failure);
  if (failure) return unwritable(folder_, failure.value());
  if (::access(folder_.c_str(), W_OK | X_OK) != 0) return unwritable(folder_, errno);
  return "";
}

std::string KernelCache::store(const std::string& key, const KernelImage& image) const {
  if (std::string problem = this->problem(); !problem.empty()) return problem;
  EntryHeader header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  std::memcpy(header.key, key.data(), std::min(key.size(), sizeof(header.key)));
  header.length = image.bytes.size();
  header.arch = image.arch;
  header.is_ptx = image.is_ptx ? 1 : 0;
  header.checksum = checksum_of(header, image.bytes);

  const std::string_view start(reinterpret_cast<const char*>(&header), sizeof(header));
  const int failure = write(key + std::string(kSuffix), {start, image.bytes});
  return failure == 0 ? "" : unwritable(folder_, failure);
}

int KernelCache::write(const std::string& name, std::initializer_list<std::string_view> parts) const {
  static std::atomic<std::uint64_t> number{0};
  const fs::path unfinished = fs::path(folder_) / (std::string(kUnfinished) + std::to_string(::getpid()) + "-" +
                                                   std::to_string(number.fetch_add(1)) + "-" + name);
  const int descriptor = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) return errno;
  int problem = 0;
  for (std::string_view part : parts) {
    if (problem == 0 && !write_all(descriptor, part)) problem = errno;
  }
  if (::close(descriptor) != 0 && problem == 0) problem = errno;
  if (problem == 0) {
    std::error_code failure;
    fs::rename(unfinished, fs::path(folder_) / name, failure);
    problem = failure.value();
  }
  if (problem != 0) ::unlink(unfinished.c_str());
  return problem;
}

std::optional<std::string> KernelCache::note(std::string_view subject) const {
  if (folder_.empty()) return std::nullopt;
  return read_all(fs::path(folder_) / note_file(subject));
}

void KernelCache::keep_note(std::string_view subject, std::string_view text) const {
  if (problem().empty()) write(note_file(subject), {text});
}

KernelCache::Size KernelCache::size() const {
  Size total;
  each_file(folder_, [&](const fs::path& path, const std::string& name) {
    if (!name.ends_with(kSuffix)) return;
    std::error_code failure;
    const std::uintmax_t bytes = fs::file_size(path, failure);
    if (failure) return;
    ++total.files;
    total.bytes += bytes;
  });
  return total;
}

Result<KernelCache::Size> KernelCache::clear() const {
  Size removed;
  std::string problem;
  each_file(folder_, [&](const fs::path& path, const std::string&) {
    std::error_code failure;
    const std::uintmax_t bytes = fs::file_size(path, failure);
    if (!fs::remove(path, failure)) {
      if (failure) problem = "`" + path.string() + "` cannot be removed; " + failure.message();
      return;
    }
    ++removed.files;
    removed.bytes += bytes;
  });
  if (!problem.empty()) return Error{ErrorKind::Resource, problem, "", 0, ""};
  return removed;
}

Result<KernelImage> compile_cached(const Nvrtc& nvrtc, const KernelCache& cache, const CompileRequest& request) {
  const std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  };
  const std::string key = KernelCache::key(request, nvrtc.version_text());
  if (std::optional<KernelImage> kept = cache.load(key)) {
    kept->note = nvrtc.fallback_note(request.arch, kept->arch);
    kept->milliseconds = elapsed();
    return *std::move(kept);
  }
  Result<Compilation> made = nvrtc.compile(request);
  if (!made) return made.error();
  KernelImage image;
  image.is_ptx = made->cubin.empty();
  image.bytes = image.is_ptx ? made->ptx : made->cubin;
  image.arch = made->arch;
  image.log = made->log;
  image.note = made->note;
  if (const std::string problem = cache.store(key, image); !problem.empty()) {
    image.note += (image.note.empty() ? "" : "\n") + problem;
  }
  image.milliseconds = elapsed();
  return image;
}

}  // namespace matcha::runtime::cuda
