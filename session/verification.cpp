#include "session/verification.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "session/bind_slices.h"
#include "session/exhaustive_count.h"
#include "session/message_log.h"
#include "session/values.h"

namespace matcha::session {

namespace {

constexpr std::uint64_t kSampledGraphs = 24;
constexpr std::uint64_t kStepsOfSample = 2'000'000;
constexpr std::uint64_t kVerticesForProgram = 12;
constexpr std::uint64_t kVerticesForPattern = 16;

std::string numbers_text(const std::vector<std::uint64_t>& numbers) {
  std::string text;
  for (const std::uint64_t number : numbers) text += fmt::format("{}{}", text.empty() ? "" : "\n", number);
  return text;
}

bool is_zero(const std::string& text) { return text.find_first_not_of("0\n") == std::string::npos; }

/// The edges of a sample, for a report.
std::string edges_text(const runtime::GraphView& view) {
  std::string text;
  for (std::uint64_t u = 0; u < view.universe; ++u) {
    const runtime::ArcRange arcs = runtime::arcs_of(view, u);
    for (std::uint64_t at = arcs.begin; at < arcs.end; ++at)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", u, view.neighbors[at]);
  }
  return text;
}

/// The other way to the answer on a sample.
class Reference {
 public:
  explicit Reference(const SampleTask& task) : task_(task) {
    if (task.maybe_pattern != nullptr) return;
    const ir::Module module = task.compilation->module_as_written(task.labels);
    std::unique_ptr<codegen::Backend> backend = codegen::make_interpreter();
    Diagnostics ignored(task.compilation->sources());
    executable_ = backend->load(module, ignored);
  }

  /// Nothing if it takes too long.
  std::optional<std::string> answer(const SampleInputs& sample, std::chrono::steady_clock::time_point deadline) {
    if (task_.maybe_pattern != nullptr) {
      ExhaustiveTask task;
      task.induced = task_.maybe_pattern->induced();
      task.embeddings = task_.embeddings;
      task.most_steps = kStepsOfSample;
      const auto counts =
          count_exhaustively(task_.maybe_pattern->set(), task, sample.bound.inputs.graphs.begin()->second,
                             *sample.bound.inputs.dictionary);
      return counts ? std::optional(numbers_text(*counts)) : std::nullopt;
    }
    codegen::RunOptions options;
    options.labels = sample.bound.labels;
    options.deadline = deadline;
    options.stop_request = task_.options.stop_request;
    return executable_ == nullptr ? std::nullopt : run(*executable_, sample, options);
  }

  /// The answer of a program, or its error; nothing if it was stopped.
  static std::optional<std::string> run(codegen::Executable& executable, const SampleInputs& sample,
                                        const codegen::RunOptions& options) {
    const runtime::Universe& universe = *sample.bound.inputs.universe;
    const codegen::RunOutcome outcome = executable.run(sample.bound.arguments, universe, options);
    if (const codegen::RunError* failed = std::get_if<codegen::RunError>(&outcome)) return failed->error.message;
    const codegen::RunResult& result = std::get<codegen::RunResult>(outcome);
    if (result.ending != codegen::Ending::Complete) return std::nullopt;
    return comparable(result.values, universe);
  }

 private:
  const SampleTask& task_;
  std::unique_ptr<codegen::Executable> executable_;
};

}  // namespace

std::string comparable(const std::vector<codegen::ResultValue>& values, const runtime::Universe& universe) {
  std::string all;
  for (const codegen::ResultValue& value : values) {
    std::string text;
    append_value(text, value, universe, Style::Text);
    if (std::holds_alternative<codegen::ListValue>(value)) {
      std::vector<std::string> lines;
      for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
      }
      std::ranges::sort(lines);
      text = fmt::format("{}", fmt::join(lines, "\n"));
    }
    all += (all.empty() ? "" : "\n") + text;
  }
  return all;
}

std::string check_on_samples(const SampleTask& task, Verification& found) {
  if (!GraphSamples::can_draw(*task.bound)) {
    found.why_no_samples = "only programs of one graph are run on samples of it";
    return {};
  }
  const bool of_pattern = task.maybe_pattern != nullptr;
  found.by = of_pattern ? "trying all maps of the pattern" : "the interpreter on the program as written";
  std::uint64_t least = 2;
  if (of_pattern) least = static_cast<std::uint64_t>(task.maybe_pattern->set().patterns.front().size());
  std::uint64_t size = of_pattern ? std::max(kVerticesForPattern, least + 4) : kVerticesForProgram;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  Reference reference(task);
  GraphSamples samples(*task.bound, 1);
  while (found.samples < kSampledGraphs && std::chrono::steady_clock::now() < deadline) {
    const runtime::Result<std::unique_ptr<SampleInputs>> sample = samples.draw(size);
    if (!sample) break;
    const MessageLog ignored;
    if (task.compilation != nullptr && !task.bound->slices.empty() &&
        bind_slices(*task.compilation, ignored, (*sample)->bound) != Status::Ok)
      break;
    const std::optional<std::string> expected = reference.answer(**sample, deadline);
    if (!expected && (size <= least || !of_pattern)) break;
    if (!expected) {
      size = std::max(least, size * 3 / 4);
      continue;
    }
    codegen::Executable* const tested = task.tested(**sample);
    if (tested == nullptr) break;
    codegen::RunOptions options = task.options;
    options.labels = (*sample)->bound.labels;
    const std::optional<std::string> got = Reference::run(*tested, **sample, options);
    if (!got) break;
    if (*got != *expected) {
      return fmt::format("{} on a sample of the graph, where {} gives {}; its edges: {}", *got, found.by, *expected,
                         edges_text((*sample)->bound.inputs.graphs.begin()->second.view()));
    }
    ++found.samples;
    if (!is_zero(*got)) ++found.with_matches;
  }
  if (found.samples == 0) found.why_no_samples = found.by + " takes too long on any";
  return {};
}

std::string difference(const std::string& answer, const std::string& other) {
  // The first line that differs; a missing one is empty.
  std::string_view mine = answer, its = other;
  for (;;) {
    const std::string_view a = mine.substr(0, mine.find('\n')), b = its.substr(0, its.find('\n'));
    if (a != b || (mine.empty() && its.empty())) return fmt::format("{} and {}", a, b);
    mine.remove_prefix(std::min(a.size() + 1, mine.size()));
    its.remove_prefix(std::min(b.size() + 1, its.size()));
  }
}

std::string verification_text(const Verification& found) {
  std::string text = "verified: ";
  if (found.samples != 0) {
    text += fmt::format("the same on {} samples of the graph by {} ({} of them with matches)", found.samples, found.by,
                        found.with_matches);
  } else {
    text += "not on samples, " + found.why_no_samples;
  }
  if (!found.second_run.empty()) text += fmt::format("; the same on all of it by {}", found.second_run);
  return text;
}

}  // namespace matcha::session
