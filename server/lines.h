#pragma once

#include <optional>

#include "server/protocol.h"
#include "session/reporter.h"
#include "session/resident_graph.h"

namespace matcha::server {

/// Answers the lines of standard input on standard output, after a line about the graph, until the input ends and all
/// requests are answered. `usual` has the defaults of all requests; `tier`, of those that name none. Ok, or Input once
/// the reader of the answers has closed its end.
Status serve_lines(const session::ResidentGraph::Shared& graph, std::optional<runtime::Tier> tier,
                   const ServeRequest& usual, const Reporter& reporter);

}  // namespace matcha::server
