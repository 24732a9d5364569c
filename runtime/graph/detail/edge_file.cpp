#include "runtime/graph/detail/edge_file.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace matcha::runtime::detail {

namespace {

/// Bytes of a name besides its text until all names are sorted.
constexpr std::uint64_t kBytesPerName = 64;
/// Bytes of a word besides its text, which is stored twice.
constexpr std::uint64_t kBytesPerWord = 128;

}  // namespace

Result<std::unique_ptr<EdgeFile>> EdgeFile::create(const IoOptions& options) {
  std::shared_ptr<ScratchFile> file = MATCHA_TRY(ScratchFile::create(options.scratch_folder));
  return std::unique_ptr<EdgeFile>(new EdgeFile(std::move(file), options.piece_bytes));
}

Status EdgeFile::add(const RowChunk& chunk) {
  if (chunk.cells[0].empty()) return Done{};
  Status done = Done{};
  if (chunk.names.size() != 0) {
    done = add_named(chunk);
  } else {
    ids_.add(chunk.cells[0].data(), chunk.cells[0].size());
    ids_.add(chunk.cells[1].data(), chunk.cells[1].size());
    done = add_ids(chunk.cells[0], chunk.cells[1]);
  }
  return done && chunk.cells.size() > 2 ? add_info(chunk) : done;
}

/// Appends the third column of the last block.
Status EdgeFile::add_info(const RowChunk& chunk) {
  Block& block = blocks_.back();
  const bool is_label = chunk.labels.size() != 0;
  std::vector<std::int64_t> values = is_label ? chunk.labels.values : chunk.cells[2];
  std::vector<std::int64_t> numbers;
  for (const std::string& word : chunk.labels.words) {
    const auto [found, is_new] = word_numbers_.try_emplace(word, static_cast<std::int64_t>(words_.size()));
    numbers.push_back(found->second);
    if (!is_new) continue;
    words_.push_back(word);
    word_bytes_ += 2 * word.size() + kBytesPerWord;
  }
  if (word_bytes_ > bytes_) {
    return Error{ErrorKind::Resource,
                 std::to_string(words_.size()) + " labels of edges that are words need more than the memory limit of " +
                     std::to_string(bytes_) + " bytes",
                 "", 0, "raise it"};
  }
  std::vector<char> flags(chunk.labels.is_word.begin(), chunk.labels.is_word.end());
  for (std::size_t at = 0; is_label && at < values.size(); ++at) {
    if (!flags.empty() && flags[at] != 0) {
      values[at] = numbers[static_cast<std::size_t>(values[at])];
    } else if (values[at] < 0 && !negative_) {
      negative_ = values[at];
    }
  }
  block.info_begin = size_;
  block.has_words = !flags.empty();
  Status done = file_->write(size_, values.data(), values.size() * sizeof(std::int64_t));
  size_ += values.size() * sizeof(std::int64_t);
  if (done && block.has_words) done = file_->write(size_, flags.data(), flags.size());
  size_ += flags.size();
  return done;
}

/// Replaces names of the chunk by those of the file.
Status EdgeFile::add_named(const RowChunk& chunk) {
  is_named_ = true;
  std::vector<std::int64_t> numbers(chunk.names.size());
  for (std::uint64_t name = 0; name < numbers.size(); ++name) numbers[name] = names_.intern(chunk.names.name(name));
  if (names_.bytes() + kBytesPerName * names_.size() > bytes_ || names_.size() > kMaxVertices) {
    return Error{ErrorKind::Resource,
                 std::to_string(names_.size()) +
                     " vertices with ids that are text need more than the memory limit of " + std::to_string(bytes_) +
                     " bytes",
                 "", 0, "raise it"};
  }
  std::vector<std::int64_t> ends[2];
  for (std::size_t column = 0; column < 2; ++column) {
    for (const std::int64_t name : chunk.cells[column]) {
      ends[column].push_back(numbers[static_cast<std::size_t>(name)]);
    }
  }
  return add_ids(ends[0], ends[1]);
}

Status EdgeFile::add_ids(const std::vector<std::int64_t>& sources, const std::vector<std::int64_t>& targets) {
  const auto is_narrow = [](std::int64_t id) {
    return static_cast<std::uint64_t>(id) <= std::numeric_limits<std::uint32_t>::max();
  };
  const bool narrow =
      std::all_of(sources.begin(), sources.end(), is_narrow) && std::all_of(targets.begin(), targets.end(), is_narrow);
  const std::uint64_t count = sources.size();
  Status done = narrow ? append<std::uint32_t>(sources, targets) : append<std::int64_t>(sources, targets);
  blocks_.push_back({size_, count, narrow});
  size_ += 2 * count * (narrow ? sizeof(std::uint32_t) : sizeof(std::int64_t));
  return done;
}

