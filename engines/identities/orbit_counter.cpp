#include "engines/identities/orbit_counter.h"

#include <algorithm>
#include <chrono>
#include <new>

#include "engines/identities/cells.h"
#include "engines/identities/clique_kernel.h"
#include "engines/identities/edge_orbit.h"
#include "engines/identities/five_edge_orbits.h"
#include "engines/identities/five_identities.h"
#include "engines/identities/five_orbits.h"
#include "engines/identities/wedge_walk.h"
#include "runtime/cpu/set_kernels.h"

namespace matcha::runtime::motif {

namespace {

constexpr std::uint64_t kRowsOfBlock = 8192;

/// Cliques and sums over triangles at the vertices or edges.
class CornerWalk {
 public:
  struct TaskState {
    explicit TaskState(std::uint64_t size) : marks(unmarked(size)) {}
    Marks marks;
    std::vector<Corners> triangles;
    std::vector<std::uint64_t> rows;  ///< By neighbour above a vertex: bits of the others that are adjacent to it.
    std::vector<std::uint64_t> found;
  };

  CornerWalk(const RankedGraph& graph, bool by_edge, const VertexLoop& loop, OrbitTables& tables)
      : graph_(graph), by_edge_(by_edge), loop_(loop), tables_(tables) {}

  void at(TaskState& state, std::uint64_t u) const {
    const std::uint64_t first = graph_.split[u], count = graph_.end(u) - first, words = (count + 63) / 64;
    if (count < 2) return;
    state.triangles.clear();
    for_each_triangle(graph_, u, state.marks, [&](const Corners& corners) {
      state.triangles.push_back(corners);
      by_edge_ ? add_to_edges(corners) : add_to_vertices(corners);
    });
    if (state.triangles.size() < 3) return;
    state.rows.assign(count * words, 0);
    state.found.assign(count, 0);
    for (const Corners& c : state.triangles) {
      const std::uint64_t i = c.uv - first, j = c.uw - first;
      state.rows[i * words + j / 64] |= std::uint64_t{1} << j % 64;
      state.rows[j * words + i / 64] |= std::uint64_t{1} << i % 64;
    }
    std::uint64_t all = 0;
    for (const Corners& c : state.triangles) {
      const std::uint64_t i = c.uv - first, j = c.uw - first;
      const std::uint64_t both = common_bits(&state.rows[i * words], &state.rows[j * words], words);
      if (both == 0) continue;
      state.found[i] += both;
      state.found[j] += both;
      all += both;
      if (by_edge_) loop_.add(tables_.edge_cliques[c.vw], both);
    }
    // Each clique of three neighbours was counted at its three edges, and so twice at each vertex.
    for (std::uint64_t i = 0; i < count; ++i) {
      if (state.found[i] == 0) continue;
      loop_.add(by_edge_ ? tables_.edge_cliques[first + i] : tables_.cliques[graph_.near[first + i]],
                state.found[i] / 2);
    }
    if (!by_edge_) loop_.add(tables_.cliques[u], all / 3);
  }

 private:
  std::uint64_t further(std::uint64_t arc) const { return std::uint64_t{tables_.triangles.on[arc]} - 1; }

  void add_to_vertices(const Corners& c) const {
    loop_.add(tables_.facing[c.u], further(c.vw));
    loop_.add(tables_.facing[c.v], further(c.uw));
    loop_.add(tables_.facing[c.w], further(c.uv));
  }

  void add_to_edges(const Corners& c) const {
    const std::uint64_t uv = further(c.uv), vw = further(c.vw), uw = further(c.uw);
    motif::add_to_edges(loop_, tables_.beside, c, uw, uv, uv);
    loop_.add(tables_.beside[graph_.twin[c.uv]], vw);
    loop_.add(tables_.beside[graph_.twin[c.vw]], uw);
    loop_.add(tables_.beside[graph_.twin[c.uw]], vw);
    motif::add_to_edges(loop_, tables_.hats, c, graph_.degree(c.w) - 2, graph_.degree(c.u) - 2, graph_.degree(c.v) - 2);
  }

  const RankedGraph& graph_;
  const bool by_edge_;
  const VertexLoop& loop_;
  OrbitTables& tables_;
};

__int128 pairs_of(__int128 n) { return n * (n - 1) / 2; }

/// Edge-induced counts at a vertex or an edge.
class OrbitIdentities {
 public:
  OrbitIdentities(const RankedGraph& graph, const OrbitTables& tables, int vertices)
      : graph_(graph), tables_(tables), vertices_(vertices) {}

