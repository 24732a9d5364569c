#include "runtime/graph/detail/source.h"

#include <strings.h>
#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/graph/detail/mtg_layout.h"
#include "runtime/graph/detail/ntriples.h"
#include "runtime/graph/detail/scratch_file.h"
#include "runtime/graph/detail/tokens.h"
#include "runtime/graph/formats/foreign.h"
#include "runtime/graph/formats/registry.h"

namespace matcha::runtime::detail {

namespace {

const char* find_newline(const char* begin, const char* end) {
  return static_cast<const char*>(std::memchr(begin, '\n', static_cast<std::size_t>(end - begin)));
}

const char* find_last_newline(const char* begin, const char* end) {
  return static_cast<const char*>(memrchr(begin, '\n', static_cast<std::size_t>(end - begin)));
}

/// The number of the line that begins behind `before`, from 1.
std::uint64_t line_behind(std::string_view before) {
  return 1 + static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
}

/// `before`: the bytes of the file up to the line, if they are there.
Error long_line(const std::string& path, std::optional<std::string_view> before) {
  return input_error(path, before ? line_behind(*before) : 0, "a line is longer than 1 MiB",
                     "is it a text file with a record on each line?");
}

LineChunk owned_chunk(std::string_view first, std::string_view second, bool newline) {
  LineChunk chunk;
  chunk.storage = Buffer<char>(first.size() + second.size() + (newline ? 1 : 0));
  char* out = chunk.storage.data();
  if (!first.empty()) std::memcpy(out, first.data(), first.size());
  out += first.size();
  if (!second.empty()) std::memcpy(out, second.data(), second.size());
  out += second.size();
  if (newline) *out++ = '\n';
  chunk.begin = chunk.storage.data();
  chunk.end = out;
  return chunk;
}

enum class LineKind { Blank, Comment, MatrixHeader, Tve, Triple, Data };

LineKind kind_of_line(std::string_view line) {
  while (!line.empty() && (line.front() == ' ' || line.front() == '\t')) line.remove_prefix(1);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t' || line.back() == '\r')) line.remove_suffix(1);
  if (line.empty()) return LineKind::Blank;
  constexpr std::string_view kMatrix = "%%MatrixMarket";
  if (line.size() >= kMatrix.size() && strncasecmp(line.data(), kMatrix.data(), kMatrix.size()) == 0) {
    return LineKind::MatrixHeader;
  }
  constexpr std::string_view kGspan = "# t ";
  if (line.size() > kGspan.size() && line.starts_with(kGspan) && is_number_start(line[kGspan.size()])) {
    return LineKind::Tve;
  }
  if (line.front() == '#' || line.front() == '%' || line.starts_with("//")) return LineKind::Comment;
  const bool tag = line.front() == 't' || line.front() == 'v' || line.front() == 'e';
  if (tag && (line.size() == 1 || line[1] == ' ' || line[1] == '\t')) return LineKind::Tve;
  return looks_like_triple(line) ? LineKind::Triple : LineKind::Data;
}

/// True if a line that begins with `t`, `v` or `e` is valid in a t/v/e file: `t N M`, `t # N`, `v id [label [degree]]`,
/// `e u v [label]`. Ids may be letters, too.
bool fits_tve(std::string_view line) {
  if (line.starts_with('#')) return true;
  const std::string text = std::string(line) + "\n";
  std::vector<std::string_view> words;
  for (const char* p = skip_blanks(text.data()); *p != '\n'; p = skip_blanks(p)) {
    words.push_back(token_at(p));
    if (words.back().empty()) return false;
    p += words.back().size();
  }
  const auto is_number = [&words](std::size_t at) {
    std::int64_t ignored = 0;
    if (at >= words.size()) return false;
    const std::string_view word = words[at];
    const std::from_chars_result read = std::from_chars(word.data(), word.data() + word.size(), ignored);
    return read.ec != std::errc::invalid_argument && read.ptr == word.data() + word.size();
  };
  if (words[0] == "t") return words.size() == 1 || is_number(words[1] == "#" ? 2 : 1);
  if (words[0] == "v") return is_number(1) && words.size() <= 4;
  return is_number(1) && is_number(2) && words.size() <= 4;
}

}  // namespace

Result<std::unique_ptr<LineSource>> LineSource::open(const std::string& path, const IoOptions& options) {
  std::shared_ptr<const FileBytes> file = MATCHA_TRY(FileBytes::open(path, options));
  return of_bytes(file, path, options);
}

Result<std::unique_ptr<LineSource>> LineSource::of_bytes(std::shared_ptr<const FileBytes> file, const std::string& path,
                                                         const IoOptions& options) {
  std::unique_ptr<LineSource> source(new LineSource());
  source->path_ = path;
  source->file_ = std::move(file);
  MATCHA_TRY(source->begin(options));
  return source;
}

Status LineSource::begin(const IoOptions& options) {
  chunk_bytes_ = std::max<std::uint64_t>(options.chunk_bytes, 1);
  const std::string_view bytes = file_->bytes();
  unpacker_ = MATCHA_TRY(open_unpacker(bytes, path_, compression_));
  std::string_view head = bytes.substr(0, kHeadBytes);
  if (unpacker_ != nullptr) {
    carry_.resize(kHeadBytes);
    std::uint64_t got = MATCHA_TRY(unpacker_->read(carry_.data(), kHeadBytes));
    carry_.resize(got);
    head = carry_;
    if (head.empty()) return input_error(path_, 0, "the file is empty once unpacked");
    if (compression_of(head) != Compression::None) {
      return input_error(path_, 0, "the file is compressed twice", "unpack it once");
    }
  }
  is_mtg_ = head.starts_with(kMtgMagic);
  if (is_mtg_) return Done{};
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (head.starts_with(kByteOrderMark)) {
    head.remove_prefix(kByteOrderMark.size());
    if (unpacker_ != nullptr) {
      carry_.erase(0, kByteOrderMark.size());
      head = carry_;
    } else {
      at_ = kByteOrderMark.size();
    }
  }
  MATCHA_TRY(check_text(head));
  if (unpacker_ != nullptr) {
    unpacked_head_ = head;
    head = unpacked_head_;
  }
  head_ = head;
  return Done{};
}

Status LineSource::check_text(std::string_view head) const {
  if (const std::optional<ForeignFormat> foreign = foreign_format(head)) {
    return input_error(path_, 0, "the file is " + std::string(foreign->name) + ", which is not read",
                       std::string(foreign->hint));
  }
  if (head.starts_with(kMtgMagic.substr(0, 4)) || head.starts_with("MTG")) {
    return input_error(path_, 0, "the file is a damaged .mtg", "it went through a text conversion; fetch it as binary");
  }
  if (head.starts_with(std::string_view("\xFF\xFE\0\0", 4)) || head.starts_with(std::string_view("\0\0\xFE\xFF", 4))) {
    return input_error(path_, 0, "the file is UTF-32", "convert it: iconv -f UTF-32 -t UTF-8");
  }
  if (head.starts_with("\xFF\xFE") || head.starts_with("\xFE\xFF")) {
    return input_error(path_, 0, "the file is UTF-16", "convert it: iconv -f UTF-16 -t UTF-8");
  }
  if (const std::size_t zero = head.find('\0'); zero != std::string_view::npos) {
    return input_error(path_, line_behind(head.substr(0, zero)),
                       "the file is binary or UTF-16: it has bytes of value 0",
                       "text and .mtg can be read, plain or packed as gz, zst, bz2, xz, zip or tar");
  }
  return Done{};
}

std::uint64_t LineSource::consumed_bytes() const { return unpacker_ != nullptr ? unpacker_->consumed() : at_; }

Result<LineChunk> LineSource::produce() {
  if (at_end_) return LineChunk{};
  try {
    return unpacker_ != nullptr ? produce_unpacked() : produce_mapped();
  } catch (const std::bad_alloc&) {
    return out_of_memory_error(path_);
  }
}

Result<LineChunk> LineSource::produce_mapped() {
  const std::string_view bytes = file_->bytes();
  const char* const begin = bytes.data() + at_;
  const char* const end = bytes.data() + bytes.size();
  const std::uint64_t left = bytes.size() - at_;
  const char* const cut = begin + std::min(left, chunk_bytes_);
  if (reads_bytes_) {
    at_ += static_cast<std::uint64_t>(cut - begin);
    LineChunk chunk;
    chunk.begin = begin;
    chunk.end = cut;
    return chunk;
  }
  const char* newline = cut == begin ? nullptr : find_newline(cut - 1, end);
  if (newline != nullptr) {
    if (static_cast<std::uint64_t>(newline + 1 - cut) > kMaxLineBytes) {
      return long_line(path_, bytes.substr(0, static_cast<std::uint64_t>(cut - bytes.data())));
    }
    at_ = static_cast<std::uint64_t>(newline + 1 - bytes.data());
    LineChunk chunk;
    chunk.begin = begin;
    chunk.end = newline + 1;
    return chunk;
  }
  newline = left == 0 ? nullptr : find_last_newline(begin, end);
  if (newline != nullptr) {
    at_ = static_cast<std::uint64_t>(newline + 1 - bytes.data());
    LineChunk chunk;
    chunk.begin = begin;
    chunk.end = newline + 1;
    return chunk;
  }
  if (left > kMaxLineBytes) return long_line(path_, bytes.substr(0, at_));
  at_end_ = true;
  at_ = bytes.size();
  if (left == 0) return LineChunk{};
  return owned_chunk(std::string_view(begin, left), "", true);
}

Result<LineChunk> LineSource::produce_unpacked() {
  std::uint64_t room = std::max<std::uint64_t>(chunk_bytes_, carry_.size());
  while (true) {
    LineChunk chunk;
    chunk.storage = Buffer<char>(room);
    char* const data = chunk.storage.data();
    std::memcpy(data, carry_.data(), carry_.size());
    std::uint64_t got = MATCHA_TRY(unpacker_->read(data + carry_.size(), room - carry_.size()));
    const std::uint64_t size = carry_.size() + got;
    const bool ended = size < room;
    if (reads_bytes_) {
      carry_.clear();
      at_end_ = ended;
      chunk.begin = data;
      chunk.end = data + size;
      return chunk;
    }
    const char* const newline = size == 0 ? nullptr : find_last_newline(data, data + size);
    if (newline != nullptr) {
      carry_.assign(newline + 1, static_cast<const char*>(data + size));
      chunk.begin = data;
      chunk.end = newline + 1;
      return chunk;
    }
    if (size > kMaxLineBytes) return long_line(path_, std::nullopt);
    if (ended) {
      at_end_ = true;
      carry_.clear();
      if (size == 0) return LineChunk{};
      return owned_chunk(std::string_view(data, size), "", true);
    }
    carry_.assign(data, size);
    room = std::max<std::uint64_t>(2 * room, 64);
  }
}

namespace {

/// True if a quoted cell continues after these lines; `open`: one continues at their start. Quotes in comments do not
/// count.
bool ends_in_quotes(const LineChunk& lines, bool open, bool has_comments) {
  for (const char* p = lines.begin; p != lines.end;) {
    const char* const end = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(lines.end - p)));
    if (open || !has_comments || !starts_comment(skip_blanks(p))) open ^= std::count(p, end, '"') % 2 != 0;
    p = end + 1;
  }
  return open;
}

}  // namespace

