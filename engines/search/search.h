#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engines/search/image_order.h"
#include "engines/search/query.h"
#include "engines/search/stops.h"
#include "engines/search/work_pool.h"
#include "runtime/abi.h"

namespace matcha::runtime::match {

class Candidates;

/// Number of matches. kTooMany: beyond the range.
using Count = unsigned __int128;
inline constexpr Count kTooMany = ~Count{0};

/// Slice: the limit of steps was reached; another order may be better.
enum class SearchEnding { Complete, Limit, Stopped, Deadline, Refused, Slice };

/// The parameters of a search.
struct SearchLimits {
  std::optional<std::uint64_t> most;  ///< The search ends after this many matches.
  Stops stops;
  const std::atomic<bool>* maybe_over = nullptr;  ///< True: another thread has the result.
  /// Takes one match: the candidate of each pattern vertex. Empty: matches are only counted. Returning false ends the
  /// search.
  std::function<bool(const std::uint32_t* images)> on_match;
  /// Only part `part` of `parts` of the images of the first vertex is tried.
  std::uint64_t part = 0, parts = 1;
  /// Called from time to time with the share of this search that is done, assuming equal work for all images of a
  /// vertex, and the number of images of the first vertex; with `most`, with the number of matches and `most`.
  std::function<void(double done, std::uint64_t total)> on_progress;
  std::function<void()> on_long;  ///< Called once, after slightly more than `steps_alone` steps.
  std::uint64_t steps_alone = 0;
  double most_cpu_ms = 0;  ///< A search that takes more of its thread's processor time ends at a Slice; 0: any.
};

/// Depth-first search over candidates by one thread. The remaining images of a vertex are listed once a neighbour has
/// an image, and the next vertex is one with few images left. When a part of the search fails, it backtracks to the
/// last vertex to blame. Vertices that no longer depend on each other are counted, not searched.
class Search {
 public:
  /// How the next vertex is chosen. No order is best for all graphs, and a bad one may take forever.
  enum class Order {
    Fewest,        ///< By the number of images left, and how often the last one was removed.
    FewestOpen,    ///< The same, and its neighbours without an image.
    FewestDegree,  ///< The same, and all its neighbours.
    MostBound,     ///< By its neighbours with an image.
    Plain,         ///< By images and neighbours without one, ignoring the history.
  };
  static constexpr std::array kOrders = {Order::Fewest, Order::FewestOpen, Order::FewestDegree, Order::MostBound,
                                         Order::Plain};

  /// Requires: all arguments outlive it.
  Search(const Candidates& candidates, const Query& query, const SetKernels& kernels, const SearchLimits& limits);

  /// Searches from the start, in an order, for at most `most_steps` steps. `turn`: where to start in the images of a
  /// vertex, as a fraction of 2^32. A search that ended at a Slice found nothing, but keeps its weights.
  SearchEnding run(Order order, std::uint32_t turn, std::uint64_t most_steps);
  /// Searches everything, as one of several workers that share `pool`; `first`: this worker begins at the start.
  SearchEnding run_shared(WorkPool<Task>& pool, bool first);

  /// Matches of the last run; at most the requested number.
  Count found() const { return found_; }
  /// Images of the first vertex; 0: unknown.
  std::uint64_t roots() const { return roots_; }
  std::uint64_t steps() const { return steps_; }

 private:
  /// Ascending numbers of candidates.
  struct List {
    const std::uint32_t* items = nullptr;
    std::uint32_t size = 0;
  };
  /// Images of a vertex that are being tried.
  struct Frame {
    int vertex = 0;
    List images;
    std::uint32_t next = 0;  ///< The current one.
    std::uint32_t left = 0;  ///< The number of images after it, cyclically.
    bool shared = false;     ///< Some were given away, so their failure is unknown here.
  };
  struct Undo {
    int vertex = 0;
    List list;
  };
  static constexpr Mask kBlameAll = ~Mask{0};
  struct LeafMemory;  ///< For interchangeable vertices that are counted together.

