#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cpu/set_kernels.h"
#include "runtime/sample/interval.h"
#include "session/bind.h"
#include "session/compile.h"
#include "session/gpu.h"
#include "session/pattern_source.h"
#include "session/tables.h"

/// One table of the options of questions and runs. The command line, `serve`, the library, help, man pages, completions
/// and docs/options.md read it; options.def has the rows.
namespace matcha::session {

struct ProgramRequest;

/// The parts of a request that options are put into. A surface sets those that its options need.
struct OptionTargets {
  std::string* entry = nullptr;
  PatternOptions* pattern = nullptr;
  CompileOptions* compile = nullptr;
  TableBinding* table = nullptr;
  GpuOptions* gpu = nullptr;
  std::vector<std::string>* params = nullptr;
  std::vector<std::string>* inputs = nullptr;
  std::vector<std::string>* patterns = nullptr;
  std::string* pattern_list = nullptr;
  std::string* device = nullptr;
  std::string* order = nullptr;
  std::string* engine = nullptr;
  std::string* tier = nullptr;
  std::string* backend = nullptr;
  std::string* simd_name = nullptr;                   ///< For verbs that check the name later;
  std::optional<runtime::Tier>* simd_tier = nullptr;  ///< for others: the tier, checked at once.
  std::string* code_folder = nullptr;
  std::string* matches_file = nullptr;
  std::string* shard = nullptr;
  std::string* ledger = nullptr;
  std::string* work = nullptr;
  std::string* updates = nullptr;
  std::string* time = nullptr;
  std::string* window = nullptr;
  std::string* slide = nullptr;
  std::string* lateness = nullptr;
  std::string* every = nullptr;
  std::string* out = nullptr;
  std::string* state = nullptr;
  std::optional<std::uint64_t>* batch = nullptr;
  std::optional<std::uint64_t>* checkpoint = nullptr;
  std::optional<std::uint64_t>* limit = nullptr;
  std::uint64_t* random_graphs = nullptr;
  std::uint64_t* seed = nullptr;             ///< The seed of the first random graph.
  std::optional<double>* timeout = nullptr;  ///< Seconds.
  runtime::sample::IntervalRequest* interval = nullptr;
  std::optional<std::uint32_t>* gpus = nullptr;
  std::uint64_t* memory = nullptr;  ///< Bytes, as the next two.
  std::uint64_t* gpu_memory = nullptr;
  std::uint64_t* gpu_rows = nullptr;
  unsigned* threads = nullptr;
  codegen::Share* share = nullptr;
  bool* directed = nullptr;
  bool* keep_loops = nullptr;
  bool* temporal = nullptr;
  bool* edge_labels = nullptr;
  bool* matches = nullptr;
  bool* json = nullptr;
  bool* count = nullptr;
  bool* exists = nullptr;
  bool* verify = nullptr;
  bool* tune = nullptr;
  bool* mpi = nullptr;
  bool* recompute = nullptr;
  bool* strict = nullptr;
  bool* blank = nullptr;
  bool* automatic = nullptr;
  bool* each = nullptr;
  bool* total = nullptr;
  bool* no_total = nullptr;
};

/// The parts of a request for a program. It must outlive them.
OptionTargets targets_of(ProgramRequest& request);

/// An option of a question or a run.
struct Option {
  enum class Takes : std::uint8_t {
    Flag,
    Number,   ///< A whole number from `least` to `most`.
    Bytes,    ///< A number of bytes from 1 on; K, M, G and T are powers of 1024.
    Seconds,  ///< From 0 on, parts of one allowed.
    Mib,      ///< MiB, parts of one allowed.
    Time,     ///< A time of updates: seconds, or a number with s, m, h, d or w.
    Wait,     ///< A time of a clock: a number with ms, s, m or h.
    Word,     ///< One of `shown`, or of `words`.
    Devices,  ///< A number from 1 on, or `all`.
    Text,     ///< Any text; `set` may refuse it.
    Object,   ///< A JSON object, in requests of `serve` alone, which read it.
  };
  enum class ReadBy : std::uint8_t { Graph, Program, Pattern, Run, Stream };  ///< The step that reads the option.

  const char* name;  ///< Without dashes.
  Takes takes;
  const char* shown = "";   ///< Word: its choices, `a|b|c`; else the placeholder of the value, such as `FILE`.
  const char* preset = "";  ///< The default value, or its description; empty: none.
  const char* text;         ///< Help, in one line.
  const char* group;        ///< The heading above it in the help.
  ReadBy step;
  std::uint32_t verbs = 0;     ///< The verbs of the command line that take it: bits of `Verb`.
  bool in_requests = false;    ///< Requests of `serve` take it.
  bool in_library = false;     ///< The library takes it: C, and Python with `_` for `-`.
  const char* elsewhere = "";  ///< The sentence with which all others refuse it; empty: requests refuse a Graph option.
  /// Puts a value into its part; false: the value is wrong, and nothing changes. Null: the caller reads the value.
  bool (*set)(const OptionTargets& to, const std::string& value) = nullptr;
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  bool repeats = false;                           ///< May be given again; values add up.
  const char* variable = "";                      ///< The environment variable of the command line's default.
  std::vector<std::string> (*words)() = nullptr;  ///< Word: the values, where `shown` is a name for them.

  /// The values of a Word; empty for others.
  std::vector<std::string> values() const;
  /// The values that it takes, for people: `` `edge` or `vertex` ``, `a whole number from 1 on`.
  std::string accepted() const;
  /// The hint for a wrong value: the value that was meant, if one is near, and all that there are.
  std::string hint_for(const std::string& value) const;
  /// Checks the value and puts it into its part. False: it is wrong, and nothing changes.
  bool take(const OptionTargets& to, const std::string& value) const;
};

/// Verbs of the command line, as bits.
enum Verb : std::uint32_t {
  kRun = 1,
  kStream = 2,
  kExplain = 4,
  kPattern = 8,
  kQuery = 16,
  kBench = 32,
  kServe = 64,
  kBuild = 128,
  kGraph = 256,
  kCheck = 512,
  kMotifs = 1024,
};
inline constexpr std::uint32_t kVerbCount = 11;

/// Where an option is given.
enum class Surface : std::uint8_t { CommandLine, Requests, Library };

/// All options, in the order of help. A name may have two rows, for different surfaces or verbs.
std::span<const Option> options();

/// The option of that name on a surface; one that others take, if this one does not; null: there is none.
const Option* find_option(std::string_view name, Surface surface);
bool is_taken(const Option& option, Surface surface);
/// The sentence with which a surface refuses an option of others. `name` as the surface spells it.
std::string refusal(const Option& option, std::string_view name);

/// The verbs that take an option: `run, stream`.
std::string verbs_with(std::uint32_t verbs);
/// The hint for an option that does not exist on a surface: the one that was meant, or all.
std::string hint_for_option(const std::string& name, Surface surface);

/// `a|b|c` as words.
std::vector<std::string> words_of(std::string_view shown);

/// Names of kinds of values and of steps, for JSON.
std::string_view keyword(Option::Takes takes);
std::string_view keyword(Option::ReadBy step);

/// docs/options.md: all options, with values, presets and where each is taken.
std::string options_page();

}  // namespace matcha::session
