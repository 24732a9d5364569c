#include "runtime/graph/detail/load_in_pieces.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "runtime/graph/detail/csr_in_pieces.h"
#include "runtime/graph/detail/id_set.h"
#include "runtime/graph/detail/raw_graph.h"
#include "runtime/graph/detail/source.h"
#include "runtime/graph/detail/table.h"

namespace matcha::runtime::detail {

namespace {

using Clock = std::chrono::steady_clock;

/// Edges by id in a scratch file, a block for each chunk of the text.
class EdgeFile final : public EdgeBlocks {
 public:
  EdgeFile(std::shared_ptr<ScratchFile> file, std::uint64_t id_bytes) : file_(std::move(file)), ids_(id_bytes) {}

  Status add(const RowChunk& chunk) {
    const std::vector<std::int64_t>&sources = chunk.cells[0], &targets = chunk.cells[1];
    if (sources.empty()) return Done{};
    ids_.add(sources.data(), sources.size());
    ids_.add(targets.data(), targets.size());
    const auto is_narrow = [](std::int64_t id) {
      return static_cast<std::uint64_t>(id) <= std::numeric_limits<std::uint32_t>::max();
    };
    const bool narrow = std::all_of(sources.begin(), sources.end(), is_narrow) &&
                        std::all_of(targets.begin(), targets.end(), is_narrow);
    const std::uint64_t count = sources.size();
    Status done = narrow ? append<std::uint32_t>(sources, targets) : append<std::int64_t>(sources, targets);
    blocks_.push_back({size_, count, narrow});
    size_ += 2 * count * (narrow ? sizeof(std::uint32_t) : sizeof(std::int64_t));
    return done;
  }

  std::shared_ptr<const Universe> make_universe() {
    universe_ = std::make_shared<const Universe>(Universe::from_sorted(ids_.take()));
    return universe_;
  }

  std::uint64_t blocks() const override { return blocks_.size(); }

  Status read(std::uint64_t number, std::vector<RankPair>& edges) const override {
    const Block& block = blocks_[number];
    std::vector<std::int64_t> ids(2 * block.count);
    Status done = Done{};
    if (block.narrow) {
      std::vector<std::uint32_t> narrow(2 * block.count);
      done = file_->read(block.begin, narrow.data(), narrow.size() * sizeof(std::uint32_t));
      std::copy(narrow.begin(), narrow.end(), ids.begin());
    } else {
      done = file_->read(block.begin, ids.data(), ids.size() * sizeof(std::int64_t));
    }
    if (!done) return done;
    std::vector<std::uint32_t> ranks(ids.size());
    universe_->ranks(ids.data(), ids.size(), ranks.data());
    edges.resize(block.count);
    for (std::uint64_t at = 0; at < block.count; ++at) edges[at] = {ranks[at], ranks[block.count + at]};
    return Done{};
  }

 private:
  struct Block {
    std::uint64_t begin = 0;  ///< Bytes; all sources are followed by all targets.
    std::uint64_t count = 0;
    bool narrow = false;  ///< Ids are of 32 bits.
  };

  template <typename Id>
  Status append(const std::vector<std::int64_t>& sources, const std::vector<std::int64_t>& targets) const {
    std::vector<Id> ids(sources.size() + targets.size());
    const auto middle = std::transform(sources.begin(), sources.end(), ids.begin(),
                                       [](std::int64_t id) { return static_cast<Id>(id); });
    std::transform(targets.begin(), targets.end(), middle, [](std::int64_t id) { return static_cast<Id>(id); });
    return file_->write(size_, ids.data(), ids.size() * sizeof(Id));
  }

  std::shared_ptr<ScratchFile> file_;
  IdSet ids_;
  std::vector<Block> blocks_;
  std::uint64_t size_ = 0;
  std::shared_ptr<const Universe> universe_;
};

Error not_in_pieces(const GraphSpec& spec, const std::string& what) {
  return input_error(spec.path, 0, what + " cannot be read with a memory limit",
                     "an edge list with ids that are numbers can");
}

Status check(const GraphSpec& spec) {
  if (spec.edge_info || spec.temporal || spec.keep_loops) return not_in_pieces(spec, "a graph with labels of edges");
  if (!spec.labels_path.empty() || !spec.vertices_path.empty()) return not_in_pieces(spec, "a graph with labels");
  if (!spec.sql.empty()) return not_in_pieces(spec, "the rows of a query");
  if (spec.table.text_ids) return not_in_pieces(spec, "a graph whose ids are text");
  return Done{};
}

/// Reads the text into the scratch file.
Status read_text(const GraphSpec& spec, const IoOptions& options, EdgeFile& edges, LoadReport& report) {
  Result<std::unique_ptr<LineSource>> source = LineSource::open(spec.path, options);
  if (!source) return source.error();
  (*source)->read_once();
  report.compression = (*source)->compression();
  report.file_bytes = (*source)->file_bytes();
  Result<Format> format = (*source)->is_mtg() ? Result<Format>(Format::Mtg) : (*source)->sniff();
  if (!format) return format.error();
  report.format = *format;
  if (*format != Format::EdgeList)
    return not_in_pieces(spec, "a file of the format " + std::string(format_name(*format)));
  const TakeRows take = [&edges](const RowChunk& chunk) { return edges.add(chunk); };
  TableAsk ask{columns_of(spec), !spec.columns.empty(), spec.table, IdKind::Int};
  ask.maybe_take = &take;
  IdKind wanted = IdKind::Int;
  Budget budget(options);
  Result<Rows> rows = read_table(**source, ask, options, budget, wanted);
  if (wanted != IdKind::Int) return not_in_pieces(spec, "a graph with ids that are text, or beyond 63 bits,");
  if (!rows) return rows.error();
  report.table = std::move(rows->table);
  report.lines = rows->count;
  return Done{};
}

}  // namespace

Result<LoadedGraph> load_in_pieces(const GraphSpec& spec, const IoOptions& options) {
  Status fits = check(spec);
  if (!fits) return fits.error();
  LoadReport report;
  report.path = spec.path;
  try {
    const Clock::time_point start = Clock::now();
    Result<std::shared_ptr<ScratchFile>> file = ScratchFile::create(options.scratch_folder);
    if (!file) return file.error();
    EdgeFile edges(*file, options.piece_bytes / 4);
    Status read = read_text(spec, options, edges, report);
    if (!read) return read.error();
    const Clock::time_point middle = Clock::now();
    report.read_seconds = std::chrono::duration<double>(middle - start).count();
    const std::shared_ptr<const Universe> universe = edges.make_universe();
    if (universe->size() > kMaxVertices) {
      return Error{ErrorKind::Resource, "a graph has at most 4294967294 vertices", spec.path, 0, ""};
    }
    Result<CsrInFile> csr = csr_in_pieces(universe->size(), edges, spec.directed, options);
    if (!csr) return csr.error();
    report.loops = csr->loops;
    report.duplicates = csr->duplicates;
    report.reversed = csr->reversed;
    GraphFacts facts;
    facts.directed = spec.directed;
    facts.all_loops = csr->loops == 0;
    Graph graph = graph_in_file(universe, std::move(*csr), facts);
    Status halved = spec.directed ? Status(Done{}) : ensure_split_offsets(graph);
    if (!halved) return halved.error();
    fill_report(graph, report);
    report.build_seconds = std::chrono::duration<double>(Clock::now() - middle).count();
    return LoadedGraph{std::move(graph), std::move(report)};
  } catch (const std::bad_alloc&) {
    return out_of_memory_error(spec.path);
  }
}

}  // namespace matcha::runtime::detail
