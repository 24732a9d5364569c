#include "runtime/graph/column_names.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "runtime/graph/detail/tokens.h"

namespace matcha::runtime {

namespace {

using Words = std::vector<std::string>;
using Stems = std::pair<std::string_view, std::string_view>;

constexpr std::array<Stems, 36> kEnds{{
    {"source", "target"},
    {"source", "destination"},
    {"source", "dest"},
    {"source", "sink"},
    {"src", "dst"},
    {"src", "dest"},
    {"src", "tgt"},
    {"src", "trg"},
    {"src", "target"},
    {"from", "to"},
    {"u", "v"},
    {"i", "j"},
    {"row", "col"},
    {"row", "column"},
    {"head", "tail"},
    {"subject", "object"},
    {"subj", "obj"},
    {"sender", "receiver"},
    {"sender", "recipient"},
    {"payer", "payee"},
    {"buyer", "seller"},
    {"caller", "callee"},
    {"follower", "followee"},
    {"follower", "followed"},
    {"rater", "ratee"},
    {"trustor", "trustee"},
    {"citing", "cited"},
    {"parent", "child"},
    {"origin", "destination"},
    {"debtor", "creditor"},
    {"lender", "borrower"},
    {"donor", "recipient"},
    {"giver", "receiver"},
    {"ego", "alter"},
    {"node", "neighbor"},
    {"node", "neighbour"},
}};
/// These are ends only together with another word: `start` alone is a time, and `a` an id.
constexpr Stems kStartEnd{"start", "end"};
constexpr std::array<Stems, 2> kNumbered{{{"1", "2"}, {"a", "b"}}};

constexpr std::array<std::string_view, 17> kLabels{
    "label",        "type",           "relation",  "predicate", "rel",
    "relationship", "kind",           "edgelabel", "edgetype",  "reltype",
    "relationid",   "relationtype",   "etype",     "linktype",  "relationshiptype",
    "interaction",  "interactiontype"};
constexpr std::array<std::string_view, 13> kTimes{"time",     "timestamp", "ts",       "t",     "date",
                                                  "when",     "datetime",  "unixtime", "epoch", "unixtimestamp",
                                                  "timestep", "createdat", "eventtime"};
constexpr std::array<std::string_view, 14> kWeights{"weight", "w",           "amount",     "value",        "score",
                                                    "count",  "capacity",    "cost",       "distance",     "strength",
                                                    "rating", "probability", "confidence", "combinedscore"};

/// Names of ids that are written as one word, without their `id`.
constexpr std::array<std::string_view, 44> kIdWords{
    "u",        "n",       "v",       "g",       "p",           "tx",       "node",    "user",   "vertex",
    "entity",   "person",  "item",    "object",  "group",       "agent",    "payer",   "seller", "account",
    "customer", "product", "author",  "paper",   "movie",       "book",     "device",  "city",   "team",
    "player",   "company", "client",  "member",  "employee",    "merchant", "order",   "doc",    "gene",
    "station",  "event",   "article", "protein", "transaction", "student",  "patient", "project"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c & 0x80) != 0; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

/// The words of a name, in lower case: `FromNodeId`, `from_node_id` and `From node ID` have the same words. Text in
/// parentheses is ignored.
Words words_of(std::string_view name) {
  Words words;
  char before = ' ';
  for (const char c : name.substr(0, name.find('('))) {
    const bool begins = !(is_letter(before) || is_digit(before)) || is_letter(before) != is_letter(c) ||
                        (is_upper(c) && !is_upper(before));
    if (is_letter(c) || is_digit(c)) {
      if (begins) words.emplace_back();
      words.back() += c;
    }
    before = c;
  }
  for (std::size_t at = 0; at < words.size(); ++at) {
    words[at] = detail::lower_case(words[at]);
    const std::string word = words[at];
    if (!word.ends_with("id") || word == "id") continue;
    const std::string stem = word.substr(0, word.size() - 2);
    const auto is_stem = [&](const Stems& stems) { return stem == stems.first || stem == stems.second; };
    if (!std::any_of(kEnds.begin(), kEnds.end(), is_stem)) continue;
    words[at] = stem;
    words.insert(words.begin() + static_cast<std::ptrdiff_t>(++at), "id");
  }
  return words;
}

std::string joined(std::string_view name) {
  std::string text;
  for (const std::string& word : words_of(name)) text += word;
  return text;
}

/// The cost of the words that two names have besides the two in which they differ: 1 for `id`, 2 for each other word.
/// Empty: they differ otherwise, or lack a word that they need.
std::optional<int> rest_of(const Words& source, const Words& target, const Stems& stems, bool needs_word) {
  if (source.size() != target.size()) return std::nullopt;
  bool found = false, has_word = false;
  int rest = 0;
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (!found && source[at] == stems.first && target[at] == stems.second) {
      found = true;
    } else if (source[at] == target[at]) {
      rest += source[at] == "id" ? 1 : 2;
      has_word = has_word || (source[at].size() > 1 && is_letter(source[at][0]));
    } else {
      return std::nullopt;
    }
  }
  return found && (has_word || !needs_word) ? std::optional(rest) : std::nullopt;
}

/// Finds the pair of columns with the fewest other words.
class EndSearch {
 public:
  explicit EndSearch(const std::vector<std::string>& heading) {
    for (const std::string& name : heading) columns_.push_back(words_of(name));
  }

