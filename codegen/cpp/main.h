// Command line of a program that was compiled ahead of time; the options are those of `matcha run`.
#pragma once

#include "codegen/cpp/host_inputs.h"
#include "codegen/cpp/host_result.h"

namespace {

using matcha_program::Failure;
using matcha_program::Settings;
using matcha_program::u64;

constexpr char kUsage[] =
    R"(usage: program [GRAPH.mtg] [options]
  GRAPH.mtg              for the one parameter that is a Graph or a list of edges; `matcha graph convert` makes it
  --in NAME=FILE[:COLS]  a list, from columns of a text file; `times=msg.txt:2` takes column 2, from 0
  --param NAME=VALUE     an int, float or bool
  --json                 one JSON object instead of the bare answer
  --threads N            default: as many as there are
  --steal KIND           how idle threads get work: timeout, who has run for long hands on the rest of a loop; half, they
                         take half of a loop; none
  --tau-us N             microseconds: timeout splits loops that ran so long (default 100), half looks so often for
                         blocks without work (default 10); 0: never
  --split N              loop levels whose rest others may get, 1 to 3 (default 3)
  --block N              threads that steal from each other directly (default 8)
  --chunk N              outermost iterations that a thread takes at a time (default 8)
  --tile N               arcs that it takes at a time where vertices and their neighbours are walked (default 1024);
                         0: whole vertices
  --queue N              tasks that the queue holds (default 4096)
  --arena-mb X           MiB for the pages of lists, when compiled with --stack=paged (default: what is needed)
Exit codes: 0 ok, 2 usage, 3 input data, 4 run time, 5 resources.
)";

u64 number_of(const std::string& option, const std::string& text) {
  u64 value = 0;
  const char* end = text.data() + text.size();
  std::from_chars_result got = std::from_chars(text.data(), end, value);
  if (got.ec != std::errc() || got.ptr != end) throw Failure{2, option + ": `" + text + "` is no number"};
  return value;
}

/// Of a number of MiB, which may be a part of one.
u64 bytes_of(const std::string& option, const std::string& text) {
  constexpr double kMib = 1 << 20;
  constexpr double kMost = 1 << 30;
  double value = 0;
  const char* end = text.data() + text.size();
  std::from_chars_result got = std::from_chars(text.data(), end, value);
  if (got.ec != std::errc() || got.ptr != end || !(value >= 0 && value <= kMost))
    throw Failure{2, option + ": `" + text + "` is no number of MiB"};
  return u64(value * kMib);
}

u64 stealing_of_name(const std::string& name) {
  if (name == "none") return matcha_program::kNoStealing;
  if (name == "half") return matcha_program::kHalf;
  if (name == "timeout") return matcha_program::kTimeout;
  throw Failure{2, "--steal: `" + name + "` is none of none, half and timeout"};
}

void take_option(Settings& settings, const std::string& option, const std::string& value) {
  if (option == "--param" || option == "--in") {
    std::size_t sign = value.find('=');
    if (sign == std::string::npos) throw Failure{2, option + " `" + value + "` is not of the form NAME=…"};
    auto& into = option == "--in" ? settings.inputs : settings.parameters;
    if (!into.emplace(value.substr(0, sign), value.substr(sign + 1)).second)
      throw Failure{2, option + " " + value + ": bound twice"};
  } else if (option == "--threads") {
    settings.threads = unsigned(std::min<u64>(std::max<u64>(1, number_of(option, value)), 4096));
  } else if (option == "--tau-us") {
    settings.tau_us = std::min<u64>(number_of(option, value), 1000000000000);
  } else if (option == "--chunk") {
    settings.chunk = std::min<u64>(std::max<u64>(1, number_of(option, value)), 1u << 30);
  } else if (option == "--tile") {
    settings.tile = std::min<u64>(number_of(option, value), 1u << 30);
  } else if (option == "--queue") {
    settings.queue = std::min<u64>(number_of(option, value), 1u << 30);
  } else if (option == "--split") {
    settings.split = std::min<u64>(std::max<u64>(1, number_of(option, value)), 3);
  } else if (option == "--block") {
    settings.block = std::max<u64>(1, number_of(option, value));
  } else if (option == "--arena-mb") {
    settings.arena_bytes = bytes_of(option, value);
  } else if (option == "--steal") {
    settings.steal = stealing_of_name(value);
  } else {
    throw Failure{2, "unknown option " + option + "; --help lists them"};
  }
}

/// False when only help was asked for.
bool read_arguments(int count, char** arguments, Settings& settings) {
  for (int i = 1; i < count; ++i) {
    std::string text = arguments[i];
    if (text == "--help" || text == "-h") return false;
    if (text == "--json") {
      settings.json = true;
    } else if (text == "--eager") {
      settings.eager = true;
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

void print_json(const matcha_program::Host& host, const std::string& result, double load_ms, double run_ms) {
  using matcha_program::quoted;
  const matcha_program::Facts& facts = host.facts();
  std::printf("{\n  \"schema\": \"matcha.run/1\",\n  \"program\": %s,\n  \"entry\": %s,\n  \"result\": %s,\n",
              quoted(matcha_program::kProgram).c_str(), quoted(matcha_program::kEntry).c_str(), result.c_str());
  std::printf("  \"complete\": true,\n  \"device\": \"cpu\",\n");
  if (host.settings().graph.empty()) {
    std::printf("  \"graph\": null,\n");
  } else {
    std::printf("  \"graph\": {\"vertices\": %llu, \"edges\": %llu, \"max_degree\": %llu},\n", facts.vertices,
                facts.edges, facts.max_degree);
  }
  std::printf("  \"ms\": {\"load\": %.3f, \"compile\": 0, \"upload\": 0, \"run\": %.3f},\n", load_ms, run_ms);
  std::printf("  \"stats\": {\"backend\": \"cpp\", \"threads\": %u, \"positions\": %llu, \"deferred\": %llu,\n",
              host.settings().threads, facts.positions, facts.splits);
  std::printf("    \"stack\": \"%s\", \"workers\": %u, \"scratch_bytes\": %llu}\n}\n", facts.paged ? "paged" : "array",
              host.settings().threads, facts.list_bytes);
}

int run_main(int count, char** arguments) {
  using Clock = std::chrono::steady_clock;
  const auto ms_since = [](Clock::time_point begin) {
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  };
  Settings settings;
  settings.steal = matcha_program::kSteal;
  if (!read_arguments(count, arguments, settings)) {
    std::fputs(kUsage, stdout);
    return 0;
  }
  matcha_program::Host host(settings);
  const auto begin = Clock::now();
  matcha_program::Frame frame{};
  bind_parameters(host, frame);
  const double load_ms = ms_since(begin);
  matcha_program::Result result(settings.json);
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

}  // namespace

int main(int count, char** arguments) {
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
