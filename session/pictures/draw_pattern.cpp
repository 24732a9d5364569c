#include "session/pictures/draw_pattern.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "session/pictures/layout.h"

namespace matcha::session {

namespace {

constexpr double kRadius = 19, kBadge = 9;
/// How far arcs between the same two vertices, each with a label, leave the straight way.
constexpr double kBendOfTwo = 30;
/// Length of an edge: of a pattern alone, of one among several, of a large one.
constexpr double kUnit = 112, kUnitOfSeveral = 84, kUnitOfLarge = 76;
constexpr std::size_t kLarge = 14;
constexpr std::size_t kMostDrawn = 24, kMostInCircle = 4, kMostInLabel = 18, kMostInTitle = 40;
constexpr double kPageWidth = 900, kGap = 24, kTitleHeight = 26;

std::size_t at(int v) { return static_cast<std::size_t>(v); }

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
};

double overlap(const Box& a, const Box& b) {
  const double x = std::min(a.right, b.right) - std::max(a.left, b.left);
  const double y = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  return x > 0 && y > 0 ? x * y : 0;
}

/// `from` moved by `by` towards `to`.
Point towards(Point from, Point to, double by) {
  const double length = std::max(std::hypot(to.x - from.x, to.y - from.y), 1e-9);
  return {from.x + (to.x - from.x) / length * by, from.y + (to.y - from.y) / length * by};
}

/// One pattern and how it is matched.
class PatternPicture {
 public:
  /// `numbered`: vertices without a number look different from those in an order. `maybe_names`: other names for the
  /// vertices.
  PatternPicture(const pattern::MatchingPlan& plan, double unit, bool numbered,
                 const std::vector<std::string>* maybe_names = nullptr)
      : plan_(plan),
        points_(layout(plan.pattern, unit)),
        turn_(plan.pattern.ids.size(), 0),
        numbered_(numbered),
        names_(maybe_names) {
    for (std::size_t i = 0; i < plan.order.size(); ++i) turn_[at(plan.order[i])] = i + 1;
  }

  Drawing draw() {
    for (const Point& p : points_) take({p.x - kRadius, p.y - kRadius, p.x + kRadius, p.y + kRadius + 4});
    for (int v = 0; v < plan_.pattern.size(); ++v) place_label(v);
    edges();
    restrictions();
    vertices();
    Drawing out;
    out.width = area_.right - area_.left + 2 * kRadius;
    out.height = area_.bottom - area_.top + 2 * kRadius;
    // Vertices over edges; words over all.
    Drawing whole{0, 0, lines_ + rules_ + circles_ + words_};
    out.body = moved(whole, {kRadius - area_.left, kRadius - area_.top});
    return out;
  }

 private:
  std::string name(int v) const { return names_ != nullptr ? (*names_)[at(v)] : plan_.pattern.vertex_name(v); }

  /// These lines are part of the picture; no text should cover them.
  void take(const Box& box) {
    taken_.push_back(box);
    if (taken_.size() == 1) area_ = box;
    area_.left = std::min(area_.left, box.left);
    area_.top = std::min(area_.top, box.top);
    area_.right = std::max(area_.right, box.right);
    area_.bottom = std::max(area_.bottom, box.bottom);
  }

  /// The bend that leads a line from u to v clear of the other vertices; 0: it is straight.
  double bend_of(int u, int v, double first) const {
    constexpr double kClear = kRadius + 7;
    for (double bend : {first, 60.0, -60.0, 100.0, -100.0, 150.0, -150.0, 220.0, -220.0}) {
      bool clear = true;
      for (int w = 0; w < plan_.pattern.size(); ++w) {
        if (w == u || w == v) continue;
        const Point middle = curve_middle(points_[at(u)], points_[at(v)], bend);
        clear = clear && distance_to_line(points_[at(w)], points_[at(u)], middle) > kClear &&
                distance_to_line(points_[at(w)], middle, points_[at(v)]) > kClear;
      }
      if (clear) return bend;
    }
    return first;
  }

