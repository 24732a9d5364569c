#include "session/graph_samples.h"

#include <algorithm>
#include <new>
#include <utility>

#include "runtime/graph/universe.h"

namespace matcha::session {

namespace {

using runtime::Graph;
using runtime::GraphView;

/// The places of the arcs from `u` to each of `members`, in order.
template <typename F>
void for_each_arc(const GraphView& view, std::uint32_t u, const std::vector<std::uint32_t>& members, F f) {
  const runtime::ArcRange arcs = runtime::arcs_of(view, u);
  const std::uint32_t* const end = view.neighbors + arcs.end;
  for (std::uint32_t v = 0; v < members.size(); ++v) {
    const std::uint32_t* at = std::lower_bound(view.neighbors + arcs.begin, end, members[v]);
    for (; at != end && *at == members[v]; ++at) f(v, static_cast<std::uint64_t>(at - view.neighbors));
  }
}

Graph cut_out(const Graph& from, const std::vector<std::uint32_t>& members, const std::int64_t* maybe_labels) {
  const GraphView view = from.view();
  runtime::GraphArrays arrays;
  arrays.offsets = runtime::Buffer<std::uint64_t>(members.size() + 1);
  std::vector<std::pair<std::uint32_t, std::uint64_t>> found;  // Target and place of each arc.
  for (std::size_t u = 0; u < members.size(); ++u) {
    arrays.offsets[u] = found.size();
    for_each_arc(view, members[u], members, [&](std::uint32_t v, std::uint64_t at) { found.emplace_back(v, at); });
  }
  arrays.offsets[members.size()] = found.size();
  arrays.neighbors = runtime::Buffer<std::uint32_t>(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) arrays.neighbors[i] = found[i].first;
  if (view.edge_info != nullptr) {
    arrays.edge_info = runtime::Buffer<std::uint64_t>(found.size());
    const std::uint64_t* const info = static_cast<const std::uint64_t*>(view.edge_info);
    for (std::size_t i = 0; i < found.size(); ++i) arrays.edge_info[i] = info[found[i].second];
  }
  if (maybe_labels != nullptr) {
    arrays.labels = runtime::Buffer<std::int64_t>(members.size());
    for (std::size_t i = 0; i < members.size(); ++i) arrays.labels[i] = maybe_labels[i];
  }
  const auto universe = std::make_shared<const runtime::Universe>(runtime::Universe::identity(members.size()));
  return Graph::from_arrays(universe, std::move(arrays), from.facts());
}

}  // namespace

bool GraphSamples::can_draw(const BoundInputs& bound) {
  const bool has_lists = std::ranges::any_of(bound.arguments, [](const codegen::Argument& one) {
    return std::holds_alternative<const runtime::InputList*>(one);
  });
  return bound.inputs.graphs.size() == 1 && !has_lists && bound.inputs.graphs.begin()->second.view().universe != 0 &&
         bound.inputs.graphs.begin()->second.view().vertices == nullptr;
}

std::uint32_t GraphSamples::start(const GraphView& view) {
  // Half of them by degree, so that hubs are not missed.
  if (view.arc_count != 0 && random_.below(2) == 0) return view.neighbors[random_.below(view.arc_count)];
  return static_cast<std::uint32_t>(random_.below(view.universe));
}

std::vector<std::uint32_t> GraphSamples::vertices(const GraphView& view, std::uint64_t size) {
  std::vector<std::uint32_t> members;
  const std::uint64_t wanted = std::min(size, view.universe);
  constexpr unsigned kPatience = 16;
  unsigned in_vain = kPatience;
  while (members.size() < wanted) {
    std::uint32_t next = 0;
    if (in_vain >= kPatience) {
      next = start(view);
    } else {
      const runtime::ArcRange arcs = runtime::arcs_of(view, members[random_.below(members.size())]);
      if (arcs.begin == arcs.end) {
        ++in_vain;
        continue;
      }
      next = view.neighbors[arcs.begin + random_.below(arcs.end - arcs.begin)];
    }
    const bool is_new = std::ranges::find(members, next) == members.end();
    in_vain = is_new ? 0 : in_vain + 1;
    if (is_new) members.push_back(next);
  }
  std::ranges::sort(members);
  return members;
}

runtime::Result<std::unique_ptr<SampleInputs>> GraphSamples::draw(std::uint64_t size) {
  try {
    const auto& [name, graph] = *bound_.inputs.graphs.begin();
    const GraphView view = graph.view();
    const std::vector<std::uint32_t> members = vertices(view, size);
    std::unique_ptr<SampleInputs> sample = std::make_unique<SampleInputs>();
    BoundInputs& bound = sample->bound;
    const std::int64_t* const all_labels = view.labels != nullptr ? view.labels : bound_.labels;
    for (const std::uint32_t v : members) sample->labels.push_back(all_labels != nullptr ? all_labels[v] : 0);
    Graph small = cut_out(graph, members, view.labels != nullptr ? sample->labels.data() : nullptr);
    MATCHA_TRY(runtime::ensure_split_offsets(small));
    small.set_dictionary(bound_.inputs.dictionary);
    bound.inputs.universe = small.shared_universe();
    bound.inputs.dictionary = bound_.inputs.dictionary;
    bound.main_graph = name;
    bound.labels = bound_.labels != nullptr ? sample->labels.data() : nullptr;
    Graph* const bound_graph = &bound.inputs.graphs.emplace(name, std::move(small)).first->second;
    for (const codegen::Argument& argument : bound_.arguments) {
      const bool is_graph = std::holds_alternative<Graph*>(argument);
      bound.arguments.push_back(is_graph ? codegen::Argument(bound_graph) : argument);
    }
    return sample;
  } catch (const std::bad_alloc&) {
    return runtime::out_of_memory();
  }
}

}  // namespace matcha::session
