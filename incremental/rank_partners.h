#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "incremental/runtime/shared_search.h"
#include "runtime/cluster/mpi_team.h"
#include "runtime/result.h"

namespace matcha::session::stream {

/// The ranks of an MPI job, which all have the graph of a stream and take the same batches: parts of each batch are
/// assigned to idle ranks, and all get the sum.
class RankPartners final : public runtime::stream::Partners {
 public:
  explicit RankPartners(runtime::cluster::MpiTeam& team) : team_(team) {}

  std::optional<Range> next(std::size_t updates) override;
  void done(const std::vector<__int128>& maps) override;
  runtime::Result<std::vector<__int128>> sum() override;
  std::size_t number() const override { return static_cast<std::size_t>(team_.rank()); }
  std::size_t count() const override { return static_cast<std::size_t>(team_.size()); }
  runtime::Result<std::vector<__int128>> sum_of_all(const std::vector<__int128>& own) override;

 private:
  runtime::cluster::MpiTeam& team_;
  std::uint64_t batch_ = 0;  ///< The number of sums so far.
  std::uint64_t unit_ = 0;   ///< The last assigned unit.
  std::optional<runtime::Error> failure_;
};

}  // namespace matcha::session::stream
