#include "runtime/graph/detail/info_in_pieces.h"

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "runtime/graph/cuts.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/page_limit.h"

namespace matcha::runtime::detail {

namespace {

/// Bytes that an arc takes while its range is sorted.
constexpr std::uint64_t kBytesPerInfoArc = 80;
/// Flag of a target: the edge was given in the other direction.
constexpr std::uint32_t kTurned = std::uint32_t{1} << 31;

/// Calls `use(edges)` with the blocks in order, one at a time, while other blocks are read.
template <typename Use>
Status each_block(const InfoBlocks& blocks, const IoOptions& options, const Use& use) {
  struct Read {
    std::vector<InfoEdge> edges;
    Status status = Done{};
  };
  const std::size_t tokens = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()) + 1;
  std::uint64_t next = 0;
  Status all = Done{};
  std::atomic<bool> failed{false};
  tbb::parallel_pipeline(tokens, tbb::make_filter<void, std::uint64_t>(tbb::filter_mode::serial_in_order,
                                                                       [&](tbb::flow_control& flow) -> std::uint64_t {
                                                                         if (next == blocks.blocks() || failed)
                                                                           flow.stop();
                                                                         return next++;
                                                                       }) &
                                     tbb::make_filter<std::uint64_t, std::shared_ptr<Read>>(
                                         tbb::filter_mode::parallel,
                                         [&](std::uint64_t block) {
                                           const auto read = std::make_shared<Read>();
                                           if (block >= blocks.blocks()) return read;
                                           // Isolated: a waiting thread must not start another block.
                                           read->status = tbb::this_task_arena::isolate(
                                               [&] { return blocks.read_info(block, read->edges); });
                                           return read;
                                         }) &
                                     tbb::make_filter<std::shared_ptr<Read>, void>(
                                         tbb::filter_mode::serial_in_order, [&](const std::shared_ptr<Read>& read) {
                                           if (!all) return;
                                           all = std::move(read->status);
                                           if (all && options.cancelled()) all = interrupted_error();
                                           if (all) all = use(read->edges);
                                           failed = !all;
                                         }));
  return all;
}

/// One call of `info_csr_in_pieces`.
class InfoBuilder {
 public:
  InfoBuilder(std::uint64_t n, const InfoBlocks& edges, const InfoRules& rules, std::uint64_t besides,
              const IoOptions& options)
      : n_(n), edges_(edges), rules_(rules), besides_(besides), options_(options) {}

  Result<InfoCsr> run() {
    if (!rules_.directed && n_ >= kTurned) {
      return Error{ErrorKind::Resource, "an undirected graph with labels of edges has at most 2147483647 vertices", "",
                   0, ""};
    }
    const std::uint64_t bytes = MATCHA_TRY(bytes_for_arcs(n_, besides_, options_));
    made_.csr.offsets = Buffer<std::uint64_t>(n_ + 1);
    std::fill(made_.csr.offsets.begin(), made_.csr.offsets.end(), 0);
    MATCHA_TRY(each_block(edges_, options_, [this](const std::vector<InfoEdge>& edges) { return count(edges); }));
    const ArcRanges ranges = MATCHA_TRY(ranges_within(made_.csr.offsets, n_, kBytesPerInfoArc, bytes, options_));
    std::shared_ptr<ScratchFile> arcs = MATCHA_TRY(ScratchFile::create(options_.scratch_folder));
    MATCHA_TRY(scatter(ranges, *arcs, bytes));
    MATCHA_TRY(sort(ranges, *arcs));
    return std::move(made_);
  }

 private:
  bool drops(const InfoEdge& edge) const { return edge.source == edge.target && !rules_.keeps_loops; }

  Status count(const std::vector<InfoEdge>& edges) {
    for (const InfoEdge& edge : edges) {
      if (edge.source == edge.target && rules_.keeps_loops) made_.has_loops = true;
      if (drops(edge)) {
        ++made_.csr.loops;
        continue;
      }
      ++edges_kept_;
      ++made_.csr.offsets[edge.source];
      if (!rules_.directed) ++made_.csr.offsets[edge.target];
    }
    return Done{};
  }

  Status scatter(const ArcRanges& ranges, const ScratchFile& file, std::uint64_t bytes) {
    Places<InfoEdge> places(file, ranges.begins(), bytes / 2);
    const auto add = [&](std::uint32_t source, std::uint32_t target, std::uint64_t info) {
      const std::size_t range = ranges.of(source);
      return places.add(range, {static_cast<std::uint32_t>(source - ranges.first(range)), target, info});
    };
    MATCHA_TRY(each_block(edges_, options_, [&](const std::vector<InfoEdge>& edges) -> Status {
      for (const InfoEdge& edge : edges) {
        if (drops(edge)) continue;
        MATCHA_TRY(add(edge.source, edge.target, edge.info));
        if (!rules_.directed) MATCHA_TRY(add(edge.target, edge.source | kTurned, edge.info));
      }
      return Done{};
    }));
    return places.flush_all();
  }

