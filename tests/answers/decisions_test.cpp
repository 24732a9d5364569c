// The engine chosen by `explain` is the one used by `run`: a table of questions, each run both ways in this process.
// All engines that offer an answer give the same one.

#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/answers/command.h"

namespace matcha::answers {
namespace {

using Json = nlohmann::json;

struct Question {
  std::vector<std::string> words;  ///< Behind the verb.
  std::string engine;              ///< That answers.
};

const std::vector<std::string> kLabelled = {"plain.txt", "--labels", "labels.txt"};
const std::vector<std::string> kArcs = {"arcs.txt", "--directed", "--edge-label", "2"};

std::vector<std::string> pattern(const std::string& text, std::vector<std::string> words) {
  words.insert(words.begin(), {"--pattern", text});
  return words;
}

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<Question> questions() {
  std::vector<Question> all;
  // Planning a program of four vertices takes longer than identities do on this graph.
  for (const char* text : {"clique:4", "cycle:4", "cycle:5", "house", "diamond", "path:4", "star:4", "wheel:4"})
    all.push_back({pattern(text, {"plain.txt"}), "identities"});
  for (const char* text : {"triangle", "wedge", "cycle:6", "a-b-c,a~c"})
    all.push_back({pattern(text, {"plain.txt"}), "program"});
  for (const char* text : {"motif:3", "motif:4", "motif:5"}) {
    all.push_back({pattern(text, {"plain.txt"}), "identities"});
    all.push_back({pattern(text, {"plain.txt", "--induced", "edge"}), "identities"});
    all.push_back({pattern(text, {"plain.txt", "--engine", "program"}), "program"});
  }
  for (const char* text : {"cycle:5", "house", "clique:4"}) {
    all.push_back({pattern(text, {"plain.txt", "--induced", "vertex"}), "identities"});
    all.push_back({pattern(text, {"plain.txt", "--engine", "program"}), "program"});
    all.push_back({pattern(text, {"plain.txt", "--engine", "identities"}), "identities"});
    all.push_back({pattern(text, {"plain.txt", "--algorithm", "join"}), "search"});
    all.push_back({pattern(text, {"plain.txt", "--algorithm", "extend"}), "program"});
  }
  for (const char* text : {"clique:5", "clique:8", "a-b,a-c,a-d,a-e,b-c,b-d,b-e,c-d,c-e,d-e"}) {
    all.push_back({pattern(text, {"plain.txt"}), "cliques"});
    all.push_back({pattern(text, {"plain.txt", "--engine", "program"}), "program"});
    all.push_back({pattern(text, {"plain.txt", "--algorithm", "extend"}), "program"});
    const bool is_large = std::string(text) == "clique:8";
    all.push_back({pattern(text, {"plain.txt", "--embeddings"}), is_large ? "program" : "identities"});
  }
  all.push_back({pattern("clique:4", {"plain.txt", "--engine", "cliques"}), "cliques"});
  for (const char* text : {"clique:13", "clique:100", "clique:*"}) {
    all.push_back({pattern(text, {"plain.txt"}), "cliques"});
  }
  for (const char* text : {"0:1-1:2,1-2:1", "0:1-1:2,1-2:2,2-0", "0:1-1:1,1-2:2,2-3:1"}) {
    all.push_back({pattern(text, kLabelled), "search"});
    all.push_back({pattern(text, with(kLabelled, {"--engine", "program"})), "program"});
    all.push_back({pattern(text, with(kLabelled, {"--match", "homo"})), "program"});
  }
  for (const char* text : {"0>1=5,1>2=6", "0>1=5,1>2=6,2>3=5", "0>1=5,0>2=6"}) {
    all.push_back({pattern(text, with(kArcs, {"--match", "homo"})), "messages"});
    all.push_back({pattern(text, kArcs), "program"});
    all.push_back({pattern(text, with(kArcs, {"--match", "homo", "--engine", "program"})), "program"});
  }
  all.push_back({{"std.clique", "--entry", "four_cliques", "plain.txt"}, "patterns"});
  all.push_back({{"std.clique", "--entry", "triangles", "plain.txt", "--engine", "patterns"}, "patterns"});
  all.push_back({{"house.mt", "dense.txt"}, "patterns"});
  all.push_back({{"house.mt", "dense.txt", "--engine", "program"}, "program"});
  all.push_back({{"house.mt", "dense.txt", "--order", "id"}, "program"});
  all.push_back({{"house.mt", "dense.txt", "--disable-pass", "fuse"}, "program"});
  all.push_back({{"ratio.mt", "plain.txt"}, "program"});
  // Stars are binomial coefficients: products whose quotients are whole.
  all.push_back({{"std.motif", "--entry", "four_motifs", "dense.txt"}, "patterns"});
  all.push_back({{"std.motif", "--entry", "five_stars", "dense.txt", "--engine", "patterns"}, "patterns"});
  all.push_back({{"often.mt", "dense.txt"}, "program"});
  all.push_back({{"std.motif", "--entry", "five_cycles", "dense.txt"}, "patterns"});
  for (const char* engine : {"patterns", "program"})
    all.push_back({{"feedback.mt", "mutual.txt", "--directed", "--engine", engine}, engine});
  for (const char* value : {"times=3", "times=-2"})
    all.push_back({{"scaled.mt", "dense.txt", "--param", value, "--param", "share=0.5"}, "patterns"});
  for (const char* entry :
       {"tailed_triangles", "diamonds", "bulls", "banners", "gems", "crickets", "kites", "butterflies"}) {
    all.push_back({{"std.motif", "--entry", entry, "plain.txt", "--engine", "patterns"}, "patterns"});
  }
  all.push_back({with({"path.mt"}, with(kLabelled, {"--engine", "patterns"})), "patterns"});
  all.push_back({{"admins.mt", "dense.txt", "--labels", "words.txt", "--engine", "patterns"}, "patterns"});
  // A program asks for whole labels, and a pattern for types.
  all.push_back({{"admins.mt", "dense.txt", "--labels", "types.txt"}, "program"});
  return all;
}

/// Houses by nested loops, a path of labels, a cycle of arcs, a result that is arithmetic of two sums, one of sums and
/// parameters, and a label. The last one is a sum to which each clique of 8 vertices adds more than 64 bits hold.
void write_programs() {
  std::ofstream("house.mt") << R"(def main(g: Graph) -> int:
    def wall(v0, v1):
        def roof(v4):
            def floor(v3):
                return size(apply(lambda v2: v2, cond=lambda v2: v2 != v0 and v2 != v4, intersect(neighbor(g, v1), neighbor(g, v3))))
            return sum(apply(floor, cond=lambda v3: v3 != v1 and v3 != v4, neighbor(g, v0)))
        return sum(apply(roof, intersect(neighbor(g, v0), neighbor(g, v1))))
    return sum(apply(lambda v0: sum(apply(lambda v1: wall(v0, v1), cond=lambda v1: v0 < v1, neighbor(g, v0))), vertices(g)))
)";
  std::ofstream("path.mt") << R"(def main(g: Graph) -> int:
    def at(b):
        ends = apply(lambda a: a, cond=lambda a: vertex_label(g, a) == 1, neighbor(g, b))
        return sum(apply(lambda a: size(diff(neighbor(g, b), [a])), ends))
    return sum(apply(at, cond=lambda b: vertex_label(g, b) == 2, vertices(g)))
)";
  std::string often = "1000000000000000";
  for (int v = 7; v >= 0; --v) {
    std::string near = v == 0 ? "vertices(g)" : "neighbor(g, v0)";
    for (int u = 1; u < v; ++u) near = fmt::format("intersect({}, neighbor(g, v{}))", near, u);
    often = fmt::format("sum(apply(lambda v{}: {}, {}))", v, often, near);
  }
  std::ofstream("often.mt") << "def main(g: Graph) -> int:\n    return " << often << '\n';
  std::ofstream("admins.mt") << R"(def main(g: Graph) -> int:
    def near(a, b):
        return sum(apply(lambda c: size(intersect(neighbor(g, a), neighbor(g, c))), cond=lambda c: c != a, neighbor(g, b)))
    return sum(apply(lambda a: sum(apply(lambda b: near(a, b), neighbor(g, a))), cond=lambda a: vertex_label(g, a) == 'Admin', vertices(g)))
)";
  std::ofstream("feedback.mt") << R"(def main(g: Graph) -> int:
    def at(a):
        return sum(apply(lambda b: sum(apply(lambda c: 1 if has_edge(g, c, a) else 0, neighbor(g, b))), neighbor(g, a)))
    return sum(apply(at, vertices(g))) / 3
)";
  std::ofstream("scaled.mt") << R"(from std.motif import five_cycles, houses

