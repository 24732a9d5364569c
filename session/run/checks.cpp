#include "session/run/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "runtime/cpu/region.h"
#include "session/gpu.h"
#include "session/pictures/match_pictures.h"
#include "session/run/device_options.h"

namespace matcha::session {

namespace {

bool is_program(std::string_view path) { return path.size() > 3 && path.substr(path.size() - 3) == ".mt"; }

}  // namespace

std::string_view RunRequest::cpu_target() const {
  if (backend != "llvm") return backend;
  return target_of_tier(tune ? "native" : tier);
}

Status check_answer_options(const RunRequest& options, const PatternOptions& pattern, const RunReporter& console,
                            RowFormat& format) {
  const bool of_pattern = !pattern.text.empty();
  if ((options.backend != "llvm" || options.tier != "auto") && options.device == "cuda") {
    return console.error(Status::Usage,
                         fmt::format("`{}` is for the CPU", options.backend != "llvm" ? "--backend" : "--tier"),
                         "leave it out, or use --device cpu");
  }
  if (options.memory != 0 && options.device == "cuda") {
    return console.error(Status::Usage, "`--memory` is for the CPU", "--gpu-memory is for a GPU");
  }
  if (options.gpu_memory != 0 && options.device != "cuda") {
    return console.error(Status::Usage, "`--gpu-memory` is for `--device cuda`", "--memory is for the CPU");
  }
  if (options.backend != "llvm" && options.tier != "auto") {
    return console.error(Status::Usage, "`--tier` is not for `--backend interp`", "leave one of them out");
  }
  if (options.tune && (options.lists() || pattern.plan != 1)) {
    return console.error(
        Status::Usage,
        fmt::format("`--tune` is not for `{}`", options.lists() ? "--matches`, `--limit` and `--exists" : "--plan"),
        options.lists() ? "it times counts" : "it chooses the plan itself");
  }
  if (options.interval.within) {
    const char* const other = options.lists()  ? "`--matches`, `--limit`, `--exists` and `--per`"
                              : options.verify ? "`--verify`"
                              : options.tune   ? "`--tune`"
                                               : nullptr;
    if (other != nullptr) {
      return console.error(Status::Usage, fmt::format("`--within` is not for {}", other), "it estimates one count");
    }
  }
  if (options.json && options.matches == "-") {
    return console.error(Status::Usage, "`--json` and `--matches -` both write to standard output",
                         "give --matches a file");
  }
  const bool drawn = is_picture(options.matches);
  // Rows of a query have the names that it gives them.
  const bool is_query = pattern.query && options.matches == "-";
  if (drawn && !of_pattern) {
    return console.error(Status::Usage, "pictures are of the matches of a pattern", "write .csv, or use --pattern");
  }
  const std::optional<RowFormat> wanted = drawn ? RowFormat() : row_format(is_query ? "rows.csv" : options.matches);
  if (!wanted) {
    return console.error(Status::Usage, fmt::format("no rows can be written as `{}`", options.matches),
                         "rows are written to .tsv, .csv, .txt, .ndjson, .npy and .arrow, text also packed as .gz and "
                         ".zst, and drawn to .svg");
  }
  format = *wanted;
  const bool reads_stdin =
      options.bind.graph == "-" || std::ranges::any_of(options.bind.inputs, [](const std::string& input) {
        return input.find("=-") != std::string::npos;
      });
  if (options.verify && !of_pattern && (options.compile.file == "-" || reads_stdin)) {
    return console.error(Status::Usage,
                         "`--verify` reads programs and their inputs twice, which standard input cannot be",
                         "write it to a file");
  }
  if (!options.pattern.per.empty()) {
    const bool elsewhere = options.backend != "llvm" || options.tier != "auto" || options.cluster.any();
    if (elsewhere || options.tune || options.verify || drawn || options.count || options.exists) {
      return console.error(Status::Usage, "`--per` gives rows, which are counted without a program, in one process",
                           "leave out `--backend`, `--tier`, `--tune`, `--verify`, `--count`, `--exists`, `--shard`, "
                           "`--work`, `--mpi` and pictures");
    }
    format.heading = true;
  }
  if (of_pattern && (options.compile.file != kPatternFile || is_program(options.bind.graph))) {
    return console.error(Status::Usage, "`--pattern` writes the program itself",
                         "leave the program out: matcha run --pattern P GRAPH");
  }
  if (is_program(options.bind.graph) && !is_program(options.compile.file)) {
    return console.error(Status::Usage, fmt::format("`{}` is a program, not a graph", options.bind.graph),
                         "the program comes first: matcha run PROGRAM GRAPH");
  }
  return Status::Ok;
}

std::string without_blanks_before(const std::string& text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

Status choose_target(const RunRequest& options, const RunReporter& console, const Target*& target, bool& may_choose) {
  target = &target_named(options.cpu_target());
  if (options.device == "cuda") target = &target_named("cuda");
  // A GPU has no SIMD tiers.
  const bool for_cpu = options.backend != "llvm" || !options.simd.empty() || options.tier != "auto" ||
                       options.cluster.any() || options.pattern.per == "edge" || options.memory != 0;
  may_choose = options.device == "auto" && !for_cpu && options.gpu_given.empty() && !options.tune && may_have_gpu() &&
               reads_small_graph(options.bind);
  // Its driver starts while the inputs are read; whether it can be used is asked when it is chosen.
  const auto has_gpu = [&] { return options.gpu_given.empty() ? may_have_gpu() : gpu_problem().empty(); };
  if (options.device == "auto" && !for_cpu && !may_choose && has_gpu()) target = &target_named("cuda");
  if (target->on_gpu || options.gpu_given.empty()) return Status::Ok;
  return check_gpu_options(options.gpu_given, options.device == "cpu" || for_cpu, console);
}

Status check_result_type(const RunRequest& options, const Signature& program, const RunReporter& console) {
  const frontend::Type& type = *program.result;
  if (!options.lists() || type.is_list()) return Status::Ok;
  const char* const option = options.exists ? "--exists" : options.matches.empty() ? "--limit" : "--matches";
  return console.error(Status::Usage, fmt::format("`{}` is for programs that return a list; `{}` returns `{}`", option,
                                                  program.entry, to_string(type)));
}

Status verdict_of(codegen::Ending ending, const StopControl& session) {
  if (ending == codegen::Ending::Deadline) return Status::Timeout;
  if (ending != codegen::Ending::Stopped) return Status::Ok;
  return session.stopped() ? session.verdict() : Status::Terminated;
}

Status report_failure(const codegen::RunError& failed, const BindOptions& bind, const SourceManager& sources,
                      const Reporter& reporter) {
  runtime::Error error = failed.error;
  if (!bind.table.gives_labels() && error.hint.empty() &&
      error.message == runtime::trap_message(runtime::TrapCode::NoLabel)) {
    error.hint = "give the vertices labels with `--labels FILE`";
  }
  return reporter.error_in(sources, failed.loc, error);
}

}  // namespace matcha::session
