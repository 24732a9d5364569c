#include "runtime/cuda/pci_devices.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace matcha::runtime::cuda {

namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t kNvidia = 0x10de;

/// Device ids are grouped by chip: from `first` on, up to the next line, they have the architecture.
struct Chips {
  std::uint32_t first;
  int arch;  ///< 0: unknown.
};
constexpr Chips kChips[] = {
    {0x1e00, 75},   // TU10x
    {0x2080, 80},   // GA100
    {0x2100, 75},   // TU11x
    {0x2200, 86},   // GA10x
    {0x2300, 90},   // GH100
    {0x2400, 86},   // GA10x
    {0x2600, 89},   // AD10x
    {0x2900, 100},  // GB100
    {0x2b00, 120},  // GB20x
    {0x2e00, 0},    // GB10
    {0x2f00, 120},  // GB20x
    {0x3000, 0},
};

int arch_of(std::uint32_t device) {
  int arch = 0;
  for (const Chips& chips : kChips) {
    if (chips.first <= device) arch = chips.arch;
  }
  return arch;
}

/// The number in the first line of a file, `0x10de` or `580.65`; 0: none.
std::uint32_t number_in(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return static_cast<std::uint32_t>(std::strtoul(line.c_str(), nullptr, line.starts_with("0x") ? 16 : 10));
}

/// True for graphics devices; the others on a board are audio devices and bridges.
bool is_display(const fs::path& device) { return number_in(device / "class") >> 16 == 0x03; }

}  // namespace

std::optional<PciGuess> guess_devices(const std::string& system) {
  PciGuess guess;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(system) / "bus/pci/devices", failed)) {
    if (number_in(entry.path() / "vendor") != kNvidia || !is_display(entry.path())) continue;
    const int arch = arch_of(number_in(entry.path() / "device"));
    if (arch == 0 || (guess.arch != 0 && guess.arch != arch)) return std::nullopt;
    guess.arch = arch;
  }
  // Source: CUDA's release notes, the minimum drivers of its versions.
  const std::uint32_t module = number_in(fs::path(system) / "module/nvidia/version");
  guess.cuda_major = module >= 580 ? 13 : module >= 525 ? 12 : 0;
  if (guess.arch == 0 || guess.cuda_major == 0) return std::nullopt;
  return guess;
}

}  // namespace matcha::runtime::cuda
