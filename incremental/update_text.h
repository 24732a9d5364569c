#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "incremental/ledger_rows.h"
#include "incremental/timed_columns.h"
#include "incremental/update.h"
#include "incremental/vertex_names.h"
#include "runtime/graph/labels.h"

/// Parsing of update lines.
namespace matcha::session::stream {

/// Codes of labels before all words are known: a new word gets a temporary code that no graph has, until a dictionary
/// assigns its code.
class LabelCodes {
 public:
  explicit LabelCodes(std::shared_ptr<const runtime::LabelDictionary> dictionary)
      : dictionary_(std::move(dictionary)) {}

  /// The code of a number or a word.
  std::int64_t code(std::string_view label);
  const std::vector<std::string>& new_words() const { return new_words_; }
  const runtime::LabelDictionary& dictionary() const { return *dictionary_; }
  /// The dictionary including the new words.
  std::shared_ptr<const runtime::LabelDictionary> extended() const;
  /// Installs a dictionary, after which no word is new; `updates` get its codes.
  void take(std::shared_ptr<const runtime::LabelDictionary> dictionary, std::vector<Update>& updates);

 private:
  std::int64_t recoded(std::int64_t label, const runtime::LabelDictionary& to) const;

  std::shared_ptr<const runtime::LabelDictionary> dictionary_;
  std::vector<std::string> new_words_;
  std::unordered_map<std::string, std::int64_t> codes_;
};

/// The format of the lines.
struct LineRules {
  bool temporal = false;     ///< `u v t`; false: `+ u v [label]` and similar.
  bool edge_labels = false;  ///< Inserted edges have labels; false: a label of an edge is ignored.
  std::shared_ptr<VertexNames> maybe_names = nullptr;  ///< Ids are text, and updates have numbers; null: ids are ints.
  /// There is no graph so far; the ids of the first update decide whether ids are text.
  bool first_decides = false;
  bool decided = false;       ///< They have decided.
  TimedColumns columns = {};  ///< For `u v t`.
  /// Lines are rows of a table, and keep their cells; null: they are edges.
  std::shared_ptr<LedgerRows> maybe_rows = nullptr;
};

/// The text between an error of a line and its hint.
inline constexpr std::string_view kHintBreak = "\n  hint: ";

/// Reads a whole number, which may end with `.0`. On failure returns false and sets `error`, which calls the number
/// `what`.
bool read_number(std::string_view cell, const char* what, std::int64_t& number, std::string& error);

/// True if a line without leading blanks is a comment.
bool is_comment(std::string_view line);

enum class LineKind : std::uint8_t { Update, Comment, Blank, Error };

/// Reads a line without its line feed: `+ u v [label]`, `e u v [label]`, `- u v [label]`, `-e u v [label]`, `v id
/// [label]`, `-v id`; comments begin with `#`, `%` or `//`. The separator is blanks, tabs and commas, or the character
/// after the first cell; cells may be quoted. On an Error, `error` has the fault, with a hint. The first line decides
/// `rules.first_decides`.
LineKind read_update(std::string_view line, LineRules& rules, LabelCodes& codes, Update& update, std::string& error);

}  // namespace matcha::session::stream