def main(times: int, g: Graph, share: float) -> Tuple<int, float, int>:
    return (times * houses(g) + 1, share * (1.0 * five_cycles(g)), min(five_cycles(g), 100 * times))
)";
  std::ofstream("ratio.mt") << R"(def main(g: Graph) -> Tuple<int, float>:
    triangles = sum(apply(lambda a: sum(apply(lambda b: size(intersect(neighbor(g, a), neighbor(g, b))), neighbor(g, a))), vertices(g)))
    wedges = sum(apply(lambda a: size(neighbor(g, a)) * (size(neighbor(g, a)) - 1), vertices(g)))
    return (triangles / 6, (1.0 * triangles) / (1.0 * wedges))
)";
}

void write_inputs() {
  write_programs();
  constexpr int kVertices = 40;
  std::ofstream plain("plain.txt"), labels("labels.txt"), arcs("arcs.txt");
  std::uint64_t state = 7;
  const auto die = [&state](std::uint64_t sides) {
    state = state * 6364136223846793005U + 1;
    return (state >> 33U) % sides;
  };
  std::ofstream dense("dense.txt"), mutual("mutual.txt"), words("words.txt"), types("types.txt");
  for (int u = 0; u < 3 * kVertices; ++u) {
    words << u << (u % 3 == 0 ? " Admin\n" : " Person\n");
    types << u << (u % 3 == 0 ? " Admin\n" : " Admin;Person\n");
  }
  for (int u = 0; u < 3 * kVertices; ++u) {
    for (int v = 0; v < u; ++v) {
      if (die(3) == 0) dense << u << ' ' << v << '\n';
    }
  }
  for (int u = 0; u < kVertices; ++u) {
    labels << u << ' ' << 1 + die(2) << '\n';
    for (int v = 0; v < u; ++v) {
      if (die(4) != 0) continue;
      plain << u << ' ' << v << '\n';
      arcs << u << ' ' << v << ' ' << 5 + die(2) << '\n';
    }
  }
  for (int u = 0; u < kVertices; ++u) {
    for (int v = 0; v < kVertices; ++v) {
      if (u != v && die(5) == 0) mutual << u << ' ' << v << '\n';
    }
  }
}

