#pragma once

#include <cstddef>
#include <cstdint>

namespace matcha::fuzz {

/// Runs one input; crashes or ends the process if the code under test is wrong.
using Target = void (*)(const std::uint8_t* data, std::size_t size);

/// Registers a target by its name; targets are registered before `main`.
struct Registration {
  Registration(const char* name, Target target);
};

/// The target with a name; null if there is none.
Target find_target(const char* name);

}  // namespace matcha::fuzz

/// Defines and registers a target: `MATCHA_FUZZER(load_mtg) { …data, size… }`.
#define MATCHA_FUZZER(name)                                                    \
  static void fuzz_##name(const std::uint8_t* data, std::size_t size);         \
  static const matcha::fuzz::Registration register_##name(#name, fuzz_##name); \
  static void fuzz_##name([[maybe_unused]] const std::uint8_t* data, [[maybe_unused]] std::size_t size)
