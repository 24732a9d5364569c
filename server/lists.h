#pragma once

#include "frontend/asg.h"
#include "server/protocol.h"
#include "session/resident_graph.h"

namespace matcha::server {

/// The graph with the lists of a request: an object of arrays, by the names of parameters. An item is a number, a text,
/// which is the id of a vertex, or an array of these, a row. Ok, Usage or Resource.
Status give_lists(const Json& lists, const JsonLog& log, session::ResidentGraph::Shared& graph);

/// Ok, or Usage where a list is for no parameter of the program.
Status check_lists(const Json& lists, const session::Signature& program, const JsonLog& log);

}  // namespace matcha::server
