#include "ir/with_parts.h"

#include <algorithm>
#include <span>
#include <vector>

#include "ir/match.h"

namespace matcha::ir {

namespace {

template <typename T>
bool same(std::span<const T> a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

}  // namespace

const Stmt* with_parts(Builder& builder, const Stmt& stmt, const std::function<const Expr*(const Expr*)>& expr,
                       const std::function<const Block*(const Block*)>& block) {
  const auto all = [&](std::span<const Expr* const> items) {
    std::vector<const Expr*> result;
    for (const Expr* item : items) result.push_back(expr(item));
    return result;
  };
  const auto at = [&](const Stmt& s) -> Builder& {
    builder.set_loc(s.loc);
    return builder;
  };
  return match(
      stmt, [&](const Block& s) -> const Stmt* { return block(&s); },
      [&](const Let& s) -> const Stmt* {
        const Expr* value = expr(s.value);
        return value == s.value ? &s : at(s).let(s.var, value);
      },
      [&](const Store& s) -> const Stmt* {
        const Expr* value = expr(s.value);
        return value == s.value ? &s : at(s).store(s.var, s.buffer, value);
      },
      [&](const For& s) -> const Stmt* {
        std::vector<const Expr*> lists = all(s.lists);
        const Block* body = block(s.body);
        return same(s.lists, lists) && body == s.body ? &s : at(s).loop(s.vars, lists, s.maybe_index, body, s.mode);
      },
      [&](const If& s) -> const Stmt* {
        const Expr* cond = expr(s.cond);
        const Block* then_body = block(s.then_body);
        const Block* else_body = s.maybe_else != nullptr ? block(s.maybe_else) : nullptr;
        bool unchanged = cond == s.cond && then_body == s.then_body && else_body == s.maybe_else;
        return unchanged ? &s : at(s).branch(cond, then_body, else_body);
      },
      [&](const Collect& s) -> const Stmt* {
        const Block* body = block(s.body);
        return body == s.body ? &s : at(s).collect(s.sinks, body);
      },
      [&](const Yield& s) -> const Stmt* {
        std::vector<const Expr*> values = all(s.values);
        return same(s.values, values) ? &s : at(s).yield(s.sink, values, s.batched);
      },
      [&](const BuildGraph& s) -> const Stmt* {
        const Expr* edges = expr(s.edges);
        const Expr* labels = s.maybe_labels != nullptr ? expr(s.maybe_labels) : nullptr;
        const Expr* info = s.maybe_info != nullptr ? expr(s.maybe_info) : nullptr;
        bool unchanged = edges == s.edges && labels == s.maybe_labels && info == s.maybe_info;
        return unchanged ? &s : at(s).build_graph(s.var, edges, labels, info, s.index, s.order);
      },
      [&](const Repeat& s) -> const Stmt* {
        std::vector<const Expr*> starts = all(s.starts);
        const Expr* times = expr(s.times);
        return same(s.starts, starts) && times == s.times ? &s : at(s).repeat(s.vars, starts, times);
      },
      [&](const Again& s) -> const Stmt* {
        std::vector<const Expr*> values = all(s.values);
        return same(s.values, values) ? &s : at(s).again(s.vars, values, s.until_equal);
      },
      [&](const Return& s) -> const Stmt* {
        std::vector<const Expr*> values = all(s.values);
        return same(s.values, values) ? &s : at(s).ret(values);
      },
      [&](const Region& s) -> const Stmt* {
        std::vector<Buffer> buffers(s.buffers.begin(), s.buffers.end());
        bool unchanged = true;
        for (Buffer& buffer : buffers) {
          const Expr* capacity = expr(buffer.capacity);
          unchanged = unchanged && capacity == buffer.capacity;
          buffer.capacity = capacity;
        }
        const Stmt* collect = with_parts(builder, *s.collect, expr, block);
        unchanged = unchanged && collect == s.collect;
        return unchanged ? &s : at(s).region(s.schedule, buffers, static_cast<const Collect*>(collect));
      });
}

}  // namespace matcha::ir
