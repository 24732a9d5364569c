#include "tests/differential/generator.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>

namespace matcha::differential {

namespace {

using Kind = Type::Kind;

const TypePtr kFloat = scalar_type(Kind::Float);
const TypePtr kEdge = tuple_type({kVertex, kVertex});

struct Name {
  std::string name;
  TypePtr type;
  std::string same_length;  ///< A list: another list that is as long; or empty.
  bool labelled = false;    ///< A graph: every vertex of it has a label.
};

class Generator {
 public:
  Generator(std::uint64_t seed, const World& world) : random_(seed), world_(world) {}

  Program program() {
    Program p;
    p.params.push_back({"G", graph_type()});
    scope_.push_back({"G", graph_type(), "", !world_.labels.empty()});
    if (one_in(3)) param(p, "E", list_type(kEdge), "");
    if (p.params.size() == 2 && one_in(2)) param(p, "T", list_type(kInt), "E");
    if (one_in(4)) param(p, "L", list_type(kVertex), "");
    if (one_in(6)) param(p, "F", list_type(kFloat), "");
    if (one_in(4)) param(p, "k", kInt, "");
    if (one_in(6)) param(p, "r", kFloat, "");
    if (one_in(6)) param(p, "c", kBool, "");
    budget_ = 12 + static_cast<int>(pick(40));
    helpers_ = &p.helpers;
    bindings(p.main, static_cast<int>(pick(4)), true);
    p.main.name = "main";
    p.main.result = one_in(3) ? pattern(1 + static_cast<int>(pick(3))) : value(result_type(), 5);
    return p;
  }

 private:
  std::uint64_t pick(std::uint64_t n) { return random_() % n; }
  bool one_in(std::uint64_t n) { return pick(n) == 0; }
  std::string fresh(const char* stem) { return stem + std::to_string(++names_); }

  void param(Program& p, const char* name, TypePtr type, const char* same_length) {
    p.params.push_back({name, type});
    scope_.push_back({name, type, same_length, false});
  }

  TypePtr scalar() {
    switch (pick(6)) {
      case 0: return kBool;
      case 1: return kFloat;
      case 2: return kVertex;
      default: return kInt;
    }
  }

  TypePtr row() {
    std::vector<TypePtr> positions(1 + pick(3), scalar());
    if (one_in(2)) std::ranges::generate(positions, [&] { return scalar(); });
    return tuple_type(positions);
  }

  TypePtr item() { return one_in(4) ? row() : scalar(); }

  TypePtr result_type() {
    switch (pick(10)) {
      case 0: return kFloat;
      case 1: return kBool;
      case 2: return row();
      case 3: return list_type(item());
      case 4: return list_type(item());
      default: return kInt;
    }
  }

  /// Adds bindings to a function; graphs are built only if `graphs` is true.
  void bindings(Function& f, int count, bool graphs) {
    for (int i = 0; i < count; ++i) {
      if (graphs && one_in(3)) {
        graph(f);
        continue;
      }
      TypePtr type = one_in(2) ? list_type(item()) : scalar();
      if (one_in(8)) type = row();
      bind(f, value(type, 3), "");
    }
  }

  std::string bind(Function& f, NodePtr value, const std::string& same_length) {
    std::string name = fresh("x");
    scope_.push_back({name, value->type, same_length, false});
    f.bindings.push_back({name, std::move(value)});
    return name;
  }

