#include "passes/pipelines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace matcha::passes {

namespace {

/// Loops over vertices and their neighbours with conditions as they were written, for the analysis of vertex orders.
const std::vector<std::string> kNests = {"bind-labels", "nest-edges", "fixpoint{simplify,fuse}"};

/// The common start of all targets; ends in stage loop.
const std::vector<std::string> kLoop = {
    // Codes first: conditions on numbers can be decided.
    "bind-labels",
    // Before conditions become slices, so that conditions between the ends of an edge can become slices too.
    "nest-edges",
    // Each step exposes work for the others: fused loops have conditions side by side, slices leave copies of lists, a
    // dropped name leaves a single reader, a decided look-up leaves a loop-invariant number.
    "fixpoint{simplify,fuse,restrict,reuse}",
    // Slices are final; not later, so that the halves get names too.
    "orient",
    // Counts have their final form, so that conditions can test sizes.
    "prune-by-degree",
    // Only now the remaining values and their loops are known. Conditions whose lists have moved are joined, which
    // exposes more common expressions.
    "hoist",
    "simplify",
    "hoist",
};

/// The rest for the CPU, where bits are fast, and a count that waits for its list is slow.
const std::vector<std::string> kCpu = {
    // The loops over pairs have their final form, with their common values in front of them.
    "count-wedges",
    // Sets have names and final places; before they get memory, because bits need less.
    "bitset-neighborhood",
    // Regions, stored sets and buffers: from here on memory is fixed.
    "plan-memory",
    // Stored sets have buffers, so it is known which lists stay valid.
    "batch",
    // Last, so that no later pass exceeds a limit of the target.
    "legalize",
};

/// The rest for the C family; the reasons are the same. Thousands of groups each have rows, and lanes walk bits side by
/// side if no set operation needs all of them. So rows of the shortest lists pay too, but not rows of vertices that
/// mostly have other labels, if little is done with the rest. The count of a hub is too much for one group.
const std::vector<std::string> kCFamily = {
    "count-wedges{part=32}",
    // A task can stop and resume only in one loop of the outermost loop's body. Values that a part does not read are
    // removed.
    "distribute",
    "simplify",
    "bitset-neighborhood{least=2,most=2048,full=2048,lists=0}",
    "plan-memory",
    "schedule",
};

/// Schedules regions; runs again if the chosen stack does not fit the memory.
const std::vector<std::string> kSchedule = {
    // Stored sets have their places, so it is known which of them tasks can share,
    "schedule-regions",
    // and, with the stack, which of them lanes can divide.
    "map-lanes",
    "legalize",
};

class PipelineParser {
 public:
  PipelineParser(std::string_view text, Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {}

  std::optional<Pipeline> run() {
    Pipeline pipeline;
    skip();
    if (at_ == text_.size()) return pipeline;
    if (!steps(pipeline)) return std::nullopt;
    if (at_ != text_.size()) {
      complain("`,` or the end");
      return std::nullopt;
    }
    return pipeline;
  }

 private:
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }

  bool accept(char c) {
    skip();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    skip();
    return true;
  }

  std::string_view word() {
    skip();
    std::size_t begin = at_;
    while (at_ < text_.size() && ((text_[at_] >= 'a' && text_[at_] <= 'z') ||
                                  (text_[at_] >= '0' && text_[at_] <= '9') || text_[at_] == '-' || text_[at_] == '_')) {
      ++at_;
    }
    std::string_view found = text_.substr(begin, at_ - begin);
    skip();
    return found;
  }

  bool complain(std::string_view wanted) {
    diagnostics_.error(DiagId::BadPipeline, {},
                       fmt::format("in the list of passes `{}`: expected {} at `{}`", text_, wanted, text_.substr(at_)),
                       "write passes as `name,name{option=1},fixpoint{name,name}`");
    return false;
  }

