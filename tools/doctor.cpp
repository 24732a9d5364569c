#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/graph/mtg.h"
#include "session/doctor.h"
#include "session/output_file.h"
#include "session/version.h"
#include "tools/options.h"
#include "tools/verbs.h"

namespace matcha::tools {

namespace {

using Json = nlohmann::ordered_json;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
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
  Json all = doctor_facts(code_folder());
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
  CLI::App* verb = app.add_subcommand("doctor", "Print the capabilities of this build and this machine");
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
