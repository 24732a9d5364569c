#include "runtime/cuda/pci_devices.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/runtime/cuda/scratch_folder.h"

namespace matcha::runtime::cuda {
namespace {

namespace fs = std::filesystem;

class PciDevices : public testing::Test {
 protected:
  void add(const std::string& name, const std::string& vendor, const std::string& device,
           const std::string& kind = "0x030200") {
    const fs::path folder = fs::path(scratch_.path()) / "bus/pci/devices" / name;
    fs::create_directories(folder);
    std::ofstream(folder / "vendor") << vendor << "\n";
    std::ofstream(folder / "device") << device << "\n";
    std::ofstream(folder / "class") << kind << "\n";
  }
  void add_driver(const std::string& version) {
    const fs::path folder = fs::path(scratch_.path()) / "module/nvidia";
    fs::create_directories(folder);
    std::ofstream(folder / "version") << version << "\n";
  }
  std::optional<PciGuess> guess() const { return guess_devices(scratch_.path()); }

  ScratchFolder scratch_;
};

TEST_F(PciDevices, AreNamedByTheirChips) {
  add_driver("580.95.05");
  add("0000:00:1f.0", "0x8086", "0x2330", "0x030000");  // Another maker's.
  EXPECT_FALSE(guess());
  add("0000:3b:00.0", "0x10de", "0x2335");
  add("0000:3c:00.0", "0x10de", "0x2330");
  add("0000:3d:00.0", "0x10de", "0x22a3", "0x068000");  // NVSwitch.
  ASSERT_TRUE(guess());
  EXPECT_EQ(guess()->arch, 90);
  EXPECT_EQ(guess()->cuda_major, 13);
  add_driver("535.183.01");
  EXPECT_EQ(guess()->cuda_major, 12);
}

TEST_F(PciDevices, EveryKindHasItsArchitecture) {
  add_driver("570.86.10");
  for (const auto& [device, arch] : {std::pair("0x1eb8", 75),
                                     {"0x20b5", 80},
                                     {"0x2184", 75},
                                     {"0x2236", 86},
                                     {"0x2484", 86},
                                     {"0x2684", 89},
                                     {"0x2882", 89},
                                     {"0x2901", 100},
                                     {"0x2b85", 120}}) {
    add("0000:01:00.0", "0x10de", device);
    ASSERT_TRUE(guess()) << device;
    EXPECT_EQ(guess()->arch, arch) << device;
  }
}

TEST_F(PciDevices, DoubtIsNoGuess) {
  EXPECT_FALSE(guess_devices("/nowhere"));
  add("0000:3b:00.0", "0x10de", "0x2335");
  EXPECT_FALSE(guess()) << "no driver";
  add_driver("not a number");
  EXPECT_FALSE(guess());
  add_driver("580.95.05");
  EXPECT_TRUE(guess());
  add("0000:3c:00.0", "0x10de", "0x2684");
  EXPECT_FALSE(guess()) << "two kinds";
  add("0000:3c:00.0", "0x10de", "0x1db6");
  EXPECT_FALSE(guess()) << "older than the table";
  add("0000:3c:00.0", "0x10de", "0xffff");
  EXPECT_FALSE(guess()) << "newer than the table";
}

}  // namespace
}  // namespace matcha::runtime::cuda
