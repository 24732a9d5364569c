#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <set>
#include <utility>

#include "codegen/shares.h"
#include "session/cluster/dealers.h"
#include "session/output_file.h"

namespace matcha::session::cluster {

namespace {

runtime::Error other_run(const std::string& file, const LedgerHeader& there, const LedgerHeader& wanted) {
  const bool other_shard = there.key == wanted.key && there.units == wanted.units;
  std::string message = other_shard ? fmt::format("the ledger is of shard {}/{}", there.shard, there.shards)
                                    : "the ledger is of another run";
  std::string hint = there.version != wanted.version
                         ? fmt::format("it was written by {}, this is {}", there.version, wanted.version)
                         : "program, graph, parameters, order and version must be the same; remove it to begin again";
  return {runtime::ErrorKind::Input, std::move(message), file, 0, std::move(hint)};
}

class ShardDealer final : public codegen::Dealer {
 public:
  ShardDealer(std::string file, const LedgerHeader& header, int descriptor)
      : file_(std::move(file)), header_(header), descriptor_(descriptor) {}
  ShardDealer(const ShardDealer&) = delete;
  ShardDealer& operator=(const ShardDealer&) = delete;
  ~ShardDealer() override { ::close(descriptor_); }

  /// The ledger was made by this run.
  void made() { made_ = true; }
  void refused() override {
    if (made_) ::unlink(file_.c_str());
  }
  void knows(std::uint64_t region, std::uint64_t unit) { done_.emplace(region, unit); }

  std::uint64_t units() const override { return header_.units; }
  bool merges() const override { return false; }
  std::optional<std::uint64_t> next(std::size_t region) override {
    while (regions_.size() <= region) regions_.push_back(header_.shard);
    std::uint64_t& at = regions_[region];
    while (at < header_.units && done_.contains({region, at})) at += header_.shards;
    if (at >= header_.units) return std::nullopt;
    return std::exchange(at, at + header_.shards);
  }
  std::optional<runtime::Error> done(std::size_t region, std::uint64_t unit,
                                     std::vector<codegen::PartialValue> found) override {
    if (const int code = write_all(descriptor_, framed(encode({region, unit, std::move(found)}))); code != 0) {
      errno = code;
      return system_error(file_, "write the ledger");
    }
    done_.emplace(region, unit);
    return std::nullopt;
  }
  bool is_complete(std::size_t region) const override {
    for (std::uint64_t unit = header_.shard; unit < header_.units; unit += header_.shards) {
      if (!done_.contains({region, unit})) return false;
    }
    return true;
  }
  std::uint64_t units_done() const override { return done_.size(); }
  std::uint64_t units_total() const override {
    const std::uint64_t of_region = (header_.units - header_.shard + header_.shards - 1) / header_.shards;
    return regions_.size() * of_region;
  }
  runtime::Result<std::vector<codegen::PartialValue>> finish(std::size_t) override {
    return std::vector<codegen::PartialValue>();
  }

 private:
  const std::string file_;
  const LedgerHeader header_;
  const int descriptor_;
  bool made_ = false;
  std::vector<std::uint64_t> regions_;  ///< The next unit of each.
  std::set<std::pair<std::uint64_t, std::uint64_t>> done_;
};

}  // namespace

runtime::Result<std::unique_ptr<codegen::Dealer>> make_shard_dealer(const std::string& file,
                                                                    const LedgerHeader& header) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) return system_error(file, "open the ledger");
  auto dealer = std::make_unique<ShardDealer>(file, header, descriptor);
  // Two processes that write one ledger would spoil it.
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  if (::fcntl(descriptor, F_SETLK, &whole) != 0) {
    return runtime::Error{runtime::ErrorKind::Input, "another process writes this ledger", file, 0,
                          "give each shard a ledger of its own"};
  }
  const off_t size = ::lseek(descriptor, 0, SEEK_END);
  if (size <= 0) {
    const int code = write_all(descriptor, framed(header_text(header)));
    dealer->made();
    if (code == 0) return std::unique_ptr<codegen::Dealer>(std::move(dealer));
    errno = code;
    return system_error(file, "write the ledger");
  }
  const Ledger known = MATCHA_TRY(read_ledger(file));
  const LedgerHeader& there = known.header;
  if (there.key != header.key || there.units != header.units || there.shard != header.shard ||
      there.shards != header.shards) {
    return other_run(file, there, header);
  }
  // The rest of a record by a process that was killed.
  if (::ftruncate(descriptor, static_cast<off_t>(known.whole_bytes)) != 0 || ::lseek(descriptor, 0, SEEK_END) < 0) {
    return system_error(file, "shorten the ledger");
  }
  for (const auto& [place, values] : known.units) dealer->knows(place.first, place.second);
  return std::unique_ptr<codegen::Dealer>(std::move(dealer));
}

}  // namespace matcha::session::cluster