Result<LineChunk> LineSource::next() {
  Result<LineChunk> chunk = take_chunk();
  if (!chunk || !pairs_quotes_) return chunk;
  bool open = ends_in_quotes(*chunk, false, has_comments_);
  while (open) {
    LineChunk more = MATCHA_TRY(take_chunk());
    if (more.begin == more.end) break;
    const std::string_view first(chunk->begin, static_cast<std::size_t>(chunk->end - chunk->begin));
    const std::string_view second(more.begin, static_cast<std::size_t>(more.end - more.begin));
    open = ends_in_quotes(more, true, has_comments_);
    if (open && first.size() > chunk_bytes_ + kMaxLineBytes) {
      return input_error(path_, 0, "a quoted cell is longer than 1 MiB", "a quote without its other one?");
    }
    *chunk = owned_chunk(first, second, false);
  }
  return chunk;
}

Result<LineChunk> LineSource::take_chunk() {
  if (!pending_.empty()) {
    LineChunk chunk = std::move(pending_.front());
    pending_.pop_front();
    return chunk;
  }
  return produce();
}

Result<std::optional<std::string_view>> LineSource::next_line() {
  if (pending_.empty()) {
    LineChunk chunk = MATCHA_TRY(produce());
    if (chunk.begin == chunk.end) return std::optional<std::string_view>();
    pending_.push_back(std::move(chunk));
  }
  LineChunk& front = pending_.front();
  const char* const newline = find_newline(front.begin, front.end);
  std::string_view line(front.begin, static_cast<std::size_t>(newline - front.begin));
  if (line.ends_with('\r')) line.remove_suffix(1);
  front.begin = newline + 1;
  ++lines_taken_;
  if (front.begin == front.end) {
    spent_ = std::move(front);
    pending_.pop_front();
  }
  return std::optional<std::string_view>(line);
}

