#include "session/run/draw_nest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace matcha::session {

namespace {

constexpr double kPad = 12, kLeastWidth = 560, kWidth = 900, kBarLength = 120, kBarHeight = 5;
constexpr double kBoxGap = 6;

std::size_t depth_of(const std::vector<Step>& steps) {
  std::size_t deepest = 0;
  for (const Step& step : steps) deepest = std::max(deepest, 1 + depth_of(step.steps));
  return deepest;
}

double largest_of(const std::vector<Step>& steps) {
  double largest = 1;
  for (const Step& step : steps) {
    largest = std::max(largest, largest_of(step.steps));
    if (step.expected) largest = std::max(largest, *step.expected);
    if (step.actual) largest = std::max(largest, static_cast<double>(step.actual->items));
  }
  return largest;
}

/// `text` in lines of at most `most` characters, broken at blanks where there are any.
std::vector<std::string> broken_lines(const std::string& text, std::size_t most) {
  std::vector<std::string> lines(1);
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find(' ', begin);
    end = end == std::string::npos ? text.size() : end + 1;
    std::string word = text.substr(begin, end - begin);
    begin = end;
    const std::size_t length = characters(word) - (word.back() == ' ' ? 1 : 0);
    if (!lines.back().empty() && characters(lines.back()) + length > most) lines.emplace_back("  ");
    lines.back() += shortened(word, most);
  }
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

class NestPicture {
 public:
  NestPicture(const std::vector<Step>& nest, std::string figures_name)
      : figures_name_(std::move(figures_name)), scale_(std::log10(1 + largest_of(nest))) {
    width_ = std::max(kWidth, kLeastWidth + 2 * kPad * static_cast<double>(depth_of(nest)));
    y_ = 4;
    block(nest, 4, width_ - 4);
  }

  Drawing drawing() && { return {width_, y_ + 4, boxes_ + words_}; }
  bool has_bars() const { return bars_; }

 private:
  void block(const std::vector<Step>& steps, double left, double right) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const Step& step = steps[i];
      switch (step.kind) {
        case StepKind::Find: box(step, left, right, "region"); break;
        case StepKind::Loop: box(step, left, right, "loop"); break;
        case StepKind::If:
        case StepKind::Else: {
          text(step.text, "code", left, right);
          // Statements after a condition, up to the end, need no indentation.
          const bool to_the_end = i + 1 == steps.size() && step.kind == StepKind::If;
          const double top = y_;
          block(step.steps, to_the_end ? left : left + kPad, right);
          if (!to_the_end) words_ += line_element({left + 3, top}, {left + 3, y_ - 3}, "branch");
          break;
        }
        case StepKind::Value:
        case StepKind::Set:
        case StepKind::Give:
        case StepKind::Graph:
        case StepKind::Result:
          text(step.text, "code", left, right);
          figures(step, left, right);
          break;
      }
    }
  }

  void box(const Step& step, double left, double right, std::string_view style_class) {
    if (step.kind == StepKind::Loop) style_class = ++loops_ % 2 == 0 ? "loop even" : "loop";
    y_ += kBoxGap;
    const double top = y_;
    y_ += 5;
    std::string name = step.text;
    if (step.kind == StepKind::Loop) name = name.substr(name.find("each ") + 5);
    text(name, step.kind == StepKind::Loop ? "loop-name" : "code", left + kPad, right - kPad);
    figures(step, left + kPad, right - kPad);
    // Boxes around come first, so that those inside are drawn over them.
    const std::size_t place = boxes_.size();
    block(step.steps, left + kPad, right - kPad);
    y_ += 5;
    if (step.kind == StepKind::Loop) --loops_;
    boxes_.insert(place, box_element({left, top}, right - left, y_ - top, 6, style_class));
    y_ += kBoxGap;
  }

  void text(const std::string& text, std::string_view style_class, double left, double right) {
    const std::size_t most = static_cast<std::size_t>(std::max((right - left) / kCodeWidth, 20.0));
    for (const std::string& line : broken_lines(text, most)) {
      // Blanks at the beginning of a line would be lost.
      const std::size_t blanks = line.find_first_not_of(' ') == std::string::npos ? 0 : line.find_first_not_of(' ');
      words_ += text_element({left + static_cast<double>(blanks) * kCodeWidth, y_ + 13}, line.substr(blanks),
                             style_class, "start");
      y_ += kCodeLine;
    }
  }

  void figures(const Step& step, double left, double right) {
    std::vector<std::string> facts;
    if (step.actual) {
      const StepCount& count = *step.actual;
      std::string text = figures_name_ + " " + grouped(count.items);
      if (count.times > 1 && count.times != count.items) text += " · mean " + mean_text(count);
      if (count.kept != count.items && step.kind == StepKind::Loop) text += " · kept " + grouped(count.kept);
      facts.push_back(std::move(text));
    }
    if (step.expected) {
      std::string text = "estimated " + about(*step.expected);
      const std::string mean = expected_mean_text(step);
      if (!mean.empty()) text += " · mean " + mean;
      facts.push_back(std::move(text));
    }
    if (facts.empty()) return;
    words_ += text_element({left, y_ + 13}, fmt::format("{}", fmt::join(facts, " | ")), "figures", "start");
    double bar_y = y_ + 4;
    const auto bar = [&](double value, std::string_view style_class) {
      const double length = scale_ > 0 ? kBarLength * std::log10(1 + std::max(value, 0.0)) / scale_ : 0;
      words_ += box_element({right - kBarLength, bar_y}, std::max(length, 1.0), kBarHeight, 1, style_class);
      bar_y += kBarHeight + 1;
      bars_ = true;
    };
    if (step.actual) bar(static_cast<double>(step.actual->items), "actual");
    if (step.expected) bar(*step.expected, "expected");
    y_ += kCodeLine;
  }

  std::string figures_name_;
  double scale_;
  double width_ = 0, y_ = 0;
  bool bars_ = false;
  int loops_ = 0;  ///< Around the place.
  std::string boxes_, words_;
};

}  // namespace

Drawing draw_nest(const Explanation& all) {
  NestPicture picture(all.nest, figures_name(all));
  const bool bars = picture.has_bars();
  Drawing out = std::move(picture).drawing();
  if (!bars) return out;
  double x = 8;
  const auto entry = [&](std::string_view style_class, const std::string& text) {
    if (!style_class.empty()) out.body += box_element({x, out.height + 8}, 24, kBarHeight, 1, style_class);
    x += style_class.empty() ? 0 : 30;
    out.body += text_element({x, out.height + 14}, text, "quiet", "start");
    x += 16 + 6.8 * static_cast<double>(characters(text));
  };
  if (all.ran) entry("actual", figures_name(all));
  if (!all.plans.empty()) entry("expected", "estimated");
  entry({}, fmt::format("on a logarithmic scale from 0 to {}", about(largest_of(all.nest))));
  out.height += 26;
  return out;
}

std::string nest_words(const Explanation& all) {
  std::string out;
  for (const SizeRow& row : size_rows(all)) {
    if (row.step->kind != StepKind::Loop) continue;
    out += fmt::format("{}{} at depth {}", out.empty() ? "" : "; ", shortened(row.text, 80), row.depth + 1);
    if (!row.items.empty()) out += fmt::format(", {} times", row.items);
    if (!row.expected.empty()) out += fmt::format(", estimated {}", row.expected);
  }
  return out.empty() ? "No loops." : "Loops from the outside in: " + out + ".";
}

}  // namespace matcha::session
