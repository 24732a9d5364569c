#include "runtime/parallel.h"

#include <tbb/parallel_for.h>

#include <atomic>

namespace matcha::runtime {

namespace {

#if defined(__SANITIZE_THREAD__)
/// Repeats the ordering of oneTBB in a form that ThreadSanitizer sees: the caller's writes come before each call, and
/// those of all calls before the caller continues. The system's library has no instrumentation.
class Order {
 public:
  Order() { word_.store(1, std::memory_order_release); }
  template <typename Call>
  void run(const Call& call) {
    word_.load(std::memory_order_acquire);
    call();
    word_.fetch_add(1, std::memory_order_acq_rel);
  }
  void end() { word_.load(std::memory_order_acquire); }

 private:
  std::atomic<std::uint64_t> word_ = 0;
};
#else
class Order {
 public:
  template <typename Call>
  void run(const Call& call) {
    call();
  }
  void end() {}
};
#endif

}  // namespace

void for_blocks(const Block& all, const Visitor<const Block&>& visit) {
  Order order;
  tbb::parallel_for(all, [&](const Block& block) { order.run([&] { visit(block); }); });
  order.end();
}

void for_indices(std::uint64_t begin, std::uint64_t end, const Visitor<std::uint64_t>& visit) {
  Order order;
  tbb::parallel_for(begin, end, [&](std::uint64_t index) { order.run([&] { visit(index); }); });
  order.end();
}

}  // namespace matcha::runtime
