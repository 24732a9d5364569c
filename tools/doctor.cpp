#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "driver/output_file.h"
#include "driver/version.h"
#include "runtime/code_cache.h"
#include "runtime/cpu/set_kernels.h"
#include "runtime/cuda/facts.h"
#include "runtime/graph/mtg.h"
#include "runtime/machine.h"
#include "tools/options.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

using Json = nlohmann::ordered_json;

/// The value of `key` in a `key : value` file of /proc; empty if there is none.
std::string proc_value(const char* path, std::string_view key) {
  std::ifstream file(path);
  std::string line;
  while (std::getline(file, line)) {
    if (line.compare(0, key.size(), key) != 0) continue;
    const std::size_t begin = line.find_first_not_of(" \t:", key.size());
    return begin == std::string::npos ? std::string() : line.substr(begin);
  }
  return {};
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

double mebibytes(const std::string& kilobytes) { return std::strtod(kilobytes.c_str(), nullptr) / 1024; }

/// What of CUDA is here; an `error` where a part is missing.
Json cuda_facts() {
  const runtime::cuda::CudaFacts facts = runtime::cuda::gather_facts();
  Json devices = Json::array();
  for (const runtime::cuda::DeviceFacts& device : facts.devices) {
    const runtime::cuda::DeviceProperties& properties = device.properties;
    devices.push_back({{"name", properties.name},
                       {"arch", properties.arch},
                       {"multiprocessors", properties.multiprocessors},
                       {"memory_mib", properties.memory_bytes >> 20},
                       {"error", device.error}});
  }
  Json all;
  all["usable"] = facts.usable();
  all["libcuda"] = {{"path", facts.driver_path}, {"version", facts.driver_version}, {"error", facts.driver_error}};
  all["devices"] = devices;
  all["devices_error"] = facts.devices_error;
  all["libnvrtc"] = {{"path", facts.nvrtc_path},
                     {"version", facts.nvrtc_version},
                     {"archs", facts.nvrtc_archs},
                     {"error", facts.nvrtc_error}};
  all["notes"] = facts.notes;
  return all;
}

/// Where compiled code is kept.
Json cache_facts() {
  const runtime::CodeCache cache(code_folder());
  const runtime::CodeCache::Size size = cache.size();
  const std::string error =
      cache.folder().empty()
          ? "compiled code is not kept: neither MATCHA_CACHE_DIR, XDG_CACHE_HOME nor HOME names a folder"
          : cache.problem();
  return Json{{"folder", cache.folder()}, {"files", size.files}, {"bytes", size.bytes}, {"error", error}};
}

Json terminal() {
  struct winsize size {};
  const bool out = ::isatty(STDOUT_FILENO) != 0;
  const bool err = ::isatty(STDERR_FILENO) != 0;
  const bool known = err && ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0;
  return Json{{"stdout", out},
              {"stderr", err},
              {"columns", known ? size.ws_col : 0},
              {"term", environment("TERM")},
              {"no_color", environment("NO_COLOR")}};
}

Json gather() {
  std::vector<std::string> tiers;
  for (runtime::Tier tier : runtime::supported_tiers()) tiers.emplace_back(runtime::tier_name(tier));
  Json all;
  all["schema"] = "matcha.doctor/2";
  all["versions"] = {{"matcha", matcha_version()}, {"llvm", llvm_version()},       {"tbb", tbb_version()},
                     {"antlr", antlr_version()},   {"language", kLanguageVersion}, {"mtg", runtime::kMtgVersion}};
  all["cpu"] = {{"model", proc_value("/proc/cpuinfo", "model name")},
                {"simd", tiers},
                {"simd_used", runtime::tier_name(runtime::best_tier())},
                {"hardware_threads", std::thread::hardware_concurrency()},
                {"usable_threads", runtime::machine().threads}};
  all["memory_mib"] = {{"total", std::llround(mebibytes(proc_value("/proc/meminfo", "MemTotal")))},
                       {"available", std::llround(mebibytes(proc_value("/proc/meminfo", "MemAvailable")))},
                       {"usable", runtime::machine().memory_bytes >> 20}};
  all["backends"] = {"llvm", "interp", "cuda", "cpp (build --emit=cpp)"};
  all["cuda"] = cuda_facts();
  all["cache"] = cache_facts();
  all["terminal"] = terminal();
  return all;
}

std::string describe(const Json& library) {
  const std::string error = library["error"].get<std::string>();
  if (!error.empty()) return "not usable: " + error;
  return fmt::format("{}, version {}", library["path"].get<std::string>(), library["version"].get<std::string>());
}

std::string as_text(const Json& all) {
  const Json& cpu = all["cpu"];
  const Json& terminal = all["terminal"];
  std::string out;
  const auto line = [&out](std::string_view name, std::string_view value) {
    out += fmt::format("{:<10} {}\n", name, value);
  };
  line("matcha", fmt::format("{}, LLVM {}, oneTBB {}, ANTLR {}", matcha_version(), llvm_version(), tbb_version(),
                             antlr_version()));
  line("formats", fmt::format("language {}, .mtg {}", kLanguageVersion, runtime::kMtgVersion));
  line("cpu", cpu["model"].get<std::string>());
  line("simd", fmt::format("{}; used: {}", fmt::join(cpu["simd"].get<std::vector<std::string>>(), ", "),
                           cpu["simd_used"].get<std::string>()));
  line("threads",
       fmt::format("{} of {} usable", cpu["usable_threads"].get<unsigned>(), cpu["hardware_threads"].get<unsigned>()));
  const Json& memory = all["memory_mib"];
  const long total = memory["total"].get<long>(), usable = memory["usable"].get<long>();
  line("memory", fmt::format("{} MiB, {} MiB available{}", total, memory["available"].get<long>(),
                             usable < total ? fmt::format(", this process may use {} MiB", usable) : ""));
  const Json& cuda = all["cuda"];
  line("back ends", fmt::format("{}", fmt::join(all["backends"].get<std::vector<std::string>>(), ", ")));
  line("libcuda", describe(cuda["libcuda"]));
  for (const Json& device : cuda["devices"]) {
    const std::string error = device["error"].get<std::string>();
    line("gpu", fmt::format("{}, sm_{}, {} multiprocessors, {} MiB{}", device["name"].get<std::string>(),
                            device["arch"].get<int>(), device["multiprocessors"].get<int>(),
                            device["memory_mib"].get<std::uint64_t>(), error.empty() ? "" : "; not usable: " + error));
  }
  if (const std::string error = cuda["devices_error"].get<std::string>(); !error.empty()) line("gpu", "none: " + error);
  line("libnvrtc", describe(cuda["libnvrtc"]));
  for (const Json& note : cuda["notes"]) line("note", note.get<std::string>());
  const Json& cache = all["cache"];
  const std::string problem = cache["error"].get<std::string>();
  line("cache", problem.empty() ? fmt::format("{}, {} files, {:.1f} MiB", cache["folder"].get<std::string>(),
                                              cache["files"].get<std::uint64_t>(),
                                              static_cast<double>(cache["bytes"].get<std::uint64_t>()) / (1 << 20))
                                : problem);
  line("terminal", fmt::format("stdout {}, stderr {}", terminal["stdout"].get<bool>() ? "yes" : "no",
                               terminal["stderr"].get<bool>() ? "yes" : "no"));
  return out;
}

struct DoctorOptions {
  ConsoleOptions console;
  bool json = false;
};

}  // namespace

void add_doctor(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("doctor", "Say what this build and this machine can do");
  auto options = std::make_shared<DoctorOptions>();
  add_console_options(*verb, options->console);
  verb->add_flag("--json", options->json, "Print one JSON object");
  verb->footer("\nExample:\n  matcha doctor --json");
  verb->callback([options, &action] {
    action = [options] {
      const Json all = gather();
      const std::string text =
          options->json ? all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n" : as_text(all);
      const runtime::Status written = write_text_file("-", text);
      return written ? Status::Ok : Console(options->console).error(written.error());
    };
  });
}

}  // namespace matcha::tools
