#pragma once

#include <string>
#include <vector>

#include "incremental/engine.h"
#include "incremental/netting.h"
#include "incremental/update_text.h"
#include "session/prepared.h"

/// What a stream settles before its first batch, and between batches.
namespace matcha::session::stream {

/// What a program needs of the graph of a stream.
struct ProgramNeeds {
  bool edge_labels = false;  ///< It reads labels of edges.
};

/// Looks at a program or a pattern. Errors of it, and of what no stream has, go to the reporter. `wants_rows`: it must
/// return a list. `maybe_ids`: the ids of the graph; it is an error of a program to compute with them as numbers where
/// they are none. Called on the thread that reads programs and patterns, where there is one.
Status find_needs(const ProgramRequest& request, bool directed, bool wants_rows, const runtime::Universe* maybe_ids,
                  const Reporter& reporter, ProgramNeeds& needs);

/// Vertices that come without a label get the empty word, as a file of labels gives it to those that it leaves out; not
/// where labels, those of edges too, are negative numbers, which are codes of words else. `start`: the first graph of
/// the engine.
Status add_empty_word(Engine& engine, const ResidentGraph& start);

/// What becomes of vertices by the labels that there are.
VertexRules vertex_rules(const Engine& engine, bool forgets);

/// Words that updates bring become words of the graph; `updates` get their codes. Error: Input, with the line of the
/// last update and `maybe_file` where there is one, when labels cannot be words.
Status learn_words(Engine& engine, LabelCodes& codes, std::vector<Update>& updates, const std::string& maybe_file,
                   const Reporter& reporter);

}  // namespace matcha::session::stream
