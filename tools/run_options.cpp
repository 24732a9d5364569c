#include "tools/run_options.h"

#include <CLI/CLI.hpp>

#include "session/options.h"
#include "tools/verbs.h"

namespace matcha::tools {

OptionTargets targets_of(RunVerbOptions& options) {
  OptionTargets to;
  put_targets(to, options.bind);
  to.pattern = &options.pattern;
  to.patterns = &options.patterns;
  to.pattern_list = &options.pattern_list;
  to.compile = &options.compile;
  to.entry = &options.compile.entry;
  to.gpu = &options.gpu;
  to.device = &options.device;
  to.order = &options.order;
  to.engine = &options.engine;
  to.tier = &options.tier;
  to.backend = &options.backend;
  to.simd_name = &options.simd;
  to.threads = &options.threads;
  to.code_folder = &options.code_folder;
  to.matches_file = &options.matches;
  to.limit = &options.limit;
  to.interval = &options.interval;
  to.timeout = &options.timeout;
  to.json = &options.json;
  to.count = &options.count;
  to.exists = &options.exists;
  to.verify = &options.verify;
  to.tune = &options.tune;
  to.memory = &options.memory;
  to.gpu_memory = &options.gpu_memory;
  to.shard = &options.cluster.shard;
  to.ledger = &options.cluster.ledger;
  to.work = &options.cluster.work;
  to.mpi = &options.cluster.mpi;
  return to;
}

void add_run_options(CLI::App& verb, RunVerbOptions& options) {
  add_program_file(verb, options.compile);
  verb.get_option("FILE")->required(false);
  add_graph_file(verb, options.bind);
  add_options(verb, kRun, targets_of(options));
  verb.get_option("--count")->needs("--limit")->excludes("--matches");
  verb.get_option("--exists")->excludes("--matches")->excludes("--limit");
  verb.get_option("--seed")->needs("--within");
  verb.get_option("--certain")->needs("--within");
  verb.get_option("--confidence")->needs("--within");
  verb.get_option("--verify")->excludes("--matches")->excludes("--limit")->excludes("--exists");
  verb.get_option("--load-cuda")->excludes("--tune");
  verb.get_option("--ledger")->needs("--shard");
  verb.get_option("--work")->excludes("--shard");
  verb.get_option("--mpi")->excludes("--shard")->excludes("--work");
  verb.add_option("--from-ledgers", options.cluster.from_ledgers, "The answer of all shards")
      ->excludes("--shard")
      ->excludes("--mpi")
      ->allow_extra_args(false)
      ->group("");
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
