#pragma once

#include <gtest/gtest.h>
#include <xxhash.h>

#include <cstring>
#include <string>

#include "runtime/graph/detail/mtg_layout.h"
#include "runtime/graph/mtg.h"
#include "tests/unit/runtime/graph/support.h"

/// Small `.mtg` files of all kinds, and changes to them that keep their checksums right.
namespace matcha::runtime::test {

/// A graph with every section: sparse ids, an isolated vertex, word labels.
inline std::string write_labelled(const TemporaryFolder& folder) {
  GraphSpec spec = spec_of(folder.file("g.txt", "5 6\n6 90\n5 90\n"));
  spec.labels_path = folder.file("g.labels", "5 a\n6 7\n90 b\n1000 a\n");
  const LoadedGraph loaded = load(spec);
  const std::string path = folder.path("g.mtg");
  const Status written = write_mtg(loaded.graph, path);
  EXPECT_TRUE(written) << written.error().render();
  return path;
}

inline std::string write_temporal(const TemporaryFolder& folder) {
  GraphSpec spec = spec_of(folder.file("t.txt", "1 2 30\n1 2 10\n2 1 5\n"));
  spec.temporal = true;
  const std::string path = folder.path("t.mtg");
  EXPECT_TRUE(write_mtg(load(spec).graph, path));
  return path;
}

/// The error of reading these bytes; they must not load.
inline Error refused(const TemporaryFolder& folder, const std::string& bytes) {
  const Error error = load_error(folder.file("bad.mtg", bytes));
  EXPECT_NE(error.message, "");
  EXPECT_EQ(error.kind, ErrorKind::Input);
  return error;
}

/// A graph with its order by degree, largest first: 6, 90, 7, 5, 8 or so.
inline std::string write_ranked(const TemporaryFolder& folder) {
  const LoadedGraph loaded = load(folder.file("r.txt", "5 6\n6 90\n6 7\n7 90\n8 90\n"));
  const Result<Graph> ranked = ordered_by_degree(loaded.graph, Halves::Lower);
  EXPECT_TRUE(ranked);
  const std::string path = folder.path("r.mtg");
  EXPECT_TRUE(write_mtg(loaded.graph, path, {}, {&*ranked, Halves::Lower}));
  return path;
}

/// Arcs with two labels, one pair with both.
inline std::string write_by_label(const TemporaryFolder& folder) {
  GraphSpec spec = spec_of(folder.file("l.txt", "1 2 knows\n1 2 pays\n1 3 knows\n3 1 knows\n7 2 pays\n2 9 knows\n"));
  spec.directed = spec.edge_info = true;
  spec.info = ColumnKind::Label;
  const std::string path = folder.path("l.mtg");
  EXPECT_TRUE(write_mtg(load(spec).graph, path, {}, {}, true));
  return path;
}

/// Changes a header field and makes the header's checksum right again.
template <typename Change>
std::string with_header(std::string bytes, const Change& change) {
  detail::MtgHeader header{};
  std::memcpy(&header, bytes.data(), sizeof(header));
  const std::uint64_t table_end = sizeof(header) + header.section_count * sizeof(detail::MtgEntry);
  change(header);
  std::memcpy(bytes.data(), &header, sizeof(header));
  const std::uint64_t sum = XXH3_64bits(bytes.data(), table_end);
  std::memcpy(bytes.data() + table_end, &sum, sizeof(sum));
  return bytes;
}

/// Changes the bytes of a section and makes all checksums right again.
template <typename Change>
std::string with_section(std::string bytes, detail::MtgSection which, const Change& change) {
  detail::MtgHeader header{};
  std::memcpy(&header, bytes.data(), sizeof(header));
  for (std::uint64_t at = 0; at < header.section_count; ++at) {
    char* const place = bytes.data() + sizeof(header) + at * sizeof(detail::MtgEntry);
    detail::MtgEntry entry{};
    std::memcpy(&entry, place, sizeof(entry));
    if (entry.section != static_cast<std::uint64_t>(which)) continue;
    change(bytes.data() + entry.begin);
    entry.xxh3 = XXH3_64bits(bytes.data() + entry.begin, entry.bytes);
    std::memcpy(place, &entry, sizeof(entry));
  }
  return with_header(bytes, [](detail::MtgHeader&) {});
}

}  // namespace matcha::runtime::test
