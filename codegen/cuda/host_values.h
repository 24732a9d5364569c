#pragma once

#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/backend.h"
#include "codegen/interp/evaluator.h"
#include "ir/nodes.h"

/// A failure inside this folder is an interp::Trap that is thrown and caught in it: scalar steps are evaluated by the
/// interpreter's evaluator, which reports so, and everything else joins in.
namespace matcha::codegen::gpu {

/// The value, or the error thrown.
template <typename T>
T need(runtime::Result<T> result, SourceLoc loc = {}) {
  if (!result) throw interp::Trap{std::move(result.error()), loc};
  return std::move(*result);
}
[[noreturn]] void fail(runtime::ErrorKind kind, std::string message, std::string hint = {}, SourceLoc loc = {});

/// A list of the host, in columns that live as long as `keeper` and the inputs of the run.
struct HostList {
  std::uint64_t size = 0;
  std::vector<runtime::ElementKind> kinds;
  std::vector<const void*> columns;
  std::shared_ptr<const std::vector<runtime::Column>> keeper;
};

/// A graph of the run, its view completed with the labels of the run.
struct HostGraph {
  runtime::Graph* graph = nullptr;
  runtime::GraphView view{};
  std::shared_ptr<std::vector<std::uint32_t>> vertices;  ///< Made when the graph has no array of them.
};

/// The top-level values of a run on the host, and the steps that need no device.
class HostValues {
 public:
  HostValues(const ir::Module& module, const runtime::Universe& universe, const RunOptions& options);

  void bind(const ir::Module& module, std::span<const Argument> arguments);
  void set(const ir::Var* var, interp::Value value) { environment_.values[var] = std::move(value); }
  void set(const ir::Var* var, HostList list) { lists_[var] = std::move(list); }
  void set(const ir::Var* var, runtime::Graph& graph, bool own_labels);
  /// A graph of which the host knows the counts only.
  void set_counts(const ir::Var* var, const runtime::GraphView& device_view);
  void let(const ir::Let& s);
  void build(const ir::BuildGraph& s);

  /// `monostate`: an empty min or max, which nobody may read.
  const interp::Value& value(const ir::Var* var) const { return environment_.values.at(var); }
  const HostList& list(const ir::Var* var) const { return lists_.at(var); }
  HostGraph& graph(const ir::Var* var) { return graphs_.at(var); }

  interp::Value scalar(const ir::Expr& e);
  std::int64_t integer(const ir::Expr& e) { return std::get<std::int64_t>(scalar(e)); }
  HostList list(const ir::Expr& e);
  /// Number of items, without making the list where that can be told.
  std::uint64_t size(const ir::Expr& e);

 private:
  interp::Value evaluate(const ir::Expr& e);
  HostGraph& graph_of(const ir::Expr& e);

  const runtime::Universe& universe_;
  const RunOptions& options_;
  std::unordered_set<const ir::Expr*> shared_;
  interp::Environment environment_;
  interp::Evaluator evaluator_;
  std::unordered_map<const ir::Var*, HostList> lists_;
  std::unordered_map<const ir::Var*, HostGraph> graphs_;
  std::vector<std::unique_ptr<runtime::Graph>> built_;
};

/// A list as the result of a run.
ListValue list_value(const HostList& list);

}  // namespace matcha::codegen::gpu