  /// A curve between two circles.
  struct Bow {
    Point from, to;
    double bend = 0;
    Point along(double part) const {
      const Point pull = curve_middle(from, to, 2 * bend);
      const double a = (1 - part) * (1 - part), b = 2 * part * (1 - part), c = part * part;
      return {a * from.x + b * pull.x + c * to.x, a * from.y + b * pull.y + c * to.y};
    }
  };

  Bow bow_between(int u, int v, double bend, double distance) const {
    const Point pull = curve_middle(points_[at(u)], points_[at(v)], 2 * bend);
    return {towards(points_[at(u)], pull, distance), towards(points_[at(v)], pull, distance), bend};
  }

  void join(int u, int v, std::string_view style_class, std::string_view more, double wanted = 0) {
    const Bow bow = bow_between(u, v, bend_of(u, v, wanted), kRadius + 1);
    lines_ += bow.bend == 0 ? line_element(bow.from, bow.to, style_class, more)
                            : curve_element(bow.from, bow.to, bow.bend, style_class, more);
    if (bow.bend == 0) return;
    const Point far = bow.along(0.5);
    take({far.x - 2, far.y - 2, far.x + 2, far.y + 2});
  }

  void edges() {
    const pattern::Pattern& p = plan_.pattern;
    for (int u = 0; u < p.size(); ++u) {
      for (int v = u + 1; v < p.size(); ++v) {
        const bool forth = pattern::has(p.out[at(u)], v), back = pattern::has(p.out[at(v)], u);
        std::string more;
        if (p.directed && forth) more += kArcEnd;
        if (p.directed && back) more += kArcStart;
        if (two_labels(u, v)) {
          join(u, v, "edge", kArcEnd, kBendOfTwo);
          join(v, u, "edge", kArcEnd, kBendOfTwo);
          label_arc(p.labels_of(u, v), u, v, kBendOfTwo);
          label_arc(p.labels_of(v, u), v, u, kBendOfTwo);
        } else if (forth || back) {
          join(u, v, "edge", more);
          label_arc(forth ? p.labels_of(u, v) : p.labels_of(v, u), u, v, 0);
        }
        if (pattern::has(p.anti[at(u)], v)) join(u, v, "anti", {});
      }
    }
  }

  /// Whether arcs in both directions have different labels: each is drawn by itself.
  bool two_labels(int u, int v) const {
    const pattern::Pattern& p = plan_.pattern;
    return p.directed && pattern::has(p.out[at(u)], v) && pattern::has(p.out[at(v)], u) &&
           p.labels_of(u, v) != p.labels_of(v, u);
  }

  /// The labels of an edge or arc, near its middle; of a bent one on its outer side.
  void label_arc(const std::vector<std::string>& labels, int u, int v, double wanted) {
    if (labels.empty()) return;
    const std::string text = shortened(fmt::format("{}", fmt::join(labels, ", ")), kMostInLabel);
    const double half = static_cast<double>(characters(text)) * 4.2;
    const Bow bow = bow_between(u, v, bend_of(u, v, wanted), kRadius + 1);
    const Point middle = bow.along(0.5);
    std::vector<Point> places;
    if (wanted != 0) {
      const Point far = towards(middle, curve_middle(bow.from, bow.to, 2 * bow.bend), 12);
      const double side = far.x - middle.x;
      places.push_back({far.x + (std::abs(side) > 6 ? std::copysign(half, side) : 0), far.y + 4});
    } else {
      for (const auto& [x, y] : {Point{0, -8}, Point{0, 16}, Point{half + 8, 4}, Point{-half - 8, 4}}) {
        places.push_back({middle.x + x, middle.y + y});
      }
    }
    place_text(text, "label", half, places);
  }

