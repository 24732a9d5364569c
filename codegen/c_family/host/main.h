// Command line of a program that was compiled ahead of time; the options are those of `matcha run`.
#pragma once

#include "codegen/c_family/host/inputs.h"
#include "codegen/c_family/host/result.h"
#include "codegen/c_family/host/schedule.h"

namespace matcha_program {

inline constexpr const char* kUsage =
    R"(usage: program [GRAPH.mtg] [options]
  GRAPH.mtg              for the one parameter that is a Graph or a list of edges; `matcha graph convert` makes it
  --in NAME=FILE[:COLS]  a list, from columns of a text file; `times=msg.txt:2` takes column 2, from 0
  --param NAME=VALUE     an int, float or bool
  --json                 one JSON object instead of the bare answer
)";
inline constexpr const char* kExitCodes = "Exit codes: 0 ok, 2 usage, 3 input data, 4 run time, 5 resources.\n";

inline void take_option(Settings& settings, const std::string& option, const std::string& value) {
  if (option == "--param" || option == "--in") {
    std::size_t sign = value.find('=');
    if (sign == std::string::npos) throw Failure{2, option + " `" + value + "` is not of the form NAME=…"};
    auto& into = option == "--in" ? settings.inputs : settings.parameters;
    if (!into.emplace(value.substr(0, sign), value.substr(sign + 1)).second)
      throw Failure{2, option + " " + value + ": bound twice"};
  } else if (!take_schedule(settings.schedule, option, value) && !take_runner(settings.schedule, option, value)) {
    throw Failure{2, "unknown option " + option + "; --help lists them"};
  }
}

/// False if only help was requested.
inline bool read_arguments(int count, char** arguments, Settings& settings) {
  for (int i = 1; i < count; ++i) {
    std::string text = arguments[i];
    if (text == "--help" || text == "-h") return false;
    if (text == "--json") {
      settings.json = true;
    } else if (text == "--eager") {
      settings.schedule.eager = true;
    } else if (text.rfind("-", 0) == 0 && text != "-") {
      std::size_t sign = text.find('=');
      std::string option = text.substr(0, sign);
      bool apart = sign == std::string::npos;
      if (apart && i + 1 == count) throw Failure{2, option + " needs a value, or is unknown; --help lists the options"};
      take_option(settings, option, apart ? arguments[++i] : text.substr(sign + 1));
    } else if (settings.graph.empty()) {
      settings.graph = text;
    } else {
      throw Failure{2, "more than one graph: `" + settings.graph + "`, `" + text + "`"};
    }
  }
  return true;
}

inline void print_json(const Host& host, const std::string& result, double load_ms, double run_ms) {
  const Facts& facts = host.facts();
  std::printf("{\n  \"schema\": \"matcha.run/1\",\n  \"program\": %s,\n  \"entry\": %s,\n  \"result\": %s,\n",
              quoted(kProgram).c_str(), quoted(kEntry).c_str(), result.c_str());
  std::printf("  \"complete\": true,\n  \"device\": \"%s\",\n", kDevice);
  if (host.settings().graph.empty()) {
    std::printf("  \"graph\": null,\n");
  } else {
    std::printf("  \"graph\": {\"vertices\": %llu, \"edges\": %llu, \"max_degree\": %llu},\n", facts.vertices,
                facts.edges, facts.max_degree);
  }
  std::printf("  \"ms\": {\"load\": %.3f, \"compile\": 0, \"upload\": %.3f, \"run\": %.3f},\n", load_ms,
              facts.upload_ms, run_ms - facts.upload_ms);
  std::printf("  \"stats\": {\"backend\": \"%s\", %s, \"positions\": %llu, \"deferred\": %llu,\n", kBackend,
              runner_facts(host.settings().schedule).c_str(), facts.positions, facts.splits);
  const std::string kernels = host.settings().schedule.steal == kKernel ? kernel_json(facts) : "";
  std::printf("    %s\"stack\": \"%s\", \"workers\": %llu, \"scratch_bytes\": %llu}\n}\n", kernels.c_str(),
              facts.paged ? "paged" : "array", facts.workers, facts.list_bytes);
}

inline int run_main(int count, char** arguments) {
  using Clock = std::chrono::steady_clock;
  const auto ms_since = [](Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  };
  Settings settings;
  settings.schedule = default_schedule();
  settings.schedule.steal = kSteal;
  if (!read_arguments(count, arguments, settings)) {
    std::printf("%s%s%s%s", kUsage, kRunnerHelp, kScheduleHelp, kExitCodes);
    return 0;
  }
  if (!kStealIsFixed && settings.schedule.steal == kKernel) throw Failure{2, "--steal: `kernel` is for GPUs"};
  if (kStealIsFixed && settings.schedule.steal != kSteal)
    throw Failure{2, "--steal: this program was made for another kind; make it again with `matcha build --steal`"};
  Host host(settings);
  const auto begin = Clock::now();
  Frame frame{};
  bind_parameters(host, frame);
  const double load_ms = ms_since(begin);
  Result result(settings.json);
  const auto bound = Clock::now();
  run_program(host, frame, result);
  const double run_ms = ms_since(bound);
  const std::string text = result.text();
  if (settings.json) {
    print_json(host, text, load_ms, run_ms);
  } else {
    std::fwrite(text.data(), 1, text.size(), stdout);
  }
  if (std::fflush(stdout) != 0) throw Failure{3, std::string("standard output: ") + std::strerror(errno)};
  return 0;
}

/// Runs the program; gives its exit code.
inline int main_of_program(int count, char** arguments) {
  try {
    return run_main(count, arguments);
  } catch (const Failure& failure) {
    std::fprintf(stderr, "error: %s\n", failure.message.c_str());
    return failure.exit_code;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "error: out of memory\n");
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "error: %s\n", failure.what());
  }
  return 5;
}

}  // namespace matcha_program
