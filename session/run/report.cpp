#include "session/run/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "session/graph_info.h"
#include "session/pictures/svg.h"
#include "session/run/explanation_text.h"
#include "session/run/host.h"
#include "session/run/texts.h"
#include "session/version.h"

namespace matcha::session {

namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// The names of the numbers of the result: those that are known before, or, of cliques of all sizes, their vertices.
std::vector<std::string> names_of_counts(const RunReport& report) {
  std::vector<std::string> names = report.count_names;
  if (!names.empty() || report.result == nullptr || !report.signature->result->is_list()) return names;
  for (const codegen::ResultValue& value : report.result->values) {
    if (!std::holds_alternative<codegen::ListValue>(value)) names.push_back(std::to_string(names.size() + 1));
  }
  return names;
}

/// The numbers that have names; empty if none has, or they are not all there.
std::vector<std::string> count_texts(const RunReport& report) {
  const std::size_t named = names_of_counts(report).size();
  if (named == 0 || report.result == nullptr || report.bound == nullptr) return {};
  std::vector<std::string> texts =
      value_texts(report.result->values, *report.signature->result, *report.bound->inputs.universe);
  return texts.size() == named ? texts : std::vector<std::string>();
}

/// The number of matches, or whether there are any; empty if that is not asked, or not known.
std::string counted_text(const RunReport& report) {
  const std::optional<std::uint64_t> counted = report.counted();
  if (!counted || (report.asks_exists && *counted == 0 && !report.complete())) return {};
  return !report.asks_exists ? std::to_string(*counted) : *counted != 0 ? "true" : "false";
}

std::string result_json(const RunReport& report) {
  if (report.only_counts || report.asks_exists) {
    const std::string counted = counted_text(report);
    return counted.empty() ? "null" : counted;
  }
  if (report.matches != nullptr) {
    return report.matches_path.empty() ? report.matches->json() : std::to_string(report.matches->count());
  }
  if (report.result == nullptr || report.bound == nullptr) return "null";
  const std::vector<std::string> numbers = count_texts(report);
  if (!numbers.empty()) {
    const std::vector<std::string> names = names_of_counts(report);
    std::string out;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      out += fmt::format("{}{}: {}", i == 0 ? "{" : ", ", dump(names[i]), numbers[i]);
    }
    return out + "}";
  }
  return json_result(report.result->values, *report.signature->result, *report.bound->inputs.universe);
}

std::string graph_json(const RunReport& report) {
  if (report.bound == nullptr) return "null";
  const auto& reports = report.bound->inputs.reports;
  const auto found = reports.find(report.bound->main_graph);
  if (found == reports.end()) return "null";
  Json facts = graph_facts(found->second);
  facts["order"] = report.order.by_degree ? "degree" : "id";
  return dump(facts);
}

double work_share(const codegen::RunResult& result) {
  return static_cast<double>(result.work_done) / static_cast<double>(result.work_total);
}

/// Milliseconds of the parts of a run with this name.
double part_ms(const RunReport& report, std::string_view name) {
  double total = 0;
  if (report.result == nullptr) return total;
  for (const auto& [part, ms] : report.result->times) total += part == name ? ms : 0;
  return total;
}

