#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "driver/gpu.h"

namespace matcha::driver {

/// An option that says how a GPU runs a program, as the command line and the library have it.
struct GpuOption {
  enum class Takes : std::uint8_t {
    Flag,
    Number,   ///< From `least` to `most`.
    Words,    ///< One of `shown`.
    Mib,      ///< MiB, parts of one allowed.
    Devices,  ///< A number from 1 on, or `all`.
  };

  const char* name;  ///< Without dashes.
  Takes takes;
  bool of_text;       ///< It changes the text for the GPU.
  const char* shown;  ///< For Words: `a|b|c`; of a number that is one of few: the few.
  const char* text;   ///< For people.
  /// False: the value is none that the option takes, and nothing is changed.
  bool (*set)(GpuOptions& options, const std::string& value);
  std::uint64_t least = 0;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
};

/// In the order in which they are shown.
std::span<const GpuOption> gpu_options();

/// `a|b|c` as words.
std::vector<std::string> words_of(const std::string& shown);

}  // namespace matcha::driver
