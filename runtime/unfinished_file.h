#pragma once

#include <string>

namespace matcha::runtime {

/// A file under a temporary name that is renamed when complete. Otherwise it is deleted, also when the process ends by
/// `discard_all` and no destructor runs.
class UnfinishedFile {
 public:
  /// No file.
  UnfinishedFile() = default;
  /// Takes over a file that was created, or is about to be.
  explicit UnfinishedFile(std::string path);
  ~UnfinishedFile();
  UnfinishedFile(UnfinishedFile&& other) noexcept;
  UnfinishedFile& operator=(UnfinishedFile&& other) noexcept;

  bool exists() const { return !path_.empty(); }
  const std::string& path() const { return path_; }
  /// The file is complete. Returns the error number, or 0.
  int rename_to(const std::string& name);

  /// Deletes all unfinished files; thread-safe. They must not be used any more.
  static void discard_all();

 private:
  void forget();

  std::string path_;
};

}  // namespace matcha::runtime
