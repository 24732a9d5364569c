#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "incremental/update_text.h"
#include "incremental/window.h"

namespace matcha::session::stream {

struct FeedRules {
  LineRules lines;
  ColumnWish columns;  ///< Of timed lines.
  bool directed = false;
  std::optional<std::int64_t> width;  ///< Of a window; with times.
  std::int64_t lateness = 0;
  std::optional<std::int64_t> slide;  ///< A batch has lines of one stretch of so much time.
};

/// Updates of a batch as they came, before it is known what they change.
struct RawBatch {
  std::vector<Update> updates;
  std::uint64_t taken = 0;                            ///< Updates that were taken from the feed, those of a window too.
  std::uint64_t lines = 0;                            ///< Lines among them.
  std::uint64_t late = 0;                             ///< Lines that came too late and are not among them.
  std::optional<std::int64_t> first_time, last_time;  ///< Of the lines.
};

/// From lines to batches: reads lines, puts late ones in order, takes out of the window what is over. It depends on the
/// lines alone, and on where batches are cut, so that a log of both gives the same batches again.
class Feed {
 public:
  Feed(const FeedRules& rules, std::shared_ptr<const runtime::LabelDictionary> dictionary)
      : rules_(rules), codes_(std::move(dictionary)), window_(rules.width, rules.lateness, rules.directed) {}

  /// A line without its line feed, and its number.
  LineKind push(std::string_view line, std::uint64_t number, std::string& error);
  /// There are no more lines.
  void flush();

  /// An update is there, and it does not belong into the next batch.
  bool has_next() const { return !ready_.empty() && !begins_slide(); }
  /// What is there begins a batch, and so ends this one.
  bool begins_slide() const;
  /// Nothing is there.
  bool is_dry() const { return ready_.empty(); }
  /// Takes it into the batch.
  void take();
  const RawBatch& batch() const { return batch_; }
  /// The batch so far, after which the next one begins. Its labels may be new words.
  RawBatch end_batch();

  LabelCodes& codes() { return codes_; }
  /// The names of vertices, once it is known that ids are text; null: they are ints, as far as is known.
  const std::shared_ptr<VertexNames>& names() const { return rules_.lines.maybe_names; }

  /// Between batches: what it holds, and the same again.
  nlohmann::json saved() const;
  void restore(const nlohmann::json& saved);

 private:
  std::int64_t stretch_of(std::int64_t time) const;
  /// Before the first timed line it is not known which columns it has. Comment: the line is none, but a heading.
  LineKind begin(std::string_view line, std::string& error);

  FeedRules rules_;
  LabelCodes codes_;
  Window window_;
  bool is_begun_ = false;  ///< The columns of timed lines are known.
  std::string comment_;    ///< The last one before that.
  std::deque<Update> ready_;
  RawBatch batch_;
};

}  // namespace matcha::session::stream