  void graph(Function& f) {
    NodePtr edges = value(list_type(kEdge), 3);
    std::string edges_name = bind(f, edges, "");
    std::shared_ptr<Node> n = std::make_shared<Node>();
    n->op = Op::MkGraph;
    n->args.push_back(named(edges_name, list_type(kEdge)));
    bool labelled = !world_.labels.empty();
    if (one_in(3)) {
      std::string v = fresh("v");
      std::shared_ptr<Function> label = std::make_shared<Function>();
      label->name = fresh("f");
      label->params = {v};
      scope_.push_back({v, kVertex, "", false});
      label->result = make(Op::MkTuple, tuple_type({kInt, kInt}), {named(v, kVertex), value(kInt, 1)});
      scope_.pop_back();
      n->args.push_back(apply(label, nullptr, {make(Op::Vertices, list_type(kVertex), {named("G", graph_type())})},
                              list_type(tuple_type({kInt, kInt}))));
      n->has_labels = true;
      labelled = false;
    }
    TypePtr info;
    if (one_in(2)) {
      info = scalar();
      n->args.push_back(mapped(named(edges_name, list_type(kEdge)), info, 2));
      n->has_info = true;
    }
    n->type = graph_type(info);
    std::string name = fresh("D");
    scope_.push_back({name, n->type, "", labelled});
    f.bindings.push_back({name, n});
  }

  NodePtr apply(FunctionPtr function, FunctionPtr cond, std::vector<NodePtr> lists, TypePtr type) {
    std::shared_ptr<Node> n = std::make_shared<Node>();
    n->op = Op::Apply;
    n->type = std::move(type);
    n->args = std::move(lists);
    n->function = std::move(function);
    n->maybe_cond = std::move(cond);
    return n;
  }

  /// A function of items of `lists` that gives `type`.
  FunctionPtr function(const std::vector<NodePtr>& lists, const TypePtr& type, int depth) {
    std::shared_ptr<Function> f = std::make_shared<Function>();
    f->name = fresh("f");
    std::size_t mark = scope_.size();
    for (const NodePtr& list : lists) {
      f->params.push_back(fresh("v"));
      scope_.push_back({f->params.back(), list->type->item, "", false});
    }
    if (one_in(3)) bindings(*f, 1 + static_cast<int>(pick(2)), false);
    f->result = value(type, depth);
    scope_.resize(mark);
    return f;
  }

  /// `apply(f, list)`, a value for each item.
  NodePtr mapped(NodePtr list, const TypePtr& type, int depth) {
    std::vector<NodePtr> lists = {std::move(list)};
    FunctionPtr f = function(lists, type, depth);
    return apply(f, nullptr, lists, list_type(type));
  }

  /// Lists to walk in step.
  std::vector<NodePtr> walked(int depth) {
    switch (pick(6)) {
      case 0: {
        std::vector<const Name*> graphs;
        for (const Name& name : scope_) {
          if (name.type->kind == Kind::Graph && name.type->item != nullptr) graphs.push_back(&name);
        }
        if (graphs.empty()) break;
        const Name& g = *graphs[pick(graphs.size())];
        NodePtr graph = named(g.name, g.type);
        NodePtr v = vertex(depth - 1);
        return {make(Op::Neighbor, list_type(kVertex), {graph, v}),
                make(Op::EdgeInfo, list_type(graph->type->item), {graph, v})};
      }
      case 1:
        for (const Name& name : scope_) {
          if (name.same_length.empty() || one_in(3)) continue;
          for (const Name& other : scope_) {
            if (other.name == name.same_length) return {named(other.name, other.type), named(name.name, name.type)};
          }
        }
        break;
      case 2: {
        NodePtr list = list_of(item(), depth - 1);
        if (one_in(2) && list->op == Op::Name) return {list, list};
        if (one_in(12)) return {list, list_of(item(), depth - 1)};
        return {list};
      }
      default: break;
    }
    return {list_of(one_in(3) ? item() : kVertex, depth - 1)};
  }

  NodePtr applied(const TypePtr& type, int depth) {
    std::vector<NodePtr> lists = walked(depth);
    FunctionPtr cond = one_in(2) ? function(lists, kBool, std::min(depth - 1, 2)) : nullptr;
    return apply(function(lists, type, depth - 1), cond, lists, list_type(type));
  }