  void vertices() {
    for (int v = 0; v < plan_.pattern.size(); ++v) {
      const Point p = points_[at(v)];
      circles_ += circle_element(p, kRadius, turn_[at(v)] != 0 || !numbered_ ? "vertex" : "free");
      if (characters(name(v)) <= kMostInCircle) {
        words_ += text_element({p.x, p.y + 4.5}, name(v), "vertex-name", "middle");
      }
      if (turn_[at(v)] == 0) continue;
      const Point badge{p.x + kRadius * 0.75, p.y - kRadius * 0.75};
      circles_ += circle_element(badge, kBadge, "badge");
      words_ += text_element({badge.x, badge.y + 4}, std::to_string(turn_[at(v)]), "badge-text", "middle");
      take({badge.x - kBadge, badge.y - kBadge, badge.x + kBadge, badge.y + kBadge});
    }
  }

  /// The label, and a name that is too long for the circle.
  void place_label(int v) {
    std::string text = plan_.pattern.label(v);
    if (characters(name(v)) > kMostInCircle) text = text.empty() ? name(v) : name(v) + ": " + text;
    if (text.empty()) return;
    text = shortened(text, kMostInLabel);
    const double half = static_cast<double>(characters(text)) * 4.2;
    const Point p = points_[at(v)];
    place_text(text, "label", half,
               {{p.x, p.y + kRadius + 15},
                {p.x, p.y - kRadius - 14},
                {p.x + kRadius + half + 6, p.y + 5},
                {p.x - kRadius - half - 6, p.y + 5}});
  }

  /// Writes at the place that is least in the way.
  void place_text(const std::string& text, std::string_view style_class, double half,
                  const std::vector<Point>& places) {
    Point best = places.front();
    double least = -1;
    for (const Point& place : places) {
      const Box box{place.x - half, place.y - 11, place.x + half, place.y + 4};
      double cost = 0;
      for (const Box& other : taken_) cost += overlap(box, other);
      // Words across an edge can be read, but worse.
      for (int u = 0; u < plan_.pattern.size(); ++u) {
        pattern::for_each(plan_.pattern.near(u) & ~pattern::first_vertices(u + 1), [&](int w) {
          const double near = distance_to_line({place.x, place.y - 4}, points_[at(u)], points_[at(w)]);
          cost += near < 14 ? 14 - near : 0;
        });
      }
      if (least < 0 || cost < least - 1e-9) {
        least = cost;
        best = place;
      }
    }
    take({best.x - half, best.y - 11, best.x + half, best.y + 4});
    words_ += text_element(best, text, style_class, "middle");
  }

  void restrictions() {
    std::vector<Bow> bows;
    std::vector<std::string> texts;
    for (const auto& [larger, smaller] : plan_.restrictions) {
      bows.push_back(bow_of(larger, smaller));
      texts.push_back(fmt::format("{} < {}", name(smaller), name(larger)));
      rules_ += curve_element(bows.back().from, bows.back().to, bows.back().bend, "rule", kRuleEnd);
    }
    // Words are not placed on arrows if there is room elsewhere.
    constexpr int kParts = 10;
    for (const Bow& bow : bows) {
      for (int i = 1; i < kParts; ++i) {
        const Point p = bow.along(static_cast<double>(i) / kParts);
        take({p.x - 3, p.y - 3, p.x + 3, p.y + 3});
      }
    }
    for (std::size_t i = 0; i < bows.size(); ++i) place_rule(bows[i], texts[i]);
  }

  Bow bow_of(int larger, int smaller) const {
    const Point a = points_[at(larger)], b = points_[at(smaller)];
    Point centre;
    for (const Point& p : points_) {
      centre.x += p.x / static_cast<double>(points_.size());
      centre.y += p.y / static_cast<double>(points_.size());
    }
    // Outward, where there is room.
    const Point left = curve_middle(a, b, 60), right = curve_middle(a, b, -60);
    const bool leftward =
        std::hypot(left.x - centre.x, left.y - centre.y) >= std::hypot(right.x - centre.x, right.y - centre.y) - 1e-6;
    return bow_between(larger, smaller, bend_of(larger, smaller, leftward ? 42 : -42), kRadius + 2);
  }

