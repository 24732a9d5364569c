#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/graph/graph.h"
#include "runtime/graph/inputs.h"

/// Files, packing and a slow reference reader for the graph tests.
namespace matcha::runtime::test {

/// A folder that is removed at the end of the test.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file and gives its path.
  std::string file(const std::string& name, std::string_view bytes) const;
  /// Names of all files in the folder.
  std::set<std::string> names() const;

 private:
  std::string path_;
};

std::string read_bytes(const std::string& path);
std::string gzip(std::string_view bytes);
std::string zstd(std::string_view bytes);

/// Id -> neighbours with repeats, in the order of the graph; every vertex has an entry.
using Adjacency = std::map<std::int64_t, std::vector<std::int64_t>>;
Adjacency adjacency_of(const Graph& graph);

/// Labels by id, by name.
std::map<std::int64_t, std::string> labels_of(const Graph& graph);

/// The edges of simple `u v` lines, cleaned with sets.
Adjacency naive_adjacency(const std::vector<std::pair<std::int64_t, std::int64_t>>& edges, bool directed);

/// Loads one file that must be good.
LoadedGraph load(const GraphSpec& spec, const IoOptions& options = {});
LoadedGraph load(const std::string& path);
/// The error of a file that must be bad; an empty message if it loads.
Error load_error(const GraphSpec& spec, const IoOptions& options = {});
Error load_error(const std::string& path);

GraphSpec spec_of(const std::string& path);

/// The real graphs beside the checkout, when they are there. Tests run in the root of the checkout.
std::optional<std::string> shared_data();

}  // namespace matcha::runtime::test
