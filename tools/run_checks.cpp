#include "tools/run_checks.h"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "tools/match_pictures.h"

namespace matcha::tools {

namespace {

bool is_program(std::string_view path) { return path.size() > 3 && path.substr(path.size() - 3) == ".mt"; }

}  // namespace

Status check_answer_options(const RunVerbOptions& options, const PatternOptions& pattern, const Console& console,
                            RowFormat& format) {
  const bool of_pattern = !pattern.text.empty();
  if ((options.backend != "llvm" || options.tier != "auto") && options.device == "cuda") {
    return console.error(Status::Usage,
                         fmt::format("`{}` is for the CPU", options.backend != "llvm" ? "--backend" : "--tier"),
                         "leave it out, or use --device cpu");
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
  if (options.json && options.matches == "-") {
    return console.error(Status::Usage, "`--json` and `--matches -` both write to standard output",
                         "give --matches a file");
  }
  const bool drawn = is_picture(options.matches);
  if (drawn && !of_pattern) {
    return console.error(Status::Usage, "pictures are of the matches of a pattern", "write .csv, or use --pattern");
  }
  const std::optional<RowFormat> wanted = drawn ? RowFormat() : row_format(options.matches);
  if (!wanted) {
    return console.error(Status::Usage, fmt::format("no rows can be written as `{}`", options.matches),
                         "rows are written to .tsv, .csv, .txt, .ndjson, .npy and .arrow, text also packed as .gz and "
                         ".zst, and drawn to .svg");
  }
  format = *wanted;
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

}  // namespace matcha::tools
