#pragma once

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/graph/detail/source.h"
#include "runtime/graph/detail/tokens.h"

namespace matcha::runtime::detail {

/// Calls `line(start, p)` with each line of a chunk that is not blank: `p` is at its first word, and may move within
/// the line. Stops at the first `chunk.error`, whose line it sets.
template <typename Chunk, typename Line>
void for_each_line(const LineChunk& lines, Chunk& chunk, const Line& line) {
  for (const char* p = lines.begin; p != lines.end; ++p, ++chunk.lines) {
    const char* const start = p;
    p = skip_blanks(p);
    if (*p != '\n') line(start, p);
    if (*p != '\n') p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(lines.end - p)));
    if (!chunk.error && has_lone_return(start, p)) chunk.error = lone_return();
    if (chunk.error) {
      chunk.error->line = chunk.lines;
      return;
    }
  }
}

/// Cuts a text into chunks of lines, parses them in parallel, and keeps the results in file order. One thread at a time
/// reads, unpacks and cuts a chunk while others parse, so the memory of unfinished chunks is bounded.
///
/// `Chunk` has `std::uint64_t lines`, `first_line` (from 1, filled in here), `std::optional<LineError> error` and
/// `std::uint64_t bytes() const`; `parse(const LineChunk&, Chunk&)` fills one and stops at its first error. An optional
/// `parse.follow(before, chunk)` returns the error of the first row of a chunk after the rows before it. An optional
/// `parse.take(chunk)` gets each chunk in file order and may empty it.
template <typename Chunk, typename Parse>
class LinePipeline {
 public:
  LinePipeline(LineSource& source, const IoOptions& options, Budget& budget, const Parse& parse)
      : source_(source), options_(options), budget_(budget), parse_(parse), line_(source.lines_taken() + 1) {}

  /// Errors: Input of the source or of the first bad line; Resource past the budget; Runtime when interrupted.
  Result<std::vector<Chunk>> run() {
    const std::size_t tokens = 2 * static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()) + 1;
    try {
      tbb::parallel_pipeline(
          tokens, tbb::make_filter<void, LineChunk*>(tbb::filter_mode::serial_in_order,
                                                     [this](tbb::flow_control& flow) { return take(flow); }) &
                      tbb::make_filter<LineChunk*, Chunk*>(tbb::filter_mode::parallel,
                                                           [this](LineChunk* lines) { return parse(lines); }) &
                      tbb::make_filter<Chunk*, void>(tbb::filter_mode::serial_in_order,
                                                     [this](Chunk* chunk) { collect(chunk); }));
    } catch (const std::bad_alloc&) {
      return out_of_memory_error(source_.path());
    }
    // A parse error precedes a failure of the source, whose chunk was cut later.
    if (parse_error_) return std::move(*parse_error_);
    if (source_error_) return std::move(*source_error_);
    return std::move(chunks_);
  }

 private:
  LineChunk* take(tbb::flow_control& flow) {
    if (options_.cancelled()) source_error_ = interrupted_error();
    if (source_error_ || stop_.load(std::memory_order_relaxed)) {
      flow.stop();
      return nullptr;
    }
    Result<LineChunk> chunk = source_.next();
    if (!chunk) source_error_ = std::move(chunk.error());
    if (!chunk || chunk->begin == chunk->end) {
      flow.stop();
      return nullptr;
    }
    if (options_.progress) options_.progress(source_.consumed_bytes(), source_.file_bytes());
    return std::make_unique<LineChunk>(std::move(*chunk)).release();
  }

  Chunk* parse(LineChunk* lines) {
    const std::unique_ptr<LineChunk> owner(lines);
    std::unique_ptr<Chunk> chunk = std::make_unique<Chunk>();
    if (!stop_.load(std::memory_order_relaxed)) parse_(*lines, *chunk);
    source_.release(*lines);
    return chunk.release();
  }

  void collect(Chunk* parsed) {
    const std::unique_ptr<Chunk> chunk(parsed);
    if (parse_error_) return;
    chunk->first_line = line_;
    line_ += chunk->lines;
    if constexpr (requires { parse_.follow(chunks_, *chunk); }) {
      std::optional<LineError> unlike = parse_.follow(chunks_, *chunk);
      if (unlike) chunk->error = std::move(unlike);
    }
    if (chunk->error) {
      parse_error_ = input_error(source_.path(), chunk->first_line + chunk->error->line, chunk->error->message,
                                 chunk->error->hint);
    } else {
      Status done = Done{};
      if constexpr (requires { parse_.take(*chunk); }) done = parse_.take(*chunk);
      if (done) done = budget_.take(chunk->bytes(), source_.path());
      if (!done) parse_error_ = std::move(done.error());
    }
    if (parse_error_) {
      stop_.store(true, std::memory_order_relaxed);
    } else {
      chunks_.push_back(std::move(*chunk));
    }
  }

  LineSource& source_;
  const IoOptions& options_;
  Budget& budget_;
  const Parse& parse_;
  std::uint64_t line_;
  std::atomic<bool> stop_{false};
  std::optional<Error> source_error_;
  std::optional<Error> parse_error_;
  std::vector<Chunk> chunks_;
};

template <typename Chunk, typename Parse>
Result<std::vector<Chunk>> parse_lines(LineSource& source, const IoOptions& options, Budget& budget,
                                       const Parse& parse) {
  return LinePipeline<Chunk, Parse>(source, options, budget, parse).run();
}

}  // namespace matcha::runtime::detail
