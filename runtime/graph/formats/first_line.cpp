#include "runtime/graph/formats/first_line.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "runtime/graph/detail/tokens.h"
#include "runtime/graph/formats/graph_sink.h"
#include "runtime/graph/formats/text_reader.h"

namespace matcha::runtime::detail {

namespace {

/// The leading numbers of a line, at most five; empty if it has anything else.
std::vector<std::int64_t> numbers_of(std::string_view line) {
  std::vector<std::int64_t> numbers;
  const char* p = skip_blanks(line.data());
  while (*p != '\n' && !starts_comment(p)) {
    std::int64_t value = 0;
    if (parse_int(p, value) != NumberState::Ok || value < 0 || numbers.size() == 5) return {};
    numbers.push_back(value);
    p = skip_separator(p);
  }
  return numbers;
}

/// True for a number that can be a flag word after a size, like the third of METIS: digits 0 and 1.
bool is_flag_word(std::int64_t number) { return number <= 111 && number % 10 <= 1 && number / 10 % 10 <= 1; }

/// Tests whether the lines after the first one agree with a size, and with the header of a METIS file. Each is given up
/// at the first line that rules it out.
class Lines {
 public:
  /// `first`, `second`: the first lines that are neither blank nor comments.
  Lines(const std::vector<std::int64_t>& first, const std::vector<std::int64_t>& second, unsigned source,
        unsigned target, bool may_be_metis)
      : first_(first), source_(source), target_(target) {
    const auto has_size = [this](std::int64_t n, std::int64_t m) {
      if (n > 0 && m > 0) sizes_.push_back({n, m});
    };
    if (first.size() == 1) {
      const bool two_lines = second.size() == 1;
      lines_ = two_lines ? 2 : 1;
      // Without a declared number of edges, any number fits.
      has_size(first[0], two_lines ? second[0] : kAnyEdges);
    } else if (first.size() == 2 || first.size() == 3) {
      has_size(first[0], first[1]);
      if (first.size() == 3 && first[0] == first[1]) has_size(first[0], first[2]);
    }
    for (const Size& size : sizes_) {
      most_vertices_ = std::max(most_vertices_, size.vertices);
      most_edges_ = std::max(most_edges_, size.edges);
    }
    is_size_ = !sizes_.empty();
    is_metis_ = may_be_metis && first.size() >= 2 && first.size() <= 4 && read_flags();
  }

  unsigned size_lines() const { return lines_; }
  bool is_alive() const { return is_size_ || is_metis_ || is_near_metis_; }

  /// Adds the line at `p`, which is not a comment and may be blank.
  void add(const char* p) {
    p = skip_blanks(p);
    const bool is_blank_line = *p == '\n';
    ++all_lines_;
    if (is_metis_ || is_near_metis_) add_to_metis(p, is_blank_line);
    if (is_blank_line) return;
    ++lines_below_;
    add_to_size(p);
  }

  bool fits_metis() const {
    return is_metis_ && all_lines_ >= vertices() && entries_ == 2 * static_cast<std::uint64_t>(first_[1]) &&
           metis_balance_ == 0 && entries_ != 0;
  }
  /// It has as many lines as METIS but is not edges in columns: the reader of METIS gives the better error.
  bool is_near_metis() const {
    return is_near_metis_ && all_lines_ >= vertices() && (columns_ != first_.size() || !is_even_) && !is_even_;
  }
  /// True if the METIS edges equal those of the columns.
  bool is_same() const { return metis_edges_ == 2 * edges_; }
  bool may_be_edges() const { return is_even_ && columns_ >= 2 && (columns_ == first_.size() || fitting() != nullptr); }

  struct Size {
    std::int64_t vertices = 0;
    std::int64_t edges = 0;
  };
  static constexpr std::int64_t kAnyEdges = std::numeric_limits<std::int64_t>::max();
  /// The size that fits all lines; null if none does.
  const Size* fitting() const {
    if (!is_size_ || lines_below_ == 0) return nullptr;
    // One more line with the same number of columns fits by chance.
    if (lines_below_ == 1 && columns_ == first_.size()) return nullptr;
    for (const Size& size : sizes_) {
      const std::uint64_t edges = static_cast<std::uint64_t>(size.edges);
      // Three numbers above three columns may be an edge with its weight.
      if (columns_ == 3 && first_.size() == 3 && size.edges == first_[1] && !is_flag_word(first_[2])) continue;
      const bool all = lines_below_ == edges, twice = lines_below_ == 2 * edges && balance_ == 0;
      const bool ids = highest_ < size.vertices || (highest_ == size.vertices && lowest_ >= 1);
      if (ids && (all || twice || size.edges == kAnyEdges) && !is_edge_by_chance(size)) return &size;
    }
    return nullptr;
  }
  IdRange range_of(const Size& size) const {
    return IdRange{highest_ == size.vertices ? 1 : 0, static_cast<std::uint64_t>(size.vertices)};
  }
  std::uint64_t lines_below() const { return lines_below_; }
  /// True if the first line, which fits as a size, would as an edge join two vertices of other lines.
  bool may_be_edge() const {
    return columns_ == first_.size() && first_[0] != first_[1] && seen_.contains(first_[0]) &&
           seen_.contains(first_[1]);
  }
  /// True if the first line fits because each of its edges is two lines, and has their form.
  bool may_be_arc(const Size& size) const {
    const bool twice = lines_below_ == 2 * static_cast<std::uint64_t>(size.edges);
    return twice && columns_ == first_.size() && first_[0] != first_[1];
  }

