#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "tests/unit/frontend/support.h"
#include "tests/unit/sanitized.h"

/// Programs that are broken at random must be refused or compiled, and never crash or hang the front end. They are the
/// same each time: `MATCHA_SEED` draws others, and `MATCHA_MUTATIONS` sets their number.
namespace matcha::frontend::testing {
namespace {

std::vector<std::string> programs() {
  std::vector<std::string> out;
  for (const char* folder : {"tests/asg", "tests/errors", "examples", "stdlib"}) {
    std::vector<std::filesystem::path> paths;
    for (const std::filesystem::directory_entry& entry : std::filesystem::directory_iterator(folder)) {
      bool slow = entry.path().filename() == "fail_too_complex.mt";
      if (entry.path().extension() == ".mt" && !slow) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    for (const std::filesystem::path& path : paths) out.push_back(read_file(path.string()));
  }
  return out;
}

/// Pieces that programs are made of: words, signs, numbers, line breaks with their indentation.
std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> out;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at + 1;
    auto word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    if (text[at] == '#') {
      end = text.find('\n', at);
    } else if (text[at] == '\n' || text[at] == ' ') {
      while (end < text.size() && text[end] == ' ') ++end;
    } else if (word(text[at])) {
      while (end < text.size() && word(text[end])) ++end;
    }
    end = std::min(end, text.size());
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::string mutate(const std::vector<std::vector<std::string>>& corpus, std::mt19937_64& random) {
  auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  std::vector<std::string> pieces = corpus[below(corpus.size())];
  std::size_t changes = 1 + below(4);
  for (std::size_t i = 0; i < changes && !pieces.empty(); ++i) {
    std::size_t at = below(pieces.size());
    const std::vector<std::string>& other = corpus[below(corpus.size())];
    switch (below(6)) {
      case 0: pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(at)); break;
      case 1: pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(at), other[below(other.size())]); break;
      case 2: pieces[at] = other[below(other.size())]; break;
      case 3: std::swap(pieces[at], pieces[below(pieces.size())]); break;
      case 4: pieces[at] = pieces[below(pieces.size())]; break;
      default:
        if (!pieces[at].empty()) pieces[at][below(pieces[at].size())] = static_cast<char>(below(256));
    }
  }
  std::string out;
  for (const std::string& piece : pieces) out += piece;
  return out;
}

constexpr std::size_t kPrograms = unless_sanitized<std::size_t>(2'000, 500);

TEST(Mutation, NeverCrashes) {
  const char* seed_text = std::getenv("MATCHA_SEED");
  const char* count_text = std::getenv("MATCHA_MUTATIONS");
  std::uint64_t seed = seed_text != nullptr ? std::strtoull(seed_text, nullptr, 10) : 1;
  std::size_t count = count_text != nullptr ? std::strtoull(count_text, nullptr, 10) : kPrograms;
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  std::fflush(stdout);
  std::vector<std::vector<std::string>> corpus;
  for (const std::string& program : programs()) corpus.push_back(split(program));
  std::mt19937_64 random(seed);
  std::size_t compiled = 0;
  for (std::size_t i = 0; i < count && !HasFailure(); ++i) {
    std::string text = mutate(corpus, random);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", program " + std::to_string(i) + ":\n" + text);
    compiled += compile_fully(text) ? 1 : 0;
  }
  EXPECT_GT(compiled, count / 100) << "mutants that compile are what the later stages are tested with";
}

}  // namespace
}  // namespace matcha::frontend::testing