  /// A matching name in scope, preferably a late one; null if there is none.
  NodePtr name_of(const TypePtr& type) {
    std::vector<const Name*> found;
    for (const Name& name : scope_) {
      if (fits(*name.type, *type)) found.push_back(&name);
    }
    if (found.empty()) return nullptr;
    std::size_t at = std::max(pick(found.size()), pick(found.size()));
    return named(found[at]->name, found[at]->type);
  }

  NodePtr value(const TypePtr& type, int depth) {
    --budget_;
    if (budget_ < 0) depth = std::min(depth, 0);
    switch (type->kind) {
      case Kind::Int: return int_value(depth);
      case Kind::Vertex: return vertex(depth);
      case Kind::Float: return real(depth);
      case Kind::Bool: return truth(depth);
      case Kind::Tuple: return tuple(type, depth);
      case Kind::List: return list_of(type->item, depth);
      case Kind::Graph: break;
    }
    return graph_name(false);
  }

  NodePtr graph_name(bool labelled) {
    std::vector<const Name*> found;
    for (const Name& name : scope_) {
      if (name.type->kind == Kind::Graph && (!labelled || name.labelled)) found.push_back(&name);
    }
    if (found.empty()) return nullptr;
    const Name& name = *found[pick(found.size())];
    return named(name.name, name.type);
  }

  NodePtr choice(const TypePtr& type, int depth) {
    return make(Op::If, type, {truth(std::min(depth - 1, 2)), value(type, depth - 1), value(type, depth - 1)});
  }

  NodePtr called(const TypePtr& type, int depth) {
    std::vector<FunctionPtr> fitting;
    if (helpers_->size() < 3 && one_in(2)) {
      std::shared_ptr<Function> f = std::make_shared<Function>();
      f->name = fresh("h");
      f->params = {fresh("p"), fresh("p")};
      std::vector<Name> outer = std::exchange(scope_, {});
      scope_.push_back({f->params[0], kInt, "", false});
      scope_.push_back({f->params[1], kInt, "", false});
      f->result = value(type, 2);
      scope_ = std::move(outer);
      helpers_->push_back(f);
      helper_types_.push_back(type);
    }
    for (std::size_t i = 0; i < helpers_->size(); ++i) {
      if (same_type(*helper_types_[i], *type)) fitting.push_back((*helpers_)[i]);
    }
    if (fitting.empty()) return int_value(depth - 1);
    std::shared_ptr<Node> n = std::make_shared<Node>();
    n->op = Op::Call;
    n->type = type;
    n->function = fitting[pick(fitting.size())];
    n->args = {int_value(depth - 1), int_value(depth - 1)};
    return n;
  }

  NodePtr int_value(int depth) {
    if (depth <= 0) {
      NodePtr name = one_in(4) ? nullptr : name_of(kInt);
      return name != nullptr ? name : integer(static_cast<std::int64_t>(pick(7)) - 1);
    }
    switch (pick(20)) {
      case 0: return integer(static_cast<std::int64_t>(pick(12)) - 3);
      case 1: return make(Op::Add, kInt, {int_value(depth - 1), int_value(depth - 1)});
      case 2: return make(Op::Sub, kInt, {int_value(depth - 1), int_value(depth - 1)});
      case 3: return make(Op::Mul, kInt, {int_value(depth - 1), int_value(depth - 1)});
      case 4: return make(one_in(2) ? Op::Div : Op::Mod, kInt, {int_value(depth - 1), divisor(depth - 1)});
      case 5: return make(one_in(2) ? Op::MinOf : Op::MaxOf, kInt, {int_value(depth - 1), int_value(depth - 1)});
      case 6: return choice(kInt, depth);
      case 7: return make(Op::Sum, kInt, {list_of(kBool, depth - 1)});
      case 8: return extreme(kInt, depth);
      case 9: return item_of(kInt, depth);
      case 10: return label(depth);
      case 11: return called(kInt, depth);
      case 12: return position_of(kInt, depth);
      case 13:
        return one_in(4) ? make(Op::Neg, kInt, {int_value(depth - 1)}) : integer(one_in(8) ? std::int64_t{3} << 60 : 2);
      case 14: return make(Op::Size, kInt, {one_in(4) ? nested(depth - 1) : list_of(item(), depth - 1)});
      case 15:
      case 16: return make(Op::Size, kInt, {list_of(kVertex, depth - 1)});
      default: return make(Op::Sum, kInt, {list_of(kInt, depth - 1)});
    }
  }

