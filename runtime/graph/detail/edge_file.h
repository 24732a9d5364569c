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

/// The edges of a text, in a scratch file where they do not fit in memory, and their different ids and words, which do.
class EdgeFile final : public EdgeBlocks, public InfoBlocks {
 public:
  /// `options`: the folder, and what a graph may take. Errors: Input when there can be no file.
  static Result<std::unique_ptr<EdgeFile>> create(const IoOptions& options);

  /// The edges of a chunk, with a third column where it has one; chunks come in file order. Errors: Resource when the
  /// disk is full or fails, or the ids take too much memory.
  Status add(const RowChunk& chunk);
  /// Edges between different vertices are there in both directions.
  void reverse() { is_reversed_ = true; }
  /// All edges were added, and their ids are of this kind.
  void close(IdKind kind);

  /// After `close`: the different ids that are int64, ascending.
  IdSpan numbers() const { return {numbers_.data(), numbers_.size()}; }
  /// Whether the different ids are places of `places()`: they are no int64, or became others by `lift`.
  bool has_places() const { return has_places_; }
  /// Ids that are int64 are to become others: `places()` has them in the order of `numbers()`.
  void lift();
  /// An id each, as cells of a chunk have it; what takes their place among all ids of the run is put here.
  std::vector<std::int64_t>& places() { return places_; }
  /// Of ids that are text.
  NameTable& names() { return names_; }
  /// Labels of edges that are words.
  const std::vector<std::string>& words() const { return words_; }
  /// The first label that is a number below 0.
  std::optional<std::int64_t> negative() const { return negative_; }

  /// All ids have ranks now, and all words codes. What the edges still need takes so many bytes.
  std::uint64_t rank_by(std::shared_ptr<const Universe> universe, const LabelDictionary& dictionary);
  std::uint64_t blocks() const override { return blocks_.size(); }
  /// Requires: `rank_by` was called.
  Status read(std::uint64_t block, std::vector<RankPair>& edges) const override;
  /// The same; requires a third column.
  Status read_info(std::uint64_t block, std::vector<InfoEdge>& edges) const override;

 private:
  EdgeFile(std::shared_ptr<ScratchFile> file, std::uint64_t bytes)
      : file_(std::move(file)), bytes_(bytes), ids_(bytes / 4) {}

  struct Block {
    std::uint64_t begin = 0;  ///< Bytes; all sources are followed by all targets.
    std::uint64_t count = 0;
    bool narrow = false;           ///< Ids are of 32 bits.
    std::uint64_t info_begin = 0;  ///< Of the third column, 8 bytes each,
    bool has_words = false;        ///< behind which there is a byte for each: it is the number of a word.
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
  NameTable names_;  ///< Ids in the file are numbers here, where they are text.
  bool is_named_ = false;
  Buffer<std::int64_t> numbers_;
  bool has_places_ = false;
  std::vector<std::int64_t> places_;
  Universe own_;  ///< Of ids in the file that are no numbers of names, where they have places.
  std::vector<std::string> words_;
  std::unordered_map<std::string, std::int64_t> word_numbers_;
  std::uint64_t word_bytes_ = 0;
  std::vector<std::int64_t> codes_;
  std::optional<std::int64_t> negative_;
  std::shared_ptr<const Universe> universe_;
};

}  // namespace matcha::runtime::detail
