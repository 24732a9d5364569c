#include "codegen/cuda/rows_read.h"

#include <algorithm>

#include "ir/analysis/facts.h"
#include "ir/analysis/resolve.h"
#include "ir/analysis/walk.h"
#include "ir/match.h"

namespace matcha::codegen::gpu {

using ir::Kind;
using ir::Side;

namespace {

/// How a module uses its graphs.
struct GraphUses {
  explicit GraphUses(const ir::Module& module) {
    ir::for_each_stmt(*module.body, [&](const ir::Stmt& stmt) {
      const ir::Let* const let = ir::as<ir::Let>(&stmt);
      // Used under another name, or built of lists unknown here.
      has_other_uses = has_other_uses || (let != nullptr && let->var->type->is_graph());
      ir::for_each_expr(
          stmt, [&](const ir::Expr& expr) { ir::for_each_node(expr, [&](const ir::Expr& node) { add(node); }); });
    });
  }

  std::uint64_t whole = 0;    ///< Number of uses of whole rows.
  std::uint64_t lengths = 0;  ///< Number of those uses that need only their lengths.
  bool lower = false, upper = false;
  bool labels = false;
  bool has_other_uses = false;

 private:
  void add(const ir::Expr& node) {
    if (node.kind == Kind::Size && ir::is_all_neighbors(*node.operands[0])) ++lengths;
    const bool of_graph =
        std::ranges::any_of(node.operands, [](const ir::Expr* operand) { return operand->type->is_graph(); });
    if (!of_graph) return;
    switch (node.kind) {
      case Kind::Vertices:
      case Kind::MaxDegree: return;
      case Kind::Label: labels = true; return;
      case Kind::Neighbors:
        whole += ir::side_of(node) == Side::All ? 1 : 0;
        lower = lower || ir::side_of(node) == Side::Lower;
        upper = upper || ir::side_of(node) == Side::Upper;
        return;
      default: has_other_uses = true;
    }
  }
};

/// The list that `list` is a part or a copy of.
const ir::Expr& read_list(const ir::Facts& facts, const ir::Expr* list) {
  for (;;) {
    const ir::Expr* const whole = ir::whole_list(facts, list);
    const ir::Expr* const value = ir::bound_value(facts, whole);
    if (value == nullptr || (value->kind != Kind::Neighbors && !ir::is_slice(value->kind))) return *whole;
    list = value;
  }
}

}  // namespace

RowsRead rows_read(const ir::Module& module, const ir::Var* graph) {
  const GraphUses uses(module);
  const auto graphs =
      std::ranges::count_if(module.params, [](const ir::Var* param) { return param->type->is_graph(); });
  const bool known = graphs == 1 && std::ranges::count(module.params, graph) == 1;
  if (!known || uses.has_other_uses || uses.whole != uses.lengths || uses.lower == uses.upper) return RowsRead::All;
  return uses.lower ? RowsRead::Lower : RowsRead::Upper;
}

std::uint64_t bytes_of_vertex(const ir::Module& module, RowsRead rows) {
  constexpr std::uint64_t kWord = sizeof(std::uint64_t);
  const GraphUses uses(module);
  const std::uint64_t halves = uses.lower || uses.upper || uses.has_other_uses ? 2 * kWord : 0;
  const std::uint64_t offsets = rows == RowsRead::All ? kWord : 0;
  const std::uint64_t labels = uses.labels ? kWord : 0;
  // The vertex itself, and its share of the offset by which rows are moved.
  return halves + offsets + labels + sizeof(std::uint32_t) + 1;
}

bool walks_down(const ir::Module& module) {
  const ir::Facts facts(module);
  int starts = 0;
  bool down = true;
  ir::for_each_stmt(*module.body, [&](const ir::Stmt& stmt) {
    const ir::For* const loop = ir::as<ir::For>(&stmt);
    if (loop == nullptr) return;
    const ir::Expr& whole = read_list(facts, loop->lists[0]);
    if (whole.kind == Kind::Vertices) {
      ++starts;
    } else {
      down = down && whole.kind == Kind::Neighbors && ir::side_of(whole) == Side::Lower;
    }
  });
  return down && starts == 1;
}

}  // namespace matcha::codegen::gpu
