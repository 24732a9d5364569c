// Random programs and patterns, each compiled once and run on many random graphs in many ways, against a brute force.
//
//   campaign [--seed N] [--subjects N] [--seconds S] [--graphs N] [--failures N]
//            [--device cpu|cuda] [--schedules N] [--narrow]
//
// `campaign` uses the steps of the driver, so that code is made once for many graphs; `campaign_library` does the same
// through libmatcha.
//
// Prints each difference with a command that repeats it on a reduced graph, then counts of the comparisons, and one
// line of JSON: cases, different, subjects. Exit code: 0, 1 if an answer differs or too little was compared, 77 if
// there is no GPU.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/campaign/campaign.h"
#include "tests/campaign/machine.h"

namespace matcha::campaign {
namespace {

/// A campaign of fewer subjects cannot be expected to meet everything.
constexpr std::uint64_t kEnough = 60;
constexpr int kSkipped = 77;

/// The kinds of comparisons that were too rare.
std::vector<std::string> missing(const Campaign& campaign, const CampaignOptions& options, const Machine& machine) {
  std::vector<std::string> missing;
  if (campaign.subjects() < kEnough) return missing;
  const std::uint64_t pairs = campaign.subjects() * static_cast<std::uint64_t>(options.graphs);
  const auto floor = [&](const std::string& what, std::uint64_t least) {
    const auto found = campaign.tally().find("cases: " + what);
    const std::uint64_t seen = found == campaign.tally().end() ? 0 : found->second;
    if (seen < least) missing.push_back(fmt::format("{}: {}, at least {}", what, seen, least));
  };
  floor("patterns", pairs / 4);
  floor("programs", pairs / 16);
  for (const char* what : {"directed", "labels of vertices"}) floor(what, pairs / 20);
  for (const char* what : {"lists of matches", "--order degree"}) floor(what, pairs / 100);
  // A program that ends so does it on many graphs, and few programs do.
  floor("traps", pairs / 1000);
  floor("motifs", 1);
  for (const std::string& what : machine.floors()) floor(what, pairs / 200);
  return missing;
}

/// A folder for files of graphs, removed by the destructor.
class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "campaign-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~Scratch() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

int run(const CampaignOptions& options, MachineOptions machine_options) {
  const Scratch scratch;
  machine_options.scratch = scratch.path();
  std::string problem = scratch.path().empty() ? "there is no folder for files" : "";
  const std::unique_ptr<Machine> machine = problem.empty() ? make_machine(machine_options, problem) : nullptr;
  if (machine == nullptr) {
    fmt::print(stderr, "[SKIP] {}\n", problem);
    return kSkipped;
  }
  Campaign campaign(options, *machine);
  const std::uint64_t different = campaign.run();
  for (const auto& [what, times] : campaign.tally()) fmt::print("{:>10} {}\n", times, what);
  const std::vector<std::string> seldom = missing(campaign, options, *machine);
  for (const std::string& what : seldom) fmt::print("TOO FEW {}\n", what);
  fmt::print("{{\"cases\": {}, \"different\": {}, \"subjects\": {}}}\n", campaign.cases(), different,
             campaign.subjects());
  return different == 0 && seldom.empty() ? 0 : 1;
}

}  // namespace
}  // namespace matcha::campaign

int main(int argc, char** argv) {
  CLI::App app("Random programs and patterns on random graphs, against a brute force");
  matcha::campaign::CampaignOptions options;
  matcha::campaign::MachineOptions machine;
  std::string device = "cpu";
  app.add_option("--seed", options.seed, "Of the first subject; the next has the seed after it");
  app.add_option("--subjects", options.subjects, "Programs and patterns");
  app.add_option("--seconds", options.seconds, "Seconds after which none begins; 0: no limit");
  app.add_option("--graphs", options.graphs, "Graphs for each");
  app.add_option("--failures", options.failures, "Differences after which it ends");
  app.add_option("--device", device, "Where they run")->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--schedules", machine.schedules, "Schedules of a GPU for each");
  app.add_flag("--narrow", machine.narrow, "Groups of one thread only");
  CLI11_PARSE(app, argc, argv);
  machine.cuda = device == "cuda";
  if (const char* folder = std::getenv("MATCHA_CACHE_DIR")) machine.code_folder = folder;
  options.machine = argv[0];
  if (machine.cuda) options.machine += fmt::format(" --device cuda --schedules {}", machine.schedules);
  if (machine.narrow) options.machine += " --narrow";
  return matcha::campaign::run(options, machine);
}
