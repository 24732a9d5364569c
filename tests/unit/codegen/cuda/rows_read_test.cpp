#include "codegen/cuda/rows_read.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/ir/parsed.h"

namespace matcha::codegen::gpu {
namespace {

struct Case {
  const char* parameters;
  const char* loop;  ///< In that over the vertices %u.
  RowsRead rows;
  bool down;
};

TEST(RowsRead, HalvesWhereNothingElseIsRead) {
  for (const Case& c : {
           Case{"", "for %v in lower_neighbors(%G, %u) { yield %n, size(lower_neighbors(%G, %v)) }", RowsRead::Lower,
                true},
           {"", "for %v in span(lower_neighbors(%G, %u), 1, 9) { yield %n, size(neighbors(%G, %v)) }", RowsRead::Lower,
            true},
           {"", "for %v in upper_neighbors(%G, %u) { yield %n, size(upper_neighbors(%G, %v)) }", RowsRead::Upper,
            false},
           {"", "for %v in lower_neighbors(%G, %u) { yield %n, size(upper_neighbors(%G, %v)) }", RowsRead::All, true},
           {"", "for %v in neighbors(%G, %u) { yield %n, size(lower_neighbors(%G, %v)) }", RowsRead::All, false},
           {"",
            "for %v in vertices(%G) { yield %n, size(intersect(lower_neighbors(%G, %u), lower_neighbors(%G, %v))) }",
            RowsRead::Lower, false},
           {"", "for %v in lower_neighbors(%G, %u) { yield %n, convert<i64>(has_edge(%G, %u, %v)) }", RowsRead::All,
            true},
           {"", "for %v in neighbors(%G, %u) { yield %n, size(neighbors(%G, %v)) }", RowsRead::All, false},
           {", %H: graph", "for %v in lower_neighbors(%G, %u) { yield %n, 1 }", RowsRead::All, true},
       }) {
    const std::string text = std::string("module loop \"f\" (%G: graph") + c.parameters +
                             ") {\n  collect %n: sum i128 {\n    for %u in vertices(%G) {\n      " + c.loop +
                             "\n    }\n  }\n  return %n\n}\n";
    ir::Parsed parsed(text);
    ASSERT_TRUE(parsed.module) << text;
    EXPECT_EQ(rows_read(*parsed.module, parsed.module->params[0]), c.rows) << c.loop;
    const std::uint64_t halves = std::string(c.loop).find("er_neighbors") != std::string::npos ? 16 : 0;
    EXPECT_EQ(bytes_of_vertex(*parsed.module, c.rows), halves + (c.rows == RowsRead::All ? 8 : 0) + 5) << c.loop;
    EXPECT_EQ(walks_down(*parsed.module), c.down) << c.loop;
  }
}

}  // namespace
}  // namespace matcha::codegen::gpu
