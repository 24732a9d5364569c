#include "runtime/graph/detail/name_table.h"

#include <tbb/parallel_sort.h>
#include <xxhash.h>

#include <algorithm>
#include <cstring>

#include "runtime/graph/detail/source.h"
#include "runtime/graph/universe.h"
#include "runtime/parallel.h"

namespace matcha::runtime::detail {

namespace {

/// An id of one of the tables.
struct Entry {
  std::string_view name;
  std::uint32_t table = 0;
  std::uint32_t number = 0;
};

Error too_many_names(std::uint64_t count) {
  return Error{ErrorKind::Resource, std::to_string(count) + " vertices; a run has at most 4294967294", "", 0, ""};
}

}  // namespace

std::string_view NameTable::name(std::uint64_t number) const {
  const std::uint64_t begin = number == 0 ? 0 : ends_[number - 1];
  return std::string_view(text_).substr(begin, ends_[number] - begin);
}

std::uint64_t NameTable::bytes() const {
  return text_.capacity() + ends_.capacity() * sizeof(std::uint64_t) + slots_.capacity() * sizeof(std::uint32_t);
}

void NameTable::grow() {
  constexpr std::size_t kFewest = 64;
  slots_.assign(std::max(kFewest, 2 * slots_.size()), 0);
  for (std::uint64_t number = 0; number < ends_.size(); ++number) {
    const std::string_view id = name(number);
    std::size_t place = XXH3_64bits(id.data(), id.size()) & (slots_.size() - 1);
    while (slots_[place] != 0) place = (place + 1) & (slots_.size() - 1);
    slots_[place] = static_cast<std::uint32_t>(number + 1);
  }
}

std::uint32_t NameTable::intern(std::string_view id) {
  if (2 * ends_.size() >= slots_.size()) grow();
  std::size_t place = XXH3_64bits(id.data(), id.size()) & (slots_.size() - 1);
  for (; slots_[place] != 0; place = (place + 1) & (slots_.size() - 1)) {
    if (name(slots_[place] - 1) == id) return slots_[place] - 1;
  }
  text_ += id;
  ends_.push_back(text_.size());
  slots_[place] = static_cast<std::uint32_t>(ends_.size());
  return slots_[place] - 1;
}

Result<std::shared_ptr<const IdNames>> resolve_names(const std::vector<NamedCells>& cells, const IoOptions& options) {
  std::uint64_t total = 0;
  for (const NamedCells& piece : cells) total += piece.table->size();
  MATCHA_TRY(Budget(options).check(total * sizeof(Entry), ""));
  std::vector<Entry> entries;
  entries.reserve(total);
  for (std::uint32_t table = 0; table < cells.size(); ++table) {
    for (std::uint32_t number = 0; number < cells[table].table->size(); ++number) {
      entries.push_back({cells[table].table->name(number), table, number});
    }
  }
  tbb::parallel_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.name < b.name; });
  if (options.cancelled()) return interrupted_error();
  std::vector<std::vector<std::int64_t>> places(cells.size());
  for (std::size_t table = 0; table < cells.size(); ++table) places[table].resize(cells[table].table->size());
  std::uint64_t distinct = 0;
  std::uint64_t bytes = 0;
  for (std::uint64_t at = 0; at < entries.size(); ++at) {
    if (at == 0 || entries[at - 1].name != entries[at].name) {
      ++distinct;
      bytes += entries[at].name.size();
    }
    places[entries[at].table][entries[at].number] = static_cast<std::int64_t>(distinct - 1);
  }
  if (distinct > kMaxVertices) return too_many_names(distinct);
  Buffer<std::uint64_t> ends(distinct);
  Buffer<char> text(bytes);
  std::uint64_t place = 0;
  std::uint64_t end = 0;
  for (std::uint64_t at = 0; at < entries.size(); ++at) {
    if (at != 0 && entries[at - 1].name == entries[at].name) continue;
    std::memcpy(text.data() + end, entries[at].name.data(), entries[at].name.size());
    end += entries[at].name.size();
    ends[place++] = end;
  }
  for_indices(0, cells.size(), [&](std::size_t table) {
    for (std::vector<std::int64_t>* const column : cells[table].columns) {
      for (std::int64_t& cell : *column) cell = places[table][static_cast<std::size_t>(cell)];
    }
  });
  return std::make_shared<const IdNames>(IdNames::text_ids(std::move(ends), std::move(text)));
}

Result<std::shared_ptr<const IdNames>> resolve_unsigned(const std::vector<std::vector<std::int64_t>*>& columns,
                                                        const IoOptions& options) {
  std::vector<IdSpan> spans;
  for (const std::vector<std::int64_t>* const column : columns) spans.push_back({column->data(), column->size()});
  Universe universe = MATCHA_TRY(Universe::from_ids(spans, {}, options));
  for_indices(0, columns.size(), [&](std::size_t at) {
    for (std::int64_t& cell : *columns[at]) cell = static_cast<std::int64_t>(universe.lower_rank(cell));
  });
  Buffer<std::uint64_t> ids(universe.size());
  for (std::uint64_t place = 0; place < ids.size(); ++place) {
    ids[place] = static_cast<std::uint64_t>(flip_id(static_cast<std::uint64_t>(universe.id(place))));
  }
  return std::make_shared<const IdNames>(IdNames::unsigned_ids(std::move(ids)));
}

}  // namespace matcha::runtime::detail
