#include "ir/bind_labels.h"

#include <gtest/gtest.h>

#include "ir/printer.h"
#include "tests/ir/parsed.h"

namespace matcha::ir {
namespace {

LabelWords words(std::vector<std::string> known) {
  const auto code = [known](std::string_view word) -> std::optional<std::int64_t> {
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (known[i] == word) return -1 - static_cast<std::int64_t>(i);
    }
    return std::nullopt;
  };
  return {code, known};
}

constexpr const char* kLabelled = R"(module loop "m" (%G: graph) {
  collect %n: sum i64 {
    for %u in vertices(%G) {
      if (label(%G, %u) == label_name("person")) {
        yield %n, label_name("city")
      }
    }
  }
  return %n
}
)";

TEST(BindLabels, PutsCodesInPlaceOfWords) {
  Parsed parsed(kLabelled);
  std::optional<Module> bound =
      bind_labels(parsed.context, *parsed.module, words({"city", "person"}), parsed.diagnostics);
  ASSERT_TRUE(bound);
  std::string text = print(*bound);
  EXPECT_NE(text.find("(label(%G, %u) == -2)"), std::string::npos) << text;
  EXPECT_NE(text.find("yield %n, -1"), std::string::npos) << text;
}

TEST(BindLabels, UnknownWordsAreReportedWithTheNearest) {
  Parsed parsed(kLabelled);
  EXPECT_FALSE(bind_labels(parsed.context, *parsed.module, words({"persons", "town"}), parsed.diagnostics));
  ASSERT_EQ(parsed.diagnostics.error_count(), 2U);
  const Diagnostic& first = parsed.diagnostics.all()[0];
  EXPECT_EQ(first.id, DiagId::UnknownLabel);
  EXPECT_EQ(first.message, "no vertex or edge has the label `person`");
  EXPECT_EQ(first.hint, "did you mean `persons`?");
  EXPECT_EQ(parsed.diagnostics.all()[1].hint, "the labels are `persons`, `town`");
}

TEST(BindLabels, NumbersAreNoWords) {
  Parsed parsed(kLabelled);
  EXPECT_FALSE(bind_labels(parsed.context, *parsed.module, words({}), parsed.diagnostics));
  EXPECT_EQ(
      parsed.diagnostics.all()[0].hint,
      "no label of this run is a word; vertices get theirs with `--labels FILE`, or `--vertices FILE --label COLUMN`");
}

}  // namespace
}  // namespace matcha::ir
