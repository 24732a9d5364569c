#include "runtime/graph/detail/mtg_notes.h"

#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "runtime/code_cache.h"

namespace matcha::runtime::detail {

namespace {

constexpr std::time_t kHoldsSeconds = 24 * 3600;
/// Times of files move in steps, at worst of two seconds.
constexpr std::time_t kStepSeconds = 2;

/// What tells a file from others and from what it was before. Empty: no plain file.
std::string identity_of(const std::string& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) return "";
  std::string identity;
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(facts.st_dev), static_cast<std::uint64_t>(facts.st_ino),
        static_cast<std::uint64_t>(facts.st_size), static_cast<std::uint64_t>(facts.st_mtim.tv_sec),
        static_cast<std::uint64_t>(facts.st_mtim.tv_nsec), static_cast<std::uint64_t>(facts.st_ctim.tv_sec),
        static_cast<std::uint64_t>(facts.st_ctim.tv_nsec)}) {
    identity += std::to_string(part) + " ";
  }
  return identity;
}

bool is_settled(const std::string& path, std::time_t now) {
  struct stat facts {};
  return ::stat(path.c_str(), &facts) == 0 && facts.st_ctim.tv_sec + kStepSeconds < now;
}

}  // namespace

MtgNotes::MtgNotes(const std::string& path, const std::string& folder) : path_(path), folder_(folder) {
  if (!folder_.empty()) identity_ = identity_of(path_);
}

std::string MtgNotes::name(std::uint64_t header_sum) const {
  const std::string sum = std::to_string(header_sum);
  const std::array<std::string_view, 3> parts = {"a .mtg that is good", identity_, sum};
  return CodeCache::key(parts) + ".mtg";
}

bool MtgNotes::has(std::uint64_t header_sum, std::time_t now) const {
  if (identity_.empty()) return false;
  const CodeCache::Found found = CodeCache(folder_).load(name(header_sum));
  if (!found.code) return false;
  const std::time_t noted = std::strtoll(found.code->c_str(), nullptr, 10);
  return noted <= now && now - noted < kHoldsSeconds && identity_of(path_) == identity_;
}

void MtgNotes::add(std::uint64_t header_sum, std::time_t now) const {
  if (identity_.empty() || !is_settled(path_, now) || identity_of(path_) != identity_) return;
  CodeCache(folder_).store(name(header_sum), std::to_string(now));
}

}  // namespace matcha::runtime::detail
