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

/// Of matches. kTooMany: more than are told.
using Count = unsigned __int128;
inline constexpr Count kTooMany = ~Count{0};

/// Slice: so many steps were made that another order may be better.
enum class SearchEnding { Complete, Limit, Stopped, Deadline, Refused, Slice };

/// What searches are told.
struct SearchLimits {
  std::optional<std::uint64_t> most;  ///< Matches after which nothing is looked for.
  Stops stops;
  const std::atomic<bool>* maybe_over = nullptr;  ///< Somebody else has the answer.
  /// Takes one match: the candidate of each pattern vertex. Matches are only counted if there is none. Returning false
  /// ends the search.
  std::function<bool(const std::uint32_t* images)> on_match;
  /// Of the images of the first vertex, only this part of so many is tried.
  std::uint64_t part = 0, parts = 1;
  /// Told from time to time which share of all this search has done, if all images of a vertex took the same, and how
  /// many images the first vertex has; with `most`, its matches and `most`.
  std::function<void(double done, std::uint64_t total)> on_progress;
  std::function<void()> on_long;  ///< Called once, after some more than `steps_alone` steps.
  std::uint64_t steps_alone = 0;
};

/// Depth-first search over candidates by one thread. What is left for a vertex is known as soon as one of its
/// neighbours has an image, and the next vertex is one with few images left. When a part of the search fails, the
/// vertices that are to blame are known, and the search goes back to the last of them. Vertices that no longer depend
/// on each other are counted, not searched.
class Search {
 public:
  /// How the next vertex is chosen. None is the best for all graphs, and a bad one may take forever.
  enum class Order {
    Fewest,        ///< By the images that are left for it, and how often it had none at the end.
    FewestOpen,    ///< The same, and its neighbours without an image.
    FewestDegree,  ///< The same, and all its neighbours.
    MostBound,     ///< By its neighbours that have an image.
    Plain,         ///< Images and neighbours without one, whatever happened before.
  };
  static constexpr std::array kOrders = {Order::Fewest, Order::FewestOpen, Order::FewestDegree, Order::MostBound,
                                         Order::Plain};

  /// All must outlive it.
  Search(const Candidates& candidates, const Query& query, const SetKernels& kernels, const SearchLimits& limits);

  /// From the start, in an order, for at most so many steps. `turn`: where the images of a vertex begin to be tried, as
  /// a share of 2^32. A search that ended at a Slice found nothing; what it learnt of the pattern stays.
  SearchEnding run(Order order, std::uint32_t turn, std::uint64_t most_steps);
  /// All, as one of several workers that share `pool`; `first`: it begins at the start.
  SearchEnding run_shared(WorkPool<Task>& pool, bool first);

  /// Matches of the last run; at most those that were asked for.
  Count found() const { return found_; }
  /// Images of the first vertex; 0: not known.
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
    std::uint32_t next = 0;  ///< The one that is tried now.
    std::uint32_t left = 0;  ///< That come after it, around the end.
    bool shared = false;     ///< Some were given away, so that nobody here knows that they fail.
  };
  struct Undo {
    int vertex = 0;
    List list;
  };
  static constexpr Mask kEveryone = ~Mask{0};
  struct LeafMemory;  ///< For alike vertices that are counted together.

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
  /// Of its chain, a vertex before it has no image: that one is taken first.
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
  std::array<double, kMostVertices> weights_{};  ///< How often the last image of a vertex was lost.
  std::array<Mask, kMostVertices> same_label_{};
  std::array<Frame, kMostVertices> frames_;
  std::size_t depth_ = 0;
  std::vector<std::uint8_t> owner_;  ///< Pattern vertex + 1 of each candidate; 0: none.
  std::vector<std::uint8_t> marks_;  ///< Of each candidate, zeros but while images are counted.
  std::vector<Undo> undo_;
  std::vector<std::vector<std::vector<std::uint32_t>>> buffers_;  ///< [vertex][version].
  std::array<std::uint32_t, kMostVertices> versions_{};

  std::vector<std::vector<std::uint32_t>> isolated_lists_;  ///< Of vertices without edges.
  std::vector<List*> rows_;                                 ///< By candidate: a row for each slot, or null.
  std::vector<std::unique_ptr<List[]>> row_blocks_;
  std::vector<std::unique_ptr<std::uint32_t[]>> chunks_;
  std::uint32_t chunk_left_ = 0;
  std::uint32_t* chunk_at_ = nullptr;
  std::shared_ptr<LeafMemory> leaves_;  ///< Made when it is first needed. Not shared: only one file knows the type.

  Order way_ = Order::Fewest;
  std::uint32_t turn_ = 0;
  Count found_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t look_at_ = 0;
  std::uint64_t items_ = 0;  ///< Of lists, since the last look for a stop.
  std::uint64_t last_step_ = 0;
  bool told_long_ = false;
  bool over_ = false;
  SearchEnding ending_ = SearchEnding::Complete;
  WorkPool<Task>* maybe_pool_ = nullptr;
  std::vector<std::pair<int, std::uint32_t>> taken_;  ///< By the task that is searched, in order.
  std::uint64_t roots_ = 0;
  double weight_ = 1;    ///< Of the task that is searched.
  double away_ = 0;      ///< Weight of the tasks that were made of it.
  double finished_ = 0;  ///< Of tasks before it.
};

}  // namespace matcha::runtime::match
