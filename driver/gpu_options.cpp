#include "driver/gpu_options.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <type_traits>

namespace matcha::driver {

namespace {

using Takes = GpuOption::Takes;

std::optional<std::uint64_t> number_of(const std::string& value, std::uint64_t least, std::uint64_t most) {
  std::uint64_t number = 0;
  const char* const end = value.data() + value.size();
  const std::from_chars_result read = std::from_chars(value.data(), end, number);
  const bool fits = read.ec == std::errc() && read.ptr == end && number >= least && number <= most;
  return fits ? std::optional(number) : std::nullopt;
}

/// Puts a number of a range into a member.
template <auto member, std::uint64_t least = 0, std::uint64_t most = std::numeric_limits<std::uint64_t>::max()>
bool set_number(GpuOptions& options, const std::string& value) {
  const std::optional<std::uint64_t> number = number_of(value, least, most);
  if (number) options.*member = static_cast<std::remove_reference_t<decltype(options.*member)>>(*number);
  return number.has_value();
}

/// Puts MiB into a member that holds bytes.
template <auto member>
bool set_mib(GpuOptions& options, const std::string& value) {
  constexpr double kMib = 1 << 20;
  constexpr double kMost = 1 << 30;
  double mib = 0;
  const char* const end = value.data() + value.size();
  const std::from_chars_result read = std::from_chars(value.data(), end, mib);
  if (read.ec != std::errc() || read.ptr != end || !(mib >= 1 / kMib) || mib > kMost) return false;
  options.*member = static_cast<std::uint64_t>(mib * kMib);
  return true;
}

template <typename Kind>
bool set_word(Kind& kind, const std::string& value, std::initializer_list<std::pair<const char*, Kind>> words) {
  for (const auto& [word, meant] : words) {
    if (value != word) continue;
    kind = meant;
    return true;
  }
  return false;
}

bool set_group(GpuOptions& options, const std::string& value) {
  constexpr std::uint64_t kWarp = 32;
  const std::optional<std::uint64_t> number = number_of(value, 0, kWarp);
  if (!number || (*number & (*number - 1)) != 0) return false;
  options.group = static_cast<std::uint32_t>(*number);
  return true;
}

bool set_steal(GpuOptions& options, const std::string& value) {
  using ir::Stealing;
  return set_word(options.steal, value,
                  {{"none", Stealing::None},
                   {"half", Stealing::Half},
                   {"timeout", Stealing::Timeout},
                   {"kernel", Stealing::Kernel}});
}

bool set_search(GpuOptions& options, const std::string& value) {
  using codegen::Search;
  return set_word(options.search, value,
                  {{"plain", Search::Plain}, {"cached", Search::Cached}, {"merging", Search::Merging}});
}

bool set_stack(GpuOptions& options, const std::string& value) {
  using ir::Stack;
  return set_word(options.stack, value, {{"array", Stack::Array}, {"paged", Stack::Paged}});
}

bool set_eager(GpuOptions& options, const std::string& value) {
  return set_word(options.eager, value, {{"true", true}, {"false", false}});
}

bool set_gpus(GpuOptions& options, const std::string& value) {
  const std::optional<std::uint64_t> number =
      value == "all" ? 0 : number_of(value, 1, std::numeric_limits<std::uint32_t>::max());
  if (number) options.gpus = static_cast<std::uint32_t>(*number);
  return number.has_value();
}

constexpr std::uint64_t kMostInt = std::numeric_limits<int>::max();

constexpr std::array kOptions = {
    GpuOption{"group", Takes::Number, true, "0|1|2|4|8|16|32",
              "Threads that work together: 1, 2, 4, 8, 16 or 32; default: chosen for each loop", set_group, 0, 32},
    GpuOption{"steal", Takes::Words, true, "none|half|timeout|kernel",
              "How idle threads get work of busy ones; default: timeout", set_steal},
    GpuOption{"split", Takes::Number, true, "", "Loop levels whose positions others may get, 1 to 3; default: chosen",
              set_number<&GpuOptions::split, 1, ir::kMostSplit>, 1, ir::kMostSplit},
    GpuOption{"search", Takes::Words, true, "plain|cached|merging",
              "How threads look for items in lists: each alone, with the top of the search tree among them, or also "
              "by merging; default: plain",
              set_search},
    GpuOption{"stack", Takes::Words, true, "array|paged",
              "Intermediate lists in arrays, or in pages as they grow; default: array", set_stack},
    GpuOption{"tau-us", Takes::Number, false, "",
              "Microseconds: `timeout` splits tasks that ran so long, `half` looks so often for idle blocks; 0: "
              "never; default: 100 with `timeout`, 10 with `half`",
              set_number<&GpuOptions::tau_us>},
    GpuOption{"chunk", Takes::Number, false, "",
              "Outermost iterations that a group takes at a time; default: by their number",
              set_number<&GpuOptions::chunk>},
    GpuOption{"tile", Takes::Number, false, "",
              "Edges that a group takes at a time in loops over neighbours; 0: whole vertices; default: by their "
              "number",
              set_number<&GpuOptions::tile>},
    GpuOption{"hubs", Takes::Number, false, "",
              "Neighbours from which on a vertex gets a row of bits to be looked up in, as memory allows; 0: none "
              "does; default: 64",
              set_number<&GpuOptions::hubs>},
    GpuOption{"eager", Takes::Flag, false, "", "Split long tasks even when no group waits for work (for tests)",
              set_eager},
    GpuOption{"gpus", Takes::Devices, false, "",
              "GPUs that share the work, from the first one on; all: as many as there are", set_gpus},
    GpuOption{"first-gpu", Takes::Number, false, "",
              "The first GPU that is used, by the driver's numbers, which begin with 0; default: 0",
              set_number<&GpuOptions::device, 0, kMostInt>, 0, kMostInt},
    GpuOption{"queue", Takes::Number, false, "", "Split tasks that there is room for; default: 131072",
              set_number<&GpuOptions::queue>},
    GpuOption{"fanout", Takes::Number, false, "",
              "With `kernel`: positions of a loop beyond which a kernel is started for it; default: 1024",
              set_number<&GpuOptions::fanout, 1>, 1},
    GpuOption{"kernels", Takes::Number, false, "",
              "With `kernel`: kernels that may be there at a time beside the first one; default: 256",
              set_number<&GpuOptions::kernels, 0, codegen::kMostKernels>, 0, codegen::kMostKernels},
    GpuOption{"scratch-mb", Takes::Mib, false, "", "MiB for intermediate lists; default: what is free",
              set_mib<&GpuOptions::scratch_bytes>},
    GpuOption{"arena-mb", Takes::Mib, false, "", "MiB for the pages of --stack=paged; default: what is needed",
              set_mib<&GpuOptions::arena_bytes>},
};

}  // namespace

std::span<const GpuOption> gpu_options() { return kOptions; }

std::vector<std::string> words_of(const std::string& shown) {
  std::vector<std::string> words;
  std::size_t at = 0;
  for (std::size_t end = 0; end != std::string::npos; at = end + 1) {
    end = shown.find('|', at);
    words.push_back(shown.substr(at, end == std::string::npos ? end : end - at));
  }
  return words;
}

}  // namespace matcha::driver
