#include <xxhash.h>

#include <cstring>

#include "runtime/graph/detail/mtg_layout.h"
#include "tests/fuzz/fuzzer.h"
#include "tests/fuzz/loaders/loader_input.h"

namespace {

using matcha::runtime::detail::MtgEntry;
using matcha::runtime::detail::MtgHeader;

/// Makes the checksums right, so that the checks behind them are reached.
void mend_checksums(std::string& bytes) {
  MtgHeader header{};
  if (bytes.size() < sizeof(header)) return;
  std::memcpy(&header, bytes.data(), sizeof(header));
  header.file_bytes = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof(header));
  if (header.section_count > matcha::runtime::detail::kMtgSections) return;
  const std::size_t table_end = sizeof(header) + header.section_count * sizeof(MtgEntry);
  if (bytes.size() < table_end + sizeof(std::uint64_t)) return;
  for (std::uint64_t at = 0; at < header.section_count; ++at) {
    char* const place = bytes.data() + sizeof(header) + at * sizeof(MtgEntry);
    MtgEntry entry{};
    std::memcpy(&entry, place, sizeof(entry));
    if (entry.begin > bytes.size() || entry.bytes > bytes.size() - entry.begin) continue;
    entry.xxh3 = XXH3_64bits(bytes.data() + entry.begin, entry.bytes);
    std::memcpy(place, &entry, sizeof(entry));
  }
  const std::uint64_t sum = XXH3_64bits(bytes.data(), table_end);
  std::memcpy(bytes.data() + table_end, &sum, sizeof(sum));
}

}  // namespace

MATCHA_FUZZER(load_mtg) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  matcha::runtime::fuzz::load_as(bytes, matcha::runtime::Format::Auto);
  mend_checksums(bytes);
  matcha::runtime::fuzz::load_as(bytes, matcha::runtime::Format::Auto);
}
