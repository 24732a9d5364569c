#include <fmt/format.h>

#include <utility>

#include "codegen/shares.h"
#include "session/cluster/dealers.h"

namespace matcha::session::cluster {

namespace {

using codegen::PartialValue;
using runtime::cluster::MpiTeam;
using runtime::cluster::TeamResult;

/// The name of MPI's messages in errors; a record in one is whole, or the library is at fault.
constexpr const char* kMessage = "a message of MPI";

/// The sum of all units, as a record of the first of them. On rank 0.
runtime::Result<std::string> merge_records(std::size_t region, const std::vector<std::string>& records) {
  Record all{region, 0, {}};
  for (const std::string& bytes : records) {
    const Record record = MATCHA_TRY(decode(bytes, kMessage));
    if (std::optional<runtime::Error> failed = codegen::merge_all(all.values, record.values)) return *failed;
  }
  return encode(all);
}

class MpiDealer final : public codegen::Dealer {
 public:
  MpiDealer(MpiTeam& team, std::uint64_t units, const DealerStops& stops) : team_(team), units_(units), stops_(stops) {}

  std::uint64_t units() const override { return units_; }
  bool merges() const override { return true; }

  std::optional<std::uint64_t> next(std::size_t region) override {
    if (stops_.stopped()) return std::nullopt;
    return team_.claim(region, units_);
  }
  std::optional<runtime::Error> done(std::size_t region, std::uint64_t unit, std::vector<PartialValue> found) override {
    MATCHA_TRY(team_.done(region, unit, encode({region, unit, std::move(found)})));
    return std::nullopt;
  }

  bool is_complete(std::size_t region) const override { return region < complete_.size() && complete_[region]; }
  std::uint64_t units_done() const override { return team_.progress().first; }
  std::uint64_t units_total() const override { return team_.progress().second; }

  runtime::Result<std::vector<PartialValue>> finish(std::size_t region) override {
    const auto merge = [region](const std::vector<std::string>& records) { return merge_records(region, records); };
    const TeamResult found = MATCHA_TRY(team_.finish(region, stops_.stopped(), merge));
    complete_.resize(region + 1, false);
    complete_[region] = found.is_complete;
    if (found.merged.empty()) return std::vector<PartialValue>();
    Record record = MATCHA_TRY(decode(found.merged, kMessage));
    return std::move(record.values);
  }

 private:
  MpiTeam& team_;
  const std::uint64_t units_;
  const DealerStops stops_;
  std::vector<bool> complete_;  ///< Of the regions that are finished.
};

}  // namespace

runtime::Result<std::unique_ptr<codegen::Dealer>> make_mpi_dealer(MpiTeam& team, const LedgerHeader& header,
                                                                  const DealerStops& stops) {
  // Paths need not be the same on all hosts.
  MATCHA_TRY(team.agree(fmt::format("{} {}", header.key, header.units)));
  return std::unique_ptr<codegen::Dealer>(std::make_unique<MpiDealer>(team, header.units, stops));
}

}  // namespace matcha::session::cluster