  void look(const Stems& stems, bool is_numbered, bool needs_word) {
    const std::vector<unsigned> sources = with(stems.first), targets = with(stems.second);
    constexpr std::size_t kMost = 64;
    if (sources.size() > kMost || targets.size() > kMost) return;
    for (const unsigned source : sources) {
      for (const unsigned target : targets) {
        const std::optional<int> rest = rest_of(columns_[source], columns_[target], stems, needs_word);
        if (!rest) continue;
        constexpr int kNumber = 1000;
        const int cost = *rest + (is_numbered ? kNumber : 0);
        ++pairs_;
        if (!best_ || cost < cost_) {
          best_ = EndColumns{source, target, is_numbered};
          cost_ = cost;
          is_unique_ = true;
        } else if (cost == cost_) {
          is_unique_ = false;
        }
      }
    }
  }

  bool has_some() const { return best_.has_value(); }
  /// Of several pairs, only `source` and `target` or `source_id` and `target_id` are accepted.
  std::optional<EndColumns> best() const { return is_unique_ && (pairs_ == 1 || cost_ <= 1) ? best_ : std::nullopt; }

 private:
  std::vector<unsigned> with(std::string_view word) const {
    std::vector<unsigned> found;
    for (unsigned at = 0; at < columns_.size(); ++at) {
      if (std::find(columns_[at].begin(), columns_[at].end(), word) != columns_[at].end()) found.push_back(at);
    }
    return found;
  }

  std::vector<Words> columns_;
  std::optional<EndColumns> best_;
  int cost_ = 0;
  int pairs_ = 0;
  bool is_unique_ = false;
};

EndSearch search_ends(const std::vector<std::string>& heading) {
  EndSearch search(heading);
  for (const Stems& stems : kEnds) search.look(stems, false, false);
  search.look(kStartEnd, false, true);
  for (const Stems& stems : kNumbered) search.look(stems, true, true);
  return search;
}

}  // namespace

std::optional<EndColumns> usual_ends(const std::vector<std::string>& heading) { return search_ends(heading).best(); }

bool has_usual_ends(const std::vector<std::string>& heading) { return search_ends(heading).has_some(); }

bool is_usual_name(std::string_view name, ColumnRole role) {
  const std::string word = joined(name);
  const auto has = [&word](std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), word) != names.end();
  };
  switch (role) {
    case ColumnRole::Label: return has(kLabels);
    case ColumnRole::Time: return has(kTimes);
    case ColumnRole::Info: return has(kWeights);
    case ColumnRole::Id: return id_likeness(name) != 0;
    case ColumnRole::Any:
    case ColumnRole::Source:
    case ColumnRole::Target:
    case ColumnRole::Next: break;
  }
  return false;
}

int id_likeness(std::string_view name) {
  const Words words = words_of(name);
  const std::string word = joined(name);
  if (word == "id") return 3;
  if (word == "node" || word == "nodes" || word == "vertex") return 2;
  // `madrid` and `paid` are no ids.
  const std::string stem = word.ends_with("id") ? word.substr(0, word.size() - 2) : "";
  const bool is_one_word = words.size() == 1 && !stem.empty() && std::ranges::find(kIdWords, stem) != kIdWords.end();
  if (is_one_word || (words.size() > 1 && words.back() == "id")) return 2;
  return word == "name" ? 1 : 0;
}

char separator_of(std::string_view line) {
  char found = 0;
  std::size_t at = 0;
  for (const char separator : {'\t', ',', ';', '|'}) {
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '"') quoted = !quoted;
      if (line[i] != separator || quoted) continue;
      if (found == 0 || (found == ',' && i < at)) {
        found = separator;
        at = i;
      }
      break;
    }
    if (found != 0 && found != ',') break;
  }
  return found;
}

bool is_unnamed(std::string_view name) { return name.empty() || name.starts_with("Unnamed: "); }

}  // namespace matcha::runtime
