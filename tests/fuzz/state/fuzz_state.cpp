// Folders of `--state`: bytes as the checkpoint, whose checksum is made right, and as the log behind it. A state that
// is read is taken up as a stream does.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "incremental/feed.h"
#include "incremental/state.h"
#include "incremental/vertex_names.h"
#include "runtime/graph/labels.h"
#include "tests/fuzz/fuzzer.h"
#include "tests/fuzz/scratch_folder.h"

namespace {

namespace st = matcha::session::stream;

/// FNV-1a, which a checkpoint has of its text.
std::string sum_line(std::string_view text) {
  std::uint64_t sum = 0xCBF29CE484222325ULL;
  for (const char byte : text) sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001B3ULL;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string line(17, '\n');
  for (int digit = 15; digit >= 0; --digit, sum >>= 4) line[static_cast<std::size_t>(digit)] = kDigits[sum & 15];
  return line;
}

void take_up(const nlohmann::json& facts) {
  st::VertexNames names;
  if (facts.contains("names")) static_cast<void>(names.restore(facts.at("names").get<std::vector<std::string>>()));
  st::FeedRules rules;
  rules.lines.temporal = true;
  const auto dictionary = std::make_shared<const matcha::runtime::LabelDictionary>(std::vector<std::string>{"", "x"});
  st::Feed feed(rules, dictionary);
  feed.restore(facts.at("feed"));
  st::Feed again(rules, dictionary);
  again.restore(feed.saved());
  if (again.saved() != feed.saved()) std::abort();
  feed.flush();
  while (feed.has_next()) feed.take();
}

}  // namespace

MATCHA_FUZZER(state) {
  static const matcha::fuzz::ScratchFolder folder;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(bytes.find('\n'), bytes.size());
  std::string text(bytes.substr(0, end));
  text += '\n';
  folder.write("7.state", text + sum_line(text));
  folder.write("7.log", bytes.substr(std::min(end + 1, size)));
  matcha::runtime::Result<st::StateFolder> state = st::StateFolder::open(folder.path);
  if (!state || !state->is_begun()) std::abort();
  const matcha::runtime::Result<nlohmann::json> facts = state->read_facts();
  if (facts) take_up(*facts);
  const matcha::runtime::Result<std::vector<st::LogRecord>> log = state->read_log();
  if (!log && log.error().message.empty()) std::abort();
}
