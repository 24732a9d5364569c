#include "runtime/graph/detail/mtg_notes.h"

#include <sys/stat.h>

#include <array>
#include <sstream>
#include <string_view>

#include "runtime/code_cache.h"

namespace matcha::runtime::detail {

namespace {

constexpr std::time_t kHoldsSeconds = 24 * 3600;
/// File times have a granularity, at worst two seconds.
constexpr std::time_t kStepSeconds = 2;

/// Identifies a file and its state. Empty: not a regular file.
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
  const std::array<std::string_view, 3> parts = {"a .mtg that is good at both ends of edges, with totals", identity_,
                                                 sum};
  return CodeCache::key(parts) + ".mtg";
}

std::optional<GraphTotals> MtgNotes::find(std::uint64_t header_sum, std::time_t now) const {
  if (identity_.empty()) return std::nullopt;
  const CodeCache::Found found = CodeCache(folder_).load(name(header_sum));
  if (!found.code) return std::nullopt;
  std::istringstream text(*found.code);
  std::time_t noted = 0;
  GraphTotals totals;
  text >> noted >> totals.max_degree >> totals.isolated >> totals.unlabelled >> totals.label_codes >> totals.labelled;
  const bool holds = text && noted <= now && now - noted < kHoldsSeconds && identity_of(path_) == identity_;
  return holds ? std::optional(totals) : std::nullopt;
}

bool MtgNotes::may_add(std::time_t now) const {
  return !identity_.empty() && is_settled(path_, now) && identity_of(path_) == identity_;
}

void MtgNotes::add(std::uint64_t header_sum, const GraphTotals& totals, std::time_t now) const {
  if (!may_add(now)) return;
  std::ostringstream text;
  text << now << ' ' << totals.max_degree << ' ' << totals.isolated << ' ' << totals.unlabelled << ' '
       << totals.label_codes << ' ' << totals.labelled;
  CodeCache(folder_).store(name(header_sum), text.str());
}

}  // namespace matcha::runtime::detail
