#include <fmt/format.h>

#include <map>
#include <utility>

#include "codegen/shares.h"
#include "session/cluster/dealers.h"

namespace matcha::session::cluster {

namespace {

class LedgerDealer final : public codegen::Dealer {
 public:
  LedgerDealer(std::vector<Ledger> ledgers, std::string key) : ledgers_(std::move(ledgers)), key_(std::move(key)) {
    for (const Ledger& ledger : ledgers_) by_shard_.emplace(ledger.header.shard, &ledger);
  }

  /// Why the ledgers are not those of the run.
  std::optional<runtime::Error> check() const {
    if (ledgers_.empty()) return input_error({}, "there are no ledgers", {});
    const LedgerHeader& first = ledgers_.front().header;
    std::map<std::uint64_t, const Ledger*> shards;
    for (const Ledger& ledger : ledgers_) {
      const LedgerHeader& header = ledger.header;
      if (header.key != first.key || header.units != first.units || header.shards != first.shards) {
        return input_error(ledger.file, fmt::format("the ledger is of another run than `{}`", ledgers_.front().file),
                           "program, graph, parameters, order, number of shards and version must be the same");
      }
      const auto [place, is_new] = shards.emplace(header.shard, &ledger);
      if (!is_new) {
        return input_error(ledger.file,
                           fmt::format("shard {}/{} is in `{}` too", header.shard, header.shards, place->second->file),
                           "give each ledger once");
      }
      if (ledger.whole_bytes != ledger.file_bytes) {
        return input_error(ledger.file, "the ledger ends in the middle of a record, or was changed",
                           fmt::format("run shard {}/{} again with it", header.shard, header.shards));
      }
    }
    for (std::uint64_t shard = 0; shard < first.shards; ++shard) {
      if (shards.contains(shard)) continue;
      return input_error({}, fmt::format("the ledger of shard {}/{} is missing", shard, first.shards),
                         "give those of all shards");
    }
    if (first.key == key_) return std::nullopt;
    return input_error(ledgers_.front().file, "the ledger is of another run than this program on this graph",
                       "the graph, the program or the version of Matcha is not what it was");
  }

  std::uint64_t units() const override { return ledgers_.front().header.units; }
  bool merges() const override { return true; }
  std::optional<std::uint64_t> next(std::size_t) override { return std::nullopt; }
  std::optional<runtime::Error> done(std::size_t, std::uint64_t, std::vector<codegen::PartialValue>) override {
    return std::nullopt;
  }
  // Missing units are an error of `finish`.
  bool is_complete(std::size_t) const override { return true; }
  std::uint64_t units_done() const override { return done_; }
  std::uint64_t units_total() const override { return done_; }
  runtime::Result<std::vector<codegen::PartialValue>> finish(std::size_t region) override {
    std::vector<codegen::PartialValue> all;
    for (std::uint64_t unit = 0; unit < units(); ++unit) {
      const Ledger& ledger = *by_shard_.at(unit % ledgers_.front().header.shards);
      const auto found = ledger.units.find({region, unit});
      if (found == ledger.units.end()) {
        return input_error(
            ledger.file, fmt::format("shard {}/{} is not done", ledger.header.shard, ledger.header.shards),
            fmt::format("run it again with this ledger, which it goes on with: --shard {}/{} --ledger {}",
                        ledger.header.shard, ledger.header.shards, ledger.file));
      }
      if (std::optional<runtime::Error> failed = codegen::merge_all(all, found->second)) return *failed;
      ++done_;
    }
    return all;
  }

 private:
  static runtime::Error input_error(const std::string& file, std::string message, std::string hint) {
    return {runtime::ErrorKind::Input, std::move(message), file, 0, std::move(hint)};
  }

  const std::vector<Ledger> ledgers_;
  const std::string key_;
  std::map<std::uint64_t, const Ledger*> by_shard_;
  std::uint64_t done_ = 0;
};

}  // namespace

runtime::Result<std::unique_ptr<codegen::Dealer>> make_ledger_dealer(std::vector<Ledger> ledgers,
                                                                     const std::string& key) {
  auto dealer = std::make_unique<LedgerDealer>(std::move(ledgers), key);
  if (std::optional<runtime::Error> error = dealer->check()) return *error;
  return std::unique_ptr<codegen::Dealer>(std::move(dealer));
}

}  // namespace matcha::session::cluster