template <typename Id>
Status EdgeFile::append(const std::vector<std::int64_t>& sources, const std::vector<std::int64_t>& targets) const {
  std::vector<Id> ids(sources.size() + targets.size());
  const auto middle =
      std::transform(sources.begin(), sources.end(), ids.begin(), [](std::int64_t id) { return static_cast<Id>(id); });
  std::transform(targets.begin(), targets.end(), middle, [](std::int64_t id) { return static_cast<Id>(id); });
  return file_->write(size_, ids.data(), ids.size() * sizeof(Id));
}

void EdgeFile::close(IdKind kind) {
  if (is_named_) {
    has_places_ = true;
    places_.resize(names_.size());
    std::iota(places_.begin(), places_.end(), std::int64_t{0});
    return;
  }
  numbers_ = ids_.take();
  if (kind != IdKind::Int) lift();
}

void EdgeFile::lift() {
  has_places_ = true;
  places_.assign(numbers_.begin(), numbers_.end());
}

std::uint64_t EdgeFile::rank_by(std::shared_ptr<const Universe> universe, const LabelDictionary& dictionary) {
  universe_ = std::move(universe);
  for (const std::string& word : words_) codes_.push_back(*dictionary.code(word));
  word_numbers_ = {};
  (void)std::exchange(names_, NameTable());
  if (has_places_ && !is_named_) own_ = Universe::from_sorted(std::move(numbers_));
  numbers_ = {};
  return (places_.size() + (is_named_ ? 0 : 2 * own_.size())) * sizeof(std::int64_t);
}

Status EdgeFile::read_info(std::uint64_t number, std::vector<InfoEdge>& edges) const {
  const Block& block = blocks_[number];
  std::vector<RankPair> pairs;
  Status done = read(number, pairs);
  std::vector<std::int64_t> values(block.count);
  std::vector<char> flags(block.has_words ? block.count : 0);
  const std::uint64_t bytes = values.size() * sizeof(std::int64_t);
  if (done) done = file_->read(block.info_begin, values.data(), bytes);
  if (done && block.has_words) done = file_->read(block.info_begin + bytes, flags.data(), flags.size());
  if (!done) return done;
  for (std::size_t at = 0; at < flags.size(); ++at) {
    if (flags[at] != 0) values[at] = codes_[static_cast<std::size_t>(values[at])];
  }
  edges.resize(pairs.size());
  // Reversed edges follow all others.
  std::size_t turned = 0;
  for (std::size_t at = 0; at < pairs.size(); ++at) {
    std::size_t from = at;
    if (at >= block.count) {
      while (pairs[turned].source == pairs[turned].target) ++turned;
      from = turned++;
    }
    edges[at] = {pairs[at].source, pairs[at].target, static_cast<std::uint64_t>(values[from])};
  }
  return Done{};
}

Status EdgeFile::read(std::uint64_t number, std::vector<RankPair>& edges) const {
  const Block& block = blocks_[number];
  std::vector<std::int64_t> ids(2 * block.count);
  Status done = Done{};
  if (block.narrow) {
    std::vector<std::uint32_t> narrow(2 * block.count);
    done = file_->read(block.begin, narrow.data(), narrow.size() * sizeof(std::uint32_t));
    std::copy(narrow.begin(), narrow.end(), ids.begin());
  } else {
    done = file_->read(block.begin, ids.data(), ids.size() * sizeof(std::int64_t));
  }
  if (!done) return done;
  std::vector<std::uint32_t> ranks(ids.size());
  if (has_places_) {
    if (!is_named_) {
      own_.ranks(ids.data(), ids.size(), ranks.data());
      std::copy(ranks.begin(), ranks.end(), ids.begin());
    }
    for (std::int64_t& id : ids) id = places_[static_cast<std::size_t>(id)];
  }
  universe_->ranks(ids.data(), ids.size(), ranks.data());
  edges.resize(block.count);
  for (std::uint64_t at = 0; at < block.count; ++at) edges[at] = {ranks[at], ranks[block.count + at]};
  for (std::uint64_t at = 0; is_reversed_ && at < block.count; ++at) {
    if (edges[at].source != edges[at].target) edges.push_back({edges[at].target, edges[at].source});
  }
  return Done{};
}

}  // namespace matcha::runtime::detail