  /// The rows of some arcs, ignoring direction flags.
  Csr rows_of(std::uint64_t rows, const std::vector<InfoEdge>& arcs, bool all) const {
    std::uint64_t count = 0;
    for (const InfoEdge& arc : arcs) count += all || (arc.target & kTurned) == 0 ? 1 : 0;
    Buffer<std::uint32_t> sources(count), targets(count);
    Buffer<std::uint64_t> infos(count);
    std::uint64_t at = 0;
    for (const InfoEdge& arc : arcs) {
      if (!all && (arc.target & kTurned) != 0) continue;
      sources[at] = arc.source;
      targets[at] = rules_.directed ? arc.target : arc.target & ~kTurned;
      infos[at++] = arc.info;
    }
    const EdgeColumns columns{sources.data(), targets.data(), count, n_};
    if (rules_.keeps_repeats) return multi_csr(rows, columns, infos.data());
    return std::move(labelled_csr(rows, columns, infos.data(), true).csr);
  }

  /// Sorts each range and appends its rows to the files.
  Status sort(const ArcRanges& ranges, const ScratchFile& file) {
    std::shared_ptr<ScratchFile> neighbors = MATCHA_TRY(ScratchFile::create(options_.scratch_folder));
    std::shared_ptr<ScratchFile> info = MATCHA_TRY(ScratchFile::create(options_.scratch_folder));
    std::uint64_t written = 0, given = 0;
    for (std::size_t range = 0; range < ranges.size(); ++range) {
      if (options_.cancelled()) return interrupted_error();
      std::vector<InfoEdge> arcs(ranges.begin(range + 1) - ranges.begin(range));
      MATCHA_TRY(file.read(ranges.begin(range) * sizeof(InfoEdge), arcs.data(), arcs.size() * sizeof(InfoEdge)));
      const std::uint64_t first = ranges.first(range), rows = ranges.first(range + 1) - first;
      // The number of remaining edges as they were given.
      if (!rules_.directed) given += rows_of(rows, arcs, false).neighbors.size();
      const Csr csr = rows_of(rows, arcs, true);
      for (std::uint64_t row = 0; row < rows; ++row) made_.csr.offsets[first + row] = written + csr.offsets[row];
      const std::uint64_t kept = csr.neighbors.size();
      MATCHA_TRY(neighbors->write(written * sizeof(std::uint32_t), csr.neighbors.data(), kept * sizeof(std::uint32_t)));
      MATCHA_TRY(info->write(written * sizeof(std::uint64_t), csr.edge_info.data(), kept * sizeof(std::uint64_t)));
      written += kept;
      made_.has_parallels = made_.has_parallels || has_parallels(csr);
    }
    made_.csr.offsets[n_] = written;
    if (rules_.directed) given = written;
    if (!rules_.keeps_repeats) made_.csr.duplicates = edges_kept_ - given;
    if (!rules_.directed) made_.csr.reversed = given - written / 2;
    return map(neighbors, info, written);
  }

  Status map(const std::shared_ptr<ScratchFile>& neighbors, const std::shared_ptr<ScratchFile>& info,
             std::uint64_t arcs) {
    const std::string_view items = MATCHA_TRY(ScratchFile::map(neighbors, arcs * sizeof(std::uint32_t)));
    const std::string_view words = MATCHA_TRY(ScratchFile::map(info, arcs * sizeof(std::uint64_t)));
    made_.csr.neighbors = reinterpret_cast<const std::uint32_t*>(items.data());
    made_.csr.edge_info = reinterpret_cast<const std::uint64_t*>(words.data());
    using Files = std::pair<std::shared_ptr<ScratchFile>, std::shared_ptr<ScratchFile>>;
    made_.csr.owner = std::make_shared<const Files>(neighbors, info);
    return Done{};
  }

  const std::uint64_t n_;
  const InfoBlocks& edges_;
  const InfoRules rules_;
  const std::uint64_t besides_;
  const IoOptions& options_;
  std::uint64_t edges_kept_ = 0;
  InfoCsr made_;
};

/// The reversed arcs of a graph.
class TurnedArcs final : public InfoBlocks {
 public:
  explicit TurnedArcs(const GraphView& view) : view_(view) {
    constexpr std::uint64_t kArcsOfBlock = std::uint64_t{1} << 16;
    cuts_ = cut_by_arcs(view, (view.arc_count + view.universe) / kArcsOfBlock + 1);
  }

