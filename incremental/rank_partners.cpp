#include "incremental/rank_partners.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace matcha::session::stream {

using runtime::Error;
using runtime::ErrorKind;
using runtime::Result;

namespace {

/// Parts of a batch for each rank, so that a slow rank gets fewer; and the fewest updates worth a message.
constexpr std::uint64_t kPartsOfRank = 4, kFewestOfPart = 4;

std::string bytes_of(const std::vector<__int128>& maps) {
  std::string bytes(maps.size() * sizeof(__int128), '\0');
  if (!maps.empty()) std::memcpy(bytes.data(), maps.data(), bytes.size());
  return bytes;
}

std::vector<__int128> maps_of(const std::string& bytes) {
  std::vector<__int128> maps(bytes.size() / sizeof(__int128));
  if (!maps.empty()) std::memcpy(maps.data(), bytes.data(), maps.size() * sizeof(__int128));
  return maps;
}

Error error_of(ErrorKind kind, std::string message) {
  Error error;
  error.kind = kind;
  error.message = std::move(message);
  return error;
}

/// The sum of the records of all parts.
Result<std::string> merged(std::vector<std::string> records) {
  std::vector<__int128> sum;
  for (const std::string& record : records) {
    const std::vector<__int128> maps = maps_of(record);
    if (sum.empty()) sum.resize(maps.size(), 0);
    if (maps.size() != sum.size()) {
      return error_of(ErrorKind::Runtime, "internal error: the ranks of a stream have other patterns");
    }
    for (std::size_t i = 0; i < maps.size(); ++i) {
      if (__builtin_add_overflow(sum[i], maps[i], &sum[i])) {
        return error_of(ErrorKind::Resource, "a number of matches is beyond 128 bits");
      }
    }
  }
  return bytes_of(sum);
}

}  // namespace

std::optional<runtime::stream::Partners::Range> RankPartners::next(std::size_t updates) {
  const std::uint64_t most = std::max<std::uint64_t>(updates / kFewestOfPart, 1);
  const std::uint64_t parts = std::min(kPartsOfRank * static_cast<std::uint64_t>(team_.size()), most);
  const std::optional<std::uint64_t> unit = team_.claim(batch_, parts);
  if (!unit) return std::nullopt;
  unit_ = *unit;
  return Range{updates * unit_ / parts, updates * (unit_ + 1) / parts};
}

void RankPartners::done(const std::vector<__int128>& maps) {
  const runtime::Status did = team_.done(batch_, unit_, bytes_of(maps));
  if (!did && !failure_) failure_ = did.error();
}

Result<std::vector<__int128>> RankPartners::sum_of_all(const std::vector<__int128>& own) {
  const runtime::Status gave = team_.give(batch_, bytes_of(own));
  if (!gave && !failure_) failure_ = gave.error();
  return sum();
}

Result<std::vector<__int128>> RankPartners::sum() {
  Result<runtime::cluster::TeamResult> all = team_.finish(batch_++, false, merged);
  if (failure_) return *failure_;
  if (!all) return all.error();
  if (!all->is_complete) return error_of(ErrorKind::Runtime, "a rank of the job has stopped");
  return maps_of(all->merged);
}

}  // namespace matcha::session::stream
