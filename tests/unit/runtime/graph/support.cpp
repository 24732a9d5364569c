#include "tests/unit/runtime/graph/support.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace matcha::runtime::test {

TemporaryFolder::TemporaryFolder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "matcha-graph-XXXXXX").string();
  path_ = mkdtemp(pattern.data());
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string TemporaryFolder::file(const std::string& name, std::string_view bytes) const {
  const std::string where = path(name);
  // Some file systems flush a file that is cut and written again; a fresh one stays in memory.
  std::filesystem::remove(where);
  std::ofstream(where, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return where;
}

std::set<std::string> TemporaryFolder::names() const {
  std::set<std::string> names;
  for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(path_)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

std::string read_bytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string gzip(std::string_view bytes) {
  z_stream stream{};
  EXPECT_EQ(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  std::string out(deflateBound(&stream, bytes.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(out.size() - stream.avail_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3);
  EXPECT_FALSE(ZSTD_isError(size));
  out.resize(size);
  return out;
}

Adjacency adjacency_of(const Graph& graph) {
  const GraphView view = graph.view();
  Adjacency adjacency;
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
    const std::uint64_t rank = view.vertices != nullptr ? view.vertices[at] : at;
    std::vector<std::int64_t>& list = adjacency[graph.universe().id(rank)];
    const ArcRange arcs = arcs_of(view, rank);
    for (std::uint64_t arc = arcs.begin; arc < arcs.end; ++arc) {
      list.push_back(graph.universe().id(view.neighbors[arc]));
    }
  }
  return adjacency;
}

std::map<std::int64_t, std::string> labels_of(const Graph& graph) {
  const GraphView view = graph.view();
  std::map<std::int64_t, std::string> labels;
  if (view.labels == nullptr) return labels;
  for (std::uint64_t at = 0; at < view.vertex_count; ++at) {
    const std::uint64_t rank = view.vertices != nullptr ? view.vertices[at] : at;
    labels[graph.universe().id(rank)] = graph.dictionary().name(view.labels[rank]);
  }
  return labels;
}

Adjacency naive_adjacency(const std::vector<std::pair<std::int64_t, std::int64_t>>& edges, bool directed) {
  std::map<std::int64_t, std::set<std::int64_t>> sets;
  for (const auto& [source, target] : edges) {
    sets[source];
    sets[target];
    if (source == target) continue;
    sets[source].insert(target);
    if (!directed) sets[target].insert(source);
  }
  Adjacency adjacency;
  for (const auto& [id, targets] : sets) adjacency[id].assign(targets.begin(), targets.end());
  return adjacency;
}

GraphSpec spec_of(const std::string& path) {
  GraphSpec spec;
  spec.name = "g";
  spec.path = path;
  return spec;
}

LoadedGraph load(const GraphSpec& spec, const IoOptions& options) {
  Result<LoadedGraph> loaded = load_graph(spec, options);
  if (!loaded) {
    ADD_FAILURE() << loaded.error().render();
    return LoadedGraph{};
  }
  return std::move(*loaded);
}

LoadedGraph load(const std::string& path) { return load(spec_of(path)); }

Error load_error(const GraphSpec& spec, const IoOptions& options) {
  Result<LoadedGraph> loaded = load_graph(spec, options);
  return loaded ? Error{} : loaded.error();
}

Error load_error(const std::string& path) { return load_error(spec_of(path)); }

std::optional<std::string> shared_data() {
  const std::string path = "../shared/data";
  if (!std::filesystem::exists(path + "/wikivote.txt.gz")) return std::nullopt;
  return path;
}

}  // namespace matcha::runtime::test
