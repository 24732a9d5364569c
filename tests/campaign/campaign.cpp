#include "tests/campaign/campaign.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>

#include "tests/campaign/dice.h"
namespace matcha::campaign {

namespace {

constexpr int kMostTries = 400;

/// The difference between the expected and the actual answer.
std::optional<std::string> difference(const Expectation& expected, const Answer& seen) {
  const bool may_trap = std::ranges::any_of(
      expected.traps, [&](const std::string& trap) { return seen.trap.find(trap) != std::string::npos; });
  if (seen.problem.empty() &&
      (seen.trap.empty() ? expected.answer.trap.empty() && seen.values == expected.answer.values : may_trap)) {
    return std::nullopt;
  }
  return fmt::format("expected {}\nseen     {}\n", expected.answer.text(), seen.text());
}

}  // namespace

std::string Campaign::Trial::text() const {
  return fmt::format("{}--order {}, {}{}", setup.text, order, way.text(), sketch ? ", planned for this graph" : "");
}

std::uint64_t Campaign::run() {
  constexpr double kPause = 60;
  double next_report = kPause;
  for (seed_ = options_.seed; subjects_ < options_.subjects && different_ < options_.failures; ++seed_) {
    const double now = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (options_.seconds > 0 && now > options_.seconds) break;
    if (now > next_report) {
      next_report = now + kPause;
      fmt::print(stderr, "{:.0f} s: {} cases of {} subjects, {} different\n", now, cases_, subjects_, different_);
    }
    one(seed_);
    ++subjects_;
  }
  return different_;
}

void Campaign::one(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  // More neighbours than a GPU's rows of bits are for, now and then.
  const Subject subject = random_subject(random(), one_in(random, 4) ? 2100 : 140);
  if (!machine_.takes(subject)) {
    ++tally_["not for this machine"];
    return;
  }
  ++tally_[subject.is_pattern ? "patterns" : "programs"];
  std::vector<Sample> samples;
  for (int i = 0; i < options_.graphs; ++i) {
    Sample& sample = samples.emplace_back();
    sample.graph = random_graph(random(), subject.kind);
    sample.expected = subject.expect(sample.graph);
    if (!sample.expected) ++tally_["graphs that take a brute force too long"];
  }
  for (const Setup& setup : machine_.setups(random)) with_setup(subject, samples, setup, random);
}

void Campaign::with_setup(const Subject& subject, const std::vector<Sample>& samples, const Setup& setup,
                          std::mt19937_64& random) {
  static const char* const kOrders[] = {"auto", "id", "degree"};
  const std::unique_ptr<Compiled> compiled = machine_.compile(subject, setup, tally_);
  for (const Sample& sample : samples) {
    Trial trial;
    trial.setup = setup;
    trial.order = any_of(random, kOrders);
    trial.sketch = one_in(random, 25);
    const std::vector<Way> ways = machine_.ways(subject, random);
    if (!sample.expected) continue;
    std::unique_ptr<Bound> bound = compiled->bind(sample.graph, trial.order, trial.sketch);
    if (bound->unfit == "order") {
      trial.order = "auto";
      bound = compiled->bind(sample.graph, trial.order, trial.sketch);
    }
    if (!bound->unfit.empty()) {
      ++tally_["unfit: " + bound->unfit];
      continue;
    }
    if (!bound->problem.empty()) {
      judge(subject, samples, sample, trial, {{}, {}, bound->problem});
      return;
    }
    for (const Way& way : ways) {
      trial.way = way;
      const std::uint64_t before = different_;
      judge(subject, samples, sample, trial, subject.normal(bound->run(way)));
      if (different_ != before) return;
    }
  }
}

void Campaign::count(const Subject& subject, const Sample& sample, const Trial& trial, const Answer& answer) {
  ++cases_;
  const auto add = [&](bool it_is, const std::string& what) {
    if (it_is) ++tally_["cases: " + what];
  };
  add(subject.is_pattern, "patterns");
  add(!subject.is_pattern, "programs");
  add(sample.graph.directed, "directed");
  add(!sample.graph.world.labels.empty(), "labels of vertices");
  add(!sample.graph.world.edge_labels.empty(), "labels of edges");
  add(subject.rows, "lists of matches");
  add(trial.way.stream, "streamed");
  add(subject.motif != 0, "motifs");
  add(!answer.trap.empty(), "traps");
  add(!trial.setup.disabled.empty(), "without a pass");
  add(trial.setup.tiny_rows, "rows of bits for short lists");
  add(true, "--order " + trial.order);
  if (trial.way.tier) add(true, "--simd " + std::string(runtime::tier_name(*trial.way.tier)));
  if (!trial.setup.gpu) return add(true, fmt::format("{} threads", trial.way.threads));
  add(true, fmt::format("--group {}", trial.setup.gpu->group));
  const ir::Stealing steal = trial.setup.gpu->steal;
  add(true, fmt::format("--steal {}", steal == ir::Stealing::Half      ? "half"
                                      : steal == ir::Stealing::Timeout ? "timeout"
                                      : steal == ir::Stealing::Kernel  ? "kernel"
                                                                       : "none"));
  add(true, trial.setup.gpu->stack == ir::Stack::Paged ? "--stack paged" : "--stack array");
}

void Campaign::judge(const Subject& subject, const std::vector<Sample>& samples, const Sample& sample,
                     const Trial& trial, const Answer& answer) {
  const std::optional<std::string> found = difference(*sample.expected, answer);
  count(subject, sample, trial, answer);
  if (!found) return;
  ++different_;
  report(subject, samples.front().graph, sample.graph, trial, *found);
}

std::optional<std::string> Campaign::differs(const Subject& subject, const SampleGraph* maybe_first,
                                             const SampleGraph& graph, const Trial& trial) {
  const std::optional<Expectation> expected = subject.expect(graph);
  if (!expected) return std::nullopt;
  Tally ignored;
  const std::unique_ptr<Compiled> compiled = machine_.compile(subject, trial.setup, ignored);
  if (maybe_first != nullptr) compiled->bind(*maybe_first, "auto", false);
  const std::unique_ptr<Bound> bound = compiled->bind(graph, trial.order, trial.sketch);
  if (!bound->unfit.empty()) return std::nullopt;
  if (!bound->problem.empty()) return bound->problem;
  return difference(*expected, subject.normal(bound->run(trial.way)));
}

void Campaign::report(Subject subject, const SampleGraph& first, SampleGraph graph, const Trial& trial,
                      const std::string& difference) {
  std::string shown = difference;
  const SampleGraph* maybe_first = nullptr;
  std::optional<std::string> again = differs(subject, nullptr, graph, trial);
  if (!again) {
    maybe_first = &first;
    again = differs(subject, maybe_first, graph, trial);
  }
  int tries = 0;
  for (bool smaller = again.has_value(); smaller && tries < kMostTries;) {
    smaller = false;
    const auto take = [&](const Subject& other_subject, const SampleGraph& other) {
      if (++tries > kMostTries) return false;
      const std::optional<std::string> found = differs(other_subject, maybe_first, other, trial);
      if (!found) return false;
      shown = *found;
      smaller = true;
      return true;
    };
    for (const SampleGraph& other : graph.smaller()) {
      if (!take(subject, other)) continue;
      graph = other;
      break;
    }
    if (smaller) continue;
    for (const Subject& other : subject.simpler()) {
      if (other.text() == subject.text() || !take(other, graph)) continue;
      subject = other;
      break;
    }
  }
  const char* kind = !again ? "not when it is done again" : maybe_first != nullptr ? "code made for another graph" : "";
  fmt::print("DIFFERENT, seed {}{}{}\n{}\n{}\n{}\n{}-- graph{}\n{}", seed_, *kind != '\0' ? ": " : "", kind,
             subject.command(), trial.text(), subject.text(), shown, graph.directed ? " --directed" : "", graph.file());
  if (!graph.labels_file().empty()) fmt::print("-- labels\n{}", graph.labels_file());
  if (graph.kind.inputs) fmt::print("-- values\n{}", graph.world.to_text());
  if (maybe_first != nullptr) fmt::print("-- the other graph\n{}", maybe_first->file());
  fmt::print("-- repeat: {} --seed {} --subjects 1 --graphs {}\n\n", options_.machine, seed_, options_.graphs);
  std::fflush(stdout);
}

}  // namespace matcha::campaign
