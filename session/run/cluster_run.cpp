#include "session/run/cluster_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "session/cluster/dealers.h"
#include "session/cluster/run_key.h"
#include "session/gpu.h"
#include "session/run/request.h"
#include "session/version.h"

namespace matcha::session {

namespace {

bool reads_standard_input(const RunRequest& all) {
  const auto is_it = [](const std::string& file) { return file == "-" || file.find("=-") != std::string::npos; };
  const TableBinding& table = all.bind.table;
  return all.compile.file == "-" || is_it(all.bind.graph) || table.labels == "-" || table.vertices == "-" ||
         std::ranges::any_of(all.bind.inputs, is_it);
}

/// The words that make another part, or the merging of all, the same run.
std::vector<std::string> words_of_run(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    bool left_out = false;
    for (const std::string_view name :
         {"--shard", "--ledger", "--work", "--timeout", "--threads", "--gpus", "--first-gpu"}) {
      if (word == name) ++i;
      left_out = left_out || word == name || word.starts_with(std::string(name) + "=");
    }
    if (!left_out) kept.push_back(word);
  }
  return kept;
}

}  // namespace

std::optional<std::uint64_t> whole_number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return number;
}

std::string search_words(const session::PatternSource& pattern, bool rows,
                         const runtime::sample::IntervalRequest& interval) {
  const pattern::Pattern& first = pattern.set().patterns.front();
  std::string words = pattern.semantics(rows);
  for (int v = 0; v < first.size(); ++v) {
    const auto at = pattern::at(v);
    words += fmt::format("\n{} {} {}", first.out[at], first.anti[at], first.label(v));
  }
  if (interval.within) {
    words += fmt::format("\nwithin {} {} {} {}", *interval.within,
                         interval.confidence.value_or(runtime::sample::kConfidence),
                         interval.seed.value_or(runtime::sample::kSeed), interval.certain);
  }
  return words;
}

Status ClusterRun::check(const RunRequest& all) {
  if (!options_.any()) return Status::Ok;
  const std::string name = !options_.shard.empty()  ? "--shard"
                           : !options_.work.empty() ? "--work"
                           : options_.mpi           ? "--mpi"
                                                    : "merge";
  const auto unfit = [&](const char* option, const char* hint) {
    return console_.error(Status::Usage, fmt::format("`{}` is not for `{}`", option, name), hint);
  };
  if (all.backend != "llvm") return unfit("--backend interp", "leave it out");
  if (all.tune) return unfit("--tune", "leave it out");
  if (all.verify) return unfit("--verify", "verify the whole run");
  if (all.most()) return unfit("--limit` or `--exists", "they are for whole runs");
  on_gpu_ = all.device == "cuda";
  if (const std::string problem = on_gpu_ ? session::gpu_problem() : ""; !problem.empty()) {
    return console_.error(Status::Run, problem, "parts of a run with --device cuda are for machines with a GPU");
  }
  if (options_.mpi && reads_standard_input(all)) {
    return console_.error(Status::Usage, "standard input is not for `--mpi`: one rank only has it",
                          "write it to a file that all ranks see");
  }
  if (options_.team != nullptr) processes_ = static_cast<std::uint64_t>(options_.team->size());
  if (!options_.from_ledgers.empty()) {
    const runtime::Result<cluster::Ledger> first = cluster::read_ledger(options_.from_ledgers.front());
    if (!first) return console_.error(first.error());
    processes_ = first->header.shards;
  }
  if (options_.shard.empty()) return Status::Ok;
  if (options_.ledger.empty() && !all.explains) {
    return console_.error(Status::Usage, "`--shard` needs `--ledger FILE`", "the file of what this part finds");
  }
  std::optional<std::pair<std::uint64_t, std::uint64_t>> part;
  if (options_.shard == "auto") {
    part = options_.part_of_job;
    if (!part) {
      return console_.error(Status::Usage, "`--shard auto` finds no job array",
                            "it reads SLURM_ARRAY_TASK_ID, _MIN and _COUNT, or JOB_COMPLETION_INDEX and MATCHA_SHARDS");
    }
  } else if (const std::size_t slash = options_.shard.find('/'); slash != std::string::npos) {
    const std::string_view text = options_.shard;
    const auto index = whole_number_of(text.substr(0, slash));
    const auto count = whole_number_of(text.substr(slash + 1));
    if (index && count) part.emplace(*index, *count);
  }
  if (!part || part->first >= part->second || part->second > cluster::kMostShards) {
    return console_.error(Status::Usage, fmt::format("`--shard {}` is no part", options_.shard),
                          fmt::format("it is I/N, with I from 0 to N - 1 and N at most {}", cluster::kMostShards));
  }
  shard_ = part->first;
  shards_ = processes_ = part->second;
  return Status::Ok;
}

Status ClusterRun::begin(std::string_view program, const BoundInputs& bound, const StopControl& session) {
  if (!options_.any()) return Status::Ok;
  cluster::LedgerHeader header;
  header.key =
      cluster::run_key(program, bound.arguments, *bound.inputs.universe, bound.labels, bound.inputs.dictionary.get());
  header.version = session::matcha_version();
  header.words = words_of_run(options_.words);
  header.shard = shard_;
  header.shards = shards_;
  header.units = options_.shard.empty() ? cluster::units_of(bound.arguments, on_gpu_)
                                        : shards_ * (on_gpu_ ? cluster::kGpuUnitsOfShard : cluster::kUnitsOfShard);
  runtime::Result<std::unique_ptr<codegen::Dealer>> made = [&] {
    if (options_.mpi) {
      return cluster::make_mpi_dealer(*options_.team, header, {session.stop_request(), session.deadline()});
    }
    if (!options_.shard.empty()) return cluster::make_shard_dealer(options_.ledger, header);
    if (!options_.work.empty()) {
      return cluster::make_folder_dealer(options_.work, header, {session.stop_request(), session.deadline()});
    }
    std::vector<cluster::Ledger> ledgers;
    for (const std::string& file : options_.from_ledgers) {
      runtime::Result<cluster::Ledger> ledger = cluster::read_ledger(file);
      if (!ledger) return runtime::Result<std::unique_ptr<codegen::Dealer>>(ledger.error());
      ledgers.push_back(std::move(*ledger));
    }
    return cluster::make_ledger_dealer(std::move(ledgers), header.key);
  }();
  if (!made) return console_.error(made.error());
  dealer_ = std::move(*made);
  return Status::Ok;
}

std::optional<UnitsReport> ClusterRun::units() const {
  if (dealer_ == nullptr) return std::nullopt;
  return UnitsReport{dealer_->units_done(), dealer_->units_total(), options_.mpi ? options_.team->size() : 0};
}

std::string ClusterRun::shard_text(bool json, bool complete) const {
  const std::uint64_t done = dealer_->units_done(), total = dealer_->units_total();
  if (!json)
    return fmt::format("shard {}/{}: {} of {} units are in {}\n", shard_, shards_, done, total, options_.ledger);
  return nlohmann::ordered_json{{"schema", "matcha.shard/1"}, {"shard", shard_},      {"shards", shards_},
                                {"units_done", done},         {"units_total", total}, {"complete", complete},
                                {"ledger", options_.ledger}}
             .dump(2) +
         "\n";
}

}  // namespace matcha::session
