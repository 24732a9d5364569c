#include "tools/stream_options.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <string_view>
#include <utility>

#include "tools/numbers.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

/// A number with one of the units; nothing for other texts, and for what is too large.
std::optional<std::int64_t> time_of(const std::string& text,
                                    std::initializer_list<std::pair<std::string_view, std::int64_t>> units) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc() || number < 0) return std::nullopt;
  const std::string_view unit(read.ptr, static_cast<std::size_t>(end - read.ptr));
  for (const auto& [name, factor] : units) {
    std::int64_t time = 0;
    if (name == unit && !__builtin_mul_overflow(number, factor, &time)) return time;
  }
  return std::nullopt;
}

CLI::Validator is_time(bool real) {
  return CLI::Validator(
      [real](std::string& given) {
        const std::optional<std::int64_t> time = real ? milliseconds_of(given) : seconds_of(given);
        if (time) return std::string();
        return "`" + given +
               (real ? "` is no time such as 50ms, 2s or 1m" : "` is no time such as 90s, 15m, 1h or 30d");
      },
      "");
}

void add_input_options(CLI::App& verb, StreamOptions& options) {
  verb.add_option("--updates", options.updates,
                  "The updates, a line each; `-`: standard input; may be packed (gz, zst); COLS: `src,dst,time`")
      ->required()
      ->type_name("FILE[:COLS]")
      ->group("Updates");
  verb.add_flag("--temporal", options.temporal, "Lines are `u v t`: edges that come, with times")->group("Updates");
  CLI::Option* const temporal = verb.get_option("--temporal");
  verb.add_option("--time", options.time,
                  "Column of timed updates: the time; a name of the heading, or a number from 0")
      ->needs(temporal)
      ->type_name("COLUMN")
      ->group("Updates");
  const auto add_time = [&](const char* name, std::string& value, const char* text) {
    verb.add_option(name, value, text)->check(is_time(false))->needs(temporal)->type_name("TIME")->group("Updates");
  };
  add_time("--window", options.window, "An edge goes when its last time is so long ago: 90s, 15m, 1h, 30d");
  add_time("--lateness", options.lateness, "Lines may come so late; later ones are counted and dropped");
  add_time("--slide", options.slide, "A batch has the lines of so much time");
  add_number(verb, "--batch", options.batch, "A batch has so many lines", 1)->group("Updates");
  verb.add_option("--every", options.every, "A batch has the lines of so much real time: 50ms, 2s")
      ->check(is_time(true))
      ->type_name("TIME")
      ->group("Updates");
  verb.add_flag("--blank", options.blank, "An empty line ends a batch")->group("Updates");
  CLI::Option* const automatic = verb.add_flag("--auto", options.automatic,
                                               "A batch has all that came while the last one was at work; the default")
                                     ->group("Updates");
  CLI::Option* const each =
      verb.add_flag("--each", options.each, "Every update is a batch of its own")->group("Updates");
  for (const char* other : {"--batch", "--every", "--blank", "--slide"}) {
    automatic->excludes(verb.get_option(other));
    each->excludes(verb.get_option(other));
  }
  each->excludes(automatic);
}

void add_answer_options(CLI::App& verb, StreamOptions& options) {
  CLI::Option* const total =
      verb.add_flag("--total", options.total, "Count the first graph too, and print totals; the default")
          ->group("Answer");
  verb.add_flag("--no-total", options.no_total, "Start at once, and print changes only")
      ->excludes(total)
      ->group("Answer");
  verb.add_option("--out", options.out, "Write the answers to this file; default: standard output")
      ->type_name("FILE")
      ->group("Answer");
  verb.add_option("--state", options.state,
                  "Keep in this folder what the same command goes on from when it is run again")
      ->type_name("DIR")
      ->group("Answer");
  add_number(verb, "--checkpoint", options.checkpoint,
             "Store the graph after so many batches; default: when the log is longer than the graph", 1)
      ->needs("--state")
      ->group("Answer");
}

}  // namespace

std::optional<std::int64_t> seconds_of(const std::string& text) {
  return time_of(text, {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}});
}

std::optional<std::int64_t> milliseconds_of(const std::string& text) {
  return time_of(text, {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}});
}

void add_stream_options(CLI::App& verb, StreamOptions& options) {
  verb.add_option("FILES", options.files, "Programs (.mt), and the graph at the start; without one it is empty")
      ->type_name("");
  add_input_options(verb, options);
  add_answer_options(verb, options);
  OptionTargets to;
  to.entry = &options.entry;
  to.patterns = &options.patterns;
  to.pattern_list = &options.pattern_list;
  to.pattern = &options.pattern;
  to.params = &options.params;
  to.table = &options.table;
  to.directed = &options.directed;
  to.json = &options.json;
  to.matches_file = &options.matches;
  to.timeout = &options.timeout;
  to.device = &options.device;
  to.gpus = &options.gpus;
  to.gpu_memory = &options.gpu_memory;
  to.gpu_rows = &options.gpu_rows;
  to.mpi = &options.mpi;
  to.recompute = &options.recompute;
  to.strict = &options.strict;
  to.order = &options.order;
  to.tier = &options.tier;
  to.threads = &options.threads;
  to.simd_name = &options.simd;
  to.code_folder = &options.code_folder;
  add_options(verb, kStream, to);
  verb.get_option("--gpu-rows")->needs("--gpu-memory");
  add_console_options(verb, options.console);
  verb.footer(R"(
Examples:
  matcha stream triangle.mt graph.txt.gz --updates changes.txt
  matcha stream --pattern house graph.mtg --updates - --batch 1000 --json
  matcha stream q.mt --updates calls.txt --temporal --window 30d --slide 1h
  matcha stream q.mt g.mtg --updates u.txt --state run1/ --out answers.txt

A line of updates is `+ u v [label]`, `- u v`, `v id [label]` or `-v id`; `e`
and `-e` are `+` and `-`. With --temporal it is `u v t`, or has the columns that
a heading or `--updates calls.csv:caller,callee,start` names. After each batch
there is a line for each program.)");
}

}  // namespace matcha::tools
