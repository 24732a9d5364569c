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

/// Bounds what of mapped files is in the memory of the process: threads that read look before they read on, and when
/// there is more, let go of it all. What is read again is then taken from the file, or from where the system keeps
/// files while there is memory. So any program can run on any graph in a `.mtg`, however large; how fast depends on the
/// order in which it reads rows. For threads that do not look, one of its own does every millisecond.
class PageLimit {
 public:
  /// `bytes`: what may be in memory, but for what each thread reads between two looks.
  explicit PageLimit(std::uint64_t bytes);
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

  /// Whether there is a limit in the process. Who walks rows then calls `look` often: after each row that is long, some
  /// rows that are not.
  static bool is_any();
  /// Sees to all limits of the process, if the calling thread did not do so some microseconds ago. Returns once no more
  /// is in memory than may be, as far as others read nothing meanwhile.
  static void look();

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
  /// Lets go of all when there is too much.
  void see_to_it();
  void watch_pages();

  const std::uint64_t bytes_;
  mutable std::mutex guard_;  ///< Of the files.
  std::vector<File> files_;
  std::atomic<std::uint64_t> others_{0};
  std::mutex drops_guard_;  ///< Held while pages are let go of: others who find too much wait for it.
  std::uint64_t drops_ = 0;
  std::atomic<bool> ends_{false};
  std::thread looker_;
};

}  // namespace matcha::runtime
