#include "incremental/runtime/term_data.h"

#include <algorithm>
#include <cstring>
#include <tuple>

namespace matcha::runtime::stream {

namespace {

using matcha_program::DeltaGroup;
using matcha_program::DeltaLevel;
using matcha_program::DeltaProduct;
using matcha_program::DeltaStep;
using matcha_program::DeltaTerm;
using matcha_program::DeltaValue;

constexpr bool same(TermStep::Kind kind, matcha_program::DeltaKind other) {
  return static_cast<std::uint32_t>(kind) == other;
}
static_assert(same(TermStep::Kind::Slice, matcha_program::kDeltaSlice) &&
              same(TermStep::Kind::Below, matcha_program::kDeltaBelow) &&
              same(TermStep::Kind::Above, matcha_program::kDeltaAbove) &&
              same(TermStep::Kind::Intersect, matcha_program::kDeltaIntersect) &&
              same(TermStep::Kind::Remove, matcha_program::kDeltaRemove) &&
              same(TermStep::Kind::CountCommon, matcha_program::kDeltaCountCommon) &&
              same(TermStep::Kind::CountRemoved, matcha_program::kDeltaCountRemoved));
static_assert(static_cast<int>(BackArc::Any) == 0 && static_cast<int>(BackArc::Wanted) == 1, "as the device has them");

/// All terms, table by table.
class Tables {
 public:
  explicit Tables(const DynamicGraph& graph) : graph_(graph) {}

  void add(const Term& term, bool is_listed) {
    rooms_of_term_ = 0;
    DeltaTerm made{};
    made.walked = static_cast<std::uint32_t>(term.pattern.walked);
    made.layer = term.layers[1];
    made.back = static_cast<std::uint32_t>(term.pattern.back);
    made.end = static_cast<std::uint32_t>(numbers.size());
    for (const LayerArc& arc : term.pattern.ends) {
      numbers.push_back(2 * arc.layer);
      numbers.push_back(static_cast<std::uint32_t>(arc.from));
    }
    made.end_end = static_cast<std::uint32_t>(numbers.size());
    made.swappable = term.pattern.swappable && !is_listed ? 1 : 0;
    made.listed = is_listed ? 1 : 0;
    if (is_listed) listed = std::max(listed, made.walked);
    made.level = static_cast<std::uint32_t>(levels.size());
    for (std::size_t v = 0; v < term.steps.size(); ++v) {
      DeltaLevel level{};
      level.step = static_cast<std::uint32_t>(steps.size());
      for (const TermStep& step : term.steps[v]) steps.push_back(step_of(step));
      level.step_end = static_cast<std::uint32_t>(steps.size());
      level.candidates = term.candidates[v];
      level.other = add_numbers(term.others[v]);
      level.other_end = static_cast<std::uint32_t>(numbers.size());
      levels.push_back(level);
    }
    const std::uint32_t first_value = static_cast<std::uint32_t>(values.size());
    for (const TermValue& value : term.values) add_value(value);
    made.group = static_cast<std::uint32_t>(groups.size());
    for (const std::vector<TermProduct>& group : term.groups) {
      const std::uint32_t first = static_cast<std::uint32_t>(products.size());
      for (const TermProduct& product : group) {
        const std::uint32_t begin = static_cast<std::uint32_t>(numbers.size());
        for (const std::uint16_t value : product.values) numbers.push_back(first_value + value);
        products.push_back({product.factor, begin, static_cast<std::uint32_t>(numbers.size())});
      }
      groups.push_back({first, static_cast<std::uint32_t>(products.size())});
    }
    made.group_end = static_cast<std::uint32_t>(groups.size());
    terms.push_back(made);
    rooms = std::max(rooms, rooms_of_term_);
  }

  std::vector<DeltaTerm> terms;
  std::vector<DeltaLevel> levels;
  std::vector<DeltaStep> steps;
  std::vector<DeltaValue> values;
  std::vector<DeltaProduct> products;
  std::vector<DeltaGroup> groups;
  std::vector<std::uint32_t> numbers;
  std::uint32_t rooms = 0, listed = 0;

