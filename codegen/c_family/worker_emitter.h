#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "codegen/c_family/emitter.h"
#include "codegen/c_family/expressions.h"
#include "codegen/c_family/names.h"
#include "codegen/c_family/text_writer.h"
#include "ir/analysis/facts.h"
#include "ir/analysis/flat_loops.h"
#include "ir/analysis/list_loops.h"

namespace matcha::codegen {

/// Before a declaration that the text may not use.
inline constexpr std::string_view kUnused = "[[maybe_unused]] ";

/// Prints the worker part of a module: emitter.h says of what it consists. `task`, `f`, `w` and `t` of the printed text
/// are a region's task, the frame, the worker and the worker's totals.
class WorkerEmitter {
 public:
  WorkerEmitter(const ir::Module& module, const Spelling& spelling, Names& names)
      : module_(module), spelling_(spelling), facts_(module), names_(names), expressions_(facts_, names) {}

  Emitted run();

 private:
  void emit(const ir::Region& region);
  /// What the loops that lanes walk by items are like.
  void find_lane_loops(const ir::Region& region);
  /// Whether the lanes of a group take positions of the outermost loop or of the one inside it, or arcs.
  void set_lanes(EmittedRegion& entry);

  // Statements

  /// On the spine, effects beside the loop that a task may resume run only in tasks that begin further out.
  void block(const ir::Block& b);
  void block_without_spine(const ir::Block& b);
  void stmt(const ir::Stmt& s);
  void branch(const ir::If& s);
  static bool has_loop(const ir::If& s);
  void collect(const ir::Collect& s);
  void yield(const ir::Yield& s);
  static std::string comment(const ir::Stmt& stmt) {
    return stmt.loc.valid() ? fmt::format("  // line {}", stmt.loc.line) : "";
  }

  // Sinks and stored sets

  bool of_region(const ir::Var* sink) const { return sink_index_.contains(sink); }
  std::string accumulator(const ir::Var* sink) { return (of_region(sink) ? "t." : "") + names_.of(sink) + "_"; }
  std::string share(const ir::Var* sink) { return names_.of(sink) + "_share"; }
  void declare_accumulator(const ir::Sink& sink, bool region);
  void flush(const ir::Sink& sink);
  static bool counts_a_set(const ir::Yield& yield);
  /// Sums of the region into which counts are yielded: in a group every lane keeps its share of those counts, and the
  /// lanes are added up once a task.
  void find_shared_counts(const ir::Region& region);
  /// Adds what a task has found of them to the totals of the worker, where it ends.
  void end_shared_counts();
  /// A sum to which lanes add on their own.
  bool in_lanes(const ir::Var* sum) const;
  std::size_t buffer_index(const ir::Var* buffer) const;
  /// The number of the next state that tasks of one outermost position share.
  std::string next_rows();
  /// A count that takes counters.
  void common(const ir::Store& s);
  /// The worker's place for a list of the type of `list`.
  std::string room(const ir::Var* list, const ir::Var* buffer) const;
  /// The argument by which tasks of one outermost position share rows.
  std::string shared_rows(const ir::Store& s);

  // Loops

  /// True if the block ends in loops that a task may resume. Sets of bits stand below a loop over the vertices and one
  /// over the list that they are of; lanes that share one are quick with it.
  bool goes_on(const ir::Block& b) const;
  void resumable(const ir::Stmt& s);
  void spine_loop(const ir::For& loop);
  void loop(const ir::For& s);
  /// A walk over the positions of a bit set, by all lanes together or by each its own.
  void bit_loop(const ir::For& s);
  void loop_body(const ir::For& loop, const std::vector<std::string>& lists, const std::string& index);
  /// Binds the lists of a loop to names, so that they are derived once.
  std::vector<std::string> bind_lists(const ir::For& loop);
  void bind_items(const ir::For& loop, const std::vector<std::string>& lists, const std::string& index,
                  std::string_view specifier = "");
  void bind_position(const ir::For& s, const std::string& walk);
  std::string length(const ir::For& loop, const std::vector<std::string>& lists);
  void leave(std::string_view call, const std::string& walk, const std::string& index);
  /// Has a loop below the spine look whether the run is to stop, which ends the task, if one of its iterations may take
  /// long.
  void leave_if_stopped(const ir::For& loop);
  /// A position of the loop at the current level, as arguments.
  std::string place(const std::string& index) const;

  // What each lane does on its own

