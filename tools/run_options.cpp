#include "tools/run_options.h"

#include "driver/targets.h"
#include "tools/numbers.h"
#include "tools/verbs.h"

namespace matcha::tools {

std::string_view RunVerbOptions::cpu_target() const {
  if (backend != "llvm") return backend;
  return target_of_tier(tune ? "native" : tier);
}

void add_run_options(CLI::App& verb, RunVerbOptions& options) {
  add_program_options(verb, options.compile);
  verb.get_option("FILE")->required(false);
  add_bind_options(verb, options.bind);
  add_pattern_list(verb, options.patterns, options.pattern_list);
  add_pattern_options(verb, options.pattern);
  verb.add_option("--per", options.pattern.per,
                  "Of motif:2 to motif:5 (motif:4 for edges), a row for each: how often it is in each place of a "
                  "pattern; graph: "
                  "the count of a pattern in each graph of a set")
      ->check(CLI::IsMember({"vertex", "edge", "graph"}))
      ->option_text("vertex|edge|graph")
      ->group("Pattern");

  verb.add_flag("--json", options.json, "Print one JSON object instead of the bare answer")->group("Answer");
  verb.add_option("--matches", options.matches,
                  "Stream the rows of a list to this file (`-`: stdout), in no particular order; draw them to .svg")
      ->type_name("FILE")
      ->group("Answer");
  add_number(verb, "--limit", options.limit, "At most so many rows, exactly; any of them")->group("Answer");
  verb.add_flag("--count", options.count, "With --limit: count, and stop there, instead of listing rows")
      ->needs("--limit")
      ->excludes("--matches")
      ->group("Answer");
  verb.add_flag("--exists", options.exists, "Whether there is a match or a row: true or false")
      ->excludes("--matches")
      ->excludes("--limit")
      ->group("Answer");
  verb.add_flag(
          "--verify", options.verify,
          "Check the answer by other ways to it before it is printed: on samples of the graph, and by a second run")
      ->excludes("--matches")
      ->excludes("--limit")
      ->excludes("--exists")
      ->group("Answer");
  add_timeout(verb, options.timeout, "Seconds for loading, compiling and running; then the partial result")
      ->group("Answer");

  verb.add_option("--device", options.device, "Where to run")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->option_text("auto|cpu|cuda")
      ->group("How to run");
  verb.add_option("--backend", options.backend, "interp is slow, and the reference")
      ->check(CLI::IsMember({"llvm", "interp"}))
      ->option_text("llvm|interp")
      ->group("How to run");
  add_cpu_options(verb, {options.tier, options.threads, options.simd, options.order});
  verb.add_flag("--tune", options.tune,
                "Time some schedules on a part of the work, and remember the best for this program, graph and device")
      ->group("How to run");
  add_no_cache(verb, options.code_folder);
  add_bytes(verb, "--memory", options.memory,
            "What the graph may take, such as 800M; of a larger .mtg parts are in memory, one after the other")
      ->group("How to run");
  add_bytes(verb, "--gpu-memory", options.gpu_memory,
            "With --device cuda: what the graph may take of a GPU, such as 8G; of a larger .mtg the rest is read in "
            "memory of the host")
      ->group("How to run");
  add_cluster_options(verb, options.cluster);
  add_gpu_text_options(verb, options.gpu);
  add_gpu_options(verb, options.gpu);
  add_load_cuda(verb, options.gpu.query)->excludes("--tune");
  add_pass_options(verb, options.compile);
  add_console_options(verb, options.console);
  verb.footer(R"(
Examples:
  matcha run triangle.mt graph.txt.gz
  matcha run --pattern house graph.txt.gz
  matcha run --pattern '(a:person)-[:pays]->(b)' pays.txt --labels l.txt --directed
  matcha run --pattern triangle --pattern a-b-c-d-a graph.txt.gz
  matcha run --pattern motif:4 --per vertex graph.txt --matches orbits.csv
  matcha run --pattern q.graph graph.txt --labels l.txt --limit 1000 --count
  matcha run listing.mt graph.txt --matches rows.csv.gz --limit 10
  matcha run cycle.mt --in edges=m.txt:0,1 --in times=m.txt:2 --param window=60
  matcha run triangle.mt graph.mtg --shard 3/16 --ledger part3.mtl
  matcha run triangle.mt graph.mtg --work shared/folder
  mpirun -n 4 matcha run triangle.mt graph.mtg --mpi
  matcha run --pattern clique:4 graph.mtg --memory 2G
  matcha run --pattern clique:4 graph.mtg --device cuda --gpu-memory 8G
  matcha run query.mt graph.mtg --labels labels.txt --json --timeout 60

The answer goes to stdout, all else to stderr. Ctrl-C stops with the partial
result, a second one kills.)");
}

}  // namespace matcha::tools
