#pragma once

#include <string_view>

#include "runtime/graph/detail/source.h"
#include "runtime/graph/formats/graph_sink.h"

/// The functions that `formats.def` names. Each pair is in the file of its format.
namespace matcha::runtime::detail {

bool looks_like_tve_set(std::string_view head);
Status read_tve_set(LineSource& source, GraphSink& sink);

Status read_metis(LineSource& source, GraphSink& sink);

bool looks_like_dimacs(std::string_view head);
Status read_dimacs(LineSource& source, GraphSink& sink);

bool looks_like_graphml(std::string_view head);
Status read_graphml(LineSource& source, GraphSink& sink);

bool looks_like_gml(std::string_view head);
Status read_gml(LineSource& source, GraphSink& sink);

bool looks_like_pajek(std::string_view head);
Status read_pajek(LineSource& source, GraphSink& sink);

bool looks_like_graph6(std::string_view head);
Status read_graph6(LineSource& source, GraphSink& sink);

}  // namespace matcha::runtime::detail
