// Shares in the driver: every example as several shares, how work is cut, and values that merge.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <numeric>
#include <sstream>

#include "codegen/shares.h"
#include "session/assumptions.h"
#include "session/bind.h"
#include "session/compile.h"
#include "session/message_log.h"

namespace {

using namespace matcha;
using codegen::PartialValue;
using codegen::PositionRange;
using codegen::Share;

/// An example with the files that its text names, compiled for a CPU.
class Example {
 public:
  Example(const std::string& path, const std::vector<std::string>& words) {
    compile_.file = path;
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == "--in") {
        bind_.inputs.push_back(words[++i]);
      } else if (words[i] == "--labels") {
        bind_.table.labels = words[++i];
      } else {
        bind_.graph = words[i];
      }
    }
    session::Compilation& compilation = compilation_.emplace(compile_, log_);
    bool ok = compilation.read() == session::Status::Ok && compilation.check() == session::Status::Ok &&
              compilation.lower() == session::Status::Ok;
    const std::optional<session::BindPlan> plan =
        ok ? session::plan_binding(compilation.signature(), bind_, log_) : std::nullopt;
    ok = plan && session::load_inputs(compilation.signature(), *plan, {}, bound_);
    passes::LabelWords labels;
    if (ok) {
      labels.code = [this](std::string_view word) { return bound_.inputs.dictionary->code(word); };
      labels.words = bound_.inputs.dictionary->words();
      ok = session::run_passes(session::target_named("llvm"), compilation, labels, &bound_) == session::Status::Ok;
    }
    backend_ = codegen::make_llvm();
    ok = ok && compilation.load(*backend_, executable_) == session::Status::Ok;
    EXPECT_TRUE(ok) << path << '\n' << log_.text();
  }

  codegen::RunResult run(Share share = {}) {
    codegen::RunOptions options;
    options.threads = 2;
    options.labels = bound_.labels;
    options.share = share;
    codegen::RunOutcome outcome = executable_->run(bound_.arguments, *bound_.inputs.universe, options);
    if (const codegen::RunError* error = std::get_if<codegen::RunError>(&outcome)) {
      ADD_FAILURE() << error->error.message;
      return {};
    }
    return std::move(std::get<codegen::RunResult>(outcome));
  }

 private:
  const session::MessageLog log_;
  session::CompileOptions compile_;
  session::BindOptions bind_;
  session::BoundInputs bound_;
  std::optional<session::Compilation> compilation_;
  std::unique_ptr<codegen::Backend> backend_;
  std::unique_ptr<codegen::Executable> executable_;
};

void expect_same(const codegen::ResultValue& wanted, const codegen::ResultValue& found) {
  ASSERT_EQ(wanted.index(), found.index());
  if (const codegen::ListValue* list = std::get_if<codegen::ListValue>(&wanted)) {
    const codegen::ListValue& other = std::get<codegen::ListValue>(found);
    ASSERT_EQ(list->size, other.size);
    ASSERT_EQ(list->columns.size(), other.columns.size());
    for (std::size_t c = 0; c < list->columns.size(); ++c) {
      const std::uint64_t bytes = list->size * runtime::element_bytes(list->columns[c].kind());
      EXPECT_EQ(0, std::memcmp(list->columns[c].data(), other.columns[c].data(), bytes)) << "column " << c;
    }
  } else if (const __int128* integer = std::get_if<__int128>(&wanted)) {
    EXPECT_TRUE(*integer == std::get<__int128>(found));
  } else if (const double* real = std::get_if<double>(&wanted)) {
    EXPECT_EQ(*real, std::get<double>(found));
  }
}

TEST(ShareValues, EveryExample) {
  int examples = 0;
  for (const auto& entry : std::filesystem::directory_iterator("examples")) {
    if (entry.path().extension() != ".mt") continue;
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    // Tables are made of all rows, so shares of them cannot be merged.
    if (text.str().find("_by(") != std::string::npos) continue;
    file.seekg(0);
    for (std::string line; std::getline(file, line);) {
      if (line.rfind("# count: ", 0) != 0) continue;
      std::istringstream stream(line.substr(9));
      std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
      words.pop_back();
      SCOPED_TRACE(entry.path().string());
      Example example(entry.path().string(), words);
      const codegen::RunResult whole = example.run();
      ASSERT_EQ(1U, whole.values.size());
      for (const std::uint64_t count : {2, 7}) {
        std::optional<PartialValue> sum;
        std::uint64_t positions = 0;
        for (std::uint64_t i = 0; i < count; ++i) {
          const codegen::RunResult share = example.run({i, count});
          ASSERT_EQ(1U, share.partials.size());
          if (!sum) sum.emplace(codegen::none_of(share.partials[0]));
          EXPECT_FALSE(codegen::merge(*sum, share.partials[0]));
          positions += share.positions;
        }
        EXPECT_GE(positions, whole.positions);
        const runtime::Result<codegen::ResultValue> found = codegen::whole(*sum);
        ASSERT_TRUE(found);
        expect_same(whole.values[0], *found);
      }
      ++examples;
    }
  }
  EXPECT_GE(examples, 15);
}

