#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "incremental/feed.h"
#include "runtime/graph/labels.h"
#include "tests/fuzz/fuzzer.h"

/// Bytes as lines of a stream: nothing crashes, a batch has each accepted line once, and a feed is the same after it
/// was saved and read back. The first byte chooses the kind of the lines.
MATCHA_FUZZER(updates) {
  namespace st = matcha::session::stream;
  if (size == 0) return;
  st::FeedRules rules;
  rules.lines.temporal = (data[0] & 1) != 0;
  rules.lines.edge_labels = (data[0] & 2) != 0;
  rules.directed = (data[0] & 4) != 0;
  if ((data[0] & 8) != 0) rules.width = 10;
  if ((data[0] & 16) != 0) rules.lateness = 5;
  if ((data[0] & 32) != 0) rules.slide = 7;
  const auto dictionary = std::make_shared<const matcha::runtime::LabelDictionary>(std::vector<std::string>{"", "x"});
  st::Feed feed(rules, dictionary), kept(rules, dictionary);
  std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::uint64_t line = 0, updates = 0, reported = 0;
  const auto end_batch = [&] {
    st::RawBatch batch = feed.end_batch();
    if (batch.taken != batch.updates.size()) std::abort();
    reported += batch.lines + batch.late;
    if (!feed.codes().new_words().empty()) feed.codes().take(feed.codes().extended(), batch.updates);
    for (const st::Update& update : batch.updates) {
      if (update.has_label && update.label < -static_cast<std::int64_t>(feed.codes().dictionary().words().size())) {
        std::abort();
      }
    }
    kept.restore(feed.saved());
    if (rules.lines.temporal && kept.saved() != feed.saved()) std::abort();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string error;
    const st::LineKind kind = feed.push(text.substr(0, end), ++line, error);
    if (kind == st::LineKind::Error && error.empty()) std::abort();
    if (kind == st::LineKind::Update) ++updates;
    text.remove_prefix(std::min(end + 1, text.size()));
    while (feed.has_next()) feed.take();
    if (feed.begins_slide() || line % 3 == 0) end_batch();
  }
  feed.flush();
  while (!feed.is_exhausted()) {
    if (feed.has_next()) {
      feed.take();
    } else {
      end_batch();
    }
  }
  end_batch();
  if (reported != updates) std::abort();
}