 private:
  std::uint64_t vertices() const { return static_cast<std::uint64_t>(first_[0]); }

  /// A few lines with sparse ids fit a first edge by chance: then most of the vertices would have no edge.
  bool is_edge_by_chance(const Size& size) const {
    if (columns_ != first_.size() || seen_.size() == kMostSeen) return false;
    const auto covered = static_cast<std::int64_t>(seen_.size());
    return covered < size.vertices - covered;
  }

  bool read_flags() {
    const std::int64_t flags = first_.size() > 2 ? first_[2] : 0;
    constexpr std::int64_t kMostWeights = 1024;
    if (!is_flag_word(flags)) return false;
    if (first_.size() == 4 && first_[3] > kMostWeights) return false;
    weights_ = (flags / 100 == 1 ? 1 : 0) + (flags / 10 % 10 == 1 ? (first_.size() == 4 ? first_[3] : 1) : 0);
    has_edge_weights_ = flags % 10 == 1;
    is_near_metis_ = true;
    return first_[0] > 0;
  }

  void add_to_metis(const char* p, bool is_blank_line) {
    if (all_lines_ > vertices()) {
      // Blank lines are allowed at the end.
      if (!is_blank_line) is_metis_ = is_near_metis_ = false;
      return;
    }
    const auto vertex = static_cast<std::int64_t>(all_lines_);
    std::int64_t at = -weights_;
    for (; *p != '\n'; ++at) {
      std::int64_t value = 0;
      if (parse_int(p, value) != NumberState::Ok) {
        is_metis_ = is_near_metis_ = false;
        return;
      }
      p = skip_separator(p);
      if (at < 0) continue;
      if (has_edge_weights_) {
        std::int64_t weight = 0;
        if (parse_int(p, weight) != NumberState::Ok) is_metis_ = false;
        p = skip_separator(p);
      }
      if (value < 1 || value > first_[0]) is_metis_ = false;
      ++entries_;
      metis_balance_ += hash_pair(vertex, value) - hash_pair(value, vertex);
      metis_edges_ += hash_pair(std::min(vertex, value), std::max(vertex, value));
    }
    if (at < 0) is_metis_ = false;
  }

  void add_to_size(const char* p) {
    std::int64_t ends[2] = {-1, -1};
    unsigned column = 0;
    for (; *p != '\n' && !starts_comment(p); ++column, p = skip_separator(p)) {
      const char* token = p;
      std::int64_t value = 0;
      const bool is_end = column == source_ || column == target_;
      if (is_end && parse_int(token, value) == NumberState::Ok) ends[column == source_ ? 0 : 1] = value;
      p = skip_token(p);
    }
    if (lines_below_ == 1) columns_ = column;
    is_even_ = is_even_ && column == columns_;
    if (!is_size_) return;
    is_size_ = is_even_ && ends[0] >= 0 && ends[1] >= 0 && std::max(ends[0], ends[1]) <= most_vertices_ &&
               (most_edges_ == kAnyEdges || lines_below_ / 2 <= static_cast<std::uint64_t>(most_edges_));
    for (const std::int64_t end : ends) {
      if (seen_.size() < kMostSeen) seen_.insert(end);
    }
    lowest_ = std::min({lowest_, ends[0], ends[1]});
    highest_ = std::max({highest_, ends[0], ends[1]});
    balance_ += hash_pair(ends[0], ends[1]) - hash_pair(ends[1], ends[0]);
    edges_ += hash_pair(std::min(ends[0], ends[1]), std::max(ends[0], ends[1]));
  }