  void at_vertex(std::uint64_t u, __int128* counts) const {
    const auto of = [counts](VertexOrbit orbit) -> __int128& { return counts[static_cast<std::size_t>(orbit)]; };
    const __int128 d = degree(u);
    of(VertexOrbit::Edge) = d;
    if (vertices_ < 3) return;
    const __int128 t = tables_.triangles.at[u], second = tables_.second[u];
    of(VertexOrbit::WedgeEnd) = second;
    of(VertexOrbit::WedgeMiddle) = pairs_of(d);
    of(VertexOrbit::Triangle) = t;
    if (vertices_ < 4) return;
    __int128 third = 0, leaves = 0, tails = 0, sides = 0, chords = 0, cycles = 0;
    for (std::uint64_t p = graph_.begin(u); p != graph_.end(u); ++p) {
      const std::uint64_t v = graph_.near[p];
      const std::int64_t on = tables_.triangles.on[p], other = degree(v);
      third += tables_.second[v];
      leaves += static_cast<__int128>(other - 1) * (other - 2) / 2;
      tails += static_cast<__int128>(tables_.triangles.at[v]) - on;
      sides += static_cast<__int128>(on) * (other - 2);
      chords += static_cast<__int128>(on) * (on - 1) / 2;
      cycles += tables_.cycles[p] + tables_.cycles[graph_.twin[p]];
    }
    of(VertexOrbit::PathEnd) = third - d * (d - 1) - 2 * t;
    of(VertexOrbit::PathMiddle) = (d - 1) * second - 2 * t;
    of(VertexOrbit::StarLeaf) = leaves;
    of(VertexOrbit::StarCentre) = pairs_of(d) * (d - 2) / 3;
    of(VertexOrbit::Square) = cycles / 2;
    of(VertexOrbit::Tail) = tails;
    of(VertexOrbit::TriangleSide) = sides;
    of(VertexOrbit::TailJoint) = t * (d - 2);
    of(VertexOrbit::DiamondCorner) = tables_.facing[u];
    of(VertexOrbit::DiamondChord) = chords;
    of(VertexOrbit::Clique) = tables_.cliques[u];
  }

  /// `p`: an arc of u, to a lower or a higher vertex.
  void at_edge(std::uint64_t u, std::uint64_t p, __int128* counts) const {
    const auto of = [counts](EdgeOrbit orbit) -> __int128& { return counts[static_cast<std::size_t>(orbit)]; };
    const std::uint64_t v = graph_.near[p], up = v > u ? p : graph_.twin[p];
    of(EdgeOrbit::Edge) = 1;
    if (vertices_ < 3) return;
    const __int128 du = degree(u), dv = degree(v), t = tables_.triangles.on[p];
    of(EdgeOrbit::Wedge) = du + dv - 2;
    of(EdgeOrbit::Triangle) = t;
    if (vertices_ < 4) return;
    const __int128 both = static_cast<__int128>(tables_.triangles.at[u]) + tables_.triangles.at[v];
    of(EdgeOrbit::PathEnd) = static_cast<__int128>(tables_.second[u]) + tables_.second[v] - (du - 1) - (dv - 1) - 2 * t;
    of(EdgeOrbit::PathMiddle) = (du - 1) * (dv - 1) - t;
    of(EdgeOrbit::Star) = pairs_of(du - 1) + pairs_of(dv - 1);
    of(EdgeOrbit::Square) = tables_.cycles[p] + tables_.cycles[graph_.twin[p]];
    of(EdgeOrbit::Tail) = both - 2 * t;
    of(EdgeOrbit::TailJoint) = t * (du + dv - 4);
    of(EdgeOrbit::TailBase) = tables_.hats[up];
    of(EdgeOrbit::DiamondSide) = static_cast<__int128>(tables_.beside[p]) + tables_.beside[graph_.twin[p]];
    of(EdgeOrbit::DiamondChord) = pairs_of(t);
    of(EdgeOrbit::Clique) = tables_.edge_cliques[up];
    if (vertices_ > 4) count_five_at_edge(graph_, tables_, u, p, counts);
  }

 private:
  std::int64_t degree(std::uint64_t vertex) const { return static_cast<std::int64_t>(graph_.degree(vertex)); }

  const RankedGraph& graph_;
  const OrbitTables& tables_;
  const int vertices_;
};

/// Buffers rows for the caller.
class RowWriter {
 public:
  RowWriter(const OrbitRequest& request, OrbitOutcome& outcome, std::span<const Orbit> orbits)
      : request_(request), outcome_(outcome), system_(orbits), counts_(orbits.size()), ends_(request.by_edge ? 2 : 1) {
    for (std::vector<std::uint32_t>& column : ends_) column.resize(kRowsOfBlock);
    columns_.resize(orbits.size());
    for (std::vector<std::int64_t>& column : columns_) column.resize(kRowsOfBlock);
  }

