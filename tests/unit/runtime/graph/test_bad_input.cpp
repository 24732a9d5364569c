#include <gtest/gtest.h>

#include <atomic>

#include "runtime/graph/mtg.h"
#include "runtime/graph/write.h"
#include "tests/unit/runtime/graph/support.h"

namespace matcha::runtime::test {
namespace {

/// A file that must be refused: with this message, at this line.
struct BadCase {
  std::string name;
  std::string bytes;
  std::uint64_t line;
  std::string message;
  ErrorKind kind = ErrorKind::Input;
};

std::ostream& operator<<(std::ostream& out, const BadCase& bad) { return out << bad.name; }

class BadFile : public testing::TestWithParam<BadCase> {};

TEST_P(BadFile, IsRefusedWithItsPlace) {
  const TemporaryFolder folder;
  const std::string path = folder.file("bad", GetParam().bytes);
  for (const std::uint64_t chunk_bytes : {1ULL, 16ULL, 1ULL << 20}) {
    IoOptions options;
    options.chunk_bytes = chunk_bytes;
    const Error error = load_error(spec_of(path), options);
    EXPECT_NE(error.message.find(GetParam().message), std::string::npos) << error.render();
    EXPECT_EQ(error.line, GetParam().line) << error.render();
    EXPECT_EQ(error.file, path);
    EXPECT_EQ(error.kind, GetParam().kind);
  }
}

std::string truncated(std::string bytes) {
  bytes.resize(bytes.size() - 5);
  return bytes;
}

std::string flipped(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
  return bytes;
}

std::string zeros(std::size_t size) { return std::string(size, '\0'); }

const std::string kLong = [] {
  std::string text = "# long\n";
  for (int i = 0; i < 2000; ++i) text += std::to_string(i * 37 % 1009) + " " + std::to_string(i) + "\n";
  return text;
}();

INSTANTIATE_TEST_SUITE_P(
    Text, BadFile,
    testing::Values(BadCase{"empty", "", 0, "the file is empty"},
                    BadCase{"word", "# c\n1 2\nfoo 3\n", 3, "expected a vertex id, found `foo`"},
                    BadCase{"heading_below", "1,2\nsource,target\n", 2, "expected a vertex id, found `source`"},
                    BadCase{"one_column", "1 2\n3\n", 2, "expected a vertex id, the line ends"},
                    BadCase{"empty_column", "1,2\n3,,4\n", 2, "expected a vertex id, the column is empty"},
                    BadCase{"float_id", "1.5 2\n", 1, "expected a vertex id, found `1.5`"},
                    BadCase{"plus", "+1 2\n", 1, "found `+1`"}, BadCase{"glued", "1 2\n1 2x\n", 2, "found `2x`"},
                    BadCase{"past_64_bits", "1 2\n\n18446744073709551616 1\n", 3, "does not fit in 64 bits"},
                    BadCase{"far_past_64_bits", "1 99999999999999999999999999999\n", 1, "does not fit in 64 bits"},
                    BadCase{"below_64_bits", "1 -9223372036854775809\n", 1, "does not fit in 64 bits"},
                    BadCase{"lone_return", "1 2\r3 4\r5 6\r", 1, "carriage return inside a line"},
                    BadCase{"stream", "+ 1 2\n- 3 4\n", 1, "found `+`"},
                    BadCase{"control_bytes", "1 \x01\x02\n", 1, "found `\\x01\\x02`"},
                    BadCase{"utf16_le", "\xFF\xFE" + std::string("1\0 \0", 4), 0, "the file is UTF-16"},
                    BadCase{"utf16_be", "\xFE\xFF" + std::string("\0001\0 ", 4), 0, "the file is UTF-16"},
                    BadCase{"utf32", std::string("\xFF\xFE\0\0", 4) + zeros(8), 0, "the file is UTF-32"},
                    BadCase{"zero_bytes", "1 2\n" + zeros(8), 2, "bytes of value 0"},
                    BadCase{"gz_of_zero_bytes", gzip(zeros(8)), 1, "bytes of value 0"},
                    BadCase{"zip", std::string("PK\x03\x04 and so on"), 0, "the archive"},
                    BadCase{"xz",
                            std::string("\xFD"
                                        "7zXZ\0\0",
                                        7),
                            0, "xz data"},
                    BadCase{"program",
                            "\x7F"
                            "ELF\x02\x01",
                            0, "a program"},
                    BadCase{"long_line", "# " + std::string(3u << 20, 'x'), 1, "a line is longer than 1 MiB"},
                    BadCase{"long_line_below", "1 2\n3 " + std::string(3u << 20, '4') + "\n5 6\n", 2,
                            "a line is longer than 1 MiB"},
                    BadCase{"long_line_in_gz", gzip("1 " + std::string(3u << 20, '2')), 0,
                            "a line is longer than 1 MiB"}),
    [](const testing::TestParamInfo<BadCase>& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Packed, BadFile,
    testing::Values(BadCase{"truncated_gz", truncated(gzip(kLong)), 0, "truncated: its gzip data end early"},
                    BadCase{"gz_header_only", gzip(kLong).substr(0, 10), 0, "truncated: its gzip data end early"},
                    BadCase{"gz_magic_only", "\x1f\x8b", 0, "truncated: its gzip data end early"},
                    BadCase{"corrupt_gz", flipped(gzip(kLong), gzip(kLong).size() - 6), 0, "the gzip data are corrupt"},
                    BadCase{"garbage_after_gz", gzip(kLong) + "more", 0, "other bytes after the gzip data"},
                    BadCase{"truncated_zst", truncated(zstd(kLong)), 0, "truncated: its zstd data end early"},
                    BadCase{"corrupt_zst", zstd(kLong).replace(7, 40, 40, '\xFF'), 0, "the zstd data are corrupt"},
                    BadCase{"garbage_after_zst", zstd(kLong) + "more", 0, "zstd data"},
                    BadCase{"twice", gzip(zstd(kLong)), 0, "compressed twice"},
                    BadCase{"empty_gz", gzip(""), 0, "empty once unpacked"},
                    BadCase{"empty_zst", zstd(""), 0, "empty once unpacked"},
                    BadCase{"bad_line_in_gz", gzip("1 2\n3 4\nx y\n"), 3, "found `x`"}),
    [](const testing::TestParamInfo<BadCase>& info) { return info.param.name; });

const std::string kMatrixBanner = "%%MatrixMarket matrix coordinate ";

INSTANTIATE_TEST_SUITE_P(
    Matrix, BadFile,
    testing::Values(
        BadCase{"dense", "%%MatrixMarket matrix array real general\n2 2\n1\n2\n", 1, "only `coordinate`"},
        BadCase{"vector", "%%MatrixMarket vector coordinate real general\n", 1, "expected a Matrix Market banner"},
        BadCase{"field", kMatrixBanner + "quaternion general\n2 2 0\n", 1, "unknown field `quaternion`"},
        BadCase{"symmetry", kMatrixBanner + "real odd\n2 2 0\n", 1, "unknown symmetry `odd`"},
        BadCase{"no_size", kMatrixBanner + "pattern general\n% only this\n", 2, "ends before the size line"},
        BadCase{"bad_size", kMatrixBanner + "pattern general\n3 x 1\n1 1\n", 2, "expected `rows columns entries`"},
        BadCase{"not_square", kMatrixBanner + "pattern general\n%\n2 3 1\n1 3\n", 3, "not square: 2 rows, 3 columns"},
        BadCase{"zero_based", kMatrixBanner + "pattern general\n2 2 2\n1 2\n0 1\n", 4, "index `0` is outside 1…2"},
        BadCase{"past_the_end", kMatrixBanner + "pattern general\n2 2 2\n1 3\n0 1\n", 3, "index `3` is outside 1…2"},
        BadCase{"too_few", kMatrixBanner + "pattern general\n2 2 2\n1 2\n", 2, "declares 2 entries, the file has 1"},
        BadCase{"too_many", kMatrixBanner + "pattern general\n2 2 1\n1 2\n2 1\n", 2,
                "declares 1 entries, the file has 2"},
        BadCase{"no_value", kMatrixBanner + "real general\n2 2 1\n1 2\n", 3, "2 columns, 3 are needed"},
        BadCase{"claims_much", kMatrixBanner + "pattern general\n3 3 1000000000000000000\n1 2\n", 2,
                "declares 1000000000000000000 entries, the file has 1"},
        BadCase{"claims_many_rows", kMatrixBanner + "pattern general\n4000000000 4000000000 1\n1 2\n", 2,
                "declares 4000000000 rows for 1 entries", ErrorKind::Resource},
        BadCase{"too_many_rows", kMatrixBanner + "pattern general\n5000000000 5000000000 1\n1 2\n", 2,
                "at most 4294967294 vertices", ErrorKind::Resource}),
    [](const testing::TestParamInfo<BadCase>& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Tve, BadFile,
    testing::Values(
        BadCase{"unknown_line", "t 1 0\nv 0 1\nx 1 2\n", 3, "starts with `t`, `v` or `e`, found `x`"},
        BadCase{"update", "v 0 1\nv 1 1\n-e 0 1\n", 3, "found `-e`"},
        BadCase{"no_vertex_line", "v 0 1\nv 1 1\ne 0 1\ne 1 2\n", 4, "vertex `2`, which has no `v` line"},
        BadCase{"sparse_no_vertex_line", "v 0 1\nv 9 1\ne 0 9\ne 9 5\n", 4, "vertex `5`, which has no `v` line"},
        BadCase{"vertex_twice", "v 0 1\nv 1 1\nv 0 1\n", 3, "vertex `0` has a second `v` line"},
        BadCase{"vertex_count", "t 3 1\nv 0 1\nv 1 1\ne 0 1\n", 1, "declares 3 vertices, the file has 2"},
        BadCase{"edge_count", "t 2 4\nv 0 1\nv 1 1\ne 0 1\n", 1, "declares 4 edges, the file has 1"},
        BadCase{"twice_one_way", "t 3 1\nv 0 1\nv 1 1\nv 2 1\ne 0 1\ne 1 2\n", 1, "declares 1 edges, the file has 2"},
        BadCase{"bad_header", "v 0 1\nt two 4\n", 2, "found `two`"},
        BadCase{"several", "t # 0\nv 0 1\nt # 1\nv 0 1\nx 1\n", 5, "begins with `t`, `v` or `e`"},
        BadCase{"some_labels", "v 0 1\nv 1\n", 2, "this vertex has no label"},
        BadCase{"late_labels", "v 0\nv 1 1\n", 2, "this vertex has a label"},
        BadCase{"float_label", "v 0 1.5\n", 1, "found `1.5`"},
        BadCase{"edge_of_one", "v 0 1\ne 0\n", 2, "expected a vertex id, the line ends"},
        BadCase{"large_id", "v 99999999999999999999 1\n", 1, "does not fit in 64 bits"}),
    [](const testing::TestParamInfo<BadCase>& info) { return info.param.name; });

TEST(BadPath, MissingFileAndFolder) {
  const TemporaryFolder folder;
  const Error missing = load_error(folder.path("none.txt"));
  EXPECT_EQ(missing.message, "cannot open: No such file or directory");
  EXPECT_EQ(missing.render(), folder.path("none.txt") + ": error: cannot open: No such file or directory");
  EXPECT_EQ(load_error(folder.path("")).message, "is a directory");
  GraphSpec spec = spec_of(folder.file("g", "1 2\n"));
  spec.labels_path = folder.path("none.labels");
  EXPECT_EQ(load_error(spec).file, spec.labels_path);
  spec.labels_path.clear();
  spec.vertices_path = folder.path("none.ids");
  EXPECT_EQ(load_error(spec).file, spec.vertices_path);
}

TEST(BadTemporal, ColumnTwoIsNeeded) {
  const TemporaryFolder folder;
  GraphSpec spec = spec_of(folder.file("g", "1 2 3\n1 2\n"));
  spec.temporal = true;
  EXPECT_EQ(load_error(spec).message, "the line has 2 columns, 3 are needed");
  EXPECT_EQ(load_error(spec).line, 2U);
  spec.path = folder.file("h", "1 2 soon\n");
  EXPECT_EQ(load_error(spec).message, "expected an integer, found `soon`");
}

TEST(Limits, MemoryIsBounded) {
  const TemporaryFolder folder;
  std::string many, repeats;
  for (int i = 0; i < 200000; ++i) {
    many += std::to_string(i) + " 2\n";
    repeats += "1 2\n";
  }
  IoOptions options;
  options.max_bytes = 1 << 20;
  options.chunk_bytes = 1 << 12;
  for (const std::string& bytes : {many, gzip(many), zstd(many)}) {
    const Error error = load_error(spec_of(folder.file("g", bytes)), options);
    EXPECT_EQ(error.kind, ErrorKind::Resource);
    EXPECT_NE(error.message.find("memory limit of 1 MiB"), std::string::npos) << error.render();
  }
  // Repeated lines take no memory.
  EXPECT_EQ(load(spec_of(folder.file("g", repeats)), options).report.duplicates, 199999U);
}

TEST(Limits, TheMostMemoryAtATimeCounts) {
  const TemporaryFolder folder;
  constexpr std::uint64_t kLines = 300'000, kVertices = 1000;
  std::string text, sparse;
  for (std::uint64_t line = 0; line < kLines; ++line) {
    const std::uint64_t from = line % kVertices, to = line * 7919 / kVertices % kVertices;
    text += std::to_string(from) + " " + std::to_string(to) + "\n";
    sparse += std::to_string(from * 1'000'000'007) + " " + std::to_string(to * 1'000'000'007) + "\n";
  }
  const auto with_limit = [](std::uint64_t bytes) {
    IoOptions options;
    options.max_bytes = bytes * kLines + 100 * kVertices;
    return options;
  };
  // Two ids of 8 bytes, plus a tenth for their storage; not for later data made of them.
  const GraphSpec spec = spec_of(folder.file("g", text));
  EXPECT_EQ(load(spec, with_limit(20)).report.vertices, kVertices);
  EXPECT_EQ(load_error(spec, with_limit(12)).kind, ErrorKind::Resource);
  // Sparse ids are sorted beside the lines.
  const GraphSpec other = spec_of(folder.file("s", sparse));
  EXPECT_EQ(load(other, with_limit(38)).report.vertices, kVertices);
  EXPECT_EQ(load_error(other, with_limit(26)).kind, ErrorKind::Resource);
}

TEST(Limits, BombOfZerosEndsAtItsFirstBytes) {
  const TemporaryFolder folder;
  const Error error = load_error(folder.file("bomb", gzip(zeros(std::size_t{1} << 22))));
  EXPECT_NE(error.message.find("bytes of value 0"), std::string::npos);
}

TEST(Counts, TruncatedOnlyWhereSomethingIsMissing) {
  const TemporaryFolder folder;
  const auto hint = [&folder](const std::string& text) { return load_error(spec_of(folder.file("g", text))).hint; };
  const std::string rows = kMatrixBanner + "pattern general\n2 2 ";
  EXPECT_EQ(hint(rows + "2\n1 2\n"), "the file may be truncated");
  EXPECT_EQ(hint(rows + "1\n1 2\n2 1\n"), "correct the number in the header");
  EXPECT_EQ(hint("t 3 1\nv 0 1\nv 1 1\ne 0 1\n"), "the file may be truncated");
  EXPECT_EQ(hint("t 1 1\nv 0 1\nv 1 1\ne 0 1\n"), "correct the number in the header");
}

TEST(Cancel, EndsWithInterrupted) {
  const TemporaryFolder folder;
  const std::atomic<bool> cancel{true};
  IoOptions options;
  options.cancel = &cancel;
  const Error error = load_error(spec_of(folder.file("g", "1 2\n")), options);
  EXPECT_EQ(error.message, "interrupted");
  EXPECT_EQ(error.kind, ErrorKind::Runtime);
}

TEST(Writing, NothingHalfIsLeft) {
  const TemporaryFolder folder;
  const LoadedGraph loaded = load(folder.file("g", "1 2\n"));
  EXPECT_FALSE(write_mtg(loaded.graph, folder.path("none/x.mtg")));
  EXPECT_FALSE(write_text(loaded.graph, folder.path("none/x.txt"), {}));
  const std::atomic<bool> cancel{true};
  IoOptions options;
  options.cancel = &cancel;
  EXPECT_FALSE(write_mtg(loaded.graph, folder.path("x.mtg"), options));
  EXPECT_FALSE(write_text(loaded.graph, folder.path("x.txt"), {}, options));
  EXPECT_EQ(folder.names(), (std::set<std::string>{"g"}));
  const Status full = write_text(loaded.graph, "/dev/full", {});
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().message, "cannot write: No space left on device");
}

}  // namespace
}  // namespace matcha::runtime::test
