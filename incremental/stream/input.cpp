#include "incremental/stream/input.h"

#include <utility>

namespace matcha::session::stream {

namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 18, kMostBlocks = 64;
constexpr std::size_t kLongestLine = std::size_t{1} << 20;

}  // namespace

StreamInput::StreamInput(std::unique_ptr<runtime::ByteStream> bytes, std::uint64_t offset)
    : bytes_(std::move(bytes)), offset_(offset), thread_([this] { read_all(); }) {}

StreamInput::~StreamInput() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  room_.notify_all();
  thread_.join();
}

void StreamInput::read_all() {
  constexpr int kLookMs = 20;
  std::string bytes;
  for (;;) {
    bytes.resize(kBlockBytes);
    const runtime::Result<runtime::ByteStream::ReadResult> got = bytes_->read(bytes.data(), bytes.size(), kLookMs);
    std::unique_lock lock(mutex_);
    if (ending_) return;
    if (!got) {
      error_ = got.error();
    } else if (got->bytes != 0) {
      bytes.resize(got->bytes);
      blocks_.push_back({std::move(bytes), Clock::now()});
      bytes = std::string();
    }
    ended_ = !got || got->at_end;
    more_.notify_one();
    if (ended_) return;
    room_.wait(lock, [this] { return ending_ || blocks_.size() < kMostBlocks; });
    if (ending_) return;
  }
}

bool StreamInput::next_buffered(Line& line) {
  if (std::exchange(used_part_, false)) part_.clear();
  const std::size_t end = current_.bytes.find('\n', at_);
  if (end == std::string::npos) {
    part_.append(current_.bytes, at_);
    at_ = current_.bytes.size();
    return false;
  }
  const std::string_view found = std::string_view(current_.bytes).substr(at_, end - at_);
  offset_ += part_.size() + found.size() + 1;
  if (part_.empty()) {
    line.text = found;
  } else {
    line.text = part_.append(found);
    used_part_ = true;
  }
  line.arrived = current_.arrived;
  line.offset = offset_;
  at_ = end + 1;
  return true;
}

StreamInput::Found StreamInput::next(Clock::time_point until, Line& line) {
  for (;;) {
    if (next_buffered(line)) return Found::Line;
    if (part_.size() > kLongestLine) return Found::TooLong;
    std::unique_lock lock(mutex_);
    more_.wait_until(lock, until, [this] { return ended_ || !blocks_.empty(); });
    if (!blocks_.empty()) {
      current_ = std::move(blocks_.front());
      blocks_.pop_front();
      at_ = 0;
      room_.notify_one();
    } else if (error_) {
      return Found::Failed;
    } else if (!ended_) {
      return Found::Nothing;
    } else if (part_.empty()) {
      return Found::End;
    } else {
      offset_ += part_.size();
      line.text = part_;
      line.arrived = current_.arrived;
      line.offset = offset_;
      used_part_ = true;
      return Found::Line;
    }
  }
}

}  // namespace matcha::session::stream
