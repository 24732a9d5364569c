#include "session/run/explanation_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/decide.h"
#include "session/pictures/svg.h"
#include "session/run/report.h"
#include "session/run/texts.h"
#include "session/values.h"

namespace matcha::session {

namespace {

/// Columns for a name; longer names are cut.
constexpr std::size_t kNameWidth = 44;
/// Columns before the text about the run.
constexpr std::size_t kIndent = 17;

/// `text` in `width` columns, cut or filled with blanks.
std::string fitted(std::string text, std::size_t width) {
  text = shortened(std::move(text), width);
  return text + std::string(width - characters(text), ' ');
}

void add_rows(const std::vector<Step>& steps, std::size_t depth, std::vector<SizeRow>& rows) {
  for (const Step& step : steps) {
    const bool loop = step.kind == StepKind::Loop;
    if (loop || step.actual || step.expected) {
      SizeRow row;
      row.depth = depth;
      row.step = &step;
      constexpr std::string_view kEach = "for each ";
      row.text = loop ? step.text.substr(kEach.size()) : step.text;
      if (step.expected) row.expected = about(*step.expected);
      row.expected_mean = expected_mean_text(step);
      if (step.actual) {
        const StepCount& count = *step.actual;
        row.items = grouped(count.items);
        if (count.times != 0) row.mean = mean_text(count);
        if (loop) row.kept = grouped(count.kept);
      }
      rows.push_back(std::move(row));
    }
    add_rows(step.steps, depth + (loop ? 1 : 0), rows);
  }
}

std::string pattern_text(const Explanation& all) {
  std::string out = fmt::format("{}\n", all.semantics);
  double least = 0;
  for (const pattern::Choice& choice : all.choices) {
    if (least == 0) out += all.engine == "program" ? "\nplans, the first is taken\n" : "\nplans of a program\n";
    if (least == 0) least = choice.cost;
    out += fmt::format("  {:<10} {:>13} {:>8.2f}x  {}\n", to_string(choice.algorithm), precise_time(choice.cost / 1e6),
                       choice.cost / least, choice.plan);
  }
  const std::string actual = actual_time(all);
  if (!actual.empty()) out += fmt::format("  {}\n", actual);
  return out + "\n";
}

std::string passes_text(const std::vector<passes::PassRun>& runs) {
  std::string out = "\npasses\n";
  for (const passes::PassRun& run : runs) {
    std::vector<std::string> facts;
    for (const auto& [name, count] : run.statistics) facts.push_back(fmt::format("{}: {}", name, count));
    out += fmt::format("  {:<14} {}{}{}\n", run.text, run.changed ? "changed the program" : "changed nothing",
                       facts.empty() ? "" : "; ", fmt::join(facts, ", "));
  }
  return out;
}

std::string sizes_text(const Explanation& all) {
  const std::vector<SizeRow> rows = size_rows(all);
  const bool figures =
      std::any_of(rows.begin(), rows.end(), [](const SizeRow& row) { return row.step->actual || row.step->expected; });
  if (!figures) return {};
  std::string out = "\nsizes\n";
  out += fmt::format("  {} {:>18} {:>10} {:>18} {:>10} {:>18}\n", fitted("", kNameWidth), "estimated", "mean",
                     figures_name(all), "mean", "kept");
  for (const SizeRow& row : rows) {
    const std::string name = fitted(std::string(2 * std::min<std::size_t>(row.depth, 12), ' ') + row.text, kNameWidth);
    std::string line = fmt::format("  {} {:>18} {:>10} {:>18} {:>10} {:>18}", name, row.expected, row.expected_mean,
                                   row.items, row.mean, row.kept);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  std::string caption = sizes_caption(all);
  for (std::size_t at = caption.find(". "); at != std::string::npos; at = caption.find(". ", at)) {
    caption.replace(at, 2, ".\n  ");
  }
  return out + "  " + caption + "\n";
}

std::string memory_text(const std::vector<PlannedBuffer>& plan) {
  std::string out = "\nmemory of each thread\n";
  if (plan.empty()) return out + "  none: every set is a slice of a list of neighbors, or only counted\n";
  for (const PlannedBuffer& buffer : plan) {
    out += fmt::format("  {:<14} {} times {} bytes", buffer.name, buffer.capacity, buffer.item_bytes);
    if (buffer.items)
      out += fmt::format(" = {}B",
                         short_number(static_cast<double>(*buffer.items) * static_cast<double>(buffer.item_bytes)));
    out += '\n';
  }
  return out;
}

std::string run_text(const Explanation& all) {
  std::string out = all.stopped.empty() ? "\nthis run\n" : fmt::format("\nthis run, {}\n", all.stopped);
  if (const std::string answer = answer_text(all); !answer.empty())
    out += fmt::format("  {:<14} {}\n", "result", answer);
  if (const std::vector<std::string> counts = count_texts(all); !all.count_names.empty() && !counts.empty()) {
    std::string lines = named_lines(all.count_names, counts);
    lines.pop_back();
    for (std::size_t at = lines.find('\n'); at != std::string::npos; at = lines.find('\n', at + 1)) {
      lines.insert(at + 1, std::string(kIndent, ' '));
    }
    out += fmt::format("  {:<14} {}\n", "result", lines);
  }
  if (!all.simd.empty()) out += fmt::format("  {:<14} {}\n", "simd", all.simd);
  if (all.engine == "program") {
    out += fmt::format("  {:<14} {}\n", "outer steps", all.positions);
    out += fmt::format("  {:<14} {} loops of stragglers\n", "split off", all.deferred);
  }
  if (all.images_tried != 0) {
    out += fmt::format("  {:<14} {}\n", "candidates", grouped(static_cast<__int128>(all.candidates)));
    out += fmt::format("  {:<14} {}\n", "images tried", grouped(static_cast<__int128>(all.images_tried)));
  }
  for (const auto& [step, ms] : all.times) out += fmt::format("  {:<14} {}\n", step, precise_time(ms));
  return out;
}

}  // namespace

std::vector<SizeRow> size_rows(const Explanation& all) {
  std::vector<SizeRow> rows;
  add_rows(all.nest, 0, rows);
  return rows;
}

std::string figures_name(const Explanation& all) {
  return all.sample > 1 ? "sampled" : all.stopped.empty() ? "actual" : "partial";
}

std::string sizes_caption(const Explanation& all) {
  std::string out;
  if (!all.plans.empty()) {
    out += fmt::format("Estimated: the matches that the cost model expects, for {}{}.",
                       all.of_graph ? "this graph" : "a typical social network",
                       all.induced ? ", as if more edges were allowed" : "");
  }
  if (all.ran) {
    std::string name = figures_name(all);
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    out += fmt::format(
        "{}{}: bodies that ran, items of sets, sums of what was added. Mean: of those each time. Kept: bodies that "
        "went on after the conditions at their top.",
        out.empty() ? "" : " ", name);
    if (all.sample > 1) {
      out += fmt::format(" One in {0} of the outermost positions was walked, and figures are {0} times theirs.",
                         all.sample);
    }
    if (!all.stopped.empty()) out += fmt::format(" Partial: {}.", all.stopped);
  }
  return out.empty() ? "With a graph: how often each step runs." : out;
}

std::string answer_text(const Explanation& all) {
  if (!all.rows.empty() || !all.count_names.empty()) return all.rows;
  return fmt::format("{}", fmt::join(all.values, "\t"));
}

std::vector<std::string> count_texts(const Explanation& all) {
  const bool are_all = all.count_names.empty() || all.values.size() == all.count_names.size();
  std::vector<std::string> counts = all.semantics.empty() || !are_all ? std::vector<std::string>() : all.values;
  for (std::string& count : counts) count = grouped(std::move(count));
  return counts;
}

std::string actual_time(const Explanation& all) {
  if (!all.ran || all.choices.empty() || all.sample > 1 || all.engine != "program") return {};
  return fmt::format("the first was estimated at {} of one core; it took {} on {} thread{}",
                     precise_time(all.choices.front().cost / 1e6), precise_time(all.run_ms), all.threads,
                     all.threads == 1 ? "" : "s");
}

std::string mean_text(const StepCount& count) {
  return fmt::format("{:.1f}", static_cast<double>(count.items) / static_cast<double>(count.times));
}

std::string expected_mean_text(const Step& step) {
  if (!step.expected || !step.expected_times || *step.expected_times <= 0) return {};
  const double mean = *step.expected / *step.expected_times;
  constexpr double kMany = 1e6;
  return mean < kMany ? fmt::format("{:.1f}", mean) : fmt::format("{:.2g}", mean);
}

std::string grouped(__int128 value) {
  std::string digits;
  append_int(digits, value);
  return grouped(std::move(digits));
}

std::string grouped(std::string digits) {
  const std::size_t sign = digits.starts_with('-') ? 1 : 0;
  for (std::size_t at = digits.size(); at > sign + 3;) digits.insert(at -= 3, 1, ',');
  return digits;
}

std::string about(double value) {
  constexpr double kMost = 1e15, kExact = 1000;
  if (!(value < kMost)) return fmt::format("{:.1e}", value);
  if (value < kExact) return fmt::format("{:.3g}", value);
  const double unit = std::pow(10, std::floor(std::log10(value)) - 2);
  return grouped(static_cast<__int128>(std::round(value / unit) * unit));
}

namespace {

/// Nanoseconds, for people: microseconds below a tenth of a millisecond.
std::string cost_text(double ns) {
  constexpr double kFewNs = 1e5, kMicrosecond = 1e3, kMillisecond = 1e6;
  return ns < kFewNs ? fmt::format("{:.2g} us", ns / kMicrosecond) : precise_time(ns / kMillisecond);
}

}  // namespace

std::vector<EngineRow> engine_rows(const nlohmann::ordered_json& decision) {
  std::vector<EngineRow> rows;
  for (const nlohmann::ordered_json& one : decision) {
    EngineRow row;
    row.name = planner::describe(one["engine"].get<std::string>(), one["device"] == "cuda");
    row.is_chosen = one.value("chosen", false);
    if (one.contains("ns")) row.cost = cost_text(one["ns"].get<double>());
    if (one.contains("share"))
      row.cost = one["share"].get<double>() < 1 ? "less than the program" : "more than the program";
    if (one.contains("bytes")) row.memory = fmt::format("{} bytes", grouped(one["bytes"].get<std::int64_t>()));
    row.remark = one.contains("refused")     ? one["refused"].get<std::string>()
                 : one.value("trial", false) ? "tried first, for a limited number of steps"
                 : one.value("race", false)  ? "on a CPU and a GPU at once, the first answer is kept"
                                             : "";
    // The reason why nothing runs on a GPU is said once.
    const bool is_same = one.contains("refused") && !rows.empty() && rows.back().remark == row.remark;
    if (one["device"] == "cuda" && is_same) {
      rows.back().name = "others on a GPU";
    } else {
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

namespace {

/// A table of engines, under its heading; empty if there are none.
std::string engines_text(const std::vector<EngineRow>& rows, const char* title) {
  std::string out = rows.empty() ? "" : fmt::format("{}, the one marked * answers\n", title);
  for (const EngineRow& row : rows) {
    const std::string figures =
        row.cost.empty() && row.memory.empty() && !row.remark.empty()
            ? row.remark
            : fmt::format("{}{}{}{}{}", row.cost.empty() ? "unknown" : row.cost, row.memory.empty() ? "" : ", ",
                          row.memory, row.remark.empty() ? "" : ", ", row.remark);
    out += fmt::format("{} {:<21} {}\n", row.is_chosen ? " *" : "  ", row.name, figures);
  }
  return out.empty() ? out : out + "\n";
}

std::string stream_text(const Explanation& all) {
  if (all.stream.empty()) return "";
  std::string out = fmt::format("\nin a stream\n  {}\n\n", fmt::join(all.stream, "\n  "));
  out += engines_text(engine_rows(all.stream_decision), "engines of a stream, for a batch of one edge");
  out.pop_back();
  return out;
}

}  // namespace

std::string explanation_text(const Explanation& all) {
  std::string out = all.semantics.empty() ? "" : pattern_text(all);
  out += engines_text(engine_rows(all.decision), "engines");
  if (all.engine != "program") {
    out += fmt::format("{}\n\nas it runs, by the engine `{}`\n  {}\n", all.signature, all.engine,
                       fmt::join(all.method, "\n  "));
    out += stream_text(all);
    return all.ran ? out + run_text(all) : out;
  }
  out += fmt::format("{}\n\nas written\n{}", all.signature, outline(all.written));
  out += passes_text(all.passes);
  const bool bits = std::ranges::any_of(all.passes, [](const passes::PassRun& run) {
    return run.changed && run.text.starts_with("bitset-neighborhood");
  });
  out += fmt::format("\nas it runs{}\n{}", bits ? "; the sets that are bits, as lists" : "", outline(all.nest));
  out += sizes_text(all) + memory_text(all.memory);
  out += stream_text(all);
  if (!all.order.empty()) out += fmt::format("\nvertices are ranked {}\n", all.order);
  if (!all.schedule.empty())
    out += fmt::format("\n`run --tune` takes a schedule that it remembers: {}\n", all.schedule);
  return all.ran ? out + run_text(all) : out;
}

}  // namespace matcha::session