 private:
  DeltaStep step_of(const TermStep& step) {
    DeltaStep made{};
    made.kind = static_cast<std::uint32_t>(step.kind);
    made.to = step.to;
    made.from = step.from;
    made.vertex = step.vertex;
    made.rows = 2 * std::uint32_t{step.layer} + (step.backwards ? 1 : 0);
    made.needed = step.needed ? 1 : 0;
    made.last = ~std::uint32_t{0};
    const bool is_slice = step.kind == TermStep::Kind::Slice;
    if (is_slice && step.label_class != kAnyClass && graph_.class_count() > 1) {
      std::tie(made.first, made.last) = graph_.places_of(step.label_class);
    }
    if (is_slice || step.kind == TermStep::Kind::Intersect || step.kind == TermStep::Kind::Remove) {
      made.room = rooms_of_term_++;
    }
    return made;
  }

  void add_value(const TermValue& value) {
    DeltaValue made{};
    made.set = value.set;
    made.less = static_cast<std::uint32_t>(value.less);
    made.maybe = add_numbers(value.maybe);
    made.maybe_end = static_cast<std::uint32_t>(numbers.size());
    made.stored = value.stored ? 1 : 0;
    // It has no items of its own.
    if (!value.stored) made.counted = step_of(value.counted);
    values.push_back(made);
  }

  std::uint32_t add_numbers(const std::vector<std::uint8_t>& vertices) {
    const std::uint32_t begin = static_cast<std::uint32_t>(numbers.size());
    numbers.insert(numbers.end(), vertices.begin(), vertices.end());
    return begin;
  }

  const DynamicGraph& graph_;
  std::uint32_t rooms_of_term_ = 0;
};

template <typename T>
std::size_t append(std::vector<std::byte>& bytes, const std::vector<T>& items) {
  constexpr std::size_t kAlignment = 16;
  const std::size_t begin = (bytes.size() + kAlignment - 1) / kAlignment * kAlignment;
  bytes.resize(begin + items.size() * sizeof(T));
  if (!items.empty()) std::memcpy(bytes.data() + begin, items.data(), items.size() * sizeof(T));
  return begin;
}

}  // namespace

std::optional<TermData> TermData::make(const SharedTerms& terms, const DynamicGraph& graph, std::string& why) {
  Tables tables(graph);
  for (const SharedTerms::One& one : terms.all) {
    if (one.term->sets > static_cast<int>(matcha_program::kDeltaSets) ||
        one.term->pattern.walked > static_cast<int>(matcha_program::kDeltaWalked)) {
      why = "the pattern has more sets than a GPU keeps";
      return std::nullopt;
    }
    tables.add(*one.term, one.listed);
  }
  TermData data;
  data.begins_[Terms] = append(data.bytes_, tables.terms);
  data.begins_[Levels] = append(data.bytes_, tables.levels);
  data.begins_[Steps] = append(data.bytes_, tables.steps);
  data.begins_[Values] = append(data.bytes_, tables.values);
  data.begins_[Products] = append(data.bytes_, tables.products);
  data.begins_[Groups] = append(data.bytes_, tables.groups);
  data.begins_[Numbers] = append(data.bytes_, tables.numbers);
  data.terms_ = static_cast<std::uint32_t>(tables.terms.size());
  data.rooms_ = tables.rooms;
  data.listed_ = tables.listed;
  return data;
}

matcha_program::DeltaTerms TermData::at(const std::byte* base) const {
  matcha_program::DeltaTerms terms{};
  terms.terms = reinterpret_cast<const DeltaTerm*>(base + begins_[Terms]);
  terms.levels = reinterpret_cast<const DeltaLevel*>(base + begins_[Levels]);
  terms.steps = reinterpret_cast<const DeltaStep*>(base + begins_[Steps]);
  terms.values = reinterpret_cast<const DeltaValue*>(base + begins_[Values]);
  terms.products = reinterpret_cast<const DeltaProduct*>(base + begins_[Products]);
  terms.groups = reinterpret_cast<const DeltaGroup*>(base + begins_[Groups]);
  terms.numbers = reinterpret_cast<const std::uint32_t*>(base + begins_[Numbers]);
  return terms;
}

}  // namespace matcha::runtime::stream