Json asked(const char* verb, std::vector<std::string> words) {
  words.insert(words.begin(), verb);
  words.insert(words.end(), {"--json", "--quiet"});
  const Outcome outcome = run_command(words);
  if (outcome.status == 0) return Json::parse(outcome.output);
  return Json{{"failed", outcome.errors}};
}

/// The problem in a sentence; empty: none.
std::string problem_of(const Question& question) {
  const Json plan = asked("explain", question.words), answer = asked("run", question.words);
  if (plan.contains("failed")) return "explain: " + plan["failed"].get<std::string>();
  if (answer.contains("failed")) return "run: " + answer["failed"].get<std::string>();
  if (plan["engine"] != answer["stats"]["engine"]) {
    return "`explain` shows " + plan["engine"].dump() + ", `run` took " + answer["stats"]["engine"].dump();
  }
  if (plan["engine"] != question.engine) return plan["engine"].dump() + " answered, not " + question.engine;
  for (const Json& offer : plan["engines"]) {
    if (offer.contains("refused")) continue;
    if (std::ranges::find(question.words, "--engine") != question.words.end()) continue;
    const Json other = asked("run", with(question.words, {"--engine", offer["engine"]}));
    if (other.contains("failed") || other["result"] != answer["result"]) {
      return "the engine " + offer["engine"].dump() + " gives " + other.dump() + " instead of " +
             answer["result"].dump();
    }
  }
  return {};
}

}  // namespace
}  // namespace matcha::answers

int main() {
  std::string folder = std::filesystem::temp_directory_path() / "matcha-decisions-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) return 2;
  std::filesystem::current_path(folder);
  matcha::answers::write_inputs();
  int wrong = 0, asked = 0;
  for (const matcha::answers::Question& question : matcha::answers::questions()) {
    ++asked;
    const std::string problem = matcha::answers::problem_of(question);
    if (problem.empty()) continue;
    ++wrong;
    for (const std::string& word : question.words) std::printf("%s ", word.c_str());
    std::printf("\n  %s\n", problem.c_str());
  }
  std::filesystem::current_path("/");
  std::filesystem::remove_all(folder);
  std::printf("%d questions, %d wrong\n", asked, wrong);
  return wrong == 0 ? 0 : 1;
}
