#include "session/cluster/run_key.h"

#include <algorithm>
#include <deque>
#include <type_traits>
#include <variant>
#include <vector>

#include "runtime/code_cache.h"
#include "session/version.h"

namespace matcha::session::cluster {

namespace {

/// Arcs and vertices of a unit at least, so that the overhead of a unit does not matter.
constexpr std::uint64_t kWorkOfUnit = 1 << 16;
constexpr std::uint64_t kWorkOfGpuUnit = 1 << 22;
constexpr std::uint64_t kFewestUnits = 16;
constexpr std::uint64_t kMostUnits = 1024;

template <typename T>
std::string_view bytes_of(const T* items, std::uint64_t count) {
  return items == nullptr ? std::string_view()
                          : std::string_view(reinterpret_cast<const char*>(items), count * sizeof(T));
}

/// Texts that make a key, and those among them that are kept here alone.
struct Parts {
  std::vector<std::string_view> texts;
  std::deque<std::string> kept;

  template <typename T>
  void add(const T* items, std::uint64_t count) {
    texts.push_back(bytes_of(items, count));
  }
  template <typename T>
  void add_value(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    texts.push_back(kept.emplace_back(bytes_of(&value, 1)));
  }
  void add_graph(const runtime::Graph& graph) {
    const runtime::GraphView view = graph.view();
    add_value(view.universe);
    add_value(view.vertex_count);
    add_value(graph.facts().directed);
    add_value(graph.content_key());
    if (graph.content_key() == 0) {
      add(view.offsets, view.universe + 1);
      add(view.slots, view.slots == nullptr ? 0 : view.slot_mask + 1);
      add(view.neighbors, view.arc_count);
      add(static_cast<const std::uint64_t*>(view.edge_info), view.arc_count);
    }
    add(view.labels, view.universe);
    add(view.vertices, view.vertex_count);
  }
  void add_list(const runtime::InputList& list) {
    add_value(list.size);
    for (const runtime::InputColumn& column : list.columns) {
      add_value(static_cast<int>(column.kind));
      add(column.ranks.data(), column.ranks.size());
      add(column.ints.data(), column.ints.size());
      add(column.floats.data(), column.floats.size());
    }
  }
};

}  // namespace

std::string run_key(std::string_view program, std::span<const codegen::Argument> arguments,
                    const runtime::Universe& universe, const std::int64_t* maybe_labels,
                    const runtime::LabelDictionary* maybe_dictionary) {
  Parts parts;
  parts.texts.push_back(matcha_version());
  parts.texts.push_back(program);
  for (const codegen::Argument& argument : arguments) {
    parts.add_value(argument.index());
    std::visit(
        [&](const auto& value) {
          using Value = std::decay_t<decltype(value)>;
          if constexpr (std::is_same_v<Value, runtime::Graph*>) {
            parts.add_graph(*value);
          } else if constexpr (std::is_same_v<Value, const runtime::InputList*>) {
            parts.add_list(*value);
          } else {
            parts.add_value(value);
          }
        },
        argument);
  }
  parts.add(universe.ids(), universe.size());
  if (universe.names() != nullptr) {
    parts.texts.push_back(universe.names()->number_bytes());
    parts.texts.push_back(universe.names()->text_bytes());
  }
  parts.add(maybe_labels, universe.size());
  if (maybe_dictionary != nullptr) {
    parts.add_value(maybe_dictionary->words().size());
    for (const std::string& word : maybe_dictionary->words()) parts.texts.push_back(word);
  }
  return runtime::CodeCache::key(parts.texts);
}

std::uint64_t units_of(std::span<const codegen::Argument> arguments, bool on_gpu) {
  std::uint64_t work = 0;
  for (const codegen::Argument& argument : arguments) {
    if (const auto* graph = std::get_if<runtime::Graph*>(&argument)) {
      work += (*graph)->view().arc_count + (*graph)->vertex_count();
    } else if (const auto* list = std::get_if<const runtime::InputList*>(&argument)) {
      work += (*list)->size;
    }
  }
  return std::clamp(work / (on_gpu ? kWorkOfGpuUnit : kWorkOfUnit), kFewestUnits, kMostUnits);
}

}  // namespace matcha::session::cluster
