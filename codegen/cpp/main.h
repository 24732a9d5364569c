// Command line of a program that was compiled ahead of time.
#pragma once

#include "codegen/cpp/host_run.h"

namespace {

constexpr char kUsage[] =
    "usage: program GRAPH.mtg [--json] [--threads=N] [--tau-us=N] [--chunk=N] [--queue=N] [--NAME=VALUE ...]\n"
    "GRAPH.mtg comes from `matcha graph convert`. Exit codes: 0 ok, 2 usage, 3 input, 4 run time, 5 resources.\n";

matcha_program::u64 number_of(const std::string& option, const std::string& text) {
  char* end = nullptr;
  unsigned long long value = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end != '\0' || text[0] == '-') {
    throw matcha_program::Failure{2, "option --" + option + ": `" + text + "` is not a number"};
  }
  return value;
}

matcha_program::Settings read_arguments(int count, char** arguments) {
  matcha_program::Settings settings;
  for (int i = 1; i < count; ++i) {
    std::string text = arguments[i];
    if (text.rfind("--", 0) != 0) {
      if (!settings.graph.empty()) throw matcha_program::Failure{2, "more than one graph"};
      settings.graph = text;
      continue;
    }
    std::size_t sign = text.find('=');
    std::string name = text.substr(2, sign == std::string::npos ? sign : sign - 2);
    std::string value = sign == std::string::npos ? "" : text.substr(sign + 1);
    if (name == "json") {
      settings.json = true;
    } else if (name == "threads") {
      settings.threads = std::max(1u, static_cast<unsigned>(number_of(name, value)));
    } else if (name == "tau-us") {
      settings.tau_us = number_of(name, value);
    } else if (name == "chunk") {
      settings.chunk = std::max<matcha_program::u64>(1, number_of(name, value));
    } else if (name == "queue") {
      settings.queue = number_of(name, value);
    } else {
      settings.parameters[name] = value;
    }
  }
  if (settings.graph.empty()) throw matcha_program::Failure{2, kUsage};
  return settings;
}

}  // namespace

int main(int count, char** arguments) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  try {
    matcha_program::Host host(read_arguments(count, arguments));
    matcha_program::Result result;
    matcha_program::run_program(host, result);
    double ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
    if (host.settings().json) {
      std::printf(
          "{\"schema\": 1, \"result\": %s, \"complete\": true, \"device\": \"cpu\", \"ms\": {\"total\": %.3f}}\n",
          result.json().c_str(), ms);
    } else {
      std::fputs(result.text().c_str(), stdout);
    }
    return 0;
  } catch (const matcha_program::Failure& failure) {
    std::fprintf(stderr, "error: %s\n", failure.message.c_str());
    return failure.exit_code;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "error: out of memory\n");
    return 5;
  }
}