  bool unknown(DiagId id, std::string_view what, std::string_view name, const std::vector<std::string>& candidates) {
    std::string near = nearest_word(name, candidates);
    std::string known = candidates.empty() ? "there is none" : fmt::format("known: {}", fmt::join(candidates, ", "));
    diagnostics_.error(id, {}, fmt::format("no {} is called `{}`", what, name),
                       near.empty() ? known : fmt::format("did you mean `{}`?", near));
    return false;
  }

  bool steps(Pipeline& out) {
    do {
      if (!step(out)) return false;
    } while (accept(','));
    return true;
  }

  bool step(Pipeline& out) {
    std::string_view name = word();
    if (name.empty()) return complain("the name of a pass");
    if (name == "fixpoint") {
      PipelineStep fixpoint;
      if (!accept('{')) return complain("`{`");
      if (!steps(fixpoint.body)) return false;
      if (!accept('}')) return complain("`}`");
      out.push_back(std::move(fixpoint));
      return true;
    }
    if (std::ranges::find(pipeline_names(), name) != pipeline_names().end()) return named(name, out);
    const PassInfo* pass = find_pass(name);
    if (pass == nullptr) {
      std::vector<std::string> candidates = pipeline_names();
      for (const PassInfo& known : all_passes()) candidates.emplace_back(known.name);
      return unknown(DiagId::UnknownPass, "pass", name, candidates);
    }
    PipelineStep use;
    use.pass = pass;
    for (const PassOption& option : all_pass_options()) {
      if (option.pass == pass->name) use.options[std::string(option.name)] = option.default_value;
    }
    if (accept('{') && !options(use)) return false;
    out.push_back(std::move(use));
    return true;
  }

  bool options(PipelineStep& use) {
    do {
      std::string_view name = word();
      const auto found = use.options.find(name);
      if (found == use.options.end()) {
        std::vector<std::string> candidates;
        for (const auto& [known, value] : use.options) candidates.push_back(known);
        return unknown(DiagId::BadPipeline, fmt::format("option of `{}`", use.pass->name), name, candidates);
      }
      if (!accept('=')) return complain("`=`");
      std::string_view digits = word();
      const char* end = digits.data() + digits.size();
      std::from_chars_result read = std::from_chars(digits.data(), end, found->second);
      if (read.ptr != end || read.ec != std::errc()) return complain("an int");
    } while (accept(','));
    return accept('}') || complain("`}`");
  }

  bool named(std::string_view name, Pipeline& out) {
    std::vector<std::string> texts = name == "nests" ? kNests : name == "schedule" ? kSchedule : kLoop;
    if (name == "cpu") texts.insert(texts.end(), kCpu.begin(), kCpu.end());
    if (name == "c-family") texts.insert(texts.end(), kCFamily.begin(), kCFamily.end());
    for (const std::string& text : texts) {
      std::optional<Pipeline> part = PipelineParser(text, diagnostics_).run();
      if (!part) return false;
      out.insert(out.end(), part->begin(), part->end());
    }
    return true;
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
};

}  // namespace

const std::vector<std::string>& pipeline_names() {
  static const std::vector<std::string> names = {"c-family", "cpu", "loop", "nests", "schedule"};
  return names;
}

std::optional<Pipeline> parse_pipeline(std::string_view text, Diagnostics& diagnostics) {
  std::size_t errors = diagnostics.error_count();
  std::optional<Pipeline> pipeline = PipelineParser(text, diagnostics).run();
  return diagnostics.error_count() == errors ? pipeline : std::nullopt;
}

std::string to_string(const PipelineStep& step) {
  std::string text(step.pass != nullptr ? step.pass->name : "fixpoint");
  std::string inside;
  for (const PipelineStep& inner : step.body) inside += (inside.empty() ? "" : ",") + to_string(inner);
  for (const PassOption& option : all_pass_options()) {
    if (step.pass == nullptr || option.pass != step.pass->name) continue;
    std::int64_t value = step.options.find(option.name)->second;
    if (value != option.default_value) inside += fmt::format("{}{}={}", inside.empty() ? "" : ",", option.name, value);
  }
  return inside.empty() ? text : text + "{" + inside + "}";
}

}  // namespace matcha::passes