Result<std::vector<std::string_view>> LineSource::peek(std::size_t most, bool below_heading) {
  std::vector<std::string_view> lines;
  comment_above_ = {};
  std::uint64_t seen = 0, line_number = lines_taken_;
  for (std::size_t at = 0;; ++at) {
    if (at == pending_.size()) {
      LineChunk chunk = MATCHA_TRY(produce());
      if (chunk.begin == chunk.end) return lines;
      pending_.push_back(std::move(chunk));
    }
    const char* line = pending_[at].begin;
    while (line != pending_[at].end) {
      const char* const newline = find_newline(line, pending_[at].end);
      std::string_view text(line, static_cast<std::size_t>(newline - line));
      seen += text.size() + 1;
      line = newline + 1;
      ++line_number;
      if (text.ends_with('\r')) text.remove_suffix(1);
      const LineKind kind = kind_of_line(text);
      if (kind == LineKind::Comment && lines.empty()) comment_above_ = text;
      if (kind == LineKind::Blank || (kind == LineKind::Comment && (lines.empty() || !below_heading))) continue;
      if (lines.empty()) first_line_ = line_number;
      lines.push_back(text);
      if (lines.size() == most || seen > kMaxLineBytes) return lines;
    }
  }
}

Status LineSource::skip_first() {
  while (true) {
    std::optional<std::string_view> line = MATCHA_TRY(next_line());
    if (!line.has_value()) return Done{};
    const LineKind kind = kind_of_line(*line);
    if (kind != LineKind::Blank && kind != LineKind::Comment) return Done{};
  }
}