  NodePtr divisor(int depth) {
    return one_in(6) ? int_value(depth) : integer(1 + static_cast<std::int64_t>(pick(5)) * (one_in(3) ? -1 : 1));
  }

  NodePtr extreme(const TypePtr& type, int depth) {
    NodePtr list = list_of(type, depth - 1);
    NodePtr result = make(one_in(2) ? Op::Min : Op::Max, type, {list});
    return one_in(4) ? result : guarded(list, 0, result);
  }

  /// `result` if the list has more than `index` items, else something simple.
  NodePtr guarded(const NodePtr& list, std::int64_t index, NodePtr result) {
    TypePtr type = result->type;
    NodePtr enough = make(Op::Gt, kBool, {make(Op::Size, kInt, {list}), integer(index)});
    return make(Op::If, type, {enough, std::move(result), value(type, 0)});
  }

  NodePtr item_of(const TypePtr& type, int depth) {
    NodePtr list = list_of(type, depth - 1);
    std::int64_t index = static_cast<std::int64_t>(pick(3));
    NodePtr result = make(Op::GetItem, type, {list, one_in(8) ? int_value(0) : integer(index)});
    return one_in(6) ? result : guarded(list, index, result);
  }

  NodePtr position_of(const TypePtr& type, int depth) {
    std::vector<std::pair<const Name*, std::size_t>> found;
    for (const Name& name : scope_) {
      for (std::size_t i = 0; i < name.type->positions.size(); ++i) {
        if (fits(*name.type->positions[i], *type)) found.emplace_back(&name, i);
      }
    }
    if (!found.empty()) {
      const auto [name, position] = found[pick(found.size())];
      return position_in(named(name->name, name->type), position, type);
    }
    std::vector<TypePtr> positions = row()->positions;
    const std::size_t position = pick(positions.size());
    positions[position] = type;
    return position_in(tuple(tuple_type(positions), depth - 1), position, type);
  }

  NodePtr label(int depth) {
    NodePtr graph = graph_name(!one_in(20));
    if (graph == nullptr) return int_value(depth - 1);
    return make(Op::VertexLabel, kInt, {graph, vertex(depth - 1)});
  }

  NodePtr vertex(int depth) {
    NodePtr name = one_in(8) ? nullptr : name_of(kVertex);
    if (name != nullptr && (depth <= 0 || !one_in(5))) return name;
    if (name == nullptr && one_in(2)) name = position_or_null();
    if (name != nullptr && (depth <= 0 || !one_in(5))) return name;
    if (depth > 0) {
      switch (pick(6)) {
        case 0: return choice(kVertex, depth);
        case 1: return make(one_in(2) ? Op::MinOf : Op::MaxOf, kVertex, {vertex(depth - 1), vertex(depth - 1)});
        case 2: return item_of(kVertex, depth);
        case 3: return extreme(kVertex, depth);
        case 4: return position_of(kVertex, depth);
        default:
          if (one_in(6)) return int_value(depth - 1);
      }
    }
    if (world_.universe.empty()) return integer(0);
    return integer(world_.universe[pick(world_.universe.size())]);
  }

  NodePtr position_or_null() {
    NodePtr edge = name_of(kEdge);
    return edge == nullptr ? nullptr : position_in(edge, pick(2), kVertex);
  }

