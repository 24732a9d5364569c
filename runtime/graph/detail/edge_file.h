#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/graph/buffer.h"
#include "runtime/graph/detail/csr_in_pieces.h"
#include "runtime/graph/detail/id_set.h"
#include "runtime/graph/detail/info_in_pieces.h"
#include "runtime/graph/detail/name_table.h"
#include "runtime/graph/detail/rows.h"
#include "runtime/graph/detail/scratch_file.h"
#include "runtime/graph/inputs.h"
#include "runtime/graph/universe.h"

namespace matcha::runtime::detail {

/// The edges of a text, in a scratch file if they do not fit in memory. Their distinct ids and words stay in memory.
class EdgeFile final : public EdgeBlocks, public InfoBlocks {
 public:
  /// `options`: the folder, and the memory limit of a graph. Errors: Input when the file cannot be created.
  static Result<std::unique_ptr<EdgeFile>> create(const IoOptions& options);

  /// Adds the edges of a chunk, with a third column if it has one; chunks arrive in file order. Errors: Resource when
  /// the disk is full or fails, or the ids take too much memory.
  Status add(const RowChunk& chunk);
  /// Each edge between different vertices becomes an arc in both directions.
  void reverse() { is_reversed_ = true; }
  /// Ends the input: all edges were added, and their ids are of this kind.
  void close(IdKind kind);

  /// After `close`: the distinct ids that are int64, ascending.
  IdSpan numbers() const { return {numbers_.data(), numbers_.size()}; }
  /// True if ids are places in `places()`: they are not int64, or `lift` replaced them.
  bool has_places() const { return has_places_; }
  /// Replaces int64 ids: `places()` gets them in the order of `numbers()`.
  void lift();
  /// One id each, as the cells of a chunk have it. The caller writes its place among all ids of the run here.
  std::vector<std::int64_t>& places() { return places_; }
  /// Ids that are text.
  NameTable& names() { return names_; }
  /// Edge labels that are words.
  const std::vector<std::string>& words() const { return words_; }
  /// The first label that is a number below 0.
  std::optional<std::int64_t> negative() const { return negative_; }

  /// Called when all ids have ranks and all words have codes. Returns the bytes that the edges still need.
  std::uint64_t rank_by(std::shared_ptr<const Universe> universe, const LabelDictionary& dictionary);
  std::uint64_t blocks() const override { return blocks_.size(); }
  /// Requires: `rank_by` was called.
  Status read(std::uint64_t block, std::vector<RankPair>& edges) const override;
  /// As `read`, with the third column. Requires: it exists.
  Status read_info(std::uint64_t block, std::vector<InfoEdge>& edges) const override;

 private:
  EdgeFile(std::shared_ptr<ScratchFile> file, std::uint64_t bytes)
      : file_(std::move(file)), bytes_(bytes), ids_(bytes / 4) {}

  struct Block {
    std::uint64_t begin = 0;  ///< In bytes; all sources are followed by all targets.
    std::uint64_t count = 0;
    bool narrow = false;           ///< Ids have 32 bits.
    std::uint64_t info_begin = 0;  ///< Where the third column begins, 8 bytes each.
    bool has_words = false;        ///< A byte for each edge follows: 1 if its label is the number of a word.
  };
  template <typename Id>
  Status append(const std::vector<std::int64_t>& sources, const std::vector<std::int64_t>& targets) const;
  Status add_named(const RowChunk& chunk);
  Status add_info(const RowChunk& chunk);
  Status add_ids(const std::vector<std::int64_t>& sources, const std::vector<std::int64_t>& targets);

  std::shared_ptr<ScratchFile> file_;
  std::uint64_t bytes_;
  bool is_reversed_ = false;
  std::vector<Block> blocks_;
  std::uint64_t size_ = 0;
  IdSet ids_;
  NameTable names_;  ///< Names by the number in the file, if ids are text.
  bool is_named_ = false;
  Buffer<std::int64_t> numbers_;
  bool has_places_ = false;
  std::vector<std::int64_t> places_;
  Universe own_;  ///< Ids in the file that are not numbers of names, if they have places.
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::int64_t> word_numbers_;
  std::uint64_t word_bytes_ = 0;
  std::vector<std::int64_t> codes_;
  std::optional<std::int64_t> negative_;
  std::shared_ptr<const Universe> universe_;
};

}  // namespace matcha::runtime::detail
