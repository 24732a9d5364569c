#pragma once

#include <cstddef>

/// The controls of `fake_cuda`, a driver library that keeps device memory on the host, copies at once, runs no kernels,
/// logs its calls and fails on request. The functions are found by name in the library.
struct FakeCuda {
  int device_count;
  std::size_t total_bytes;  ///< The memory of each device.
  int can_access_peer;
  int not_ready;             ///< This many queries answer "not ready" first.
  const char* failing_call;  ///< Symbol that fails, or null.
  int failing_after;         ///< It succeeds this many times first.
  int failing_code;          ///< A CUresult.
  const char* jit_log;       ///< The error log of a module that fails to load.
  int live_objects;          ///< Contexts, streams, events, modules and allocations that are held.
  std::size_t live_bytes;    ///< The bytes of live device allocations.
};

extern "C" {
using FakeCudaState = FakeCuda*();
/// The calls since the last reset, one a line; valid until the next call.
using FakeCudaLog = const char*();
using FakeCudaReset = void();
}