  const std::vector<std::int64_t>& first_;
  unsigned source_, target_;
  unsigned lines_ = 1;  ///< Lines of the size.
  std::uint64_t all_lines_ = 0;
  std::uint64_t lines_below_ = 0;  ///< Lines that are not blank.
  // As edges:
  static constexpr std::size_t kMostSeen = 4096;
  std::unordered_set<std::int64_t> seen_;  ///< The first kMostSeen ids of the lines below.
  std::vector<Size> sizes_;
  std::int64_t most_vertices_ = 0, most_edges_ = 0;
  bool is_size_ = false;
  bool is_even_ = true;
  unsigned columns_ = 0;
  std::int64_t lowest_ = std::numeric_limits<std::int64_t>::max(), highest_ = -1;
  std::uint64_t balance_ = 0;  ///< 0 if each edge is given in both directions.
  std::uint64_t edges_ = 0;    ///< The sum of the hashes of the edges.
  // As METIS:
  bool is_metis_ = false, is_near_metis_ = false;
  bool has_edge_weights_ = false;
  std::int64_t weights_ = 0;  ///< Numbers before the neighbours.
  std::uint64_t entries_ = 0;
  std::uint64_t metis_balance_ = 0, metis_edges_ = 0;
};

/// True for a list of edges written by Matcha: its size is in a comment, and its first line is an edge.
bool has_size_comment(std::string_view head) {
  const std::string_view line = first_text_line(head);
  return line.starts_with("# ") && line.find(" vertices ") != std::string_view::npos &&
         (line.ends_with(" arcs") || line.ends_with(" undirected edges"));
}

/// Adds the remaining lines of the source to `lines`, until all interpretations are ruled out.
Status add_all(LineSource& source, const IoOptions& options, Lines& lines) {
  unsigned skipped = 0;
  while (lines.is_alive()) {
    if (options.cancelled()) return interrupted_error();
    LineChunk chunk = MATCHA_TRY(source.next());
    if (chunk.begin == chunk.end) break;
    for (const char* p = chunk.begin; p != chunk.end && lines.is_alive();) {
      const char* const first = skip_blanks(p);
      if (!starts_comment(first)) {
        if (skipped == lines.size_lines()) {
          lines.add(first);
        } else {
          skipped += *first == '\n' ? 0 : 1;
        }
      }
      p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(chunk.end - p))) + 1;
    }
    source.release(chunk);
  }
  return Done{};
}

}  // namespace

Result<FirstLine> judge_first_line(LineSource& source, const std::vector<ColumnSpec>& columns, bool asked_edges,
                                   const IoOptions& options) {
  constexpr std::size_t kLookedAt = 100;
  std::vector<std::string_view> top = MATCHA_TRY(source.peek(kLookedAt));
  if (top.size() < 2 || has_size_comment(source.head())) return FirstLine{};
  const std::vector<std::int64_t> first = numbers_of(top[0]);
  if (first.empty() || first.size() > 4) return FirstLine{};
  // Columns other than the first two are named for files whose lines have them.
  const unsigned last = std::max(columns[0].index, columns[1].index);
  if (columns[0].index + columns[1].index != 1 && last < first.size()) return FirstLine{};
  const std::vector<std::int64_t> second = numbers_of(top[1]);
  const Lines start(first, second, columns[0].index, columns[1].index, !asked_edges);
  Lines some = start;
  for (std::size_t at = start.size_lines(); at < top.size() && some.is_alive(); ++at) some.add(top[at].data());
  if (!some.is_alive()) return FirstLine{};
  std::unique_ptr<LineSource> again = MATCHA_TRY(source.again(options));
  Lines all = start;
  Status done = add_all(*again, options, all);
  if (!done) return done.error();
  const Lines::Size* const size = all.fitting();
  if (all.fits_metis() || (size == nullptr && all.is_near_metis())) {
    if (all.fits_metis() && all.may_be_edges() && !all.is_same()) {
      return input_error(
          source.path(), source.first_line(),
          "the file is a METIS graph of " + std::to_string(first[0]) + " vertices as well as " +
              std::to_string(all.lines_below()) + " edges",
          "say which: `--format metis` or `--format edges`; verbs that write a graph have `--input-format`");
    }
    return FirstLine{FirstLine::Kind::Metis, 0, {}, ""};
  }
  if (size == nullptr) return FirstLine{};
  FirstLine found{FirstLine::Kind::Size, all.size_lines(),     all.range_of(*size), "",
                  all.may_be_edge(),     all.may_be_arc(*size)};
  for (const std::int64_t number : first) found.text += (found.text.empty() ? "" : " ") + std::to_string(number);
  if (all.size_lines() == 2) found.text += " " + std::to_string(second[0]);
  done = check_declared(source.path(), source.first_line(), found.vertices.count, all.lines_below(), "vertices");
  return done ? Result<FirstLine>(std::move(found)) : done.error();
}

}  // namespace matcha::runtime::detail