Result<bool> LineSource::is_tve(bool is_table) {
  std::vector<std::string_view> lines = MATCHA_TRY(peek(2));
  const std::string_view first = lines.front();
  if (!fits_tve(first) || (is_table && first.front() != 't' && first.front() != '#')) return false;
  return lines.size() == 1 ? !is_table : kind_of_line(lines[1]) == LineKind::Tve;
}

Result<Format> LineSource::sniff(bool is_table) {
  constexpr std::uint64_t kMostComments = std::uint64_t{16} << 20;
  if (is_mtg_) return Format::Mtg;
  if (const Format found = recognise(head_); found != Format::Auto) return found;
  std::uint64_t seen = 0;
  for (std::size_t at = 0;; ++at) {
    if (at == pending_.size()) {
      LineChunk chunk = MATCHA_TRY(produce());
      if (chunk.begin == chunk.end) return Format::EdgeList;
      pending_.push_back(std::move(chunk));
    }
    const char* line = pending_[at].begin;
    const char* const end = pending_[at].end;
    while (line != end) {
      const char* const newline = find_newline(line, end);
      switch (kind_of_line(std::string_view(line, static_cast<std::size_t>(newline - line)))) {
        case LineKind::Blank:
        case LineKind::Comment: break;
        case LineKind::MatrixHeader: return Format::MatrixMarket;
        case LineKind::Tve: {
          const bool fits = MATCHA_TRY(is_tve(is_table));
          return fits ? Format::Tve : Format::EdgeList;
        }
        case LineKind::Triple: return Format::NTriples;
        case LineKind::Data: return Format::EdgeList;
      }
      line = newline + 1;
    }
    seen += static_cast<std::uint64_t>(end - pending_[at].begin);
    if (seen > kMostComments) return Format::EdgeList;
  }
}

