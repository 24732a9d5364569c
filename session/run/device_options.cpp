#include "session/run/device_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "session/compile.h"

namespace matcha::session {

Status read_query(codegen::LoadedQuery& query, const Reporter& console) {
  if (!query.is_loaded()) return Status::Ok;
  return read_program(query.file, nullptr, console, query.text);
}

Status check_gpu_options(const std::vector<std::string>& given, bool asked_for_cpu, const Reporter& console) {
  for (const char* option : {"--gpus", "--load-cuda"}) {
    if (std::find(given.begin(), given.end(), option) == given.end()) continue;
    if (asked_for_cpu) {
      return console.error(Status::Usage, fmt::format("`{}` is for GPUs, and the run is on the CPU", option),
                           "leave it out, or use --device cuda");
    }
    return console.error(Status::Run, fmt::format("`{}` asks for a GPU: {}", option, session::gpu_problem()),
                         "leave it out to run on the CPU");
  }
  console.warning(
      fmt::format("`{}` {} nothing on the CPU", fmt::join(given, "`, `"), given.size() == 1 ? "does" : "do"),
      "`--device cuda` runs on a GPU or says why it cannot");
  return Status::Ok;
}

Status choose_tier(const std::string& name, const Reporter& console, std::optional<runtime::Tier>& tier) {
  if (name.empty()) return Status::Ok;
  tier = runtime::tier_from_name(name);
  const std::vector<runtime::Tier> supported = runtime::supported_tiers();
  if (tier && std::ranges::find(supported, *tier) != supported.end()) return Status::Ok;
  std::string known;
  for (runtime::Tier each : supported) known += fmt::format("{}{}", known.empty() ? "" : ", ", tier_name(each));
  return console.error(tier ? Status::Run : Status::Usage,
                       fmt::format("{} `{}`", tier ? "this processor has no" : "there is no SIMD tier", name),
                       fmt::format("it has: {}", known));
}

}  // namespace matcha::session
