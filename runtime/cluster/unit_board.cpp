#include "runtime/cluster/unit_board.h"

namespace matcha::runtime::cluster {

namespace {

Error wrong(std::string message) { return Error{ErrorKind::Runtime, std::move(message), "", 0, ""}; }

}  // namespace

UnitBoard::UnitBoard(int ranks) : ranks_(ranks), left_(static_cast<std::size_t>(ranks)) {}

UnitBoard::Region& UnitBoard::at(std::uint64_t region) {
  Region& found = regions_[region];
  if (found.waits.empty()) found.waits.resize(static_cast<std::size_t>(ranks_));
  return found;
}

Result<std::vector<std::uint64_t>> UnitBoard::claim(std::uint64_t region, std::uint64_t units, int rank,
                                                    std::uint64_t most) {
  Region& r = at(region);
  if (!r.begun) {
    r.begun = true;
    r.units = units;
    units_total_ += units;
  }
  if (r.units != units) {
    return wrong("rank " + std::to_string(rank) + " cuts loop " + std::to_string(region + 1) + " into " +
                 std::to_string(units) + " units, others into " + std::to_string(r.units));
  }
  std::vector<std::uint64_t> given;
  while (!stopped_ && given.size() < most && r.given < r.units) {
    r.owners.push_back(rank);
    given.push_back(r.given++);
  }
  return given;
}

Status UnitBoard::done(std::uint64_t region, std::uint64_t unit, int rank, std::string record) {
  Region& r = at(region);
  if (unit >= r.owners.size() || r.owners[unit] != rank) {
    return wrong("internal error: unit " + std::to_string(unit) + " of loop " + std::to_string(region + 1) +
                 " is not one of rank " + std::to_string(rank));
  }
  r.owners[unit] = kNoOwner;
  r.records.emplace(unit, std::move(record));
  ++r.done;
  ++units_done_;
  return Done{};
}

Status UnitBoard::give(std::uint64_t region, int rank, std::string record) {
  const std::uint64_t ranks = static_cast<std::uint64_t>(ranks_);
  Region& r = at(region);
  if (!r.begun) {
    r.begun = true;
    r.units = r.given = ranks;
    for (int owner = 0; owner < ranks_; ++owner) r.owners.push_back(owner);
    units_total_ += ranks;
  }
  if (r.units != ranks) return wrong("rank " + std::to_string(rank) + " has another share of a loop than others");
  return done(region, static_cast<std::uint64_t>(rank), rank, std::move(record));
}

void UnitBoard::wait_for_end(std::uint64_t region, int rank) {
  at(region).waits[static_cast<std::size_t>(rank)] = true;
}

void UnitBoard::leave(int rank) {
  left_[static_cast<std::size_t>(rank)] = true;
  stop();
}

bool UnitBoard::is_complete(std::uint64_t region) const {
  const auto found = regions_.find(region);
  return found != regions_.end() && found->second.begun && found->second.done == found->second.units;
}

bool UnitBoard::is_over(std::uint64_t region) const {
  if (is_complete(region)) return true;
  const auto found = regions_.find(region);
  if (found == regions_.end()) return false;
  const std::vector<bool>& waits = found->second.waits;
  for (std::size_t rank = 0; rank < waits.size(); ++rank) {
    if (!waits[rank] && !left_[rank]) return false;
  }
  return true;
}

std::vector<std::string> UnitBoard::take_records(std::uint64_t region) {
  std::vector<std::string> records;
  for (auto& [unit, record] : at(region).records) records.push_back(std::move(record));
  at(region).records.clear();
  return records;
}

}  // namespace matcha::runtime::cluster
