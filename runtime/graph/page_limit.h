#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <vector>

namespace matcha::runtime {

/// Bounds the resident pages of mapped files. Threads that read call `look` regularly; it drops all pages when too many
/// are resident. Pages that are read again come from the file, or from the page cache while there is memory. So any
/// program can run on any graph in a `.mtg`, however large; its speed depends on the order in which it reads rows. A
/// watcher thread calls `look` every millisecond for threads that do not.
class PageLimit {
 public:
  /// `bytes`: the most resident bytes, not counting what each thread reads between two calls of `look`.
  explicit PageLimit(std::uint64_t bytes);
  ~PageLimit();
  PageLimit(const PageLimit&) = delete;
  PageLimit& operator=(const PageLimit&) = delete;

  /// Scope in which each `.mtg` that the calling thread maps is watched by `limit`; null: no limit.
  class Reading {
   public:
    explicit Reading(PageLimit* maybe_limit);
    ~Reading();
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    PageLimit* const before_;
  };
  /// The limit of the calling thread's reading; null: none.
  static PageLimit* of_reading();

  /// True if the process has a limit. Loops over rows then call `look` often: after each long row, and after several
  /// short ones.
  static bool is_any();
  /// Enforces all limits of the process, unless the calling thread did so a few microseconds ago. When it returns, no
  /// more than the limit is resident, apart from what other threads read meanwhile.
  static void check();

  /// Counts the pages of a file from now on. `file`: all of its bytes, mapped read-only; `owner` keeps them mapped as
  /// long as this object.
  void watch(std::string_view file, std::shared_ptr<const void> owner);
  /// Advises the system of random access, which turns read-ahead off.
  void expect_random_access();
  /// Asks the system to read `bytes` bytes from `items` on ahead of use. `items` lies in a file.
  void expect(const void* items, std::uint64_t bytes) const;
  /// Drops the pages of these bytes, which are not needed soon.
  void drop(const void* items, std::uint64_t bytes) const;
  /// True if an item lies in one of the files.
  bool holds(const void* item) const;

 private:
  struct File {
    std::string_view bytes;
    std::shared_ptr<const void> owner;
  };

  /// Resident bytes of the files; empty if the system does not report them.
  std::optional<std::uint64_t> resident() const;
  /// Resident bytes of all other mappings, such as the program. They grow over time.
  std::uint64_t count_others() const;
  /// Drops all pages if the limit is exceeded.
  void enforce();
  void watch_pages();

  const std::uint64_t bytes_;
  mutable std::mutex guard_;  ///< Guards the files.
  std::vector<File> files_;
  std::atomic<std::uint64_t> others_{0};
  std::mutex drops_guard_;  ///< Held while pages are dropped: other threads over the limit wait for it.
  std::uint64_t drops_ = 0;
  std::atomic<bool> ends_{false};
  std::thread watcher_;
};

}  // namespace matcha::runtime
