#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/graph/buffer.h"
#include "runtime/graph/id_names.h"
#include "runtime/graph/io.h"
#include "runtime/result.h"

namespace matcha::runtime {

/// The largest universe: ranks are 32-bit and the two highest are reserved.
inline constexpr std::uint64_t kMaxVertices = 0xFFFFFFFEULL;

/// Ids `[first, first + count)`.
struct IdRange {
  std::int64_t first = 0;
  std::uint64_t count = 0;
};

/// Ids in input order; may repeat.
struct IdSpan {
  const std::int64_t* ids = nullptr;
  std::uint64_t count = 0;
};

/// All vertex ids of one run, in ascending order: the rank of an id is its position, so ranks compare as ids do.
/// Immutable once made; shared by the graphs and lists of the run.
class Universe {
 public:
  /// No ids.
  Universe() = default;
  /// Ids 0…size-1. Requires: size <= kMaxVertices.
  static Universe identity(std::uint64_t size);
  /// The distinct ids of all spans and ranges. Errors: Resource when there are more than kMaxVertices.
  static Result<Universe> from_ids(const std::vector<IdSpan>& spans, const std::vector<IdRange>& ranges,
                                   const IoOptions& options = {});
  /// From ids that are strictly ascending already.
  static Universe from_sorted(Buffer<std::int64_t> ids);
  /// Ids that are not int64: programs see their places 0…size-1.
  static Universe named(std::shared_ptr<const IdNames> names);
  /// Places 0…size-1 of names that only the caller of the library has: no program may read them as numbers.
  static Universe places(std::uint64_t size);
  /// Distinct ids whose ranks are not in ascending order; only functions from rank to id may be called. `maybe_names`:
  /// the ids are places among these names.
  static Universe in_order(Buffer<std::int64_t> ids, std::shared_ptr<const IdNames> maybe_names = nullptr);

  std::uint64_t size() const { return size_; }
  bool is_identity() const { return ids_.empty(); }
  /// The ids are places of names, which are in no table.
  bool are_places() const { return are_places_; }
  /// The id of each rank, ascending; null for the identity.
  const std::int64_t* ids() const { return ids_.empty() ? nullptr : ids_.data(); }
  /// The id as programs see it. Requires: rank < size().
  std::int64_t id(std::uint64_t rank) const { return ids_.empty() ? static_cast<std::int64_t>(rank) : ids_[rank]; }
  /// Appends the id as files and answers spell it.
  void append_id(std::string& out, std::uint64_t rank) const;
  std::string id_text(std::uint64_t rank) const;
  /// Null where ids are int64.
  const std::shared_ptr<const IdNames>& names() const { return names_; }
  IdKind kind() const { return names_ == nullptr ? IdKind::Int : names_->kind(); }
  /// The rank of an id, if it is in the universe.
  std::optional<std::uint32_t> rank(std::int64_t id) const;
  /// Ranks of many ids, in parallel. Requires: every id is in the universe.
  void ranks(const std::int64_t* ids, std::uint64_t count, std::uint32_t* out) const;
  /// The number of ids below `id`, so that bounds on absent ids can be turned into bounds on ranks.
  std::uint64_t lower_rank(std::int64_t id) const;

 private:
  std::uint64_t bucket_of(std::int64_t id) const;
  void index();

  std::uint64_t size_ = 0;
  bool are_places_ = false;
  Buffer<std::int64_t> ids_;  ///< Empty for the identity.
  /// Ids of bucket b are `ids_[buckets_[b], buckets_[b + 1])`; a bucket spans 2^shift_ ids.
  Buffer<std::uint32_t> buckets_;
  unsigned shift_ = 0;
  std::shared_ptr<const IdNames> names_;
};

}  // namespace matcha::runtime
