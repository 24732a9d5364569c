#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/backend.h"
#include "runtime/result.h"

namespace matcha::codegen {

/// Deals the work of one run to several runs of the same program on the same inputs, such as other processes or earlier
/// runs. The positions of an outermost loop are cut into units, the same for all runs; if the loop walks the vertices
/// of a graph, they are cut by arcs. Each run executes the whole program, and of its parallel regions the units dealt
/// to it.
///
/// Calls for each region that is dealt, in program order, from 0: `next` until it gives nothing, with `done` after each
/// unit; then, if `merges`, `finish`; then `is_complete`. All calls come from one thread, except `units_done` and
/// `units_total`, which any thread may call at any time.
class Dealer {
 public:
  virtual ~Dealer() = default;

  /// Number of units of each region; some may be empty.
  virtual std::uint64_t units() const = 0;
  /// True if `finish` gives the merged values of all runs. If false, a run ends after its last region without values,
  /// and no region may need values of an earlier one.
  virtual bool merges() const = 0;
  /// The program cannot be dealt, and no unit was. Deletes the files that were made for it.
  virtual void refused() {}
  /// The next unit of a region for this run, or nothing when its part is done. May wait for other runs. After a stop it
  /// gives nothing and `is_complete` is false.
  virtual std::optional<std::uint64_t> next(std::size_t region) = 0;
  /// Takes the values of a unit, one for each sink of the region. Returns the error that ends the run, or nothing.
  virtual std::optional<runtime::Error> done(std::size_t region, std::uint64_t unit,
                                             std::vector<PartialValue> found) = 0;
  /// True if all units of this run's part of a region are done. If `merges`: all units of the region, and `finish` gave
  /// their values.
  virtual bool is_complete(std::size_t region) const = 0;
  /// Number of units done, in the regions reached so far.
  virtual std::uint64_t units_done() const = 0;
  virtual std::uint64_t units_total() const = 0;
  /// The merged values of all units done, one for each sink; empty: no unit is done. Requires: `merges`.
  virtual runtime::Result<std::vector<PartialValue>> finish(std::size_t region) = 0;
};

}  // namespace matcha::codegen