  /// Beside the middle of the curve, else further along it.
  void place_rule(const Bow& bow, const std::string& text) {
    const Point middle = bow.along(0.5), straight{(bow.from.x + bow.to.x) / 2, (bow.from.y + bow.to.y) / 2};
    const double across = std::abs(bow.bend) < 1e-9 ? 1 : std::hypot(middle.x - straight.x, middle.y - straight.y);
    const Point outward{(middle.x - straight.x) / across, (middle.y - straight.y) / across};
    const double half = static_cast<double>(text.size()) * 3.5;
    const double room = 8 + std::abs(outward.x) * (half - 4);
    std::vector<Point> places;
    for (double part : {0.5, 0.38, 0.62, 0.28, 0.72}) {
      for (double off : {room, room + 12, -room, 0.0}) {
        const Point p = bow.along(part);
        places.push_back({p.x + outward.x * off, p.y + outward.y * off + 4});
      }
    }
    place_text(text, "rule-text", half, places);
  }

  const pattern::MatchingPlan& plan_;
  std::vector<Point> points_;
  std::vector<std::size_t> turn_;  ///< The number of the vertex in the order, from 1; 0: not in it.
  bool numbered_;
  const std::vector<std::string>* names_;
  std::vector<Box> taken_;
  Box area_;
  std::string lines_, rules_, circles_, words_;
};

std::string plan_title(const pattern::MatchingPlan& plan, bool alone) {
  const std::string name = plan.pattern.name.empty() ? to_text(plan.pattern) : plan.pattern.name;
  if (alone) return {};
  return plan.factor == 1 ? shortened(name, kMostInTitle)
                          : fmt::format("{} × {}", plan.factor, shortened(name, kMostInTitle));
}

}  // namespace

std::vector<LegendEntry> pattern_legend(const std::vector<pattern::MatchingPlan>& plans) {
  bool anti = false, rules = false, numbers = false, others = false;
  for (const pattern::MatchingPlan& plan : plans) {
    anti = anti || plan.pattern.has_anti_edges();
    rules = rules || !plan.restrictions.empty();
    numbers = numbers || !plan.order.empty();
    others = others || (!plan.order.empty() && plan.order.size() < plan.pattern.ids.size());
  }
  std::vector<LegendEntry> out;
  const auto entry = [&](const std::string& text, const std::string& sign) { out.push_back({text, {44, 24, sign}}); };
  if (numbers) {
    entry("order of the loops",
          circle_element({22, 12}, kBadge, "badge") + text_element({22, 16}, "1", "badge-text", "middle"));
  }
  if (others) {
    entry("not in the cutset: the numbers of ways to place these are multiplied",
          circle_element({22, 12}, kBadge, "free"));
  }
  if (anti) entry("must not be adjacent", line_element({2, 12}, {42, 12}, "anti"));
  if (rules) {
    entry("restriction: the arrow points to the smaller id, so that each subgraph is met once",
          line_element({2, 12}, {42, 12}, "rule", kRuleEnd));
  }
  return out;
}

std::vector<Drawing> pattern_pictures(const std::vector<pattern::MatchingPlan>& plans,
                                      const std::vector<std::string>& counts) {
  std::vector<Drawing> out;
  const bool numbered = std::ranges::any_of(plans, [](const auto& plan) { return !plan.order.empty(); });
  const bool several = plans.size() > 1;
  for (std::size_t i = 0; i < std::min(plans.size(), kMostDrawn); ++i) {
    const bool large = plans[i].pattern.ids.size() > kLarge;
    const double unit = large ? kUnitOfLarge : several ? kUnitOfSeveral : kUnit;
    const Drawing one = PatternPicture(plans[i], unit, numbered).draw();
    const std::string title = plan_title(plans[i], !several);
    const std::string count = several && i < counts.size() ? counts[i] : "";
    const double head = title.empty() ? 0 : kTitleHeight, words = static_cast<double>(characters(title)) * 7.5;
    const double foot = count.empty() ? 0 : kTitleHeight, digits = static_cast<double>(count.size()) * 8.5;
    Drawing whole;
    whole.width = std::max(one.width, std::max(words, digits) + 2 * kRadius);
    whole.height = one.height + head + foot;
    if (head > 0) whole.body += text_element({whole.width / 2, 16}, title, "title", "middle");
    whole.body += moved(one, {(whole.width - one.width) / 2, head});
    if (foot > 0) whole.body += text_element({whole.width / 2, head + one.height + 12}, count, "count", "middle");
    out.push_back(std::move(whole));
  }
  return out;
}

