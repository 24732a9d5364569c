#include "server/lines.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "server/worker.h"
#include "session/graph_info.h"
#include "session/version.h"

namespace matcha::server {

namespace {

/// Lines go out whole, one at a time.
class Output {
 public:
  /// False once the reader has gone.
  bool write(std::string_view line) {
    const std::lock_guard<std::mutex> lock(mutex_);
    while (!line.empty() && !broken_) {
      const ssize_t written = ::write(STDOUT_FILENO, line.data(), line.size());
      if (written > 0) {
        line.remove_prefix(static_cast<std::size_t>(written));
      } else if (errno != EINTR) {
        problem_ = std::strerror(errno);
        broken_ = true;
      }
    }
    return !broken_;
  }
  bool broken() const { return broken_; }
  /// After `broken`.
  const std::string& problem() const { return problem_; }

 private:
  std::mutex mutex_;
  std::atomic<bool> broken_ = false;
  std::string problem_;
};

/// Lines of standard input.
class Input {
 public:
  enum class Found : std::uint8_t { Line, TooLong, Nothing, End };

  /// The next line without its newline, waiting for at most this time. A last line needs no newline.
  Found next(int wait_ms, std::string& line) {
    constexpr std::size_t kBlock = std::size_t{1} << 16;
    for (;;) {
      if (const std::size_t end = buffer_.find('\n', looked_); end != std::string::npos) {
        line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        looked_ = 0;
        return std::exchange(too_long_, false) ? Found::TooLong : Found::Line;
      }
      looked_ = buffer_.size();
      if (buffer_.size() > kLongestLine) {
        buffer_.clear();
        looked_ = 0;
        too_long_ = true;
      }
      if (ended_) {
        if (buffer_.empty() && !too_long_) return Found::End;
        line = std::exchange(buffer_, {});
        looked_ = 0;
        return std::exchange(too_long_, false) ? Found::TooLong : Found::Line;
      }
      struct pollfd ready = {STDIN_FILENO, POLLIN, 0};
      if (::poll(&ready, 1, wait_ms) <= 0) return Found::Nothing;
      const std::size_t size = buffer_.size();
      buffer_.resize(size + kBlock);
      const ssize_t got = ::read(STDIN_FILENO, buffer_.data() + size, kBlock);
      buffer_.resize(size + (got > 0 ? static_cast<std::size_t>(got) : 0));
      if (got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN)) ended_ = true;
    }
  }

 private:
  static constexpr std::size_t kLongestLine = std::size_t{16} << 20;

  std::string buffer_;
  std::size_t looked_ = 0;  ///< The first bytes of it that are known to have no newline.
  bool too_long_ = false;   ///< The line began before the buffer does.
  bool ended_ = false;
};

/// Takes a line; answers it at once if it is no run.
void take_line(std::string_view line, const ServeRequest& usual, Worker& worker, Output& output) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const JsonLog log;
  auto job = std::make_shared<Job>();
  if (!read_request(line, usual, job->request, log)) {
    output.write(error_answer(job->request.id, Status::Usage, log).line);
    return;
  }
  if (job->request.kind == ServeRequest::Kind::Cancel) {
    const bool found = worker.cancel({}, job->request.target);
    AnswerLine answer(job->request.id, Status::Ok);
    answer.add("cancelled", found);
    output.write(answer.take().line);
    return;
  }
  const Json id = job->request.id;
  job->send = [&output](const Answer& answer) { output.write(answer.line); };
  if (worker.add(std::move(job)) == Worker::Added::Yes) return;
  const std::string message = fmt::format("request {} has no answer yet", dump_line(id));
  output.write(usage_answer(id, message, "give each an id of its own").line);
}

void take_too_long(Output& output) {
  output.write(
      usage_answer(Json(), "the line is longer than 16 MiB", "a program of that size goes into a file: `file`").line);
}

}  // namespace

Status serve_lines(const session::ResidentGraph::Shared& graph, std::optional<runtime::Tier> tier,
                   const ServeRequest& usual, const Reporter& reporter) {
  constexpr int kLookMs = 10, kIdleMs = 1000;
  Output output;
  Json ready = {{"schema", "matcha.serve/1"}, {"version", matcha_version()}};
  add_graphs(*graph, ready);
  output.write(dump_line(ready) + "\n");
  Worker worker(graph, tier);
  Input input;
  bool ended = false;
  std::string line;
  for (;;) {
    const bool busy = worker.look();
    if (output.broken()) {
      worker.abandon();
      return reporter.error(Status::Input, fmt::format("standard output: {}", output.problem()));
    }
    if (ended && !busy) return Status::Ok;
    if (ended) {
      std::this_thread::sleep_for(std::chrono::milliseconds(kLookMs));
      continue;
    }
    switch (input.next(busy ? kLookMs : kIdleMs, line)) {
      case Input::Found::Line: take_line(line, usual, worker, output); break;
      case Input::Found::TooLong: take_too_long(output); break;
      case Input::Found::Nothing: break;
      case Input::Found::End: ended = true; break;
    }
  }
}

}  // namespace matcha::server
