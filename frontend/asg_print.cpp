#include <charconv>
#include <map>
#include <set>
#include <unordered_map>

#include "frontend/asg.h"

namespace matcha::frontend::asg {

std::string_view to_string(Op op) {
  static constexpr std::string_view kWords[] = {
#define MATCHA_ASG_OP(Name, word) word,
#include "frontend/asg.def"
  };
  return kWords[static_cast<std::size_t>(op)];
}

namespace {

std::string real_text(double value) {
  char buffer[64];
  std::to_chars_result result = std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string out(buffer, result.ptr);
  bool plain = out.find_first_of(".einf") == std::string::npos;
  return plain ? out + ".0" : out;
}

/// Assigns each node to a function: that of the innermost operand it depends on, else the top. A node that does not
/// depend on a function is outside it, even if the function uses it.
class Layout {
 public:
  explicit Layout(const Graph& graph) {
    for (const Node* node : graph.nodes) {
      if (node->apply == nullptr) continue;
      for (const Node* operand : node->apply->operands) owner_[operand] = node;
    }
    for (const Node* node : graph.nodes) {
      if (node->op == Op::Param) continue;
      if (node->op == Op::Operand) {
        reads_[node] = {node->id};
        by_id_[node->id] = node;
        continue;
      }
      home_nodes_[home(node)].push_back(node);
    }
    std::size_t next = 0;
    number(nullptr, next);
  }

  /// Nodes of the function of `apply`, or of the top for null, in order.
  const std::vector<const Node*>& nodes_of(const Node* apply) const {
    static const std::vector<const Node*> kNone;
    auto found = home_nodes_.find(apply);
    return found == home_nodes_.end() ? kNone : found->second;
  }

  std::string name(const Node* node) const {
    if (node->op == Op::Param) return std::string(node->text);
    if (node->op == Op::Operand) return std::string(node->text) + "." + std::to_string(numbers_.at(owner_.at(node)));
    if (node->op == Op::Int) return std::to_string(node->int_value);
    if (node->op == Op::Bool) return node->int_value != 0 ? "True" : "False";
    if (node->op == Op::Float) return real_text(node->float_value);
    if (node->op == Op::Label) return "'" + std::string(node->text) + "'";
    return "%" + std::to_string(numbers_.at(node));
  }

  static bool is_leaf(const Node* node) {
    return node->op == Op::Int || node->op == Op::Bool || node->op == Op::Float || node->op == Op::Label;
  }

  /// `apply %1, %2` without the function.
  std::string text(const Node* node) const {
    std::string out(node->op == Op::Edges && !node->text.empty() ? node->text : to_string(node->op));
    for (std::size_t i = 0; i < node->inputs.size(); ++i) out += (i == 0 ? " " : ", ") + name(node->inputs[i]);
    if (node->op == Op::GetPos) out += ", " + std::to_string(node->int_value);
    if (node->has_labels) out += " with labels";
    if (node->has_info) out += " with info";
    if (node->op == Op::MkGraph && node->int_value != 0) out += " by time";
    return out;
  }

 private:
  const Node* home(const Node* node) {
    std::set<std::uint32_t>& reads = reads_[node];
    for (const Node* input : node->inputs) add(reads, input);
    if (node->apply != nullptr) {
      add(reads, node->apply->body);
      if (node->apply->maybe_cond != nullptr) add(reads, node->apply->maybe_cond);
      for (const Node* operand : node->apply->operands) reads.erase(operand->id);
    }
    return reads.empty() ? nullptr : owner_.at(by_id_.at(*reads.rbegin()));
  }

  void add(std::set<std::uint32_t>& reads, const Node* from) const {
    auto found = reads_.find(from);
    if (found != reads_.end()) reads.insert(found->second.begin(), found->second.end());
  }

  void number(const Node* apply, std::size_t& next) {
    for (const Node* node : nodes_of(apply)) {
      if (is_leaf(node)) continue;
      numbers_[node] = next++;
      if (node->apply != nullptr) number(node, next);
    }
  }

  std::unordered_map<const Node*, const Node*> owner_;
  std::unordered_map<const Node*, std::set<std::uint32_t>> reads_;
  std::map<std::uint32_t, const Node*> by_id_;
  std::unordered_map<const Node*, std::vector<const Node*>> home_nodes_;
  std::unordered_map<const Node*, std::size_t> numbers_;
};

class Printer {
 public:
  explicit Printer(const Graph& graph) : graph_(graph), layout_(graph) {}

