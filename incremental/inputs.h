#pragma once

#include <optional>
#include <string>
#include <vector>

#include "incremental/answer_text.h"
#include "incremental/engine.h"
#include "incremental/ledger_rows.h"
#include "incremental/netting.h"
#include "incremental/pair_counts.h"
#include "incremental/update_text.h"
#include "session/prepared.h"

/// Checks of a stream's inputs before its first batch, and between batches.
namespace matcha::session::stream {

/// The requirements of a program on the graph of a stream.
struct ProgramNeeds {
  bool edge_labels = false;  ///< It reads labels of edges.
};

/// Examines a program or a pattern. Its errors, and features that no stream supports, go to the reporter. `wants_rows`:
/// it must return a list. `maybe_ids`: the ids of the graph; computing with ids that are not numbers is an error.
/// Called on the thread that reads programs and patterns, if there is one.
Status find_needs(const ProgramRequest& request, bool directed, bool wants_rows, const runtime::Universe* maybe_ids,
                  const Reporter& reporter, ProgramNeeds& needs);

/// Gives the empty word to new vertices without a label, as a file of labels gives it to those that it omits. Does
/// nothing if labels, including those of edges, are negative numbers, which are codes of words otherwise. `start`: the
/// initial graph of the engine.
Status add_empty_word(Engine& engine, const ResidentGraph& start);

/// The treatment of vertices, given the present labels.
VertexRules vertex_rules(const Engine& engine, bool forgets);

/// The rows of a table that a batch inserts and deletes, in their order, and the changes of the edges between their
/// ends in the graph of an engine, if `pairs` has a value. `forgets`: rows expire. `facts` gets the numbers of inserted
/// and of deleted rows, without the rows that are inserted and deleted in the same batch.
NetBatch net_rows(const Engine& engine, const std::vector<Update>& updates, const LedgerRows& rows,
                  std::optional<PairCounts>& pairs, bool forgets, BatchFacts& facts);

/// Adds words of updates to those of the graph; `updates` get their codes. Errors: Input, with the line of the last
/// update and `maybe_file` if given, when labels cannot be words.
Status learn_words(Engine& engine, LabelCodes& codes, std::vector<Update>& updates, const std::string& maybe_file,
                   const Reporter& reporter);

}  // namespace matcha::session::stream