  NodePtr real(int depth) {
    if (depth <= 0 || one_in(6)) {
      NodePtr name = one_in(2) ? nullptr : name_of(kFloat);
      if (name != nullptr) return name;
      return real_number(static_cast<double>(static_cast<std::int64_t>(pick(64)) - 16) / 4);
    }
    switch (pick(9)) {
      case 0: return make(Op::Add, kFloat, {real(depth - 1), one_in(2) ? int_value(depth - 1) : real(depth - 1)});
      case 1: return make(Op::Sub, kFloat, {one_in(2) ? int_value(depth - 1) : real(depth - 1), real(depth - 1)});
      case 2: return make(Op::Mul, kFloat, {real(depth - 1), real(0)});
      case 3:
        return make(one_in(2) ? Op::Div : Op::Mod, kFloat, {real(depth - 1), one_in(4) ? real(0) : real_number(2)});
      case 4: return make(one_in(2) ? Op::MinOf : Op::MaxOf, kFloat, {real(depth - 1), real(depth - 1)});
      case 5: return choice(kFloat, depth);
      case 6: return extreme(kFloat, depth);
      case 7: return item_of(kFloat, depth);
      default: return make(Op::Sum, kFloat, {list_of(kFloat, depth - 1)});
    }
  }

  NodePtr truth(int depth) {
    if (depth <= 0) {
      NodePtr name = one_in(2) ? nullptr : name_of(kBool);
      if (name != nullptr) return name;
      return make(one_in(2) ? Op::Lt : Op::Ne, kBool, {vertex(0), vertex(0)});
    }
    static constexpr Op kCompare[] = {Op::Eq, Op::Ne, Op::Lt, Op::Le, Op::Gt, Op::Ge};
    switch (pick(14)) {
      case 0: return make(Op::And, kBool, {truth(depth - 1), truth(depth - 1)});
      case 1: return make(Op::Or, kBool, {truth(depth - 1), truth(depth - 1)});
      case 2: return make(Op::Not, kBool, {truth(depth - 1)});
      case 3: {
        NodePtr graph = graph_name(false);  // Null in a helper, which sees none.
        if (graph == nullptr) return truth(depth - 1);
        return make(Op::HasEdge, kBool, {graph, vertex(depth - 1), vertex(depth - 1)});
      }
      case 4: return make(one_in(2) ? Op::Any : Op::All, kBool, {list_of(kBool, depth - 1)});
      case 5: return choice(kBool, depth);
      case 6: return make(Op::Chain, kBool, {int_value(depth - 1), int_value(depth - 1), int_value(depth - 1)});
      case 7: return make(kCompare[pick(6)], kBool, {real(depth - 1), one_in(3) ? int_value(0) : real(depth - 1)});
      case 8: return make(kCompare[pick(6)], kBool, {int_value(depth - 1), int_value(depth - 1)});
      case 9: {
        NodePtr left = label(depth);
        if (left->op != Op::VertexLabel || world_.words.empty()) return make(Op::Eq, kBool, {left, int_value(0)});
        NodePtr word = label_word(world_.words[pick(world_.words.size())]);
        return make(one_in(2) ? Op::Eq : Op::Ne, kBool, {left, word});
      }
      case 10: return boolean(one_in(2));
      default:
        return make(kCompare[pick(6)], kBool,
                    {vertex(depth - 1), one_in(5) ? int_value(depth - 1) : vertex(depth - 1)});
    }
  }

  NodePtr tuple(const TypePtr& type, int depth) {
    NodePtr name = one_in(2) ? name_of(type) : nullptr;
    if (name != nullptr) return name;
    const auto is_sum = [](const TypePtr& t) { return t->kind == Kind::Int || t->kind == Kind::Float; };
    if (depth > 0 && std::ranges::all_of(type->positions, is_sum) && one_in(4)) return row_sum(type, depth);
    if (depth > 0 && one_in(8)) return choice(type, depth);
    if (depth > 0 && one_in(8)) return item_of(type, depth);
    std::vector<NodePtr> parts;
    for (const TypePtr& position : type->positions) parts.push_back(value(position, depth - 1));
    return make(Op::MkTuple, type, parts);
  }

