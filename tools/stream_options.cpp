#include "tools/stream_options.h"

#include <CLI/CLI.hpp>

#include "session/options.h"
#include "tools/verbs.h"

namespace matcha::tools {

void add_stream_options(CLI::App& verb, StreamOptions& options) {
  verb.add_option("FILES", options.files, "Programs (.mt), and the graph at the start; without one it is empty")
      ->type_name("");
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
  to.engine = &options.engine;
  to.strict = &options.strict;
  to.order = &options.order;
  to.tier = &options.tier;
  to.threads = &options.threads;
  to.simd_name = &options.simd;
  to.code_folder = &options.code_folder;
  to.updates = &options.updates;
  to.temporal = &options.temporal;
  to.time = &options.time;
  to.window = &options.window;
  to.slide = &options.slide;
  to.lateness = &options.lateness;
  to.batch = &options.batch;
  to.every = &options.every;
  to.blank = &options.blank;
  to.automatic = &options.automatic;
  to.each = &options.each;
  to.total = &options.total;
  to.no_total = &options.no_total;
  to.out = &options.out;
  to.state = &options.state;
  to.checkpoint = &options.checkpoint;
  add_options(verb, kStream, to);
  verb.get_option("--updates")->required();
  for (const char* timed : {"--time", "--window", "--lateness", "--slide"}) {
    verb.get_option(timed)->needs("--temporal");
  }
  for (const char* other : {"--batch", "--every", "--blank", "--slide"}) {
    verb.get_option("--auto")->excludes(other);
    verb.get_option("--each")->excludes(other);
  }
  verb.get_option("--each")->excludes("--auto");
  verb.get_option("--no-total")->excludes("--total");
  verb.get_option("--recompute")->excludes("--engine");
  verb.get_option("--checkpoint")->needs("--state");
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