  __int128* counts() { return counts_.data(); }
  /// Adds `counts` as a row. False: no more rows are wanted.
  bool take(std::uint32_t first, std::uint32_t second) {
    if (request_.induced) system_.make_induced(counts_.data());
    ends_[0][rows_] = first;
    if (request_.by_edge) ends_[1][rows_] = second;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      fits_ = fits_ && counts_[i] >= 0 && counts_[i] <= INT64_MAX;
      columns_[i][rows_] = static_cast<std::int64_t>(counts_[i]);
    }
    return fits_ && (++rows_ < kRowsOfBlock || flush());
  }
  bool flush() {
    if (rows_ == 0 || !fits_) return fits_;
    OrbitRows rows;
    rows.count = rows_;
    for (const auto& column : ends_) rows.ends.push_back(column.data());
    for (const auto& column : columns_) rows.orbits.push_back(column.data());
    outcome_.rows += rows_;
    rows_ = 0;
    outcome_.refused = !request_.on_rows(rows);
    if (request_.stops.is_stopped()) outcome_.end = End::Stopped;
    if (request_.stops.is_late()) outcome_.end = End::Deadline;
    return !outcome_.refused && outcome_.end == End::Complete;
  }
  bool fits() const { return fits_; }

 private:
  const OrbitRequest& request_;
  OrbitOutcome& outcome_;
  const OrbitSystem system_;
  std::vector<__int128> counts_;
  std::vector<std::vector<std::uint32_t>> ends_;
  std::vector<std::vector<std::int64_t>> columns_;
  std::uint64_t rows_ = 0;
  bool fits_ = true;
};

class OrbitRun {
 public:
  OrbitRun(const Graph& graph, const RankedGraph& ranked, const OrbitRequest& request, OrbitOutcome& outcome)
      : graph_(graph),
        ranked_(ranked),
        request_(request),
        outcome_(outcome),
        loop_(ranked.size, request.threads, request.stops) {}

  /// False: a count overflows.
  bool run() {
    fill();
    lap("tables");
    bool fit = true;
    if (request_.vertices > 4) fit = fill_five();
    outcome_.end = loop_.end();
    if (outcome_.end != End::Complete || !fit) return fit;
    const bool fits = write();
    lap("rows");
    return fits;
  }
  void lap(std::string_view part) {
    const auto now = std::chrono::steady_clock::now();
    outcome_.times.emplace_back(part, std::chrono::duration<double, std::milli>(now - begin_).count());
    begin_ = now;
  }

 private:
  void fill() {
    if (request_.vertices < 3) return;
    tables_.triangles = count_triangles(ranked_, loop_);
    tables_.second = zero_cells(ranked_.size);
    for (std::uint64_t u = 0; u < ranked_.size; ++u) {
      for (std::uint64_t p = ranked_.begin(u); p != ranked_.end(u); ++p) {
        tables_.second[u] += ranked_.degree(ranked_.near[p]) - 1;
      }
    }
    if (request_.vertices < 4 || loop_.end() != End::Complete) return;
    tables_.cycles = zero_cells(ranked_.arcs);
    WedgeRequest wants;
    wants.by_edge = true;
    walk_wedges(ranked_, tables_.triangles, wants, set_kernels(best_tier()), loop_, tables_.cycles);
    if (request_.by_edge) {
      tables_.edge_cliques = zero_cells(ranked_.arcs);
      tables_.hats = zero_cells(ranked_.arcs);
      tables_.beside = zero_cells(ranked_.arcs);
    } else {
      tables_.cliques = zero_cells(ranked_.size);
      tables_.facing = zero_cells(ranked_.size);
    }
    if (loop_.end() != End::Complete) return;
    const CornerWalk walk(ranked_, request_.by_edge, loop_, tables_);
    tbb::enumerable_thread_specific<CornerWalk::TaskState> states([&] { return CornerWalk::TaskState(ranked_.size); });
    loop_(states, [&](CornerWalk::TaskState& state, std::uint64_t u) { walk.at(state, u); });
  }