namespace {

/// Unpacks a file into a mapped unnamed file and sets `whole` to its bytes.
Status unpack_to_scratch(const FileBytes& file, Unpacker& unpacker, const IoOptions& options, WholeFile& whole) {
  const MappedPages packed = file.is_mapped() ? MappedPages(file.bytes()) : MappedPages();
  std::shared_ptr<ScratchFile> scratch = MATCHA_TRY(ScratchFile::create(options.scratch_folder));
  constexpr std::uint64_t kPiece = std::uint64_t{1} << 20;
  Buffer<char> piece(kPiece);
  std::uint64_t size = 0;
  while (true) {
    if (options.cancelled()) return interrupted_error();
    const std::uint64_t got = MATCHA_TRY(unpacker.read(piece.data(), kPiece));
    MATCHA_TRY(scratch->write(size, piece.data(), got));
    size += got;
    packed.drop(file.bytes().data(), unpacker.consumed());
    if (got < kPiece) break;
  }
  whole.bytes = MATCHA_TRY(ScratchFile::map(scratch, size));
  whole.owner = scratch;
  whole.is_mapped = whole.is_watched = true;
  return Done{};
}

}  // namespace

Result<WholeFile> read_whole(const std::string& path, const IoOptions& options) {
  std::shared_ptr<const FileBytes> file = MATCHA_TRY(FileBytes::open(path, options));
  WholeFile whole;
  whole.file_bytes = file->bytes().size();
  std::unique_ptr<Unpacker> opened = MATCHA_TRY(open_unpacker(file->bytes(), path, whole.compression));
  if (whole.compression == Compression::None) {
    whole.bytes = file->bytes();
    whole.owner = file;
    whole.is_mapped = file->is_mapped();
    return whole;
  }
  const std::unique_ptr<Unpacker> unpacker = std::move(opened);
  if (options.piece_bytes != 0) {
    Status unpacked = unpack_to_scratch(*file, *unpacker, options, whole);
    return unpacked ? Result<WholeFile>(std::move(whole)) : unpacked.error();
  }
  const std::uint64_t limit = options.memory_limit();
  std::uint64_t size = 0;
  Buffer<char> data(std::max<std::uint64_t>(options.chunk_bytes, 4096));
  while (true) {
    if (options.cancelled()) return interrupted_error();
    const std::uint64_t room = data.size() - size;
    std::uint64_t got = MATCHA_TRY(unpacker->read(data.data() + size, room));
    size += got;
    if (got < room) break;
    if (data.size() > limit / 2) {
      Budget budget(options);
      return budget.take(limit + 1, path).error();
    }
    Buffer<char> larger(2 * data.size());
    std::memcpy(larger.data(), data.data(), size);
    data = std::move(larger);
  }
  std::shared_ptr<Buffer<char>> owner = std::make_shared<Buffer<char>>(std::move(data));
  whole.bytes = std::string_view(owner->data(), size);
  whole.owner = std::move(owner);
  return whole;
}

}  // namespace matcha::runtime::detail
