// The lanes of a warp as fibers of one thread: a lane runs until it meets the others of its mask. Each text that the
// emulated GPU runs is compiled with this header: it includes little.
#pragma once

#include <time.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace warp {

inline constexpr unsigned kLanes = 32;

/// Leaves the place of this fiber's registers in `*from` and goes on with those at `to`. swapcontext() would ask the
/// kernel for the mask of signals each time, which takes most of the time of these tests.
extern "C" void warp_switch(void** from, void* to) asm("matcha_warp_switch");
asm(R"(
.pushsection .text
.type matcha_warp_switch, @function
matcha_warp_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size matcha_warp_switch, . - matcha_warp_switch
.popsection
)");

/// The lanes that run now.
class Warp {
 public:
  Warp() = default;
  Warp(const Warp&) = delete;
  Warp& operator=(const Warp&) = delete;
  ~Warp() {
    forget();
    delete[] stacks_;
  }

  unsigned lane = 0;
  unsigned first = 0;  ///< The number of its first thread in its block.

  static Warp*& current() {
    static thread_local Warp* warp = nullptr;
    return warp;
  }

  /// Calls `work` in each lane.
  template <typename Work>
  void run(const Work& work) {
    work_ = &work;
    call_ = [](const void* one) { (*static_cast<const Work*>(one))(); };
    run();
  }

  /// Leaves `value` for the lanes of `mask` and waits for theirs.
  void meet(unsigned mask, std::uint64_t value) {
    ++met_;
    if (last_[lane] == nullptr || last_[lane]->mask != mask) last_[lane] = meeting_of(mask);
    Meeting& meeting = *last_[lane];
    const std::uint64_t count = ++meeting.counts[lane];
    meeting.values[count % 2][lane] = value;
    for (unsigned rest = mask; rest != 0; rest &= rest - 1) {
      while (meeting.counts[static_cast<unsigned>(__builtin_ctz(rest))] < count) leave();
    }
  }
  /// Lets the other lanes go on, and other threads.
  void nap() {
    ++naps_;
    const timespec microsecond = {0, 1000};
    nanosleep(&microsecond, nullptr);
    leave();
  }
  /// The value that a lane left at the last exchange, at which this lane was too.
  std::uint64_t value_of(unsigned other) const {
    const Meeting& meeting = *last_[lane];
    return meeting.values[meeting.counts[lane] % 2][other];
  }

 private:
  static constexpr std::size_t kStackBytes = 256 << 10;
  static constexpr unsigned kBuckets = 64;

  /// What the lanes of one mask leave for each other.
  struct Meeting {
    unsigned mask = 0;
    Meeting* next = nullptr;
    std::uint64_t counts[kLanes] = {};     ///< Exchanges of each lane.
    std::uint64_t values[2][kLanes] = {};  ///< The values of the last exchange and the one before.
  };

  static void enter() {
    Warp& warp = *current();
    warp.call_(warp.work_);
    warp.done_[warp.lane] = true;
    warp.leave();
    std::abort();
  }
  /// From the lane that runs to run().
  void leave() { warp_switch(&fibers_[lane], scheduler_); }

  void forget() {
    for (Meeting*& bucket : meetings_) {
      while (bucket != nullptr) {
        Meeting* const next = bucket->next;
        delete bucket;
        bucket = next;
      }
    }
  }
  Meeting* meeting_of(unsigned mask) {
    Meeting*& bucket = meetings_[mask * 2654435761U >> 26];
    for (Meeting* one = bucket; one != nullptr; one = one->next) {
      if (one->mask == mask) return one;
    }
    bucket = new Meeting{mask, bucket};
    return bucket;
  }

  void prepare() {
    current() = this;
    forget();
    // Not written here: most of it is never used.
    if (stacks_ == nullptr) stacks_ = new char[kLanes * kStackBytes];
    for (unsigned i = 0; i < kLanes; ++i) {
      done_[i] = false;
      last_[i] = nullptr;
      // Six registers and the address of enter(), which begins as if it was called.
      const auto end = reinterpret_cast<std::uintptr_t>(stacks_ + (i + 1) * kStackBytes) / 16 * 16;
      auto* const top = reinterpret_cast<std::uintptr_t*>(end) - 8;
      for (unsigned word = 0; word < 8; ++word) top[word] = 0;
      top[6] = reinterpret_cast<std::uintptr_t>(&enter);
      fibers_[i] = top;
    }
  }

  void run() {
    prepare();
    constexpr int kIdleRounds = 3;
    int idle = 0;
    while (idle < kIdleRounds) {
      std::uint64_t before = naps_ + met_;
      unsigned running = 0;
      for (unsigned i = 0; i < kLanes; ++i) {
        before += done_[i] ? 1 : 0;
        if (done_[i]) continue;
        lane = i;
        warp_switch(&scheduler_, fibers_[i]);
        running += done_[i] ? 0 : 1;
      }
      std::uint64_t after = naps_ + met_;
      for (unsigned i = 0; i < kLanes; ++i) after += done_[i] ? 1 : 0;
      if (running == 0) return;
      idle = before == after ? idle + 1 : 0;
    }
    std::fprintf(stderr, "lanes of a warp wait for lanes that do not come\n");
    std::abort();
  }

  void* scheduler_ = nullptr;  ///< Where run() goes on.
  void* fibers_[kLanes] = {};  ///< Where each lane goes on.
  char* stacks_ = nullptr;
  bool done_[kLanes] = {};
  Meeting* meetings_[kBuckets] = {};  ///< By hashes of masks.
  Meeting* last_[kLanes] = {};        ///< For each lane, the meeting where it was last.
  std::uint64_t met_ = 0;             ///< Exchanges that lanes have come to.
  std::uint64_t naps_ = 0;            ///< The naps of all lanes.
  const void* work_ = nullptr;
  void (*call_)(const void*) = nullptr;
};

}  // namespace warp