  /// Whether each lane does on its own what is printed next; gives what held before.
  bool set_lane_private(bool alone);
  /// A loop of which every lane takes an item of its own.
  void flat_loop(const ir::For& loop, const ir::FlatLoop& flat, bool on_spine);
  /// A region that walks vertices and their neighbours as one list of arcs, of which every lane takes one.
  void flat_arcs(const ir::For& outer, const EmittedRegion& entry);
  /// A loop that puts `item` of what passes into a list, an item of the loop for each lane.
  void list_loop(const ir::For& loop, const ir::Yield& item);
  /// Opens the loop that takes as many positions at a time as there are lanes; gives the name of the first of them.
  /// `size`: of all its lists. On the spine it is walked as `walk` says, else `walk` is empty and its end is `end`.
  std::string lane_steps(const ir::For& loop, const std::string& index, const std::string& walk,
                         const std::string& size, bool outermost);
  /// Binds `walk` to the positions of a spine loop over lists of that size.
  void begin_walk(const std::string& walk, const std::string& size);
  /// How lanes walk a loop over lists by items; null for other loops. Lists in pages are not counted so: there all
  /// lanes walk the loop together, whatever its mode.
  const ir::FlatLoop* flat_of(const ir::For& loop) const;
  /// What a loop that lanes walk by items puts into its list; null for other loops.
  const ir::Yield* item_of(const ir::For& loop) const {
    return group_ > 1 && loop.mode == ir::LaneMode::Items ? list_loops_->item_of(loop) : nullptr;
  }
  /// True for a loop over bits that lanes walk by items.
  bool lanes_walk_bits(const ir::For& loop) const;
  /// The loop in `first` whose items, with those of `first`, lanes take as pairs; null if they do not.
  const ir::For* second_of(const ir::For& first) const;
  /// A loop over `first` and one inside it whose pairs of items the lanes take side by side.
  void pair_loop(const ir::For& first, const ir::For& second, bool on_spine);
  struct OfFirst;
  /// What a lane finds of its item of the first loop, up to how many items `second` has, which goes to `count`.
  void before_second(const ir::Block& b, const ir::For& second, const OfFirst& values, const std::string& count);
  /// What the second loop reads of that and does not ask the lane for.
  void bind_again(const ir::Block& b, const ir::For& second, const OfFirst& values);
  void sides(const ir::FlatLoop& flat);
  /// What a lane does before its count: all of it when nothing is counted.
  void until_count(const ir::Block& b, const ir::FlatLoop& flat);
  /// What follows the count, which all lanes make together. `from`: the first position of a loop whose positions tasks
  /// may name; else empty. `bind_again` binds what it reads of a lane's values in front of the loop.
  void after_count(const ir::Block& b, const ir::FlatLoop& flat, const std::string& from,
                   const std::function<void()>& bind_again = nullptr);
  /// A bit set of one lane: stored if it is read several times and a few words are enough.
  void keep(const ir::Store& s);
  /// Sums and the names of what is added to them behind a loop.
  using Parts = std::vector<std::pair<const ir::Var*, std::string>>;
  /// Declares what an innermost loop of one lane counts, for the lane's shares are too many for registers.
  Parts begin_parts(const ir::For& loop, int number);
  void end_parts(const Parts& parts);

  const ir::Module& module_;
  const Spelling& spelling_;
  ir::Facts facts_;
  Names& names_;
  Expressions expressions_;
  TextWriter out_;
  Emitted emitted_;
  const ir::Region* region_ = nullptr;
  std::map<const ir::Var*, std::size_t> sink_index_;
  std::map<const ir::Var*, ir::SinkKind> kinds_;
  std::set<const ir::Var*> shared_counts_;
  std::unordered_map<const ir::Var*, int> uses_;
  std::unique_ptr<ir::FlatLoops> flat_loops_;     ///< Of the region, when its groups have several lanes.
  std::unique_ptr<ir::ListLoops> list_loops_;     ///< Of the region, when its groups have several lanes.
  std::unordered_set<const ir::Var*> lane_sums_;  ///< To which loops add that lanes walk by items.
  bool lane_private_ = false;                     ///< Inside a loop of which each lane takes its own items.
  std::string lanes_;                             ///< The lanes that are there, when it is a loop over bits.
  std::map<const ir::Var*, std::string> parts_;   ///< Of shared counts, in the innermost of those loops.
  std::uint32_t group_ = 0;
  int level_ = 0;
  int depth_ = 0;
  int loops_ = 0;                ///< Around the statement.
  std::uint32_t next_rows_ = 0;  ///< Of those.
  int walked_ = 0;
};

}  // namespace matcha::codegen
