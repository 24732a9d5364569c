#include "tests/campaign/graph_files.h"

#include <fmt/format.h>

#include <fstream>

namespace matcha::campaign {

namespace {

void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
}

}  // namespace

GraphFiles::GraphFiles(const std::filesystem::path& folder, const SampleGraph& sample) {
  const auto put = [&](const char* name, const std::string& text) {
    const std::string path = (folder / name).string();
    write(path, text);
    return path;
  };
  graph = put("G.txt", sample.file());
  const std::string labels_text = sample.labels_file();
  if (!labels_text.empty()) labels = put("labels.txt", labels_text);
  if (!sample.kind.inputs) return;
  std::string text = "# E\n";
  for (const auto& [u, v] : sample.world.pairs) text += fmt::format("{} {}\n", u, v);
  inputs["E"] = put("E.txt", text);
  text = "# T\n";
  for (std::int64_t time : sample.world.times) text += fmt::format("{}\n", time);
  inputs["T"] = put("T.txt", text);
  text = "# L\n";
  for (std::int64_t item : sample.world.items) text += fmt::format("{}\n", item);
  inputs["L"] = put("L.txt", text);
  text = "# F\n";
  for (double real : sample.world.reals) text += fmt::format("{}\n", real);
  inputs["F"] = put("F.txt", text);
}

}  // namespace matcha::campaign
