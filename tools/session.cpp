#include "tools/session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "runtime/unfinished_file.h"
#include "session/durations.h"
#include "session/run/texts.h"

namespace matcha::tools {

namespace {

/// How long a command may take to end by itself.
constexpr std::chrono::milliseconds kPatience{50}, kLatePatience{5000};

std::atomic<std::uint32_t> signal_seen{0};
std::atomic<bool> cancelled{false};
/// A pipe that wakes the watchdog; -1: there is none, and it looks every few milliseconds.
std::atomic<int> wake_read{-1}, wake_write{-1};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
static_assert(std::atomic<int>::is_always_lock_free);

struct sigaction old_interrupt, old_terminate;

/// A full pipe wakes as well.
void write_wake() {
  const int saved = errno;
  const char sign = 0;
  if (::write(wake_write.load(), &sign, 1) < 0) errno = saved;
}

void on_signal(int number) {
  signal_seen.store(static_cast<std::uint32_t>(number));
  cancelled.store(true);
  write_wake();
}

void install() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  // The second signal finds the default action and kills; slow calls are taken up again after the first.
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, &old_interrupt);
  sigaction(SIGTERM, &action, &old_terminate);
}

void open_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe(ends) != 0) return;
  for (const int end : ends) {
    ::fcntl(end, F_SETFD, FD_CLOEXEC);
    ::fcntl(end, F_SETFL, O_NONBLOCK);
  }
  wake_read = ends[0];
  wake_write = ends[1];
}

void close_pipe() {
  for (std::atomic<int>* end : {&wake_read, &wake_write}) {
    const int descriptor = end->exchange(-1);
    if (descriptor >= 0) ::close(descriptor);
  }
}

/// Waits for a sign, at most until then.
void wait_for_wake(std::optional<std::chrono::steady_clock::time_point> until) {
  constexpr int kLookMs = 10, kLongestMs = 1'000'000;
  struct pollfd wake = {wake_read.load(), POLLIN, 0};
  int wait = wake.fd < 0 ? kLookMs : kLongestMs;
  if (until) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - std::chrono::steady_clock::now()).count();
    wait = static_cast<int>(std::clamp<decltype(left)>(left, 0, wait));
  }
  char signs[64];
  if (::poll(&wake, 1, wait) <= 0) return;
  while (::read(wake.fd, signs, sizeof(signs)) > 0) {
  }
}

}  // namespace

Session::Session(const Console& console, std::optional<double> timeout_seconds) : console_(console) {
  signal_seen = 0;
  cancelled = false;
  open_pipe();
  install();
  if (timeout_seconds) deadline_ = time_after(*timeout_seconds);
  try {
    watchdog_ = std::thread([this] { run_watchdog(); });
  } catch (const std::system_error&) {
    // No thread is left for it: steps that look at stops end by themselves.
  }
}

Session::~Session() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ = true;
  }
  wake();
  if (watchdog_.joinable()) watchdog_.join();
  sigaction(SIGINT, &old_interrupt, nullptr);
  sigaction(SIGTERM, &old_terminate, nullptr);
  close_pipe();
}

void Session::wake() const { write_wake(); }

void Session::run_watchdog() {
  std::optional<Clock::time_point> end_at;
  for (;;) {
    wait_for_wake(end_at ? end_at : cancelled.load() ? std::nullopt : deadline_);
    // A thread that waits for the lock from here on may wait for the end of the process.
    const std::lock_guard<std::mutex> lock(mutex_);
    if (done_) return;
    const Status found = verdict();
    if (found != Status::Ok) cancelled.store(true);
    if (std::exchange(changed_, false)) end_at.reset();
    const bool sees_to = stops_ >= Stops::Late || (stops_ == Stops::Signals && signal_seen.load() != 0);
    if (found == Status::Ok || !sees_to) {
      end_at.reset();
    } else if (!end_at) {
      end_at = Clock::now() + (stops_ == Stops::Late ? kLatePatience : kPatience);
    } else if (Clock::now() >= *end_at) {
      if (!reported_) report(found);
      runtime::UnfinishedFile::discard_all();
      std::_Exit(exit_code(reported_.value_or(found)));
    }
  }
}

void Session::watch(Stops stops) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stops_ = stops;
    changed_ = true;
  }
  wake();
}

void Session::set_report(std::function<void(Status)> report) {
  const std::lock_guard<std::mutex> lock(mutex_);
  report_ = std::move(report);
}

void Session::report(Status verdict) const {
  if (console_.draws()) console_.write("\r\033[K");
  if (report_) {
    report_(verdict);
  } else {
    console_.error(verdict, stop_line(verdict));
  }
}

Status Session::stop_early() {
  watch(Stops::None);
  const Status found = verdict();
  report(found);
  return found;
}

Status Session::leave(Status status) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stops_ = Stops::All;
    reported_ = status;
    changed_ = true;
  }
  wake();
  return status;
}

const std::atomic<std::uint32_t>* Session::stop_request() const { return &signal_seen; }
const std::atomic<bool>* Session::cancel() const { return &cancelled; }

Status Session::verdict() const {
  const std::uint32_t seen = signal_seen.load();
  if (seen == SIGTERM) return Status::Terminated;
  if (seen != 0) return Status::Interrupted;
  if (deadline_ && Clock::now() >= *deadline_) return Status::Timeout;
  return Status::Ok;
}

void end_process(Status status) {
  std::fflush(nullptr);
  runtime::UnfinishedFile::discard_all();
  std::_Exit(exit_code(status));
}

bool signal_received() { return signal_seen.load() != 0; }

}  // namespace matcha::tools
