#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <thread>
#include <utility>

#include "codegen/shares.h"
#include "runtime/opened_output.h"
#include "session/cluster/dealers.h"
#include "session/output_file.h"

namespace matcha::session::cluster {

namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

/// A unit that was claimed less than this long ago is not done again by a process that has nothing else to do.
constexpr std::chrono::milliseconds kYoungClaim{1000};
constexpr std::chrono::milliseconds kLook{20};
constexpr std::chrono::seconds kTell{1};

/// The whole of a file that appears under its name when it is complete. `may_replace`: else a file of that name stays,
/// which is no error.
std::optional<runtime::Error> write_file(const std::string& file, std::string_view bytes, bool may_replace = true) {
  runtime::OpenedOutput beside = runtime::create_beside(file);
  int code = beside.failure;
  if (beside.descriptor >= 0) {
    code = write_all(beside.descriptor, bytes);
    if (::close(beside.descriptor) != 0 && code == 0) code = errno;
  }
  if (code == 0 && may_replace) code = beside.temporary.rename_to(file);
  // A link has the name at once, or not at all; without `may_replace` the temporary name goes in any case.
  if (code == 0 && !may_replace && ::link(beside.temporary.path().c_str(), file.c_str()) != 0 && errno != EEXIST) {
    code = errno;
  }
  if (code == 0) return std::nullopt;
  errno = code;
  return system_error(file, "write the file");
}

class FolderDealer final : public codegen::Dealer {
 public:
  /// `made`: the folder was empty before this run.
  FolderDealer(std::string folder, bool made, std::uint64_t units, const DealerStops& stops)
      : folder_(std::move(folder)), made_(made), units_(units), stops_(stops) {}

  // Each process of the same run is refused too.
  void refused() override {
    if (!made_) return;
    ::unlink((folder_ + "/run.mtl").c_str());
    ::rmdir(folder_.c_str());
  }

  std::uint64_t units() const override { return units_; }
  bool merges() const override { return true; }

  std::optional<std::uint64_t> next(std::size_t region) override {
    reach(region);
    State& state = regions_[region];
    while (state.next < units_ && !stops_.stopped()) {
      const std::uint64_t unit = state.next++;
      if (state.done[unit] || is_done(region, unit)) continue;
      if (claim(region, unit)) return unit;
    }
    // All are claimed; some processes may have died.
    while (!stops_.stopped()) {
      const std::optional<std::uint64_t> oldest = oldest_claim(region);
      if (state.left == 0) return std::nullopt;
      if (oldest) return oldest;
      std::this_thread::sleep_for(kLook);
    }
    return std::nullopt;
  }

  std::optional<runtime::Error> done(std::size_t region, std::uint64_t unit,
                                     std::vector<codegen::PartialValue> found) override {
    std::optional<runtime::Error> failed =
        write_file(path(region, unit, "done"), framed(encode({region, unit, std::move(found)})));
    if (!failed) mark(region, unit);
    tell_progress();
    return failed;
  }

  bool is_complete(std::size_t region) const override { return region < regions_.size() && regions_[region].left == 0; }
  std::uint64_t units_done() const override {
    std::uint64_t done = 0;
    for (const State& state : regions_) done += units_ - state.left;
    return done;
  }
  std::uint64_t units_total() const override { return regions_.size() * units_; }

  runtime::Result<std::vector<codegen::PartialValue>> finish(std::size_t region) override {
    reach(region);
    std::vector<codegen::PartialValue> all;
    for (std::uint64_t unit = 0; unit < units_; ++unit) {
      if (!regions_[region].done[unit]) continue;
      const std::string file = path(region, unit, "done");
      const std::string bytes = MATCHA_TRY(read_whole(file));
      std::string_view rest = bytes;
      const std::string_view frame = MATCHA_TRY(next_frame(rest, file));
      Record record = MATCHA_TRY(decode(frame, file));
      if (record.region != region || record.unit != unit || !rest.empty()) {
        return runtime::Error{runtime::ErrorKind::Input, "the file is of another unit", file, 0,
                              "remove it and run the same command again"};
      }
      if (std::optional<runtime::Error> failed = codegen::merge_all(all, record.values)) return *failed;
    }
    last_told_ = {};
    tell_progress();
    return all;
  }

 private:
  struct State {
    std::vector<bool> done;
    std::uint64_t left = 0;
    std::uint64_t next = 0;  ///< No unit below it can be claimed.
  };

