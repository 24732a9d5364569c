#include "runtime/graph/io.h"

#include "runtime/machine.h"

namespace matcha::runtime {

std::string_view compression_name(Compression compression) {
  switch (compression) {
    case Compression::None: return "plain";
    case Compression::Gzip: return "gz";
    case Compression::Zstd: return "zst";
    case Compression::Bzip2: return "bz2";
    case Compression::Xz: return "xz";
    case Compression::Zip: return "zip";
    case Compression::Tar: return "tar";
  }
  return "";
}

std::uint64_t IoOptions::memory_limit() const {
  if (max_bytes != 0) return max_bytes;
  const std::uint64_t memory = machine().memory_bytes;
  return memory == 0 ? std::uint64_t{1} << 33 : memory / 4 * 3;
}

}  // namespace matcha::runtime