  /// The sums of the positions of rows; an int may count bools.
  NodePtr row_sum(const TypePtr& type, int depth) {
    std::vector<TypePtr> positions = type->positions;
    for (TypePtr& position : positions) {
      if (position->kind == Kind::Int && one_in(4)) position = kBool;
    }
    return make(Op::Sum, type, {list_of(tuple_type(positions), depth - 1)});
  }

  NodePtr list_of(const TypePtr& item, int depth) {
    TypePtr type = list_type(item);
    if (budget_ < 0) depth = std::min(depth, 0);
    NodePtr name = one_in(3) || depth <= 0 ? name_of(type) : nullptr;
    if (name != nullptr && !one_in(4)) return name;
    if (depth <= 0) return simple_list(type);
    switch (pick(10)) {
      case 9: return limited(item, depth);
      case 0:
      case 1: {
        if (item->kind == Kind::Tuple) return applied(item, depth);
        NodePtr left = list_of(item, depth - 1);
        return make(one_in(2) ? Op::Intersect : Op::Diff, left->type, {left, list_of(item, depth - 1)});
      }
      case 2: return make(Op::Flatten, type, {nested_of(item, depth - 1)});
      case 3: return one_in(2) ? choice(type, depth) : simple_list(type);
      case 4: return simple_list(type);
      case 5: return filtered(type, depth);
      default: return applied(item, depth);
    }
  }

  /// With a capacity that is not certainly too small, an error of the program: literals have at most 3 items.
  NodePtr limited(const TypePtr& item, int depth) {
    NodePtr list = list_of(item, depth - 1);
    NodePtr graph = one_in(2) ? graph_name(false) : nullptr;
    if (graph == nullptr) return make(Op::Limit, list->type, {list, integer(one_in(3) ? 3 : 1000)});
    return make(Op::Limit, list->type, {list, make(Op::Size, kInt, {make(Op::Vertices, list_type(kVertex), {graph})})});
  }

  NodePtr filtered(const TypePtr& type, int depth) {
    std::vector<NodePtr> lists = {list_of(type->item, depth - 1)};
    std::shared_ptr<Function> same = std::make_shared<Function>();
    same->name = fresh("f");
    same->params = {fresh("v")};
    same->result = named(same->params[0], lists[0]->type->item);
    return apply(same, function(lists, kBool, std::min(depth - 1, 2)), lists, type);
  }

  NodePtr simple_list(const TypePtr& type) {
    const TypePtr& item = type->item;
    NodePtr graph = graph_name(false);
    bool vertices = item->kind == Kind::Vertex || item->kind == Kind::Int;
    if (vertices && graph != nullptr && !one_in(6)) {
      bool any_vertex = name_of(kVertex) != nullptr || name_of(kEdge) != nullptr;
      if (!any_vertex || one_in(3)) return make(Op::Vertices, list_type(kVertex), {graph});
      return make(Op::Neighbor, list_type(kVertex), {graph, vertex(0)});
    }
    if (fits(*kEdge, *item) && graph != nullptr && !one_in(6)) return make(Op::Edges, list_type(kEdge), {graph});
    std::vector<NodePtr> items;
    for (std::uint64_t i = 1 + pick(3); i > 0; --i) items.push_back(value(item, 0));
    return make(Op::MkList, type, items);
  }

  /// A list of lists of `item`.
  NodePtr nested_of(const TypePtr& item, int depth) {
    TypePtr inner = list_type(item);
    if (depth > 0 && !one_in(6)) return applied(inner, depth);
    std::vector<NodePtr> lists;
    for (std::uint64_t i = 1 + pick(2); i > 0; --i) lists.push_back(list_of(item, depth - 1));
    return make(Op::MkList, list_type(inner), lists);
  }
  NodePtr nested(int depth) { return nested_of(one_in(2) ? kVertex : kInt, depth); }

  // Programs in the style of users: nested loops over candidates, each bounded by earlier variables.

  NodePtr graph_node() { return named("G", graph_type()); }

