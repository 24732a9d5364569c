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

/// Bounds what of mapped files is in the memory of the process: a thread looks every millisecond, and when there is
/// more, lets go of it all. What is read again is then taken from the file, or from where the system keeps files while
/// there is memory. So any program can run on any graph in a `.mtg`, however large; how fast depends on the order in
/// which it reads rows.
class PageLimit {
 public:
  /// `bytes`: what may be in memory, but for what a millisecond of reading adds.
  explicit PageLimit(std::uint64_t bytes) : bytes_(bytes) {}
  ~PageLimit();
  PageLimit(const PageLimit&) = delete;
  PageLimit& operator=(const PageLimit&) = delete;

  /// While it is there, each `.mtg` that its thread maps is watched by a limit; null: none is.
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

  /// From now on the pages of a file are counted. `file`: all of its bytes, mapped and only read; `owner` keeps them
  /// mapped as long as this object.
  void watch(std::string_view file, std::shared_ptr<const void> owner);
  /// Tells the system that rows are read in no order, so that it reads no more of the files than is asked for.
  void expect_no_order();
  /// Has the system read so many bytes from `items` on, which lie in a file, before they are asked for.
  void expect(const void* items, std::uint64_t bytes) const;
  /// Lets go of these bytes, which are not asked for soon.
  void let_go(const void* items, std::uint64_t bytes) const;
  /// Whether an item lies in one of the files.
  bool holds(const void* item) const;

 private:
  struct File {
    std::string_view bytes;
    std::shared_ptr<const void> owner;
  };

  /// Bytes of the files in the memory of the process; nothing: the system does not tell.
  std::optional<std::uint64_t> resident() const;
  /// Bytes of all else that is mapped into it, such as the program, of which there will be more.
  std::uint64_t count_others() const;
  void look();

  const std::uint64_t bytes_;
  mutable std::mutex guard_;  ///< Of the files.
  std::vector<File> files_;
  std::atomic<std::uint64_t> others_{0};
  std::atomic<bool> ends_{false};
  std::thread looker_;
};

}  // namespace matcha::runtime
