#include "runtime/graph/detail/scratch_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "runtime/graph/detail/source.h"
#include "runtime/graph/page_limit.h"

namespace matcha::runtime::detail {

Result<std::shared_ptr<ScratchFile>> ScratchFile::create(const std::string& folder) {
  constexpr mode_t kOwn = 0600;
  int descriptor = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOwn);
  if (descriptor < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
    std::string name = folder + "/.matcha-XXXXXX";
    descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor >= 0) (void)::unlink(name.c_str());
  }
  if (descriptor < 0) return input_error(folder, 0, std::string("cannot write: ") + std::strerror(errno));
  return std::shared_ptr<ScratchFile>(new ScratchFile(descriptor, folder));
}

ScratchFile::~ScratchFile() {
  if (mapping_ != nullptr) ::munmap(mapping_, mapped_);
  ::close(descriptor_);
}

Error ScratchFile::failed(const char* what, int number) const {
  return Error{ErrorKind::Resource, std::string("a scratch file ") + what + ": " + std::strerror(number), folder_, 0,
               "it needs some 16 bytes for each edge there"};
}

template <typename Byte, typename Call>
Status ScratchFile::each_part(const Call& call, std::uint64_t at, Byte* bytes, std::uint64_t count, const char* failure,
                              int at_end) const {
  while (count != 0) {
    const ssize_t done = call(descriptor_, bytes, count, static_cast<off_t>(at));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return failed(failure, done < 0 ? errno : at_end);
    bytes += done;
    at += static_cast<std::uint64_t>(done);
    count -= static_cast<std::uint64_t>(done);
  }
  return Done{};
}

Status ScratchFile::write(std::uint64_t at, const void* bytes, std::uint64_t count) const {
  return each_part(::pwrite, at, static_cast<const char*>(bytes), count, "cannot be written", ENOSPC);
}

Status ScratchFile::read(std::uint64_t at, void* bytes, std::uint64_t count) const {
  return each_part(::pread, at, static_cast<char*>(bytes), count, "cannot be read", EIO);
}

Result<std::string_view> ScratchFile::map(const std::shared_ptr<ScratchFile>& file, std::uint64_t count) {
  constexpr std::uint64_t kSlack = 64;
  file->mapped_ = count + kSlack;
  if (::ftruncate(file->descriptor_, static_cast<off_t>(file->mapped_)) != 0) return file->failed("cannot grow", errno);
  void* const mapping = ::mmap(nullptr, file->mapped_, PROT_READ, MAP_SHARED, file->descriptor_, 0);
  if (mapping == MAP_FAILED) return file->failed("cannot be mapped", errno);
  file->mapping_ = mapping;
  if (PageLimit* const limit = PageLimit::of_reading(); limit != nullptr) {
    limit->watch({static_cast<const char*>(mapping), file->mapped_}, file);
  }
  return std::string_view(static_cast<const char*>(mapping), count);
}

}  // namespace matcha::runtime::detail
