#include "session/pictures/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "picture_style.h"

namespace matcha::session {

namespace {

bool inside_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// The bytes of the character that `text` begins with; 0 if that is none of UTF-8 and XML 1.0.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  std::uint32_t code = first & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if (!inside_character(text[i])) return 0;
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  return code < kLeast[size] || code > 0x10FFFF || surrogate || (code & 0xFFFE) == 0xFFFE ? 0 : size;
}

Point control(Point from, Point to, double bend) {
  const double dx = to.x - from.x, dy = to.y - from.y, length = std::max(std::hypot(dx, dy), 1e-9);
  return {(from.x + to.x) / 2 + dy / length * bend, (from.y + to.y) / 2 - dx / length * bend};
}

/// Points of arcs and restrictions.
constexpr std::string_view kMarkers =
    R"(<defs><marker id=")"
    "\1"
    R"(-head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="12" markerHeight="12" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path class="head" d="M0 0 10 5 0 10z"/></marker><marker id=")"
    "\1"
    R"(-rule" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse"><path class="rule-head" d="M0 0 10 5 0 10z"/></marker></defs>
)";

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    if (bytes == 0) {
      out += "\xEF\xBF\xBD";
    } else if (text[0] == '&') {
      out += "&amp;";
    } else if (text[0] == '<') {
      out += "&lt;";
    } else if (text[0] == '>') {
      out += "&gt;";
    } else if (text[0] == '"') {
      out += "&quot;";
    } else if (text[0] == '\'') {
      out += "&#39;";
    } else {
      out += text.substr(0, bytes);
    }
    text.remove_prefix(std::max<std::size_t>(bytes, 1));
  }
  return out;
}

std::size_t characters(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), inside_character));
}

std::string shortened(std::string text, std::size_t most) {
  if (characters(text) <= most) return text;
  while (characters(text) >= most && !text.empty()) {
    while (inside_character(text.back()) && text.size() > 1) text.pop_back();
    text.pop_back();
  }
  return text + "…";
}

std::string line_element(Point from, Point to, std::string_view style_class, std::string_view more) {
  return fmt::format(R"(<line class="{}" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"{}/>)"
                     "\n",
                     style_class, from.x, from.y, to.x, to.y, more);
}

std::string curve_element(Point from, Point to, double bend, std::string_view style_class, std::string_view more) {
  const Point middle = control(from, to, bend);
  return fmt::format(R"(<path class="{}" d="M{:.1f} {:.1f}Q{:.1f} {:.1f} {:.1f} {:.1f}"{}/>)"
                     "\n",
                     style_class, from.x, from.y, middle.x, middle.y, to.x, to.y, more);
}

Point curve_middle(Point from, Point to, double bend) { return control(from, to, bend / 2); }

std::string circle_element(Point at, double radius, std::string_view style_class) {
  return fmt::format(R"(<circle class="{}" cx="{:.1f}" cy="{:.1f}" r="{:.1f}"/>)"
                     "\n",
                     style_class, at.x, at.y, radius);
}

std::string box_element(Point at, double width, double height, double round, std::string_view style_class) {
  return fmt::format(R"(<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" rx="{:.1f}"/>)"
                     "\n",
                     style_class, at.x, at.y, width, height, round);
}

std::string text_element(Point at, std::string_view text, std::string_view style_class, std::string_view anchor) {
  return fmt::format(R"(<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)"
                     "\n",
                     style_class, at.x, at.y, anchor, escaped(text));
}

std::string moved(const Drawing& drawing, Point to) {
  return fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n{}</g>\n", to.x, to.y, drawing.body);
}

std::string_view svg_style() { return picture_style::embedded_text("session/pictures/picture.css"); }

std::string svg_element(const Drawing& drawing, std::string_view id, std::string_view title,
                        std::string_view description, bool alone) {
  std::string out = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" id="{0}" role="img" aria-labelledby="{0}-title {0}-desc" width="{1:.0f}" height="{2:.0f}" viewBox="0 0 {1:.0f} {2:.0f}">)"
      "\n<title id=\"{0}-title\">{3}</title>\n<desc id=\"{0}-desc\">{4}</desc>\n",
      id, std::ceil(drawing.width), std::ceil(drawing.height), escaped(title), escaped(description));
  if (alone) {
    out += fmt::format("<style>\n{}</style>\n", svg_style());
    out += box_element({0, 0}, drawing.width, drawing.height, 0, "page");
  }
  std::string body = std::string(kMarkers) + drawing.body;
  for (std::size_t at = body.find('\1'); at != std::string::npos; at = body.find('\1', at)) body.replace(at, 1, id);
  return out + body + "</svg>\n";
}

}  // namespace matcha::session
