#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/differential/generator.h"

namespace matcha::differential {

namespace {

const TypePtr kVertices = list_type(kVertex);

class NestGenerator {
 public:
  NestGenerator(std::uint64_t seed, const World& world) : random_(seed), world_(world) {}

  /// A sum over all vertices of a value of their neighbours.
  Program program() {
    Program p;
    p.params.push_back({"G", graph_type()});
    std::shared_ptr<Function> f = function();
    vertices_.push_back(f->params[0]);
    if (one_in(3)) {
      wedges(*f);
    } else {
      std::string set = bind(*f, side(near(f->params[0])));
      f->result = nest(1 + static_cast<int>(pick(3)), set);
    }
    p.main.name = "main";
    p.main.result = sum(f, one_in(4) ? size_guard() : nullptr, make(Op::Vertices, kVertices, {graph()}));
    return p;
  }

 private:
  std::uint64_t pick(std::uint64_t n) { return random_() % n; }
  bool one_in(std::uint64_t n) { return pick(n) == 0; }
  std::string fresh(const char* stem) { return stem + std::to_string(++names_); }

  NodePtr graph() { return named("G", graph_type()); }
  NodePtr vertex(const std::string& v) { return named(v, kVertex); }
  const std::string& any_vertex() { return vertices_[pick(vertices_.size())]; }
  NodePtr near(const std::string& v) { return make(Op::Neighbor, kVertices, {graph(), vertex(v)}); }

  std::shared_ptr<Function> function() {
    std::shared_ptr<Function> f = std::make_shared<Function>();
    f->name = fresh("f");
    f->params = {fresh("v")};
    return f;
  }

  std::string bind(Function& f, NodePtr value) {
    std::string name = fresh("x");
    f.bindings.push_back({name, std::move(value)});
    return name;
  }

  NodePtr apply(FunctionPtr f, FunctionPtr cond, NodePtr list, TypePtr type) {
    std::shared_ptr<Node> n = std::make_shared<Node>();
    n->op = Op::Apply;
    n->type = std::move(type);
    n->args = {std::move(list)};
    n->function = std::move(f);
    n->maybe_cond = std::move(cond);
    return n;
  }

  NodePtr sum(FunctionPtr f, FunctionPtr cond, NodePtr list) {
    return make(Op::Sum, kInt, {apply(std::move(f), std::move(cond), std::move(list), list_type(kInt))});
  }

  /// A condition on an item of a set, mostly its order.
  FunctionPtr guard() {
    std::shared_ptr<Function> f = function();
    NodePtr item = vertex(f->params[0]);
    NodePtr other = vertex(any_vertex());
    f->result = make(one_in(3) ? Op::Gt : Op::Lt, kBool, {item, other});
    if (one_in(6)) f->result = make(Op::Ne, kBool, {item, other});
    if (one_in(6)) f->result = make(Op::HasEdge, kBool, {graph(), item, other});
    if (one_in(8) && !world_.labels.empty()) {
      NodePtr label = make(Op::VertexLabel, kInt, {graph(), item});
      f->result = make(Op::Eq, kBool, {label, integer(world_.words.empty() ? 1 : -1)});
    }
    return f;
  }

  /// A set, or the items of it that fulfil a condition.
  NodePtr side(NodePtr set) {
    if (one_in(2)) return set;
    std::shared_ptr<Function> same = function();
    same->result = vertex(same->params[0]);
    return apply(same, guard(), std::move(set), kVertices);
  }

  /// True for every item or for none: it speaks of all vertices.
  FunctionPtr size_guard() {
    std::shared_ptr<Function> f = function();
    NodePtr all = make(Op::Vertices, kVertices, {graph()});
    const std::int64_t least = static_cast<std::int64_t>(pick(4));
    f->result = make(Op::Gt, kBool, {make(Op::Size, kInt, {all}), integer(least)});
    return f;
  }

  /// The items of `set` on one side of `cut`.
  NodePtr cut_at(const std::string& cut, Op order, NodePtr set) {
    std::shared_ptr<Function> same = function();
    same->result = vertex(same->params[0]);
    std::shared_ptr<Function> cond = function();
    cond->result = make(order, kBool, {vertex(cond->params[0]), vertex(cut)});
    return apply(same, cond, std::move(set), kVertices);
  }

  /// Pairs of neighbours of the vertex of `f` on one side of it, and their common neighbours there.
  void wedges(Function& f) {
    const std::string& center = f.params[0];
    const Op order = one_in(2) ? Op::Lt : Op::Gt;
    const std::string ends = bind(f, cut_at(center, one_in(6) ? Op::Gt : order, near(center)));
    std::shared_ptr<Function> first = function();
    std::shared_ptr<Function> second = function();
    NodePtr both = make(Op::Intersect, kVertices, {near(first->params[0]), near(second->params[0])});
    second->result = make(Op::Size, kInt, {one_in(8) ? both : cut_at(center, order, both)});
    std::shared_ptr<Function> before = function();
    before->result = make(Op::Lt, kBool, {vertex(before->params[0]), vertex(first->params[0])});
    first->result = sum(second, before, named(ends, kVertices));
    FunctionPtr cond = one_in(3) ? (one_in(2) ? size_guard() : guard()) : nullptr;
    f.result = sum(first, cond, named(ends, kVertices));
    if (one_in(4)) f.result = make(Op::Add, kInt, {f.result, make(Op::Size, kInt, {named(ends, kVertices)})});
  }

  /// A sum over the items of `set` of a value of smaller sets.
  NodePtr nest(int levels, const std::string& set) {
    FunctionPtr cond = one_in(6) ? guard() : nullptr;
    std::shared_ptr<Function> f = function();
    vertices_.push_back(f->params[0]);
    NodePtr part = make(one_in(4) ? Op::Diff : Op::Intersect, kVertices, {named(set, kVertices), near(f->params[0])});
    if (one_in(8)) part = make(Op::Diff, kVertices, {part, near(any_vertex())});
    part = side(part);
    if (levels == 0) {
      f->result = make(Op::Size, kInt, {part});
      if (one_in(6)) f->result = make(Op::Mul, kInt, {f->result, integer(static_cast<std::int64_t>(pick(3)))});
      if (one_in(6)) f->result = make(Op::Add, kInt, {f->result, vertex(any_vertex())});
    } else {
      std::string next = bind(*f, part);
      f->result = nest(levels - 1, one_in(6) ? set : next);
      if (one_in(4))
        f->result = make(one_in(2) ? Op::Add : Op::Mul, kInt, {f->result, nest(0, one_in(2) ? set : next)});
    }
    vertices_.pop_back();
    return sum(f, cond, named(set, kVertices));
  }

  std::mt19937_64 random_;
  const World& world_;
  std::vector<std::string> vertices_;  ///< Those in scope.
  int names_ = 0;
};

}  // namespace

Program random_nest(std::uint64_t seed, const World& world) { return NestGenerator(seed, world).program(); }

}  // namespace matcha::differential
