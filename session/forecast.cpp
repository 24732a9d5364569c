#include "session/forecast.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "planner/prices.h"

namespace matcha::session {

namespace {

/// Powers of degrees that are summed; deeper nests take too long to run.
constexpr std::size_t kPowers = 6;
using Powers = std::array<double, kPowers>;

Powers sums_of_powers(const runtime::GraphView& view) {
  return tbb::parallel_reduce(
      tbb::blocked_range<std::uint64_t>(0, view.universe, 1 << 14), Powers{},
      [&](const tbb::blocked_range<std::uint64_t>& ranks, Powers sums) {
        for (std::uint64_t rank = ranks.begin(); rank != ranks.end(); ++rank) {
          const runtime::ArcRange arcs = runtime::arcs_of(view, rank);
          double power = 1;
          for (double& sum : sums) {
            sum += power;
            power *= static_cast<double>(arcs.end - arcs.begin);
          }
        }
        return sums;
      },
      [](Powers a, const Powers& b) {
        for (std::size_t i = 0; i < kPowers; ++i) a[i] += b[i];
        return a;
      });
}

/// Adds up the costs of the statements of a module.
class LoopWalk {
 public:
  explicit LoopWalk(const Powers& sums) : sums_(sums) {}

  /// Adds the statements of a block inside `level` loops; the outermost loop iterates over the vertices.
  void block(const ir::Block& block, std::size_t level) {
    for (const ir::Stmt* one : block.body) stmt(*one, level);
  }

  std::optional<double> ns() const { return known_ ? std::optional(items_ * planner::price::loop_item) : std::nullopt; }

 private:
  void stmt(const ir::Stmt& stmt, std::size_t level) {
    switch (stmt.kind) {
      case ir::Kind::Block: return block(*ir::as<ir::Block>(&stmt), level);
      case ir::Kind::Collect: return block(*ir::as<ir::Collect>(&stmt)->body, level);
      case ir::Kind::For: return loop(*ir::as<ir::For>(&stmt), level);
      case ir::Kind::If: {
        const ir::If& branch = *ir::as<ir::If>(&stmt);
        expr(*branch.cond, level);
        block(*branch.then_body, level);
        if (branch.maybe_else != nullptr) block(*branch.maybe_else, level);
        return;
      }
      case ir::Kind::Let: {
        const ir::Let& let = *ir::as<ir::Let>(&stmt);
        if (is_of_neighbors(*let.value)) sets_.insert(let.var);
        return expr(*let.value, level);
      }
      case ir::Kind::Yield: {
        std::size_t& filled = filled_[ir::as<ir::Yield>(&stmt)->sink];
        filled = std::max(filled, level);
        return ir::for_each_expr(stmt, [&](const ir::Expr& one) { meet(one, level); });
      }
      case ir::Kind::Return: return ir::for_each_expr(stmt, [&](const ir::Expr& one) { meet(one, level); });
      default: known_ = false;
    }
  }

  void loop(const ir::For& loop, std::size_t level) {
    const ir::Expr& list = *loop.lists[0];
    // The lists that other loops collected have as many items as those loops yielded.
    if (const auto found = filled_.find(ir::as<ir::Var>(&list)); found != filled_.end() && loop.lists.size() == 1) {
      if (found->second == 0 || found->second > kPowers) {
        known_ = false;
        return;
      }
      add(found->second - 1);
      return block(*loop.body, found->second);
    }
    if (level == 0 && list.kind == ir::Kind::Edges && loop.lists.size() == 1) {
      add(1);
      return block(*loop.body, 2);
    }
    const bool fits = level == 0 ? list.kind == ir::Kind::Vertices : is_of_neighbors(list);
    if (!fits || loop.lists.size() != 1) {
      known_ = false;
      return;
    }
    expr(list, level);
    add(level);
    block(*loop.body, level + 1);
  }

  void expr(const ir::Expr& whole, std::size_t level) {
    meet(whole, level);
    for (const ir::Expr* operand : whole.operands) expr(*operand, level);
  }

  /// A set operation, or a search, for each item of the loops around it.
  void meet(const ir::Expr& expr, std::size_t level) {
    if (ir::is_set_op(expr.kind)) return add(level);
    switch (expr.kind) {
      case ir::Kind::Sorted:
      case ir::Kind::Keyed:
      case ir::Kind::Sequence:
      case ir::Kind::EdgeInfo: return add(level);
      case ir::Kind::Vertices:
      case ir::Kind::Edges:
      case ir::Kind::Flatten: known_ = known_ && level == 0; return;
      default: return;
    }
  }

  /// Adds the items of an operation inside `level` loops over neighbours; unknown for more than kPowers.
  void add(std::size_t level) {
    if (level >= kPowers) {
      known_ = false;
    } else {
      items_ += sums_[level];
    }
  }

  bool is_of_neighbors(const ir::Expr& list) const {
    if (ir::filters_first(list.kind)) return is_of_neighbors(*list.operands[0]);
    switch (list.kind) {
      case ir::Kind::Var: return sets_.count(ir::as<ir::Var>(&list)) != 0;
      case ir::Kind::Neighbors: return true;
      case ir::Kind::Cut:
      case ir::Kind::Span: return is_of_neighbors(*list.operands[0]);
      default: return false;
    }
  }

  const Powers& sums_;
  std::unordered_set<const ir::Var*> sets_;                 ///< Names of neighbours and of sets of them.
  std::unordered_map<const ir::Var*, std::size_t> filled_;  ///< Inside how many loops items are yielded to a list.
  double items_ = 0;
  bool known_ = true;
};

}  // namespace

const double kNsToOpenGpu = planner::price::gpu_open;

std::optional<double> forecast_of_loops(const ir::Module& module, const runtime::Graph& graph) {
  const Powers sums = sums_of_powers(graph.view());
  LoopWalk walk(sums);
  walk.block(*module.body, 0);
  return walk.ns();
}

}  // namespace matcha::session