  /// False: a sum overflows.
  bool fill_five() {
    const CellLoop cells(loop_);
    const auto fill = [&](std::string_view part, const auto& step) {
      if (cells.is_ended() || cells.overflow()) return;
      step();
      lap(part);
    };
    const Triangles& triangles = tables_.triangles;
    const CyclesOfArcs& cycles = tables_.cycles;
    FiveTables& five = tables_.five;
    const bool by_edge = request_.by_edge;
    fill("triangles", [&] { list_triangles(ranked_, loop_, tables_.triangles); });
    fill("corners", [&] {
      by_edge ? fill_edge_corners(ranked_, cells, tables_) : fill_corners(ranked_, triangles, cycles, cells, five);
    });
    fill("pairs",
         [&] { by_edge ? fill_edge_pairs(ranked_, cells, tables_) : fill_pairs(ranked_, triangles, cells, five); });
    fill("wheels",
         [&] { by_edge ? fill_edge_wheels(ranked_, cells, tables_) : fill_wheels(ranked_, triangles, cells, five); });
    fill("five-cycles", [&] {
      by_edge ? tables_.five_edges.five_cycles = five_cycles_of_arcs(ranked_, cells)
              : five.five_cycles = five_cycles_of_vertices(ranked_, cells);
    });
    if (cells.is_ended() || cells.overflow()) return !cells.overflow();
    if (by_edge) sum_edges();
    tables_.small = Buffer<SmallOrbits>(ranked_.size);
    const OrbitIdentities identities(ranked_, tables_, 4);
    for (std::uint64_t u = 0; u < ranked_.size; ++u) {
      tables_.small[u] = {};
      identities.at_vertex(u, tables_.small[u].data());
    }
    return true;
  }

  /// Makes sums of vertices from those of their edges.
  void sum_edges() {
    tables_.facing = zero_cells(ranked_.size);
    tables_.cliques = zero_cells(ranked_.size);
    for (std::uint64_t u = 0; u < ranked_.size; ++u) {
      tables_.facing[u] = tables_.triangles.facing[u] - tables_.triangles.at[u];
      for (std::uint64_t p = ranked_.begin(u); p != ranked_.end(u); ++p) {
        tables_.cliques[u] += tables_.edge_cliques[std::min(p, ranked_.twin[p])];
      }
      tables_.cliques[u] /= 3;
    }
  }

  bool write() {
    const Universe& universe = graph_.universe();
    const GraphView view = graph_.view();
    std::vector<std::uint32_t> to(ranked_.size), from(ranked_.size);
    for (std::uint32_t rank = 0; rank < ranked_.size; ++rank) {
      const std::uint32_t old = *universe.rank(ranked_.graph.universe().id(rank));
      from[rank] = old;
      to[old] = rank;
    }
    const OrbitIdentities identities(ranked_, tables_, request_.vertices);
    const FiveIdentities five(ranked_, tables_.triangles, tables_.cycles, tables_.small, tables_.five);
    RowWriter writer(request_, outcome_,
                     request_.by_edge ? edge_orbits(request_.vertices) : vertex_orbits(request_.vertices));
    std::vector<std::pair<std::uint32_t, std::uint64_t>> above;
    for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
      const auto old = view.vertices == nullptr ? static_cast<std::uint32_t>(at) : view.vertices[at];
      const std::uint32_t rank = to[old];
      if (!request_.by_edge) {
        identities.at_vertex(rank, writer.counts());
        if (request_.vertices > 4) five.at_vertex(rank, writer.counts());
        if (!writer.take(old, 0)) return writer.fits();
        continue;
      }
      above.clear();
      for (std::uint64_t p = ranked_.begin(rank); p != ranked_.end(rank); ++p) {
        if (from[ranked_.near[p]] > old) above.emplace_back(from[ranked_.near[p]], p);
      }
      std::ranges::sort(above);
      for (const auto& [other, arc] : above) {
        identities.at_edge(rank, arc, writer.counts());
        if (!writer.take(old, other)) return writer.fits();
      }
    }
    writer.flush();
    return writer.fits();
  }

  const Graph& graph_;
  const RankedGraph& ranked_;
  const OrbitRequest& request_;
  OrbitOutcome& outcome_;
  VertexLoop loop_;
  OrbitTables tables_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<OrbitOutcome> count_orbits(const Graph& graph, const OrbitRequest& request) {
  OrbitOutcome outcome;
  RankedGraph ranked = MATCHA_TRY(rank_for_motifs(graph));
  try {
    OrbitRun run(graph, ranked, request, outcome);
    if (!run.run()) return Error{ErrorKind::Runtime, "a count does not fit into 64 bits", {}, 0, {}};
    return outcome;
  } catch (const std::bad_alloc&) {
    return Error{ErrorKind::Resource, "not enough memory to count orbits", {}, 0, {}};
  }
}

}  // namespace matcha::runtime::motif
