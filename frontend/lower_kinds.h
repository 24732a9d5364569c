#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "frontend/asg.h"
#include "ir/types.h"

/// Private to lowering: determines which ints are vertices.
namespace matcha::frontend::lowering {

using Kinds = std::vector<ir::ScalarKind>;

/// The kinds of a value's columns. A scalar has one column, a tuple one for each position; a list has the columns of
/// its items, for any depth of nesting. Graphs have none.
class ColumnKinds {
 public:
  explicit ColumnKinds(const asg::Graph& graph);

  const Kinds& of(const asg::Node* node) const { return kinds_.at(node); }

 private:
  /// Sets of columns between which values move.
  class Moves {
   public:
    std::uint32_t add(std::size_t columns);
    void join(std::uint32_t a, std::uint32_t b);
    /// A column that is looked up by ints which may be no vertices.
    bool is_plain(std::uint32_t column) { return plain_[find(column)]; }
    void make_plain(std::uint32_t column) { plain_[find(column)] = true; }
    void mark(std::uint32_t column) { marked_[find(column)] = true; }
    bool marked(std::uint32_t column) { return marked_[find(column)]; }

   private:
    std::uint32_t find(std::uint32_t column);

    std::vector<std::uint32_t> parent_;
    std::vector<bool> marked_;
    std::vector<bool> plain_;
  };

  void collect_moves();
  void node_moves(const asg::Node& node);
  void join(const asg::Node* a, const asg::Node* b);
  void mark(const asg::Node* node);
  Kinds compute(const asg::Node& node) const;
  /// The kinds of columns that hold those of a node too.
  Kinds merged(Kinds kinds, const asg::Node& other) const;
  Kinds list_kinds(const asg::Node& node) const;
  Kinds table_kinds(const asg::Node& node) const;
  Kinds part(const asg::Node& table, bool values) const;
  /// Vertices and other ints meet in the keys of tables: these become plain. True if one does.
  bool find_plain();

  const asg::Graph& graph_;
  std::unordered_map<const asg::Node*, const asg::Node*> walked_;  ///< The list of an operand.
  std::unordered_set<const asg::Node*> rounds_;                    ///< Operands that are the value of a round.
  std::unordered_map<const asg::Node*, std::uint32_t> first_column_;
  mutable Moves moves_;  ///< Mutable, because look-ups compress paths.
  std::unordered_map<const asg::Node*, Kinds> kinds_;
};

}  // namespace matcha::frontend::lowering