  std::uint64_t blocks() const override { return cuts_.size() - 1; }
  Status read_info(std::uint64_t block, std::vector<InfoEdge>& edges) const override {
    edges.clear();
    const std::uint64_t* const info = static_cast<const std::uint64_t*>(view_.edge_info);
    for (std::uint64_t rank = cuts_[block]; rank != cuts_[block + 1]; ++rank) {
      PageLimit::check();
      for (std::uint64_t at = view_.offsets[rank]; at != view_.offsets[rank + 1]; ++at) {
        edges.push_back({view_.neighbors[at], static_cast<std::uint32_t>(rank), info[at]});
      }
    }
    return Done{};
  }

 private:
  GraphView view_;
  std::vector<std::uint64_t> cuts_;
};

/// The table of a graph whose arcs are in files.
struct TableInFiles {
  std::vector<LabelEntry> labels;
  std::shared_ptr<ScratchFile> rows, ends, items;
};

/// One call of `slice_in_pieces`. Rows are processed in order, so each part gets its rows and their items in order.
class Slicer {
 public:
  Slicer(const Graph& graph, std::uint64_t besides, const IoOptions& options)
      : graph_(graph), besides_(besides), options_(options), parts_of_label_(graph.facts().directed ? 2 : 1) {}

  Result<LabelTable> run() {
    const GraphView view = graph_.view();
    const std::uint64_t bytes = MATCHA_TRY(bytes_for_arcs(view.universe, besides_, options_));
    std::optional<InfoCsr> turned;
    GraphView back{};
    if (parts_of_label_ == 2) {
      InfoRules rules;
      rules.directed = rules.keeps_loops = rules.keeps_repeats = true;
      InfoCsr made = MATCHA_TRY(info_csr_in_pieces(view.universe, TurnedArcs(view), rules, besides_, options_));
      turned.emplace(std::move(made));
      back = view;
      back.offsets = turned->csr.offsets.data();
      back.neighbors = turned->csr.neighbors;
      back.edge_info = turned->csr.edge_info;
    }
    MATCHA_TRY(number(view, bytes));
    MATCHA_TRY(count(view, 0));
    if (turned) MATCHA_TRY(count(back, 1));
    MATCHA_TRY(open(bytes));
    MATCHA_TRY(write(view, 0));
    if (turned) MATCHA_TRY(write(back, 1));
    return close();
  }

  std::shared_ptr<const TableInFiles> table() const { return made_; }

 private:
  static constexpr std::uint64_t kNone = ~std::uint64_t{0};
  /// The arcs of a label in one direction.
  struct Part {
    std::uint64_t arcs = 0, rows = 0;
    std::uint64_t row = kNone;  ///< The last row,
    std::uint64_t written = 0;  ///< and the items written so far.
  };

  /// Calls `use(rank, item, label)` for all arcs, in order.
  template <typename Use>
  Status each_arc(const GraphView& view, const Use& use) {
    const std::int64_t* const info = static_cast<const std::int64_t*>(view.edge_info);
    for (std::uint64_t rank = 0; rank < view.universe; ++rank) {
      PageLimit::check();
      if (rank % (std::uint64_t{1} << 16) == 0 && options_.cancelled()) return interrupted_error();
      for (std::uint64_t at = view.offsets[rank]; at != view.offsets[rank + 1]; ++at) {
        MATCHA_TRY(use(rank, view.neighbors[at], info[at]));
      }
    }
    return Done{};
  }

  /// The labels, ascending, and their numbers.
  Status number(const GraphView& view, std::uint64_t bytes) {
    constexpr std::uint64_t kBytesPerLabel = 256;
    Status done = each_arc(view, [&](std::uint64_t, std::uint32_t, std::int64_t label) -> Status {
      if (!labels_.empty() && labels_.back() == label) return Done{};
      if (!numbers_.try_emplace(label, 0).second) return Done{};
      labels_.push_back(label);
      if (labels_.size() * kBytesPerLabel <= bytes) return Done{};
      return Error{
          ErrorKind::Resource,
          "more than " + std::to_string(labels_.size() - 1) + " labels of edges need more than the memory limit", "", 0,
          "raise it"};
    });
    std::sort(labels_.begin(), labels_.end());
    for (std::size_t at = 0; at < labels_.size(); ++at) numbers_[labels_[at]] = at;
    parts_.resize(labels_.size() * parts_of_label_);
    return done;
  }

