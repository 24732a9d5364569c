#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "incremental/timed_columns.h"
#include "incremental/update.h"
#include "incremental/vertex_names.h"
#include "runtime/graph/labels.h"

/// Lines of updates.
namespace matcha::session::stream {

/// Codes of labels while the words of a graph are not all known: a new word gets a code that no graph has, until it
/// gets its own from the dictionary that has it.
class LabelCodes {
 public:
  explicit LabelCodes(std::shared_ptr<const runtime::LabelDictionary> dictionary)
      : dictionary_(std::move(dictionary)) {}

  /// The code of a number or a word.
  std::int64_t code(std::string_view label);
  const std::vector<std::string>& new_words() const { return new_words_; }
  const runtime::LabelDictionary& dictionary() const { return *dictionary_; }
  /// The dictionary with the new words.
  std::shared_ptr<const runtime::LabelDictionary> extended() const;
  /// Takes it, after which no word is new; `updates` get the codes that it has.
  void take(std::shared_ptr<const runtime::LabelDictionary> dictionary, std::vector<Update>& updates);

 private:
  std::int64_t recoded(std::int64_t label, const runtime::LabelDictionary& to) const;

  std::shared_ptr<const runtime::LabelDictionary> dictionary_;
  std::vector<std::string> new_words_;
  std::unordered_map<std::string, std::int64_t> codes_;
};

/// What the lines are.
struct LineRules {
  bool temporal = false;     ///< `u v t`; else `+ u v [label]` and the like.
  bool edge_labels = false;  ///< Edges that come have labels; else a label of an edge is skipped.
  std::shared_ptr<VertexNames> maybe_names = nullptr;  ///< Ids are text, and updates have numbers; else ids are ints.
  /// There is no graph yet, and the ids of the first update say whether ids are text.
  bool first_decides = false;
  bool decided = false;       ///< It did.
  TimedColumns columns = {};  ///< Of `u v t`.
};

/// What stands between an error of a line and its hint.
inline constexpr std::string_view kHintBreak = "\n  hint: ";

/// Whether a line without blanks before it is a comment.
bool is_comment(std::string_view line);

enum class LineKind : std::uint8_t { Update, Comment, Blank, Error };

/// Reads a line without its line feed: `+ u v [label]`, `e u v [label]`, `- u v [label]`, `-e u v [label]`,
/// `v id [label]`, `-v id`; comments begin with `#`, `%` or `//`. Blanks, tabs and commas separate, or the character
/// behind the first cell; cells may be quoted. On an Error, `error` has the fault, with a hint. The first line decides
/// about `rules.first_decides`.
LineKind read_update(std::string_view line, LineRules& rules, LabelCodes& codes, Update& update, std::string& error);

}  // namespace matcha::session::stream
