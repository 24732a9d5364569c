#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "tests/campaign/machine.h"
#include "tests/campaign/subject.h"

namespace matcha::campaign {

struct CampaignOptions {
  std::uint64_t seed = 1;        ///< Seed of the first subject; each next subject has the next seed.
  std::uint64_t subjects = 200;  ///< How many.
  double seconds = 0;            ///< No subject begins later; 0: no limit.
  int graphs = 24;               ///< For each subject.
  std::string machine;           ///< The options of the machine, for the command that repeats a run.
  std::uint64_t failures = 3;    ///< Failures after which the campaign ends.
};

/// Random subjects on random graphs, each in many ways, against the brute force.
class Campaign {
 public:
  Campaign(const CampaignOptions& options, const Machine& machine) : options_(options), machine_(machine) {}

  /// How many answers differ.
  std::uint64_t run();
  const Tally& tally() const { return tally_; }
  std::uint64_t cases() const { return cases_; }
  std::uint64_t subjects() const { return subjects_; }

 private:
  /// One run of one subject on one graph, so that it can be done again with less.
  struct Trial {
    Setup setup;
    std::string order = "auto";
    bool sketch = false;
    Way way;

    std::string text() const;
  };
  struct Sample {
    SampleGraph graph;
    std::optional<Expectation> expected;
  };

  void one(std::uint64_t seed);
  void with_setup(const Subject& subject, const std::vector<Sample>& samples, const Setup& setup,
                  std::mt19937_64& random);
  void count(const Subject& subject, const Sample& sample, const Trial& trial, const Answer& answer);
  void judge(const Subject& subject, const std::vector<Sample>& samples, const Sample& sample, const Trial& trial,
             const Answer& answer);
  /// The difference; empty: none. `first`: the graph for which the code is made.
  std::optional<std::string> differs(const Subject& subject, const SampleGraph* maybe_first, const SampleGraph& graph,
                                     const Trial& trial);
  void report(Subject subject, const SampleGraph& first, SampleGraph graph, const Trial& trial,
              const std::string& difference);

  const CampaignOptions& options_;
  const Machine& machine_;
  Tally tally_;
  std::uint64_t seed_ = 0, subjects_ = 0, cases_ = 0, different_ = 0;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace matcha::campaign
