// Options of a program that was compiled ahead of time: the schedule of its regions.
#pragma once

#include "codegen/c_family/host/host.h"

namespace matcha_program {

inline constexpr const char* kScheduleHelp =
    R"(  --steal KIND           how idle workers get work: timeout, who has run for long hands on the rest of a loop; half, they
                         take half of a loop; none. On a GPU it is fixed when the program is made, and may be kernel
  --tau-us N             microseconds: timeout splits loops that ran so long (default 100), half looks so often for
                         blocks without work (default 10); 0: never
  --split N              loop levels whose rest others may get, 1 to 3 (default 3)
  --chunk N              outermost iterations that a worker takes at a time; 0: by their number
  --tile N               arcs that it takes at a time where vertices and their neighbours are walked; 0: whole vertices
  --queue N              tasks that the queue holds
  --arena-mb X           MiB for the pages of lists, when made with --stack=paged (default: what is needed)
)";

inline u64 number_of(const std::string& option, const std::string& text) {
  u64 value = 0;
  const char* end = text.data() + text.size();
  std::from_chars_result got = std::from_chars(text.data(), end, value);
  if (got.ec != std::errc() || got.ptr != end) throw Failure{2, option + ": `" + text + "` is no number"};
  return value;
}

/// Bytes of a number of MiB, which may have a fraction.
inline u64 bytes_of(const std::string& option, const std::string& text) {
  constexpr double kMib = 1 << 20;
  constexpr double kMost = 1 << 30;
  double value = 0;
  const char* end = text.data() + text.size();
  std::from_chars_result got = std::from_chars(text.data(), end, value);
  if (got.ec != std::errc() || got.ptr != end || !(value >= 0 && value <= kMost))
    throw Failure{2, option + ": `" + text + "` is no number of MiB"};
  return u64(value * kMib);
}

inline u64 stealing_of_name(const std::string& name) {
  if (name == "none") return kNoStealing;
  if (name == "half") return kHalf;
  if (name == "timeout") return kTimeout;
  if (name == "kernel") return kKernel;
  throw Failure{2, "--steal: `" + name + "` is none of none, half and timeout"};
}

/// False if the option is not one of the schedule.
inline bool take_schedule(Schedule& schedule, const std::string& option, const std::string& value) {
  constexpr u64 kMost = 1u << 30;
  if (option == "--tau-us") {
    schedule.tau_us = std::min<u64>(number_of(option, value), 1000000000000);
  } else if (option == "--chunk") {
    schedule.chunk = std::min(number_of(option, value), kMost);
  } else if (option == "--tile") {
    schedule.tile = std::min(number_of(option, value), kMost);
  } else if (option == "--queue") {
    schedule.queue = std::min(number_of(option, value), kMost);
  } else if (option == "--split") {
    schedule.split = std::min<u64>(std::max<u64>(1, number_of(option, value)), 3);
  } else if (option == "--arena-mb") {
    schedule.arena_bytes = bytes_of(option, value);
  } else if (option == "--steal") {
    schedule.steal = stealing_of_name(value);
  } else {
    return false;
  }
  return true;
}

}  // namespace matcha_program
