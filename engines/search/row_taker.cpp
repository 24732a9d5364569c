#include "engines/search/row_taker.h"

#include <algorithm>
#include <new>
#include <utility>

namespace matcha::codegen {

RowTaker::RowTaker(std::vector<runtime::ElementKind> kinds, const RunOptions& options)
    : options_(options), kinds_(std::move(kinds)), columns_(kinds_.size()) {
  if (options_.on_rows) return;
  for (const runtime::ElementKind kind : kinds_) list_.columns.emplace_back(kind);
}

bool RowTaker::operator()(const void* const* block, std::uint64_t count) {
  if (options_.on_rows) return options_.on_rows(Rows{count, kinds_, block});
  for (std::size_t c = 0; c < kinds_.size(); ++c) {
    if (!list_.columns[c].append(block[c], count)) throw std::bad_alloc();
  }
  list_.size += count;
  return true;
}

bool RowTaker::operator()(const std::uint32_t* const* block, std::uint64_t count) {
  std::copy_n(block, columns_.size(), columns_.begin());
  return (*this)(columns_.data(), count);
}

void add_found(__int128 found, bool lists, ListValue list, const RunOptions& options, RunResult& result) {
  if (lists) result.rows = static_cast<std::uint64_t>(found);
  const bool keeps = lists && !options.on_rows;
  if (!options.share.is_whole() && (keeps || !lists)) {
    PartialValue& partial = result.partials.emplace_back();
    partial.kind = lists ? runtime::SinkKind::Rows : runtime::SinkKind::SumInt;
    partial.integer = found;
    partial.list = std::move(list);
  } else if (keeps) {
    result.values.emplace_back(std::move(list));
  } else {
    result.values.emplace_back(found);
  }
}

Ending ending_of(runtime::motif::End end) {
  switch (end) {
    case runtime::motif::End::Stopped: return Ending::Stopped;
    case runtime::motif::End::Deadline: return Ending::Deadline;
    case runtime::motif::End::Complete: break;
  }
  return Ending::Complete;
}

}  // namespace matcha::codegen
