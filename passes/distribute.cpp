#include <algorithm>
#include <unordered_set>

#include "ir/analysis/walk.h"
#include "ir/match.h"
#include "ir/rewriter.h"
#include "passes/pass.h"

/// distribute: gives loops that are side by side in an outermost loop an outermost loop each (loop distribution).
///
/// What. A collect of one loop, in whose body several statements have loops, becomes one collect for each
/// of them, with the sinks that it yields into. Bindings of the body are copied; statements that share a sink stay
/// together.
///
/// Why. A task on a GPU names positions of an outermost loop and of the one loop that ends its body. A loop in front of
/// that is walked by one group for a whole vertex, however many neighbours it has. Six 4-motifs in one loop took 1.5 s,
/// but 20 ms one after the other. Reading the vertices once more costs microseconds.
///
/// Before:  collect %m: sum i128, %n: sum i128 {
///            for %u in vertices(%G) {
///              for %v at %i in lower_neighbors(%G, %u) { yield %m, %i }
///              for %w in neighbors(%G, %u) { yield %n, size(diff(neighbors(%G, %u), neighbors(%G, %w))) }
///            }
///          }
/// After:   collect %m: sum i128 {
///            for %u in vertices(%G) {
///              for %v at %i in lower_neighbors(%G, %u) { yield %m, %i }
///            }
///          }
///          collect %n: sum i128 {
///            for %u.2 in vertices(%G) {
///              for %w in neighbors(%G, %u.2) { yield %n, size(diff(neighbors(%G, %u.2), neighbors(%G, %w))) }
///            }
///          }
///
/// Requires and ensures: stage loop. Gives up on: bodies that bind a list whose collect also yields into another sink.
namespace matcha::passes {

using namespace ir;  // NOLINT: a pass is written in the words of the IR.

namespace {

/// An independent part of the outermost loop's body.
struct Part {
  std::vector<std::size_t> stmts;  ///< Indices of statements of the body.
  std::unordered_set<const Var*> sinks;
  bool loops = false;
};

bool binds(const Stmt& stmt) {
  return stmt.kind == Kind::Let || stmt.kind == Kind::Store || stmt.kind == Kind::Collect;
}

Part part_of(const Stmt& stmt, std::size_t place) {
  Part part{{place}, {}, false};
  for_each_stmt_of(stmt, [&](const Stmt& s) {
    if (const Yield* yield = as<Yield>(&s)) part.sinks.insert(yield->sink);
    part.loops = part.loops || s.kind == Kind::For;
  });
  return part;
}

class Distributor {
 public:
  Distributor(const Module& module, PassContext& context)
      : module_(module), context_(context), builder_(context.context) {}

  Module run() {
    Stmts stmts;
    for (const Stmt* stmt : module_.body->body) {
      const Collect* collect = as<Collect>(stmt);
      if (collect == nullptr || !distributed(*collect, stmts)) stmts.push_back(stmt);
    }
    if (stmts.size() == module_.body->body.size()) return module_;
    Module result = module_;
    builder_.set_loc(module_.body->loc);
    result.body = builder_.block(stmts);
    return result;
  }

 private:
  /// Appends the collects that `collect` becomes; false when it stays as it is.
  bool distributed(const Collect& collect, Stmts& out) {
    const For* loop = collect.body->body.size() == 1 ? as<For>(collect.body->body[0]) : nullptr;
    if (loop == nullptr) return false;
    std::vector<Part> parts = parts_of(collect, *loop);
    if (parts.size() < 2) return false;
    for (const Part& part : parts) {
      out.push_back(collect_of(collect, *loop, part, &part == &parts[0]));
      context_.count("loops of their own");
    }
    context_.count("loops distributed");
    return true;
  }

  /// The independent parts with loops; the first also gets the statements without loops.
  static std::vector<Part> parts_of(const Collect& collect, const For& loop) {
    std::vector<Part> parts;
    std::unordered_set<const Var*> outside;
    for (const Sink& sink : collect.sinks) outside.insert(sink.var);
    for (std::size_t i = 0; i < loop.body->body.size(); ++i) {
      Part part = part_of(*loop.body->body[i], i);
      std::erase_if(part.sinks, [&](const Var* sink) { return !outside.contains(sink); });
      if (binds(*loop.body->body[i])) {
        if (!part.sinks.empty()) return {};
        continue;
      }
      for (std::size_t other = 0; other < parts.size();) {
        if (std::ranges::none_of(parts[other].sinks, [&](const Var* sink) { return part.sinks.contains(sink); })) {
          ++other;
          continue;
        }
        join(part, parts[other]);
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(other));
      }
      parts.push_back(std::move(part));
    }
    std::ranges::sort(parts, {}, [](const Part& part) { return part.stmts[0]; });
    const auto rest = std::stable_partition(parts.begin(), parts.end(), [](const Part& part) { return part.loops; });
    if (rest == parts.begin()) return {};
    for (auto part = rest; part != parts.end(); ++part) join(parts[0], *part);
    parts.erase(rest, parts.end());
    return parts;
  }

  static void join(Part& part, const Part& other) {
    part.stmts.insert(part.stmts.end(), other.stmts.begin(), other.stmts.end());
    std::ranges::sort(part.stmts);
    part.sinks.insert(other.sinks.begin(), other.sinks.end());
    part.loops = part.loops || other.loops;
  }

  /// The part's statements with all bindings of the body, in a loop over new variables. The first part also gets the
  /// sinks without yields.
  const Stmt* collect_of(const Collect& collect, const For& loop, const Part& part, bool first) {
    Stmts body;
    for (std::size_t i = 0; i < loop.body->body.size(); ++i) {
      const Stmt* stmt = loop.body->body[i];
      if (binds(*stmt) || std::ranges::binary_search(part.stmts, i)) body.push_back(stmt);
    }
    std::vector<Sink> sinks;
    for (const Sink& sink : collect.sinks) {
      if (part.sinks.contains(sink.var) || (first && !yielded(loop, sink.var))) sinks.push_back(sink);
    }
    builder_.set_loc(loop.loc);
    const Stmt* apart = builder_.loop(loop.vars, loop.lists, loop.maybe_index, builder_.block(body));
    const Block* block = builder_.block({&apart, 1});
    builder_.set_loc(collect.loc);
    return builder_.collect(sinks, first ? block : copy_with_new_vars(context_.context, *block, {}, {}));
  }

  static bool yielded(const For& loop, const Var* sink) {
    bool found = false;
    for_each_stmt(*loop.body, [&](const Stmt& s) {
      const Yield* yield = as<Yield>(&s);
      found = found || (yield != nullptr && yield->sink == sink);
    });
    return found;
  }

  const Module& module_;
  PassContext& context_;
  Builder builder_;
};

}  // namespace

Module distribute(const Module& module, PassContext& context) { return Distributor(module, context).run(); }

}  // namespace matcha::passes