  std::string run() {
    out_ = "asg " + graph_.entry + "\n";
    for (const Param& param : graph_.params) {
      out_ += "param " + param.name + ": " + to_string(*param.type);
      if (param.maybe_default != nullptr) out_ += " = " + layout_.name(param.maybe_default);
      out_ += '\n';
    }
    nodes(nullptr, 0);
    out_ += "result " + layout_.name(graph_.result) + "\n";
    return std::move(out_);
  }

 private:
  void line(std::size_t indent, const std::string& text) { out_ += std::string(2 * indent, ' ') + text + "\n"; }

  void nodes(const Node* apply, std::size_t indent) {
    for (const Node* node : layout_.nodes_of(apply)) {
      if (Layout::is_leaf(node)) continue;
      line(indent, layout_.name(node) + " = " + layout_.text(node) + " : " + to_string(*node->type));
      if (node->apply == nullptr) continue;
      std::string operands;
      for (const Node* operand : node->apply->operands) {
        operands += (operands.empty() ? "" : ", ") + layout_.name(operand) + ": " + to_string(*operand->type);
      }
      line(indent + 1, "func (" + operands + ")");
      nodes(node, indent + 2);
      if (node->apply->maybe_cond != nullptr) line(indent + 2, "where " + layout_.name(node->apply->maybe_cond));
      line(indent + 2, "give " + layout_.name(node->apply->body));
    }
  }

  const Graph& graph_;
  Layout layout_;
  std::string out_;
};

class DotPrinter {
 public:
  explicit DotPrinter(const Graph& graph) : graph_(graph), layout_(graph) {
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) ids_[graph.nodes[i]] = i;
  }

  std::string run() {
    out_ = "digraph asg {\n  rankdir=BT;\n  node [shape=box, fontname=\"monospace\"];\n";
    for (const Param& param : graph_.params) node(param.node, param.name + ": " + to_string(*param.type), 1);
    cluster(nullptr, 1);
    for (const Node* node : graph_.nodes) edges(node);
    out_ += "  result [shape=plaintext];\n  " + id(graph_.result) + " -> result;\n}\n";
    return std::move(out_);
  }

 private:
  std::string id(const Node* node) const { return "n" + std::to_string(ids_.at(node)); }

  void node(const Node* node, const std::string& label, std::size_t indent) {
    std::string escaped;
    for (char c : label) {
      if (c == '"' || c == '\\') escaped += '\\';
      escaped += c;
    }
    out_ += std::string(2 * indent, ' ') + id(node) + " [label=\"" + escaped + "\"];\n";
  }

  void cluster(const Node* apply, std::size_t indent) {
    for (const Node* n : layout_.nodes_of(apply)) {
      std::string label = Layout::is_leaf(n) ? layout_.name(n) : std::string(to_string(n->op));
      if (n->op == Op::GetPos) label += " " + std::to_string(n->int_value);
      node(n, label, indent);
      if (n->apply == nullptr) continue;
      std::string pad(2 * indent, ' ');
      out_ += pad + "subgraph cluster_" + id(n) + " {\n" + pad + "  style=rounded;\n";
      for (const Node* operand : n->apply->operands) {
        node(operand, std::string(operand->text) + ": " + to_string(*operand->type), indent + 1);
      }
      cluster(n, indent + 1);
      out_ += pad + "}\n";
    }
  }

  void edges(const Node* node) {
    for (const Node* input : node->inputs) out_ += "  " + id(input) + " -> " + id(node) + ";\n";
    if (node->apply == nullptr) return;
    out_ += "  " + id(node->apply->body) + " -> " + id(node) + " [label=\"func\"];\n";
    if (node->apply->maybe_cond == nullptr) return;
    out_ += "  " + id(node->apply->maybe_cond) + " -> " + id(node) + " [label=\"cond\"];\n";
  }

  const Graph& graph_;
  Layout layout_;
  std::unordered_map<const Node*, std::size_t> ids_;
  std::string out_;
};

}  // namespace

std::string print(const Graph& graph) { return Printer(graph).run(); }
std::string print_dot(const Graph& graph) { return DotPrinter(graph).run(); }

}  // namespace matcha::frontend::asg
