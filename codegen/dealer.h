#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/backend.h"
#include "runtime/result.h"

namespace matcha::codegen {

/// Deals the work of one run to several runs of the same program on the same inputs: other processes, or earlier runs.
/// The positions of an outermost loop are cut into units, the same for all, by arcs where the loop walks the vertices
/// of a graph. Each run walks all of the program, and of its parallel regions the units that it is given.
///
/// For each region that is dealt, in the order of the program, from 0: `next` until it gives nothing, after each unit
/// `done`, then with `merges` `finish`, then `is_complete`. Calls come from one thread, but `units_done` and
/// `units_total`, which come from any while a unit is walked.
class Dealer {
 public:
  virtual ~Dealer() = default;

  /// Into how many units each region is cut; some may be empty.
  virtual std::uint64_t units() const = 0;
  /// Whether `finish` gives what all runs found together. If not, a run ends after its last region without values, and
  /// no region may need what an earlier one found.
  virtual bool merges() const = 0;
  /// The next unit of a region for this run; nothing when it has done its part. May wait for other runs. After a stop
  /// it gives nothing, and `is_complete` is false.
  virtual std::optional<std::uint64_t> next(std::size_t region) = 0;
  /// Takes what a unit found: a value for each sink of the region. Gives the error that ends the run, or nothing.
  virtual std::optional<runtime::Error> done(std::size_t region, std::uint64_t unit,
                                             std::vector<PartialValue> found) = 0;
  /// Whether all units of a region that are this run's part are done; with `merges`, all units, and `finish` gave what
  /// they found.
  virtual bool is_complete(std::size_t region) const = 0;
  /// Units of all regions that are done, of how many; of the regions that were reached.
  virtual std::uint64_t units_done() const = 0;
  virtual std::uint64_t units_total() const = 0;
  /// What all units that are done found together, a value for each sink; empty: no unit is done. With `merges` only.
  virtual runtime::Result<std::vector<PartialValue>> finish(std::size_t region) = 0;
};

}  // namespace matcha::codegen