  std::size_t part_of(std::int64_t label, std::size_t side) const {
    return numbers_.find(label)->second * parts_of_label_ + side;
  }

  Status count(const GraphView& view, std::size_t side) {
    return each_arc(view, [&](std::uint64_t rank, std::uint32_t, std::int64_t label) -> Status {
      Part& part = parts_[part_of(label, side)];
      ++part.arcs;
      part.rows += part.row != rank ? 1 : 0;
      part.row = rank;
      return Done{};
    });
  }

  /// Computes where each part begins.
  Status open(std::uint64_t bytes) {
    made_ = std::make_shared<TableInFiles>();
    for (std::shared_ptr<ScratchFile>* file : {&made_->rows, &made_->ends, &made_->items}) {
      *file = MATCHA_TRY(ScratchFile::create(options_.scratch_folder));
    }
    std::vector<std::uint64_t> rows_at, items_at;
    for (Part& part : parts_) {
      rows_at.push_back(rows_);
      items_at.push_back(items_);
      rows_ += part.rows;
      items_ += part.arcs;
      part.row = kNone;
    }
    rows_out_.emplace(*made_->rows, rows_at, bytes / 8);
    ends_out_.emplace(*made_->ends, rows_at, bytes / 8);
    items_out_.emplace(*made_->items, items_at, bytes / 4);
    return Done{};
  }

  Status write(const GraphView& view, std::size_t side) {
    return each_arc(view, [&](std::uint64_t rank, std::uint32_t item, std::int64_t label) -> Status {
      const std::size_t number = part_of(label, side);
      Part& part = parts_[number];
      Status done = Done{};
      if (part.row != rank) {
        if (part.row != kNone) done = ends_out_->add(number, static_cast<std::uint32_t>(part.written));
        if (done) done = rows_out_->add(number, static_cast<std::uint32_t>(rank));
        part.row = rank;
      }
      ++part.written;
      return done ? items_out_->add(number, item) : done;
    });
  }

  Result<LabelTable> close() {
    for (std::size_t number = 0; number < parts_.size(); ++number) {
      MATCHA_TRY(ends_out_->add(number, static_cast<std::uint32_t>(parts_[number].written)));
    }
    for (std::optional<Places<std::uint32_t>>* out : {&rows_out_, &ends_out_, &items_out_}) {
      MATCHA_TRY((*out)->flush_all());
    }
    for (std::size_t at = 0; at < labels_.size(); ++at) {
      const Part& part = parts_[at * parts_of_label_];
      LabelEntry& entry = made_->labels.emplace_back();
      entry.label = labels_[at];
      entry.arcs = part.arcs;
      entry.source_rows = part.rows;
      if (parts_of_label_ == 2) entry.target_rows = parts_[at * 2 + 1].rows;
    }
    LabelTable table;
    table.labels = made_->labels;
    const std::pair<std::shared_ptr<ScratchFile>, std::span<const std::uint32_t>*> files[] = {
        {made_->rows, &table.rows}, {made_->ends, &table.ends}, {made_->items, &table.items}};
    for (const auto& [file, span] : files) {
      const std::uint64_t count = file == made_->items ? items_ : rows_;
      const std::string_view mapped = MATCHA_TRY(ScratchFile::map(file, count * sizeof(std::uint32_t)));
      *span = {reinterpret_cast<const std::uint32_t*>(mapped.data()), count};
    }
    return table;
  }

  const Graph& graph_;
  const std::uint64_t besides_;
  const IoOptions& options_;
  const std::size_t parts_of_label_;
  std::vector<std::int64_t> labels_;
  std::unordered_map<std::int64_t, std::size_t> numbers_;
  std::vector<Part> parts_;
  std::uint64_t rows_ = 0, items_ = 0;
  std::shared_ptr<TableInFiles> made_;
  std::optional<Places<std::uint32_t>> rows_out_, ends_out_, items_out_;
};

}  // namespace

Result<InfoCsr> info_csr_in_pieces(std::uint64_t n, const InfoBlocks& edges, const InfoRules& rules,
                                   std::uint64_t besides, const IoOptions& options) {
  return InfoBuilder(n, edges, rules, besides, options).run();
}

Status slice_in_pieces(Graph& graph, std::uint64_t besides, const IoOptions& options) {
  Slicer slicer(graph, besides, options);
  const LabelTable table = MATCHA_TRY(slicer.run());
  graph.set_label_slices(std::make_shared<LabelSlices>(table, slicer.table()));
  return Done{};
}

}  // namespace matcha::runtime::detail
