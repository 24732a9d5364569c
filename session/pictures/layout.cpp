#include "session/pictures/layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <tuple>

namespace matcha::session {

namespace {

using pattern::Mask;
using pattern::Pattern;

constexpr int kRounds = 200, kLastRounds = 2000, kStarts = 16;

std::size_t index(int v) { return static_cast<std::size_t>(v); }

/// The vertices of the part that `start` is in. Pairs that must not be adjacent keep a part together as edges do.
std::vector<int> part_of(const Pattern& pattern, int start) {
  Mask part = pattern::bit(start);
  for (Mask last = 0; part != last;) {
    last = part;
    pattern::for_each(last, [&](int v) { part |= pattern.near(v) | pattern.anti[index(v)]; });
  }
  std::vector<int> vertices;
  pattern::for_each(part, [&](int v) { vertices.push_back(v); });
  return vertices;
}

double cross(Point a, Point b, Point c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }

/// One connected part, with vertex numbers of its own.
class Part {
 public:
  Part(const Pattern& pattern, const std::vector<int>& vertices) : size_(vertices.size()) {
    const auto joined = [&](std::size_t i, std::size_t j) {
      return pattern::has(pattern.near(vertices[i]), vertices[j]);
    };
    distance_.assign(size_, std::vector<double>(size_, 1e9));
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < size_; ++j) {
        if (i == j) distance_[i][j] = 0;
        if (joined(i, j)) distance_[i][j] = 1;
        // A pair that must not be adjacent is drawn too, a little longer.
        if (pattern::has(pattern.anti[index(vertices[i])], vertices[j])) distance_[i][j] = 1.4;
        if (i < j && joined(i, j)) edges_.emplace_back(i, j);
      }
    }
    for (std::size_t k = 0; k < size_; ++k) {
      for (std::size_t i = 0; i < size_; ++i) {
        for (std::size_t j = 0; j < size_; ++j) {
          distance_[i][j] = std::min(distance_[i][j], distance_[i][k] + distance_[k][j]);
        }
      }
    }
  }

  std::vector<Point> best() const {
    std::mt19937 random(1);
    std::vector<Point> found;
    std::tuple<int, double> least;
    for (int start = 0; start < kStarts; ++start) {
      std::vector<Point> points = start == 0 ? circle() : start == 1 ? line() : scattered(random);
      for (int round = 0; round < kRounds; ++round) relax(points);
      const std::tuple<int, double> score{conflicts(points), stress(points)};
      if (found.empty() || std::get<0>(score) < std::get<0>(least) ||
          (std::get<0>(score) == std::get<0>(least) && std::get<1>(score) < std::get<1>(least) - 1e-3)) {
        least = score;
        found = std::move(points);
      }
    }
    for (int round = 0; round < kLastRounds; ++round) relax(found);
    return turned(found);
  }

 private:
  std::vector<Point> circle() const {
    std::vector<Point> points;
    const double n = static_cast<double>(size_), radius = n / (2 * std::numbers::pi);
    for (std::size_t i = 0; i < size_; ++i) {
      const double angle = 2 * std::numbers::pi * static_cast<double>(i) / n;
      points.push_back({radius * std::sin(angle), -radius * std::cos(angle)});
    }
    return points;
  }

  /// By the distance from the vertex that is farthest from the first, for paths.
  std::vector<Point> line() const {
    const std::vector<double>& first = distance_[0];
    const auto end = static_cast<std::size_t>(std::max_element(first.begin(), first.end()) - first.begin());
    std::vector<Point> points;
    for (double x : distance_[end]) points.push_back({x, 0});
    return points;
  }

  std::vector<Point> scattered(std::mt19937& random) const {
    std::vector<Point> points;
    const double width = std::sqrt(static_cast<double>(size_)) / 4096;
    for (std::size_t i = 0; i < size_; ++i) {
      const double x = static_cast<double>(random() % 4096) * width, y = static_cast<double>(random() % 4096) * width;
      points.push_back({x, y});
    }
    return points;
  }

  /// Moves each vertex to where its distances to the others fit best.
  void relax(std::vector<Point>& points) const {
    for (std::size_t i = 0; i < size_; ++i) {
      Point sum;
      double weights = 0;
      for (std::size_t j = 0; j < size_; ++j) {
        if (i == j) continue;
        const double wanted = distance_[i][j], weight = 1 / (wanted * wanted);
        const double dx = points[i].x - points[j].x, dy = points[i].y - points[j].y;
        const double length = std::max(std::hypot(dx, dy), 1e-9);
        sum.x += weight * (points[j].x + wanted * dx / length);
        sum.y += weight * (points[j].y + wanted * dy / length);
        weights += weight;
      }
      if (weights > 0) points[i] = {sum.x / weights, sum.y / weights};
    }
  }

