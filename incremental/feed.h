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
  ColumnRequest columns;  ///< For timed lines.
  bool directed = false;
  std::optional<std::int64_t> width;  ///< The width of a window; requires times.
  std::int64_t lateness = 0;
  std::optional<std::int64_t> slide;  ///< Each batch has lines of one interval of this length.
};

/// Updates of a batch as they arrived, before netting.
struct RawBatch {
  std::vector<Update> updates;
  std::uint64_t taken = 0;                            ///< Updates taken from the feed, including those of a window.
  std::uint64_t lines = 0;                            ///< Lines among them.
  std::uint64_t late = 0;                             ///< Dropped lines that arrived too late.
  std::optional<std::int64_t> first_time, last_time;  ///< The times of the first and the last line.
};

/// Converts lines to batches: reads lines, sorts late ones, and deletes expired edges of the window. The result depends
/// only on the lines and the ends of batches, so that a log of both reproduces the batches.
class Feed {
 public:
  Feed(const FeedRules& rules, std::shared_ptr<const runtime::LabelDictionary> dictionary)
      : rules_(rules), codes_(std::move(dictionary)), window_(rules.width, rules.lateness, rules.directed) {}

  /// Takes a line without its line feed, and its number.
  LineKind push(std::string_view line, std::uint64_t number, std::string& error);
  /// The next line is the first one of another file, with these columns.
  void begin_file(const ColumnRequest& columns);
  /// Ends the input.
  void flush();

  /// An update is available that belongs to the current batch.
  bool has_next() const { return !ready_.empty() && !begins_slide(); }
  /// The next update begins a new interval, and so a new batch.
  bool begins_slide() const;
  /// No update is available.
  bool is_exhausted() const { return ready_.empty(); }
  /// Moves the next update to the batch.
  void take();
  const RawBatch& batch() const { return batch_; }
  /// Returns the current batch and begins the next one. Its labels may be new words.
  RawBatch end_batch();

  LabelCodes& codes() { return codes_; }
  /// The names of vertices, once ids are found to be text; null: ids are ints so far.
  const std::shared_ptr<VertexNames>& names() const { return rules_.lines.maybe_names; }

  /// Between batches: saves and restores the state.
  nlohmann::json saved() const;
  void restore(const nlohmann::json& saved);

 private:
  std::int64_t interval_of(std::int64_t time) const;
  /// Lengths of time are in the units of the rows.
  void take_units();
  /// Called while the columns of timed lines are unknown. Comment: the line is a heading, not an update.
  LineKind begin(std::string_view line, std::string& error);

  FeedRules rules_;
  LabelCodes codes_;
  Window window_;
  bool is_begun_ = false;   ///< The columns of timed lines are known.
  bool has_units_ = false;  ///< The units of the columns of rows are known.
  std::string comment_;     ///< The last comment before the first timed line.
  std::deque<Update> ready_;
  RawBatch batch_;
};

}  // namespace matcha::session::stream
