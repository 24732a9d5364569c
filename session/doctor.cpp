#include "session/doctor.h"

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <thread>
#include <vector>

#include "runtime/code_cache.h"
#include "runtime/cpu/set_kernels.h"
#include "runtime/cuda/facts.h"
#include "runtime/graph/mtg.h"
#include "runtime/machine.h"
#include "session/version.h"

namespace matcha::session {

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

double mebibytes(const std::string& kilobytes) { return std::strtod(kilobytes.c_str(), nullptr) / 1024; }

/// The parts of CUDA that are here; an `error` for a missing one.
Json cuda_facts() {
  const runtime::cuda::CudaFacts facts = runtime::cuda::gather_facts();
  Json devices = Json::array();
  for (const runtime::cuda::DeviceFacts& device : facts.devices) {
    const runtime::cuda::DeviceProperties& properties = device.properties;
    devices.push_back({{"name", properties.name},
                       {"arch", properties.arch},
                       {"multiprocessors", properties.multiprocessors},
                       {"memory_mib", properties.memory_bytes >> 20},
                       {"error", device.error}});
  }
  Json all;
  all["usable"] = facts.usable();
  all["libcuda"] = {{"path", facts.driver_path}, {"version", facts.driver_version}, {"error", facts.driver_error}};
  all["devices"] = devices;
  all["devices_error"] = facts.devices_error;
  all["libnvrtc"] = {{"path", facts.nvrtc_path},
                     {"version", facts.nvrtc_version},
                     {"archs", facts.nvrtc_archs},
                     {"error", facts.nvrtc_error}};
  all["notes"] = facts.notes;
  return all;
}

/// Where compiled code is kept.
Json cache_facts(const std::string& code_folder) {
  const runtime::CodeCache cache(code_folder);
  const runtime::CodeCache::Size size = cache.size();
  const std::string error =
      cache.folder().empty()
          ? "compiled code is not kept: neither MATCHA_CACHE_DIR, XDG_CACHE_HOME nor HOME names a folder"
          : cache.problem();
  return Json{{"folder", cache.folder()}, {"files", size.files}, {"bytes", size.bytes}, {"error", error}};
}

}  // namespace

Json doctor_facts(const std::string& code_folder) {
  std::vector<std::string> tiers;
  for (runtime::Tier tier : runtime::supported_tiers()) tiers.emplace_back(runtime::tier_name(tier));
  Json all;
  all["schema"] = "matcha.doctor/2";
  all["versions"] = {{"matcha", matcha_version()}, {"llvm", llvm_version()},       {"tbb", tbb_version()},
                     {"antlr", antlr_version()},   {"language", kLanguageVersion}, {"mtg", runtime::kMtgVersion}};
  all["cpu"] = {{"model", proc_value("/proc/cpuinfo", "model name")},
                {"simd", tiers},
                {"simd_used", runtime::tier_name(runtime::best_tier())},
                {"hardware_threads", std::thread::hardware_concurrency()},
                {"usable_threads", runtime::machine().threads}};
  all["memory_mib"] = {{"total", std::llround(mebibytes(proc_value("/proc/meminfo", "MemTotal")))},
                       {"available", std::llround(mebibytes(proc_value("/proc/meminfo", "MemAvailable")))},
                       {"usable", runtime::machine().memory_bytes >> 20}};
  all["backends"] = {"llvm", "interp", "cuda", "cpp (build --emit=cpp)"};
  all["cuda"] = cuda_facts();
  all["cache"] = cache_facts(code_folder);
  return all;
}

}  // namespace matcha::session