namespace {

/// Pictures side by side, in rows as wide as a page.
Drawing in_rows(const std::vector<Drawing>& pictures) {
  Drawing out;
  double x = 0, y = 0, row = 0;
  for (const Drawing& one : pictures) {
    if (x > 0 && x + one.width > kPageWidth) {
      y += row + kGap;
      x = row = 0;
    }
    out.body += moved(one, {x, y});
    x += one.width + kGap;
    row = std::max(row, one.height);
    out.width = std::max(out.width, x - kGap);
  }
  out.height = y + row + 8;
  return out;
}

}  // namespace

Drawing draw_matches(const pattern::Pattern& pattern, const std::vector<DrawnMatch>& matches) {
  std::vector<Drawing> pictures;
  pattern::MatchingPlan plan;
  plan.pattern = pattern;
  for (const DrawnMatch& match : matches) {
    if (!match.labels.empty()) plan.pattern.labels = match.labels;
    pictures.push_back(PatternPicture(plan, kUnitOfSeveral, false, &match.ids).draw());
  }
  return in_rows(pictures);
}

Drawing draw_patterns(const std::vector<pattern::MatchingPlan>& plans, const std::vector<std::string>& counts) {
  Drawing out = in_rows(pattern_pictures(plans, counts));
  if (plans.size() > kMostDrawn) {
    const std::string more = fmt::format("and {} more", plans.size() - kMostDrawn);
    out.body += text_element({8, out.height + 14}, more, "quiet", "start");
    out.height += 24;
  }
  for (const LegendEntry& entry : pattern_legend(plans)) {
    out.body += moved(entry.sign, {8, out.height});
    out.body += text_element({62, out.height + 16}, entry.text, "quiet", "start");
    out.height += entry.sign.height;
    out.width = std::max(out.width, 72 + static_cast<double>(characters(entry.text)) * 6.8);
  }
  out.height += 4;
  return out;
}

std::string pattern_words(const std::vector<pattern::MatchingPlan>& plans) {
  std::string out;
  for (std::size_t i = 0; i < std::min(plans.size(), kMostDrawn); ++i) {
    const pattern::MatchingPlan& plan = plans[i];
    out += fmt::format("{}Pattern {}{}.", out.empty() ? "" : " ",
                       plan.factor == 1 ? "" : fmt::format("{} times ", plan.factor), to_text(plan.pattern));
    std::string order, rules;
    for (int v : plan.order) order += (order.empty() ? "" : ", ") + plan.pattern.vertex_name(v);
    for (const auto& [larger, smaller] : plan.restrictions) {
      rules += fmt::format("{}{} < {}", rules.empty() ? "" : ", ", plan.pattern.vertex_name(smaller),
                           plan.pattern.vertex_name(larger));
    }
    if (!order.empty()) out += fmt::format(" Order of the loops: {}.", order);
    if (!rules.empty()) out += fmt::format(" Restrictions: {}.", rules);
  }
  if (plans.size() > kMostDrawn) out += fmt::format(" And {} more.", plans.size() - kMostDrawn);
  return out;
}

std::string pattern_svg(const std::vector<pattern::Pattern>& patterns) {
  std::vector<pattern::MatchingPlan> plans;
  for (const pattern::Pattern& pattern : patterns) plans.push_back({pattern, {}, {}, {}, 1, {}});
  const std::string title = patterns.size() == 1 ? to_text(patterns.front()) : "patterns";
  return svg_element(draw_patterns(plans), "pattern", title, pattern_words(plans), true);
}

}  // namespace matcha::session
