#include "tests/answers/case_file.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

namespace matcha::answers {

namespace {

/// Reads one file, line by line.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), in_(path) {
    if (!in_) fail("cannot be read");
  }

  CaseFile read() {
    std::string line;
    while (next(line)) {
      if (line.empty() || line.front() == '#') continue;
      if (line.front() == ' ') fail("an indented line belongs to a command or a file");
      const std::vector<std::string> words = words_of(line);
      if (words.front() == "file") {
        read_input(words);
      } else if (words.front() == "engines") {
        groups_[words.at(1)] = names_of({words.begin() + 2, words.end()});
      } else {
        read_case(words);
      }
    }
    return std::move(file_);
  }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    std::fprintf(stderr, "%s:%d: error: %s\n", path_.c_str(), line_, message.c_str());
    std::exit(2);
  }

  bool next(std::string& line) {
    if (!std::getline(in_, line)) return false;
    ++line_;
    return true;
  }

  /// Words between blanks. A word in single or double quotes has blanks.
  std::vector<std::string> words_of(const std::string& line) const {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < line.size();) {
      if (line[at] == ' ') {
        ++at;
        continue;
      }
      std::string word;
      while (at < line.size() && line[at] != ' ') {
        const char quote = line[at];
        if (word.empty() && (quote == '\'' || quote == '"')) {
          const std::size_t end = line.find(quote, at + 1);
          if (end == std::string::npos) fail("a quote that does not end");
          word = line.substr(at + 1, end - at - 1);
          at = end + 1;
        } else {
          word += line[at++];
        }
      }
      words.push_back(word);
    }
    return words;
  }

  /// The lines that follow with two blanks before them, without these.
  std::vector<std::string> indented() {
    std::vector<std::string> lines;
    while (in_.peek() == ' ') {
      std::string line;
      next(line);
      if (line.compare(0, 2, "  ") != 0) fail("lines are indented by two blanks");
      lines.push_back(line.substr(2));
    }
    return lines;
  }

  void read_input(const std::vector<std::string>& words) {
    if (words.size() != 2) fail("`file NAME`");
    Input& input = file_.inputs.emplace_back();
    input.name = words[1];
    for (const std::string& line : indented()) input.content += line + "\n";
  }

  void read_case(const std::vector<std::string>& words) {
    Case& one = file_.cases.emplace_back();
    one.line = line_;
    one.words = words;
    const int first = line_;
    for (const std::string& line : indented()) {
      if (line.compare(0, 2, "= ") == 0 || line == "=") {
        one.output += line.substr(std::min<std::size_t>(2, line.size())) + "\n";
      } else if (line.compare(0, 2, "! ") == 0) {
        one.status = std::atoi(line.c_str() + 2);
        const std::size_t text = line.find(' ', 2);
        if (text != std::string::npos) one.messages.push_back(line.substr(text + 1));
      } else if (line.compare(0, 2, "~ ") == 0) {
        one.messages.push_back(line.substr(2));
      } else if (line.compare(0, 3, "on ") == 0) {
        const std::vector<std::string> names = words_of(line.substr(3));
        one.engines = names_of(names);
      } else {
        fail("`= OUTPUT`, `! EXIT TEXT`, `~ TEXT` or `on ENGINE...`");
      }
    }
    if (line_ == first) fail("a command without an answer");
    if (one.engines.empty()) one.engines = {"auto"};
  }

  /// Names of engines and of groups of them, all as engines.
  std::vector<std::string> names_of(const std::vector<std::string>& names) const {
    std::vector<std::string> all;
    for (const std::string& name : names) {
      const auto group = groups_.find(name);
      if (group != groups_.end()) {
        all.insert(all.end(), group->second.begin(), group->second.end());
        continue;
      }
      const auto known = std::ranges::find(engines(), name, &Engine::name);
      if (known == engines().end()) fail("no engine is called `" + name + "`");
      all.push_back(name);
    }
    return all;
  }

  std::string path_;
  std::ifstream in_;
  int line_ = 0;
  CaseFile file_;
  std::map<std::string, std::vector<std::string>> groups_;
};

}  // namespace

const std::vector<Engine>& engines() {
  static const std::vector<Engine> all = {
      {"auto", {}},
      {"interp", {"--tier", "interp"}},
      {"native", {"--tier", "native"}},
      {"reference", {"--backend", "interp"}},
      {"extend", {"--algorithm", "extend"}},
      {"join", {"--algorithm", "join"}},
      {"decompose", {"--algorithm", "decompose"}},
      {"scalar", {"--simd", "scalar", "--tier", "native"}},
      {"avx2", {"--simd", "avx2", "--tier", "native"}},
      {"patterns", {"--engine", "patterns"}},
      {"id", {"--order", "id"}},
      {"degree", {"--order", "degree"}},
      {"threads", {"--threads", "3"}},
      {"verify", {"--verify"}},
      {"cuda", {"--device", "cuda"}, true},
  };
  return all;
}

CaseFile read_cases(const std::string& path) { return Reader(path).read(); }

}  // namespace matcha::answers
