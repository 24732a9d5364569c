#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "runtime/cpu/set_kernels.h"
#include "tools/output_file.h"
#include "tools/verbs.h"
#include "tools/version.h"

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

unsigned usable_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return std::thread::hardware_concurrency();
  return static_cast<unsigned>(CPU_COUNT(&set));
}

double mebibytes(const std::string& kilobytes) { return std::strtod(kilobytes.c_str(), nullptr) / 1024; }

/// The first of `names` that opens, with its path; else why the last did not.
Json library(const std::vector<const char*>& names) {
  std::string reason;
  for (const char* name : names) {
    void* const handle = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (handle != nullptr) {
      ::dlclose(handle);
      return Json{{"found", true}, {"name", name}};
    }
    const char* const text = ::dlerror();
    if (text != nullptr) reason = text;
  }
  return Json{{"found", false}, {"reason", reason}};
}

std::string cache_folder() {
  std::string folder = environment("MATCHA_CACHE_DIR");
  if (!folder.empty()) return folder;
  folder = environment("XDG_CACHE_HOME");
  if (!folder.empty()) return folder + "/matcha";
  folder = environment("HOME");
  return folder.empty() ? std::string() : folder + "/.cache/matcha";
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
  all["schema"] = "matcha.doctor/1";
  all["versions"] = {
      {"matcha", matcha_version()}, {"llvm", llvm_version()}, {"tbb", tbb_version()}, {"antlr", antlr_version()}};
  all["cpu"] = {{"model", proc_value("/proc/cpuinfo", "model name")},
                {"simd", tiers},
                {"simd_used", runtime::tier_name(runtime::best_tier())},
                {"hardware_threads", std::thread::hardware_concurrency()},
                {"usable_threads", usable_cpus()}};
  all["memory_mib"] = {{"total", std::llround(mebibytes(proc_value("/proc/meminfo", "MemTotal")))},
                       {"available", std::llround(mebibytes(proc_value("/proc/meminfo", "MemAvailable")))}};
  all["backends"] = {"llvm", "interp"};
  all["cuda"] = {{"backend", false},
                 {"libcuda", library({"libcuda.so.1"})},
                 {"libnvrtc", library({"libnvrtc.so.13", "libnvrtc.so.12"})}};
  const std::string cache = cache_folder();
  all["cache"] = {{"folder", cache}, {"exists", !cache.empty() && ::access(cache.c_str(), W_OK) == 0}};
  all["terminal"] = terminal();
  return all;
}

std::string describe(const Json& library) {
  if (library["found"].get<bool>()) return fmt::format("found ({})", library["name"].get<std::string>());
  return fmt::format("not found ({})", library["reason"].get<std::string>());
}

std::string as_text(const Json& all) {
  const Json& cpu = all["cpu"];
  const Json& cache = all["cache"];
  const Json& terminal = all["terminal"];
  std::string out;
  const auto line = [&out](std::string_view name, std::string_view value) {
    out += fmt::format("{:<10} {}\n", name, value);
  };
  line("matcha", fmt::format("{}, LLVM {}, oneTBB {}, ANTLR {}", matcha_version(), llvm_version(), tbb_version(),
                             antlr_version()));
  line("cpu", cpu["model"].get<std::string>());
  line("simd", fmt::format("{}; used: {}", fmt::join(cpu["simd"].get<std::vector<std::string>>(), ", "),
                           cpu["simd_used"].get<std::string>()));
  line("threads",
       fmt::format("{} of {} usable", cpu["usable_threads"].get<unsigned>(), cpu["hardware_threads"].get<unsigned>()));
  line("memory", fmt::format("{} MiB, {} MiB available", all["memory_mib"]["total"].get<long>(),
                             all["memory_mib"]["available"].get<long>()));
  line("back ends", "llvm, interp (this build has no CUDA back end yet)");
  line("libcuda", describe(all["cuda"]["libcuda"]));
  line("libnvrtc", describe(all["cuda"]["libnvrtc"]));
  line("cache", cache["folder"].get<std::string>().empty()
                    ? "none: HOME is not set"
                    : fmt::format("{}{}", cache["folder"].get<std::string>(),
                                  cache["exists"].get<bool>() ? "" : " (does not exist; nothing is cached yet)"));
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
      return written ? ExitCode::Ok : Console(options->console).error(written.error());
    };
  });
}

}  // namespace matcha::tools
