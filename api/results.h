#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/matcha.h"
#include "codegen/backend.h"
#include "runtime/graph/universe.h"

namespace matcha::api {

/// A column with ids instead of ranks; one of the two vectors is used.
struct Column {
  matcha_kind kind = MATCHA_INT;  ///< The kind of its items.
  std::vector<std::int64_t> ints;
  std::vector<double> floats;
};

/// A column of ranks, ints, floats or bools, depending on `kind`.
Column column_of(runtime::ElementKind kind, const void* items, std::uint64_t rows, const runtime::Universe& universe);

/// Marks the ints of the columns with labels as labels.
void mark_labels(std::vector<Column>& columns, const std::vector<bool>& are_labels);

}  // namespace matcha::api

struct matcha_result {
  struct Value {
    matcha_kind kind = MATCHA_INT;
    __int128 integer = 0;  ///< The value; of a larger number, its lower 128 bits.
    std::optional<matcha::runtime::WideInt> wide = {};
    double real = 0;
    std::uint64_t rows = 0;
    std::vector<matcha::api::Column> columns;
  };

  bool complete = true;
  std::vector<Value> values;
  std::optional<matcha::runtime::sample::Interval> estimate = {};  ///< There are no values then.

  // Of a share, which has no values
  matcha::codegen::Share share;
  std::vector<matcha::codegen::PartialValue> partials;
  std::shared_ptr<const matcha::runtime::Universe> universe;
  std::weak_ptr<const void> source;                   ///< The program that ran: shares of one run have the same.
  std::optional<std::uint32_t> size_of_cliques = {};  ///< If cliques were counted: `size` of codegen::clique_values.
  std::uint64_t vertices = 0;                         ///< `vertices` of codegen::clique_values.
};

namespace matcha::api {

matcha_result::Value value_of(const codegen::ResultValue& value, const runtime::Universe& universe);

/// The result of the whole run from all of its shares. Null if they do not form one run: the reason is in `problem`.
/// `run_error`: they do, but the whole run would have failed.
std::unique_ptr<matcha_result> merge_shares(std::span<const matcha_result* const> shares, std::string& problem,
                                            bool& run_error);

}  // namespace matcha::api
