#include "tools/stream_options.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "tools/gpu_options.h"
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
  verb.add_flag("--strict", options.strict, "An update that changes nothing is an error")->group("Updates");
}

void add_answer_options(CLI::App& verb, StreamOptions& options) {
  verb.add_flag("--json", options.json, "Print a JSON object a line instead of text")->group("Answer");
  CLI::Option* const total =
      verb.add_flag("--total", options.total, "Count the first graph too, and print totals; the default")
          ->group("Answer");
  verb.add_flag("--no-total", options.no_total, "Start at once, and print changes only")
      ->excludes(total)
      ->group("Answer");
  verb.add_option("--out", options.out, "Write the answers to this file; default: standard output")
      ->type_name("FILE")
      ->group("Answer");
  verb.add_option("--matches", options.matches,
                  "Write rows that come and go to this file (`-`: standard output): batch, + or -, columns")
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
  add_timeout(verb, options.timeout, "Seconds; then it stops after a whole batch")->group("Answer");
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
  verb.add_option("--entry", options.entry, "The function to compile; default: `main`, else the last one of the file")
      ->type_name("NAME");
  add_pattern_list(verb, options.patterns, options.pattern_list);
  add_pattern_options(verb, options.pattern);
  add_input_options(verb, options);
  add_answer_options(verb, options);
  add_input_meaning(verb, options.params, options.table, options.directed);
  verb.add_option("--device", options.device,
                  "Where to count; auto begins on the CPU, and takes a GPU where that is sooner")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->option_text("auto|cpu|cuda")
      ->group("How to run");
  add_gpus(verb, options.gpus)->group("How to run");
  add_bytes(verb, "--gpu-memory", options.gpu_memory,
            "What may be taken of a GPU, such as 800M; rows that do not fit are read in memory of the host")
      ->group("How to run");
  add_bytes(verb, "--gpu-rows", options.gpu_rows, "Of it, what rows of neighbours may take; default: what is left")
      ->needs("--gpu-memory")
      ->group("How to run");
  verb.add_flag("--mpi", options.mpi,
                "As a rank of an MPI job: all hold the graph and share the edges of each batch; the first answers")
      ->group("How to run");
  verb.add_flag("--recompute", options.recompute, "Run the programs anew after each batch; slow, and the reference")
      ->group("How to run");
  add_cpu_options(verb, {options.tier, options.threads, options.simd, options.order});
  add_no_cache(verb, options.code_folder);
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
