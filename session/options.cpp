#include "session/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <type_traits>

#include "codegen/backend.h"
#include "ir/support/diagnostics.h"
#include "runtime/graph/io.h"
#include "session/durations.h"
#include "session/engines.h"
#include "session/prepared.h"

namespace matcha::session {

namespace {

using Takes = Option::Takes;
using ReadBy = Option::ReadBy;
using To = OptionTargets;

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const std::from_chars_result read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Bytes such as 800M, at least 1; nothing for other texts.
std::optional<std::uint64_t> bytes_of(std::string_view text) {
  const std::size_t power = text.empty() ? std::string_view::npos : std::string_view("KMGT").find(text.back());
  const std::size_t shift = power == std::string_view::npos ? 0 : 10 * (power + 1);
  const std::optional<std::uint64_t> number = number_of<std::uint64_t>(text.substr(0, text.size() - (shift != 0)));
  if (!number || *number == 0 || *number > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return *number << shift;
}

// A value that `Option::take` has checked, for members of these types.

void assign(std::string& to, const std::string& value) { to = value; }
void assign(std::vector<std::string>& to, const std::string& value) { to.push_back(value); }
void assign(bool& to, const std::string& value) { to = value == "true"; }
void assign(std::optional<double>& to, const std::string& value) { to = number_of<double>(value).value_or(0); }
template <typename Number>
requires std::is_integral_v<Number>
void assign(Number& to, const std::string& value) { to = static_cast<Number>(bytes_of(value).value_or(0)); }
template <typename Number>
requires std::is_integral_v<Number>
void assign(std::optional<Number>& to, const std::string& value) { assign(to.emplace(), value); }

/// Puts a value into a part, or a member of a part.
template <auto part>
bool put(const To& to, const std::string& value) {
  assign(*(to.*part), value);
  return true;
}
template <auto part, auto member>
bool put(const To& to, const std::string& value) {
  assign((to.*part)->*member, value);
  return true;
}

/// Puts MiB into a member that holds bytes.
template <auto member>
bool put_mib(const To& to, const std::string& value) {
  constexpr double kMib = 1 << 20;
  to.gpu->*member = static_cast<std::uint64_t>(*number_of<double>(value) * kMib);
  return true;
}

/// The values of a word by their positions in `Option::shown`.
template <typename Kind>
bool put_kind(Kind& kind, const std::string& value, std::initializer_list<std::pair<const char*, Kind>> words) {
  for (const auto& [word, meant] : words) {
    if (value == word) kind = meant;
  }
  return true;
}

bool put_steal(const To& to, const std::string& value) {
  using ir::Stealing;
  return put_kind(to.gpu->steal, value,
                  {{"none", Stealing::None},
                   {"half", Stealing::Half},
                   {"timeout", Stealing::Timeout},
                   {"kernel", Stealing::Kernel}});
}

bool put_search(const To& to, const std::string& value) {
  using codegen::Search;
  return put_kind(to.gpu->search, value,
                  {{"plain", Search::Plain}, {"cached", Search::Cached}, {"merging", Search::Merging}});
}

bool put_stack(const To& to, const std::string& value) {
  return put_kind(to.gpu->stack, value, {{"array", ir::Stack::Array}, {"paged", ir::Stack::Paged}});
}

/// `all` is 0. Streams keep whether it is given.
bool put_gpus(const To& to, const std::string& value) {
  const std::string number = value == "all" ? "0" : value;
  if (to.gpus != nullptr) return put<&To::gpus>(to, number);
  return put<&To::gpu, &GpuOptions::gpus>(to, number);
}

bool put_cuda_text(const To& to, const std::string& value) {
  to.gpu->query.file = value;
  return true;
}

bool put_pattern(const To& to, const std::string& value) {
  to.pattern->text = value;
  return !value.empty();
}

bool put_pattern_of_list(const To& to, const std::string& value) {
  to.patterns->push_back(value);
  return !value.empty();
}

bool clear_code_folder(const To& to, const std::string& value) {
  if (value == "true") to.code_folder->clear();
  return true;
}

/// A verb checks the name later: a tier that this processor lacks is no wrong usage there.
bool put_simd(const To& to, const std::string& value) {
  if (to.simd_name != nullptr) return put<&To::simd_name>(to, value);
  const std::optional<runtime::Tier> tier = runtime::tier_from_name(value);
  const std::vector<runtime::Tier> supported = runtime::supported_tiers();
  if (!tier || std::ranges::find(supported, *tier) == supported.end()) return false;
  *to.simd_tier = tier;
  return true;
}

std::vector<std::string> known_engines() { return engine_names(); }

std::vector<std::string> known_tiers() {
  std::vector<std::string> names;
  using runtime::Tier;
  for (const Tier tier : {Tier::Scalar, Tier::Avx2, Tier::Avx512, Tier::Avx512Vp2intersect}) {
    names.emplace_back(runtime::tier_name(tier));
  }
  return names;
}

/// `2%`, or the same as `0.02`; 0 for other texts.
double part_of(std::string_view text) {
  constexpr double kPercent = 100;
  const bool in_percent = text.ends_with('%');
  const std::optional<double> number = number_of<double>(in_percent ? text.substr(0, text.size() - 1) : text);
  // As `0.999` is read, which 99.9 / 100 is not.
  constexpr double kDigits = 1e12;
  return in_percent ? std::round(number.value_or(0) / kPercent * kDigits) / kDigits : number.value_or(0);
}

bool put_within(const To& to, const std::string& value) {
  const double part = part_of(value);
  if (!(part > 0 && part < 1)) return false;
  to.interval->within = part;
  return true;
}

bool put_confidence(const To& to, const std::string& value) {
  const double part = part_of(value);
  if (!(part >= runtime::sample::kLeastConfidence && part <= runtime::sample::kMostConfidence)) return false;
  to.interval->confidence = part;
  return true;
}

/// `i/n`, i below n.
bool put_share(const To& to, const std::string& value) {
  constexpr std::uint64_t kMost = 1'000'000;
  const std::size_t slash = std::min(value.find('/'), value.size());
  const std::string_view text = value;
  const std::optional<std::uint64_t> index = number_of<std::uint64_t>(text.substr(0, slash));
  const std::optional<std::uint64_t> count =
      slash == value.size() ? std::nullopt : number_of<std::uint64_t>(text.substr(slash + 1));
  if (!index || !count || *index >= *count || *count > kMost) return false;
  *to.share = {*index, *count};
  return true;
}

/// `17 ann`, or `none ann`: the id of the vertex that a pattern calls so.
bool put_vertex_id(const To& to, const std::string& value) {
  const std::size_t blank = value.find(' ');
  if (blank == std::string::npos) return false;
  const std::string id = value.substr(0, blank);
  const std::optional<std::int64_t> number = number_of<std::int64_t>(id);
  if (!number && id != "none") return false;
  to.pattern->vertex_ids[value.substr(blank + 1)] = number;
  return true;
}

constexpr const char* kGeneral = "Options";
constexpr const char* kInputs = "Inputs";
constexpr const char* kOfPattern = "Pattern";
constexpr const char* kUpdates = "Updates";
constexpr const char* kAnswer = "Answer";
constexpr const char* kHow = "How to run";
constexpr const char* kCluster = "Several processes";
constexpr const char* kGpu = "GPU";
constexpr const char* kPasses = "Passes";

// Why the library refuses options of `matcha stream`.
constexpr const char* kOwnBatches =
    "a call of `matcha_stream_apply`, or `apply` of Python, ends a batch; `matcha stream` has windows and times";
constexpr const char* kOwnAnswers =
    "the library gives totals and rows as values; `matcha stream` writes answers and states";

constexpr std::uint32_t kGraphReaders =
    kRun | kStream | kExplain | kPattern | kQuery | kBench | kServe | kGraph | kMotifs;
constexpr std::uint32_t kPatternReaders = kRun | kStream | kExplain | kPattern | kBench;
constexpr std::uint32_t kGpuRuns = kRun | kBench | kServe;
constexpr std::uint32_t kGpuText = kGpuRuns | kBuild;
constexpr std::array<const char*, kVerbCount> kVerbNames = {"run",   "stream", "explain", "pattern", "query", "bench",
                                                            "serve", "build",  "graph",   "check",   "motifs"};

/// Of what a group of threads takes at a time, and of the tasks that wait.
constexpr std::uint64_t kMostOfLaunch = std::uint64_t{1} << 30;

constexpr char kPassesText[] =
    "The passes to run, such as `fuse,plan-memory`; `cpu` is the default list. Old names, until 0.3"
#define MATCHA_PASS_ALIAS(old_name, name) "; " old_name " (now " name ")"
#include "passes/passes.def"
    ;

constexpr Option kOptions[] = {
#include "session/options.def"
};

/// The step of the library that reads an option.
constexpr const char* step_name(ReadBy step) {
  switch (step) {
    case ReadBy::Graph: return "graph";
    case ReadBy::Program: return "program";
    case ReadBy::Pattern: return "pattern";
    case ReadBy::Run: return "run";
    case ReadBy::Stream: return "stream";
  }
  return "";
}

/// The text in a cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

/// The values for the reference page.
std::string values_for_page(const Option& option) {
  switch (option.takes) {
    case Takes::Flag: return "-";
    case Takes::Number: return "`N`";
    case Takes::Bytes: return "`BYTES`";
    case Takes::Seconds: return "`SECONDS`";
    case Takes::Mib: return "`MIB`";
    case Takes::Time:
    case Takes::Wait: return "`TIME`";
    case Takes::Devices: return "`N\\|all`";
    case Takes::Word:
    case Takes::Text:
    case Takes::Object: break;
  }
  return fmt::format("`{}`", cell(option.shown));
}

std::string row_of_page(const Option& option) {
  std::string text = cell(option.text);
  if (option.words != nullptr) text += fmt::format("; one of {}", fmt::join(option.words(), ", "));
  if (*option.preset != '\0') text += fmt::format("; default: {}", option.preset);
  if (*option.elsewhere != '\0') text += fmt::format(". Elsewhere: {}", cell(option.elsewhere));
  const std::string verbs = verbs_with(option.verbs);
  return fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", option.name, values_for_page(option), text,
                     verbs.empty() ? "-" : verbs, option.in_requests ? "yes" : "-",
                     option.in_library ? step_name(option.step) : "-");
}

}  // namespace

std::span<const Option> options() { return kOptions; }

std::vector<std::string> words_of(std::string_view shown) {
  std::vector<std::string> words;
  std::size_t at = 0;
  for (std::size_t end = 0; end != std::string_view::npos; at = end + 1) {
    end = shown.find('|', at);
    words.emplace_back(shown.substr(at, end == std::string_view::npos ? end : end - at));
  }
  return words;
}

std::vector<std::string> Option::values() const {
  if (words != nullptr) return words();
  return takes == Takes::Word ? words_of(shown) : std::vector<std::string>();
}

std::string Option::accepted() const {
  switch (takes) {
    case Takes::Flag: return "`true` or `false`";
    case Takes::Number:
      return most == std::numeric_limits<std::uint64_t>::max()
                 ? fmt::format("a whole number from {} on", least)
                 : fmt::format("a whole number from {} to {}", least, most);
    case Takes::Bytes: return "a number of bytes, such as 800M or 2G";
    case Takes::Seconds: return "seconds from 0 on";
    case Takes::Mib: return "MiB, more than 0";
    case Takes::Time: return "a time such as 90s, 15m, 1h or 30d";
    case Takes::Wait: return "a time such as 50ms, 2s or 1m";
    case Takes::Devices: return "a number of GPUs from 1 on, or `all`";
    case Takes::Object: return "an object";
    case Takes::Word:
    case Takes::Text: break;
  }
  const std::vector<std::string> known = values();
  if (known.empty()) return fmt::format("{}: {}", shown, text);
  if (known.size() == 1) return fmt::format("`{}`", known.front());
  return fmt::format("`{}` or `{}`", fmt::join(known.begin(), known.end() - 1, "`, `"), known.back());
}

std::string Option::hint_for(const std::string& value) const {
  const std::vector<std::string> known = values();
  const bool means_cuda = (value == "gpu" || value == "GPU") && std::ranges::find(known, "cuda") != known.end();
  const std::string near = means_cuda ? "cuda" : nearest_word(value, known);
  return (near.empty() ? std::string() : fmt::format("did you mean `{}`? ", near)) + "it takes " + accepted();
}

bool Option::take(const OptionTargets& to, const std::string& value) const {
  switch (takes) {
    case Takes::Flag:
      if (value != "true" && value != "false") return false;
      break;
    case Takes::Number: {
      const std::optional<std::uint64_t> number = number_of<std::uint64_t>(value);
      if (!number || *number < least || *number > most) return false;
      break;
    }
    case Takes::Bytes:
      if (!bytes_of(value)) return false;
      break;
    case Takes::Seconds: {
      const std::optional<double> seconds = number_of<double>(value);
      if (!seconds || !std::isfinite(*seconds) || *seconds < 0) return false;
      break;
    }
    case Takes::Mib: {
      constexpr double kLeast = 1.0 / (1 << 20), kMost = 1 << 30;
      const std::optional<double> mib = number_of<double>(value);
      if (!mib || !(*mib >= kLeast) || *mib > kMost) return false;
      break;
    }
    case Takes::Time:
      if (!seconds_of(value)) return false;
      break;
    case Takes::Wait:
      if (!milliseconds_of(value)) return false;
      break;
    case Takes::Word:
      if (const std::vector<std::string> known = values(); std::ranges::find(known, value) == known.end()) return false;
      break;
    case Takes::Devices: {
      const std::optional<std::uint32_t> number = number_of<std::uint32_t>(value);
      if (value != "all" && (!number || *number == 0)) return false;
      break;
    }
    case Takes::Text:
    case Takes::Object: break;
  }
  return set(to, value);
}

bool is_taken(const Option& option, Surface surface) {
  switch (surface) {
    case Surface::CommandLine: return option.verbs != 0;
    case Surface::Requests: return option.in_requests;
    case Surface::Library: return option.in_library;
  }
  return false;
}

const Option* find_option(std::string_view name, Surface surface) {
  const Option* found = nullptr;
  for (const Option& option : kOptions) {
    if (name != option.name) continue;
    if (is_taken(option, surface)) return &option;
    if (found == nullptr) found = &option;
  }
  return found;
}

std::string refusal(const Option& option, std::string_view name) {
  const char* const why =
      *option.elsewhere != '\0' ? option.elsewhere : "the graph is read already, with the options of `matcha serve`";
  return fmt::format("`{}` is not taken here: {}", name, why);
}

std::string verbs_with(std::uint32_t verbs) {
  std::vector<std::string_view> names;
  for (std::uint32_t i = 0; i < kVerbCount; ++i) {
    if ((verbs >> i & 1) != 0) names.emplace_back(kVerbNames[i]);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string hint_for_option(const std::string& name, Surface surface) {
  std::vector<std::string> known;
  for (const Option& option : kOptions) {
    if (is_taken(option, surface)) known.emplace_back(option.name);
  }
  const std::string near = nearest_word(name, known);
  return near.empty() ? fmt::format("there are {}", fmt::join(known, ", ")) : fmt::format("did you mean `{}`?", near);
}

std::string options_page() {
  std::string page =
      "# Options\n\n"
      "This page is made by `matcha doc options`, from the table that the command line, `matcha serve`, the library "
      "and "
      "Python read.\nAn option is `--name` on the command line, a member of `options` in a request, a name of "
      "`matcha_options_set`, and a keyword\nof Python with `_` for `-`. Flags are `true` or `false` in the last three. "
      "*Library* names what reads the option: a graph, a\nprogram, a pattern, a run or a stream. An option is refused "
      "where it is not taken, with the sentence after *Elsewhere*; those\nof graphs are options of `matcha serve` "
      "itself, not of its requests.\n";
  std::vector<std::string_view> groups;
  for (const Option& option : kOptions) {
    if (std::ranges::find(groups, option.group) == groups.end()) groups.emplace_back(option.group);
  }
  for (const std::string_view group : groups) {
    page +=
        fmt::format("\n## {}\n\n| option | value | meaning | verbs | requests | library |\n|---|---|---|---|---|---|\n",
                    group == kGeneral ? "Programs" : group);
    for (const Option& option : kOptions) {
      if (group == option.group) page += row_of_page(option);
    }
  }
  return page;
}

std::string_view keyword(Option::Takes takes) {
  switch (takes) {
    case Takes::Flag: return "flag";
    case Takes::Number: return "number";
    case Takes::Bytes: return "bytes";
    case Takes::Seconds: return "seconds";
    case Takes::Mib: return "mib";
    case Takes::Time: return "time";
    case Takes::Wait: return "wait";
    case Takes::Word: return "word";
    case Takes::Devices: return "devices";
    case Takes::Text: return "text";
    case Takes::Object: return "object";
  }
  return "";
}

std::string_view keyword(Option::ReadBy step) { return step_name(step); }

OptionTargets targets_of(ProgramRequest& request) {
  OptionTargets to;
  to.entry = &request.compile.entry;
  to.compile = &request.compile;
  to.pattern = &request.pattern;
  to.params = &request.params;
  to.matches = &request.matches;
  to.gpu = &request.gpu;
  to.device = &request.device;
  to.order = &request.order;
  to.engine = &request.engine;
  to.tier = &request.tier;
  to.code_folder = &request.code_folder;
  to.interval = &request.interval;
  return to;
}

}  // namespace matcha::session