  /// The candidates for the next vertex, from the sets and vertices in scope.
  NodePtr candidates(int depth) {
    NodePtr set = one_in(3) ? name_of(list_type(kVertex)) : nullptr;
    if (set != nullptr) return set;
    NodePtr v = name_of(kVertex);
    if (v == nullptr) return make(Op::Vertices, list_type(kVertex), {graph_node()});
    NodePtr near = make(Op::Neighbor, list_type(kVertex), {graph_node(), v});
    if (depth <= 0 || one_in(3)) return near;
    return make(one_in(3) ? Op::Diff : Op::Intersect, list_type(kVertex), {near, candidates(depth - 1)});
  }

  /// The conditions on the vertex `v`.
  NodePtr condition(const std::string& v) {
    NodePtr cond;
    for (std::uint64_t i = 1 + pick(2); i > 0; --i) {
      NodePtr other = name_of(kVertex);
      if (other == nullptr || other->name == v) other = integer(world_.universe.empty() ? 0 : world_.universe.back());
      static constexpr Op kOrders[] = {Op::Lt, Op::Gt, Op::Le, Op::Ge, Op::Ne, Op::Lt};
      NodePtr part = make(kOrders[pick(6)], kBool, {named(v, kVertex), other});
      if (one_in(5)) part = make(Op::HasEdge, kBool, {graph_node(), named(v, kVertex), other});
      if (one_in(8) && !world_.labels.empty()) {
        part = make(
            Op::Eq, kBool,
            {make(Op::VertexLabel, kInt, {graph_node(), named(v, kVertex)}), integer(world_.words.empty() ? 1 : -1)});
      }
      if (one_in(6)) part = make(Op::Not, kBool, {part});
      cond = cond == nullptr ? part : make(one_in(6) ? Op::Or : Op::And, kBool, {cond, part});
    }
    return cond;
  }

  FunctionPtr guard() {
    std::shared_ptr<Function> f = std::make_shared<Function>();
    f->name = fresh("f");
    f->params = {fresh("v")};
    f->result = condition(f->params[0]);
    return f;
  }

  /// A sum over `levels` loops.
  NodePtr pattern(int levels) {
    bool by_edges = name_of(kVertex) == nullptr && one_in(3);
    NodePtr list = by_edges ? make(Op::Edges, list_type(kEdge), {graph_node()}) : candidates(2);
    FunctionPtr cond = one_in(2) && !by_edges ? guard() : nullptr;
    if (levels == 0) {
      if (cond == nullptr) return make(Op::Size, kInt, {list});
      std::shared_ptr<Function> same = std::make_shared<Function>();
      same->name = fresh("f");
      same->params = {fresh("v")};
      same->result = named(same->params[0], kVertex);
      return make(Op::Size, kInt, {apply(same, cond, {list}, list_type(kVertex))});
    }
    std::shared_ptr<Function> f = std::make_shared<Function>();
    f->name = fresh("f");
    f->params = {fresh("v")};
    std::size_t mark = scope_.size();
    scope_.push_back({f->params[0], list->type->item, "", false});
    if (by_edges) {
      for (std::size_t i : {0, 1}) bind(*f, position_in(named(f->params[0], kEdge), i, kVertex), "");
    }
    if (one_in(2)) bind(*f, candidates(2), "");
    f->result = one_in(6) ? make(Op::Mul, kInt, {pattern(0), pattern(levels - 1)}) : pattern(levels - 1);
    scope_.resize(mark);
    return make(Op::Sum, kInt, {apply(f, cond, {list}, list_type(kInt))});
  }

  std::mt19937_64 random_;
  const World& world_;
  std::vector<Name> scope_;
  std::vector<FunctionPtr>* helpers_ = nullptr;
  std::vector<TypePtr> helper_types_;
  int names_ = 0;
  int budget_ = 0;
};

}  // namespace

Program random_program(std::uint64_t seed, const World& world) { return Generator(seed, world).program(); }

}  // namespace matcha::differential
