#include "tools/session.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace matcha::tools {

namespace {

std::atomic<std::uint32_t> signal_seen{0};
std::atomic<bool> cancelled{false};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

struct sigaction old_interrupt, old_terminate;

void on_signal(int number) {
  signal_seen.store(static_cast<std::uint32_t>(number));
  cancelled.store(true);
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

}  // namespace

Session::Session(std::optional<double> timeout_seconds) {
  signal_seen = 0;
  cancelled = false;
  install();
  if (!timeout_seconds) return;
  constexpr double kLongest = 1e9;  // Far beyond any run, and not beyond the clock.
  const std::chrono::duration<double> length(std::min(*timeout_seconds, kLongest));
  deadline_ =
      std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(length);
  watchdog_ = std::thread([this] { watch(); });
}

Session::~Session() {
  if (watchdog_.joinable()) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      done_ = true;
    }
    wake_.notify_all();
    watchdog_.join();
  }
  sigaction(SIGINT, &old_interrupt, nullptr);
  sigaction(SIGTERM, &old_terminate, nullptr);
}

void Session::watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!wake_.wait_until(lock, *deadline_, [this] { return done_; })) cancelled.store(true);
}

void Session::run_unstoppable(const std::function<void()>& work, const std::function<Status()>& report) const {
  constexpr std::chrono::milliseconds kLook{10}, kPatience{50};
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  std::thread watcher([&] {
    std::unique_lock<std::mutex> lock(mutex);
    while (!ended.wait_for(lock, kLook, [&] { return done; })) {
      if (!stopped()) continue;
      if (ended.wait_for(lock, kPatience, [&] { return done; })) return;
      // Work that ends now waits for the lock, and so for the end of the process.
      const int code = exit_code(report());
      std::fflush(nullptr);
      std::_Exit(code);
    }
  });
  const auto end = [&] {
    {
      const std::lock_guard<std::mutex> lock(mutex);
      done = true;
    }
    ended.notify_all();
    watcher.join();
  };
  try {
    work();
  } catch (...) {
    end();
    throw;
  }
  end();
}

const std::atomic<std::uint32_t>* Session::stop_request() const { return &signal_seen; }
const std::atomic<bool>* Session::cancel() const { return &cancelled; }

Status Session::verdict() const {
  const std::uint32_t seen = signal_seen.load();
  if (seen == SIGTERM) return Status::Terminated;
  if (seen != 0) return Status::Interrupted;
  if (deadline_ && std::chrono::steady_clock::now() >= *deadline_) return Status::Timeout;
  return Status::Ok;
}

const char* stop_word(Status verdict) {
  switch (verdict) {
    case Status::Timeout: return "timeout";
    case Status::Terminated: return "terminate";
    default: return "interrupt";
  }
}

}  // namespace matcha::tools