std::string stats_json(const RunReport& report) {
  Json stats;
  stats["backend"] = report.backend;
  stats["engine"] = report.engine;
  stats["threads"] = report.threads;
  if (report.result != nullptr) {
    stats["simd"] = report.result->tier;
    if (!report.result->level.empty()) stats["tier"] = report.result->level;
    stats["positions"] = report.result->positions;
    if (report.result->positions_total != 0) stats["positions_total"] = report.result->positions_total;
    if (report.result->work_total != 0) stats["work_done"] = rounded(work_share(*report.result));
    stats["deferred"] = report.result->deferred;
    if (report.result->images_tried != 0) {
      stats["candidates"] = report.result->candidates;
      stats["images_tried"] = report.result->images_tried;
    }
    stats["rows"] = report.result->rows;
    if (!report.result->stack.empty()) {
      stats["stack"] = report.result->stack;
      stats["workers"] = report.result->workers;
      stats["scratch_bytes"] = report.result->list_bytes;
      stats["uploaded_bytes"] = report.result->uploaded_bytes;
    }
    if (const std::optional<codegen::StartedKernels>& kernels = report.result->kernels) {
      stats["kernels"] = {{"started", kernels->started},
                          {"refused", kernels->refused},
                          {"at_once", kernels->at_once},
                          {"scratch_bytes", kernels->list_bytes}};
    }
    Json times = Json::array();
    for (const auto& [part, ms] : report.result->times) times.push_back({{"part", part}, {"ms", rounded(ms)}});
    if (!times.empty()) stats["run_ms"] = times;
  }
  if (report.units && report.result != nullptr) {
    if (report.units->ranks != 0) stats["ranks"] = report.units->ranks;
    stats["units_done"] = report.units->done;
    stats["units_total"] = report.units->total;
  }
  if (!report.device_why.empty()) stats["device"] = report.device_why;
  if (!report.order.why.empty()) stats["order"] = {{"is", report.order.text()}, {"ms", rounded(report.order.ms)}};
  if (report.tuning) {
    Json timed = Json::array();
    for (const Tuning::Timed& one : report.tuning->timed) {
      timed.push_back({{"schedule", schedule_text(one.words)}, {"ms", one.ms < 0 ? Json() : Json(rounded(one.ms))}});
    }
    stats["tuned"] = {{"schedule", schedule_text(report.tuning->chosen)},
                      {"remembered", report.tuning->remembered},
                      {"every", report.tuning->stride},
                      {"timed", timed}};
  }
  Json steps = Json::object();
  for (const auto& [step, ms] : report.compilation->times()) steps[step] = rounded(ms);
  stats["compile_ms"] = steps;
  if (report.compilation->has_pipeline()) {
    Json passes = Json::array();
    for (const passes::PassRun& run : report.compilation->pipeline().runs) {
      passes.push_back({{"pass", run.text},
                        {"ms", rounded(run.milliseconds)},
                        {"verify_ms", rounded(run.verify_milliseconds)},
                        {"changed", run.changed}});
    }
    stats["passes"] = passes;
  }
  return dump(stats);
}

std::string verified_json(const Verification& found) {
  Json object{{"samples", found.samples}, {"with_matches", found.with_matches}};
  object["by"] = found.samples != 0 ? Json(found.by) : Json();
  object["second_run"] = found.second_run;
  return dump(object);
}

}  // namespace

std::optional<std::uint64_t> RunReport::counted() const {
  if ((!only_counts && !asks_exists) || result == nullptr) return std::nullopt;
  if (matches != nullptr) return matches->count();
  const auto* const number = result->values.empty() ? nullptr : std::get_if<__int128>(result->values.data());
  return number == nullptr ? 0 : static_cast<std::uint64_t>(*number);
}

/// With `asks_exists` one match is complete.
bool RunReport::complete() const {
  if (result == nullptr) return false;
  return result->ending == codegen::Ending::Complete || (asks_exists && counted() != 0);
}

std::string RunReport::stopped_by() const {
  if (complete()) return {};
  if (verdict != Status::Ok) return stop_word(verdict);
  if (result != nullptr && result->estimate) return "within";
  if (only_counts) return "limit";
  if (matches != nullptr && matches->limit_reached()) return "limit";
  return "closed";
}

std::string tuning_text(const Tuning& tuning) {
  std::string others;
  for (const Tuning::Timed& one : tuning.timed) {
    others += fmt::format("{}{} {}", others.empty() ? "" : ", ", schedule_text(one.words),
                          one.ms < 0 ? "not done" : fmt::format("{:.2f} ms", one.ms));
  }
  return fmt::format("schedule: {} ({}; of every {} outermost positions one: {})", schedule_text(tuning.chosen),
                     tuning.remembered ? "remembered" : "timed now", tuning.stride, others);
}

std::string report_json(const RunReport& report) {
  const Compilation& compilation = *report.compilation;
  JsonObject object;
  object.add("schema", "\"matcha.run/1\"");
  object.add("version", dump(matcha_version()));
  object.add("program", dump(compilation.name()));
  if (!report.given.empty()) object.add("given", dump(report.given));
  if (!report.pattern.empty()) object.add("pattern", dump(report.pattern));
  object.add("entry", dump(report.signature->entry));
  object.add("signature", dump(to_string(*report.signature)));
  object.add("result", result_json(report));
  if (report.within) {
    const bool is_drawn = report.result != nullptr && report.result->estimate;
    object.add("estimate", json_estimate(is_drawn ? report.result->estimate : std::nullopt,
                                         report.complete() ? result_json(report) : "null"));
  }
  object.add("complete", report.complete() ? "true" : "false");
  if (!report.complete()) object.add("stopped_by", dump(report.stopped_by()));
  if (!report.matches_path.empty()) object.add("matches", dump(report.matches_path));
  if (report.verification) object.add("verified", verified_json(*report.verification));
  if (!report.columns.empty()) object.add("columns", dump(Json(report.columns)));
  object.add("device", dump(report.device));
  object.add("graph", graph_json(report));
  // Opening a GPU and compiling for it happen during the run, but are not part of its time.
  const double ready_ms = part_ms(report, "ready");
  const double upload_ms = part_ms(report, "upload");
  object.add("ms", dump(Json{{"load", rounded(report.load_ms)},
                             {"compile", rounded(compilation.total_ms() + ready_ms)},
                             {"upload", rounded(upload_ms)},
                             {"run", rounded(report.run_ms - ready_ms - upload_ms)}}));
  object.add("stats", stats_json(report));
  return object.print(!report.given.empty());
}

