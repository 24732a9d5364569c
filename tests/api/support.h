#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <vector>

#include "api/matcha.h"

/// Helpers of the tests of libmatcha.
namespace matcha_test {

/// A complete graph of the ids 10, 20, ….
struct Clique {
  explicit Clique(std::int64_t size) {
    for (std::int64_t u = 1; u <= size; ++u) {
      for (std::int64_t v = 1; v < u; ++v) {
        sources.push_back(10 * u);
        targets.push_back(10 * v);
      }
    }
    EXPECT_EQ(MATCHA_OK,
              matcha_graph_from_edges(sources.data(), targets.data(), sources.size(), nullptr, &graph, nullptr));
  }
  ~Clique() { matcha_graph_free(graph); }

  std::vector<std::int64_t> sources, targets;
  matcha_graph* graph = nullptr;
};

struct Options {
  Options() : options(matcha_options_new()) {}
  ~Options() { matcha_options_free(options); }
  void set(const char* name, const char* value) {
    EXPECT_EQ(MATCHA_OK, matcha_options_set(options, name, value, nullptr)) << name;
  }
  matcha_options* options;
};

inline matcha_program* pattern(const char* text, const matcha_options* options = nullptr) {
  matcha_program* program = nullptr;
  matcha_error* error = nullptr;
  EXPECT_EQ(MATCHA_OK, matcha_program_pattern(text, options, &program, &error)) << matcha_error_text(error);
  return program;
}

inline std::int64_t count(matcha_program* program, matcha_graph* graph, const matcha_options* options = nullptr) {
  matcha_result* result = nullptr;
  matcha_error* error = nullptr;
  const matcha_status status = matcha_run_now(program, graph, options, &result, &error);
  EXPECT_EQ(MATCHA_OK, status) << (error != nullptr ? matcha_error_text(error) : "");
  matcha_error_free(error);
  const std::int64_t value = status == MATCHA_OK ? matcha_result_int(result, 0, nullptr) : -1;
  matcha_result_free(result);
  return value;
}

/// Memory of this process that is in RAM, in bytes.
inline std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace matcha_test