  void list_isolated();
  void begin(Order order, std::uint32_t turn, std::uint64_t most_steps);
  void run_task(const Task& task);
  void give_away();
  double done() const;
  Mask extend();
  Mask try_images(int u, List images);
  Mask assign(int u, std::uint32_t image);
  void unassign(int u, std::uint32_t image, Mask listed, std::size_t kept);
  Mask narrow(int u, int w, std::uint32_t image);
  int choose() const;
  int choose_ordered() const;
  /// True if an earlier vertex of its chain has no image: that one must come first.
  bool waits(int w) const { return (order_.chain(w) & order_.below(w) & ~assigned_) != 0; }
  List within(int w, List list) const;
  List for_first(int u, List list) const;
  Mask lost(int w) const;
  double score(int w, std::uint32_t size, int open) const;
  Mask blamed(int w) const { return (query_.near[at(w)] | query_.anti[at(w)] | order_.partners(w)) & assigned_; }
  int open(int w) const { return std::popcount((query_.near[at(w)] | query_.anti[at(w)]) & query_.all() & ~assigned_); }
  bool fits(std::uint32_t image, Mask& to_blame) const;
  List row(int u, std::uint32_t number, int w);
  List without(int w, List list, List others);
  std::uint32_t* buffer(int w, std::uint32_t size);
  std::uint32_t* allocate(std::uint32_t size);

  Mask finish(Mask rest);
  Count ways(Mask group);
  std::optional<Count> ways_of_chains(Mask group);
  Count ways_of(std::span<const int> vertices);
  std::optional<Count> ways_at_once(Mask group);
  void count_common(Mask group, std::span<unsigned long long> common);
  Mask list_rest(Mask rest);
  bool is_free(std::uint32_t number) const { return owner_[number] == 0; }
  std::uint32_t free_of(const List& list) const;
  void add(Count found);
  void report();
  void look_after(std::uint32_t items);
  bool step() { return ++steps_ < look_at_ || !must_stop(); }
  bool must_stop();
  void end(SearchEnding ending) {
    ending_ = ending;
    over_ = true;
  }

  const Candidates& candidates_;
  const Query& query_;
  const ImageOrder order_;
  const SetKernels& kernels_;
  const SearchLimits& limits_;

  Mask assigned_ = 0;
  Mask listed_ = 0;  ///< Vertices whose images are in `lists_`.
  std::array<std::uint32_t, kMostVertices> images_{};
  std::array<List, kMostVertices> lists_{};
  std::array<double, kMostVertices> weights_{};  ///< How often the last image of a vertex was removed.
  std::array<Mask, kMostVertices> same_label_{};
  std::array<Frame, kMostVertices> frames_;
  std::size_t depth_ = 0;
  std::vector<std::uint8_t> owner_;  ///< Pattern vertex + 1 of each candidate; 0: none.
  std::vector<std::uint8_t> marks_;  ///< By candidate, zeros except while images are counted.
  std::vector<Undo> undo_;
  std::vector<std::vector<std::vector<std::uint32_t>>> buffers_;  ///< [vertex][version].
  std::array<std::uint32_t, kMostVertices> versions_{};

  std::vector<std::vector<std::uint32_t>> isolated_lists_;  ///< For vertices without edges.
  std::vector<List*> rows_;                                 ///< By candidate: a row for each slot, or null.
  std::vector<std::unique_ptr<List[]>> row_blocks_;
  std::vector<std::unique_ptr<std::uint32_t[]>> chunks_;
  std::uint32_t chunk_left_ = 0;
  std::uint32_t* chunk_at_ = nullptr;
  /// Allocated on first use. A shared pointer because only one file knows the type.
  std::shared_ptr<LeafMemory> leaves_;

  Order way_ = Order::Fewest;
  std::uint32_t turn_ = 0;
  Count found_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t look_at_ = 0;
  std::uint64_t items_ = 0;  ///< Items of lists since the last check for a stop.
  double began_cpu_ms_ = 0;
  std::uint64_t last_step_ = 0;
  bool has_called_on_long_ = false;
  bool over_ = false;
  SearchEnding ending_ = SearchEnding::Complete;
  WorkPool<Task>* maybe_pool_ = nullptr;
  std::vector<std::pair<int, std::uint32_t>> taken_;  ///< Assigned by the current task, in order.
  std::uint64_t roots_ = 0;
  double weight_ = 1;    ///< The weight of the current task.
  double away_ = 0;      ///< The weight of the tasks split off from it.
  double finished_ = 0;  ///< The weight of earlier tasks.
};

}  // namespace matcha::runtime::match
