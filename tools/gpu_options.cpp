#include "tools/gpu_options.h"

#include <map>

#include "tools/numbers.h"

namespace matcha::tools {

namespace {

/// An option in MiB, parts of one allowed, of which `bytes` takes the whole pages.
void add_mib_option(CLI::App& verb, const std::string& name, std::uint64_t& bytes, const std::string& text) {
  constexpr double kMib = 1 << 20;
  constexpr double kMost = 1 << 30;
  verb.add_option_function<double>(
          name, [&bytes](double mib) { bytes = static_cast<std::uint64_t>(mib * kMib); }, text)
      ->check(CLI::Range(1.0 / kMib, kMost))
      ->type_name("N")
      ->group("GPU");
}

}  // namespace

void add_gpu_text_options(CLI::App& verb, driver::GpuOptions& options) {
  add_number(verb, "--group", options.group,
             "Threads that work together: 1, 2, 4, 8, 16 or 32; default: chosen for each loop")
      ->check(CLI::IsMember({0, 1, 2, 4, 8, 16, 32}))
      ->group("GPU");
  const std::map<std::string, ir::Stealing> kinds = {
      {"none", ir::Stealing::None}, {"half", ir::Stealing::Half}, {"timeout", ir::Stealing::Timeout}};
  verb.add_option("--steal", options.steal, "How idle threads get work of busy ones; default: timeout")
      ->transform(CLI::CheckedTransformer(kinds).description(""))
      ->option_text("none|half|timeout")
      ->group("GPU");
  add_number(verb, "--split", options.split, "Loop levels whose positions others may get, 1 to 3; default: chosen", 1,
             3)
      ->group("GPU");
  const std::map<std::string, codegen::Search> searches = {
      {"plain", codegen::Search::Plain}, {"cached", codegen::Search::Cached}, {"merging", codegen::Search::Merging}};
  verb.add_option(
          "--search", options.search,
          "How threads look for items in lists: each alone, with the top of the search tree among them, or also "
          "by merging; default: plain")
      ->transform(CLI::CheckedTransformer(searches).description(""))
      ->option_text("plain|cached|merging")
      ->group("GPU");
  const std::map<std::string, ir::Stack> stacks = {{"array", ir::Stack::Array}, {"paged", ir::Stack::Paged}};
  verb.add_option("--stack", options.stack, "Intermediate lists in arrays, or in pages as they grow; default: array")
      ->transform(CLI::CheckedTransformer(stacks).description(""))
      ->option_text("array|paged")
      ->group("GPU");
}

void add_gpu_options(CLI::App& verb, driver::GpuOptions& options) {
  add_number(verb, "--tau-us", options.tau_us,
             "Microseconds: `timeout` splits tasks that ran so long, `half` looks so often for idle blocks; 0: "
             "never; default: 100, 10")
      ->group("GPU");
  add_number(verb, "--chunk", options.chunk,
             "Outermost iterations that a group takes at a time; default: by their number")
      ->group("GPU");
  add_number(verb, "--tile", options.tile,
             "Edges that a group takes at a time in loops over neighbours; 0: whole vertices; default: by their "
             "number")
      ->group("GPU");
  add_number(verb, "--hubs", options.hubs,
             "Neighbours from which on a vertex gets a row of bits to be looked up in, as memory allows; 0: none "
             "does; default: 64")
      ->group("GPU");
  verb.add_flag("--eager", options.eager, "Split long tasks even when no group waits for work (for tests)")
      ->group("GPU");
  verb.add_option("--gpus", options.gpus, "GPUs that share the work, from the first one on; all: as many as there are")
      ->transform(CLI::Validator(
          [](std::string& text) {
            if (text == "0") return std::string("there is no run on 0 GPUs");
            if (text == "all") text = "0";
            return std::string();
          },
          ""))
      ->type_name("N|all")
      ->group("GPU");
  add_number(verb, "--queue", options.queue, "Split tasks that there is room for; default: 131072")->group("GPU");
  add_mib_option(verb, "--scratch-mb", options.scratch_bytes, "MiB for intermediate lists; default: what is free");
  add_mib_option(verb, "--arena-mb", options.arena_bytes,
                 "MiB for the pages of --stack=paged; default: what is needed");
}

}  // namespace matcha::tools