std::string named_lines(const std::vector<std::string>& names, const std::vector<std::string>& values,
                        std::size_t width) {
  std::size_t digits = 0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    width = std::max(width, characters(names[i]));
    digits = std::max(digits, values[i].size());
  }
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t blanks = width - characters(names[i]) + 2 + (digits - values[i].size());
    out += names[i] + std::string(blanks, ' ') + values[i] + "\n";
  }
  return out;
}

std::string report_text(const RunReport& report) {
  std::string out;
  if (report.only_counts || report.asks_exists) {
    const std::string counted = counted_text(report);
    return counted.empty() ? counted : counted + "\n";
  }
  if (report.matches != nullptr) {
    if (report.matches_path != "-" && !report.matches_path.empty()) out = fmt::format("{}\n", report.matches->count());
    return out;
  }
  if (report.result == nullptr || report.bound == nullptr) return out;
  const std::vector<std::string> numbers = count_texts(report);
  if (!numbers.empty()) return named_lines(names_of_counts(report), numbers, report.name_width);
  if (report.result->estimate) {
    const std::string text = estimate_text(*report.result->estimate);
    return report.given.empty() ? text + "\n" : named_lines({report.given}, {text}, report.name_width);
  }
  const frontend::Type& type = *report.signature->result;
  const runtime::Universe& universe = *report.bound->inputs.universe;
  if (type.is_list() && !report.result->values.empty()) {
    const codegen::ListValue& list = std::get<codegen::ListValue>(report.result->values[0]);
    const RowColumns columns = columns_of(list);
    for (std::uint64_t row = 0; row < list.size; ++row) {
      append_row(out, columns, row, universe, Style::Text);
      out += '\n';
    }
    return out;
  }
  std::vector<std::string> values = value_texts(report.result->values, type, universe);
  if (report.within && report.complete() && values.size() == 1) values.front() += " (exact)";
  if (!report.given.empty() && values.size() == 1) return named_lines({report.given}, values, report.name_width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += '\t';
    out += values[i];
  }
  return values.empty() ? out : out + "\n";
}

std::string iterations_text(const codegen::RunResult& result) {
  std::string out = grouped(static_cast<__int128>(result.positions));
  if (result.positions_total != 0) out += fmt::format(" of {}", grouped(static_cast<__int128>(result.positions_total)));
  out += " outer iterations";
  if (result.work_total != 0) {
    const double percent = 100 * work_share(result);
    constexpr double kMuch = 10;
    out += fmt::format(", {:.{}f}% of the work", percent, percent < kMuch ? 2 : 0);
  }
  return out;
}

std::map<Status, std::string> reports_of_stops(RunReport& report) {
  std::map<Status, std::string> texts;
  for (const Status verdict : {Status::Timeout, Status::Interrupted, Status::Terminated}) {
    report.verdict = verdict;
    texts[verdict] = report_json(report);
  }
  report.verdict = Status::Ok;
  return texts;
}

std::string closing_line(const RunReport& report, bool drawn, bool on_output) {
  const bool limited = report.stopped_by() == "limit";
  if (drawn && limited) {
    return fmt::format("{} matches are drawn; --limit N draws more or fewer", report.matches->count());
  }
  if (!on_output) return {};
  return fmt::format("{} matches{}", report.matches->count(), limited ? " (--limit is reached)" : "");
}

std::string partial_line(const RunReport& report) {
  const bool nothing = !report.units && !report.matches && report.result->values.empty();
  if (nothing) return stop_line(report.verdict);
  const std::string done = report.units ? fmt::format("{} of {} units of work", report.units->done, report.units->total)
                                        : iterations_text(*report.result);
  return fmt::format("partial result: {} after {}", stopped_by(report.verdict), done);
}

}  // namespace matcha::session