TEST(ShareValues, WorkIsCutByArcs) {
  // One vertex has as many arcs as a hundred others together.
  std::vector<std::uint64_t> offsets{0};
  for (int v = 0; v < 200; ++v) offsets.push_back(offsets.back() + (v == 150 ? 1000 : 10));
  runtime::GraphView graph{};
  graph.universe = 200;
  graph.vertex_count = 200;
  graph.arc_count = offsets.back();
  graph.offsets = offsets.data();
  for (const std::uint64_t count : {1, 2, 3, 7, 199, 200, 1000}) {
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const PositionRange range = codegen::positions_of({i, count}, 200, &graph);
      EXPECT_EQ(at, range.begin);
      EXPECT_LE(range.begin, range.end);
      at = range.end;
      if (count <= 7) {
        const std::uint64_t arcs = offsets[range.end] - offsets[range.begin];
        EXPECT_LE(arcs, graph.arc_count / count + 1011) << i << " of " << count;
      }
    }
    EXPECT_EQ(200U, at);
  }
  // Only some ranks are vertices.
  const std::vector<std::uint32_t> vertices{3, 150, 199};
  graph.vertices = vertices.data();
  EXPECT_EQ(0U, codegen::positions_of({0, 2}, 3, &graph).begin);
  EXPECT_EQ(3U, codegen::positions_of({1, 2}, 3, &graph).end);
  // Without a graph, or one that has no offsets.
  runtime::GraphView hashed{};
  for (const runtime::GraphView* view : std::initializer_list<const runtime::GraphView*>{nullptr, &hashed}) {
    EXPECT_EQ(28U, codegen::positions_of({2, 7}, 100, view).begin);
    EXPECT_EQ(42U, codegen::positions_of({2, 7}, 100, view).end);
  }
}

PartialValue partial(runtime::SinkKind kind) {
  PartialValue value;
  value.kind = kind;
  return codegen::none_of(value);
}

TEST(ShareValues, FloatsAreRoundedOnce) {
  PartialValue sum = partial(runtime::SinkKind::SumFloat);
  for (const double value : {1e300, 1.0, -1e300, 0x1p-60}) {
    PartialValue share = partial(runtime::SinkKind::SumFloat);
    runtime::exact_sum_add(share.sum, value);
    EXPECT_FALSE(codegen::merge(sum, share));
  }
  EXPECT_EQ(1.0, std::get<double>(*codegen::whole(sum)));
  PartialValue least = partial(runtime::SinkKind::SumFloat);
  runtime::exact_sum_add(least.sum, -1.0);
  EXPECT_FALSE(codegen::merge(sum, least));
  EXPECT_EQ(0x1p-60, std::get<double>(*codegen::whole(sum))) << "what the first rounding would have lost";
}

TEST(ShareValues, ExtremesTruthsAndOverflow) {
  using runtime::SinkKind;
  PartialValue lowest = partial(SinkKind::MinInt);
  EXPECT_EQ("`min` or `max` of an empty list", codegen::whole(lowest).error().message);
  for (const int found : {7, -3, 5}) {
    PartialValue share = partial(SinkKind::MinInt);
    share.integer = found;
    share.has_value = true;
    EXPECT_FALSE(codegen::merge(lowest, share));
    EXPECT_FALSE(codegen::merge(lowest, partial(SinkKind::MinInt)));
  }
  EXPECT_TRUE(std::get<__int128>(*codegen::whole(lowest)) == -3);
  PartialValue highest = partial(SinkKind::MaxFloat);
  PartialValue nan = partial(SinkKind::MaxFloat);
  nan.has_value = true;
  nan.number = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(codegen::merge(highest, nan));
  EXPECT_TRUE(std::isnan(std::get<double>(*codegen::whole(highest))));
  PartialValue all = partial(SinkKind::All), any = partial(SinkKind::Any);
  EXPECT_TRUE(std::get<bool>(*codegen::whole(all)));
  EXPECT_FALSE(std::get<bool>(*codegen::whole(any)));
  PartialValue no = partial(SinkKind::All), yes = partial(SinkKind::Any);
  no.flag = false;
  yes.flag = true;
  EXPECT_FALSE(codegen::merge(all, no));
  EXPECT_FALSE(codegen::merge(any, yes));
  EXPECT_FALSE(std::get<bool>(*codegen::whole(all)));
  EXPECT_TRUE(std::get<bool>(*codegen::whole(any)));
  PartialValue narrow = partial(SinkKind::SumInt), half = partial(SinkKind::SumInt);
  half.integer = std::numeric_limits<std::int64_t>::max();
  narrow.wide = false;
  EXPECT_FALSE(codegen::merge(narrow, half));
  EXPECT_TRUE(codegen::whole(narrow));
  EXPECT_FALSE(codegen::merge(narrow, half));
  EXPECT_EQ("integer overflow", codegen::whole(narrow).error().message);
  PartialValue wide = partial(SinkKind::SumInt);
  half.integer = (~static_cast<unsigned __int128>(0)) >> 1;
  EXPECT_FALSE(codegen::merge(wide, half));
  EXPECT_TRUE(codegen::merge(wide, half)) << "128 bits have no room";
}

}  // namespace