  std::string path(std::uint64_t region, std::uint64_t unit, const char* what) const {
    return fmt::format("{}/r{}-u{}.{}", folder_, region, unit, what);
  }
  void reach(std::size_t region) {
    while (regions_.size() <= region) regions_.push_back({std::vector<bool>(units_, false), units_, 0});
  }
  void mark(std::size_t region, std::uint64_t unit) {
    State& state = regions_[region];
    if (!state.done[unit]) --state.left;
    state.done[unit] = true;
  }
  bool is_done(std::size_t region, std::uint64_t unit) {
    if (::access(path(region, unit, "done").c_str(), F_OK) != 0) return false;
    mark(region, unit);
    return true;
  }
  bool claim(std::size_t region, std::uint64_t unit) const {
    const std::string file = path(region, unit, "claim");
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) ::close(descriptor);
    return descriptor >= 0;
  }
  /// The unit of which the claim is oldest, which is claimed once more; nothing if all are young.
  std::optional<std::uint64_t> oldest_claim(std::size_t region) {
    std::optional<std::uint64_t> oldest;
    struct timespec oldest_time {};
    for (std::uint64_t unit = 0; unit < units_; ++unit) {
      if (regions_[region].done[unit] || is_done(region, unit)) continue;
      struct stat claim {};
      if (::stat(path(region, unit, "claim").c_str(), &claim) != 0) claim.st_mtim = {};
      const bool older = claim.st_mtim.tv_sec < oldest_time.tv_sec ||
                         (claim.st_mtim.tv_sec == oldest_time.tv_sec && claim.st_mtim.tv_nsec < oldest_time.tv_nsec);
      if (oldest && !older) continue;
      oldest = unit;
      oldest_time = claim.st_mtim;
    }
    if (!oldest) return std::nullopt;
    struct timespec now {};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const auto age = std::chrono::seconds(now.tv_sec - oldest_time.tv_sec) +
                     std::chrono::nanoseconds(now.tv_nsec - oldest_time.tv_nsec);
    if (age < kYoungClaim) return std::nullopt;
    ::utimensat(AT_FDCWD, path(region, *oldest, "claim").c_str(), nullptr, 0);
    return oldest;
  }
  /// For people; nothing depends on it.
  void tell_progress() {
    if (Clock::now() - last_told_ < kTell) return;
    last_told_ = Clock::now();
    const nlohmann::json json{{"schema", "matcha.progress/1"},
                              {"region", regions_.empty() ? 0 : regions_.size() - 1},
                              {"units_done", units_done()},
                              {"units_total", units_total()}};
    static_cast<void>(write_file(folder_ + "/progress.json", json.dump() + "\n"));
  }

  const std::string folder_;
  const bool made_;
  const std::uint64_t units_;
  const DealerStops stops_;
  std::vector<State> regions_;
  Clock::time_point last_told_{};
};

}  // namespace

runtime::Result<std::unique_ptr<codegen::Dealer>> make_folder_dealer(const std::string& folder,
                                                                     const LedgerHeader& header,
                                                                     const DealerStops& stops) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem || !fs::is_directory(folder, problem)) {
    return runtime::Error{runtime::ErrorKind::Input, "the folder cannot be made", folder, 0,
                          problem ? problem.message() : "there is a file of that name"};
  }
  const std::string file = folder + "/run.mtl";
  const bool makes = ::access(file.c_str(), F_OK) != 0;
  if (makes) {
    if (!fs::is_empty(folder, problem) || problem) {
      bool strange = false;
      for (const fs::directory_entry& entry : fs::directory_iterator(folder, problem)) {
        strange = strange || !entry.path().filename().string().starts_with("run.mtl.");
      }
      if (strange) {
        return runtime::Error{runtime::ErrorKind::Input, "the folder holds other files", folder, 0,
                              "give --work a folder of its own"};
      }
    }
    // The second process finds the file of the first: both are equal, or one of them is refused.
    if (std::optional<runtime::Error> failed = write_file(file, framed(header_text(header)), false)) return *failed;
  }
  const Ledger known = MATCHA_TRY(read_ledger(file));
  if (known.header.key != header.key || known.header.units != header.units) {
    return runtime::Error{runtime::ErrorKind::Input, "the folder is of another run", folder, 0,
                          known.header.version != header.version
                              ? fmt::format("it was begun by {}, this is {}", known.header.version, header.version)
                              : "program, graph, parameters and order must be the same; remove it to begin again"};
  }
  return std::unique_ptr<codegen::Dealer>(std::make_unique<FolderDealer>(folder, makes, header.units, stops));
}

}  // namespace matcha::session::cluster
