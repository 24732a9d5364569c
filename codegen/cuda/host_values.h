#pragma once

#include <memory>
#include <vector>

#include "codegen/backend.h"
#include "codegen/host/arguments.h"
#include "codegen/host/evaluator.h"
#include "codegen/host/trap.h"
#include "ir/nodes.h"

/// A failure inside this folder is a host::Trap that is thrown and caught in it.
namespace matcha::codegen::gpu {

using host::fail;
using host::need;

/// The top-level values of a run on the host, and the steps that need no device.
class HostValues {
 public:
  HostValues(const runtime::Universe& universe, const RunOptions& options)
      : universe_(universe), options_(options), evaluator_(values_, universe) {}
  HostValues(const HostValues&) = delete;
  HostValues& operator=(const HostValues&) = delete;

  /// `signature` is that of the module whose parameters are `params`.
  void bind(const host::Signature& signature, std::span<const ir::Var* const> params,
            std::span<const Argument> arguments);
  void set(const ir::Var* var, host::Scalar value) { values_.scalars[var] = value; }
  void set(const ir::Var* var, host::List list) { values_.lists[var] = std::move(list); }
  void set(const ir::Var* var, runtime::Graph& graph, bool own_labels);
  /// Sets a graph of which the host knows only the counts.
  void set_counts(const ir::Var* var, const runtime::GraphView& device_view);
  void let(const ir::Let& s);
  void build(const ir::BuildGraph& s);

  /// `monostate`: an empty min or max, which must not be read.
  const host::Scalar& value(const ir::Var* var) const { return values_.scalars.at(var); }
  const host::List& list(const ir::Var* var) const { return values_.lists.at(var); }
  host::Graph& graph(const ir::Var* var) { return values_.graphs.at(var); }

  host::Scalar scalar(const ir::Expr& e) { return evaluator_.scalar(e); }
  std::int64_t integer(const ir::Expr& e) { return std::get<std::int64_t>(scalar(e)); }
  host::List list(const ir::Expr& e) { return evaluator_.list(e); }
  /// Number of items; makes the list only if that is necessary.
  std::uint64_t size(const ir::Expr& e) { return evaluator_.size(e); }

 private:
  const runtime::Universe& universe_;
  const RunOptions& options_;
  host::Values values_;
  host::Evaluator evaluator_;
  std::vector<std::unique_ptr<runtime::Graph>> built_;
};

}  // namespace matcha::codegen::gpu