  double stress(const std::vector<Point>& points) const {
    double sum = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double length = std::hypot(points[i].x - points[j].x, points[i].y - points[j].y);
        const double off = length / distance_[i][j] - 1;
        sum += off * off;
      }
    }
    return sum;
  }

  /// Edges that cross, and vertices on edges that are not theirs.
  int conflicts(const std::vector<Point>& points) const {
    constexpr double kNear = 0.25;
    int found = 0;
    for (std::size_t e = 0; e < edges_.size(); ++e) {
      const auto [a, b] = edges_[e];
      for (std::size_t f = 0; f < e; ++f) {
        const auto [c, d] = edges_[f];
        if (a == c || a == d || b == c || b == d) continue;
        const bool apart = cross(points[a], points[b], points[c]) * cross(points[a], points[b], points[d]) > 0 ||
                           cross(points[c], points[d], points[a]) * cross(points[c], points[d], points[b]) > 0;
        found += apart ? 0 : 1;
      }
      for (std::size_t v = 0; v < size_; ++v) {
        if (v != a && v != b && distance_to_line(points[v], points[a], points[b]) < kNear) found += 4;
      }
    }
    return found;
  }

  /// Turned so that one edge is level, the way that leaves most edges level or upright, then most vertices low.
  std::vector<Point> turned(const std::vector<Point>& points) const {
    std::vector<Point> best = points;
    double most = -1;
    for (const auto& [a, b] : edges_) {
      for (double half : {0.0, std::numbers::pi}) {
        const double angle = half - std::atan2(points[b].y - points[a].y, points[b].x - points[a].x);
        std::vector<Point> tried;
        for (const Point& p : points) {
          tried.push_back(
              {p.x * std::cos(angle) - p.y * std::sin(angle), p.x * std::sin(angle) + p.y * std::cos(angle)});
        }
        const double score = straightness(tried);
        if (score > most + 1e-6) {
          most = score;
          best = tried;
        }
      }
    }
    return best;
  }

  double straightness(const std::vector<Point>& points) const {
    constexpr double kLevel = 0.08;
    double score = 0, top = 1e9, bottom = -1e9, mean = 0;
    for (const auto& [a, b] : edges_) {
      const double dx = std::abs(points[a].x - points[b].x), dy = std::abs(points[a].y - points[b].y);
      score += dy < kLevel * dx ? 1.1 : dx < kLevel * dy ? 1 : 0;
    }
    for (const Point& p : points) {
      top = std::min(top, p.y);
      bottom = std::max(bottom, p.y);
      mean += p.y / static_cast<double>(size_);
    }
    return score + 0.09 * (bottom > top ? (mean - top) / (bottom - top) : 0.5);
  }

  std::size_t size_;
  std::vector<std::vector<double>> distance_;
  std::vector<std::pair<std::size_t, std::size_t>> edges_;
};

}  // namespace

double distance_to_line(Point p, Point from, Point to) {
  const double dx = to.x - from.x, dy = to.y - from.y;
  const double square = std::max(dx * dx + dy * dy, 1e-12);
  const double along = std::clamp(((p.x - from.x) * dx + (p.y - from.y) * dy) / square, 0.0, 1.0);
  return std::hypot(p.x - from.x - along * dx, p.y - from.y - along * dy);
}

std::vector<Point> layout(const Pattern& pattern, double unit) {
  constexpr double kLeastDistance = 0.85, kGap = 1;
  std::vector<Point> all(pattern.ids.size());
  std::vector<bool> done(pattern.ids.size(), false);
  double right = 0, height = 0;
  std::vector<std::pair<std::vector<int>, double>> parts;
  for (int start = 0; start < pattern.size(); ++start) {
    if (done[index(start)]) continue;
    const std::vector<int> vertices = part_of(pattern, start);
    std::vector<Point> points = Part(pattern, vertices).best();
    double nearest = 1e9, left = 1e9, top = 1e9, wide = 0, high = 0;
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        nearest = std::min(nearest, std::hypot(points[i].x - points[j].x, points[i].y - points[j].y));
      }
      left = std::min(left, points[i].x);
      top = std::min(top, points[i].y);
    }
    const double scale = unit * std::max(1.0, kLeastDistance / std::max(nearest, 0.2));
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Point p{(points[i].x - left) * scale, (points[i].y - top) * scale};
      wide = std::max(wide, p.x);
      high = std::max(high, p.y);
      all[index(vertices[i])] = {right + p.x, p.y};
      done[index(vertices[i])] = true;
    }
    right += wide + kGap * unit;
    height = std::max(height, high);
    parts.emplace_back(vertices, high);
  }
  // Parts are centred on one line.
  for (const auto& [vertices, high] : parts) {
    for (int v : vertices) all[index(v)].y += (height - high) / 2;
  }
  return all;
}

}  // namespace matcha::session
