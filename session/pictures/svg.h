#pragma once

#include <string>
#include <string_view>

/// Pictures as SVG text. Lengths are in pixels, y grows downward.
namespace matcha::session {

/// `text` escaped for XML and HTML, in elements and in quoted attributes. Bytes that are not UTF-8, and characters that
/// XML 1.0 does not have, become U+FFFD.
std::string escaped(std::string_view text);

/// Characters, not bytes.
std::size_t characters(std::string_view text);
/// At most `most` characters; a cut text ends in `…`.
std::string shortened(std::string text, std::size_t most);

/// Width of a character of `code` text at the size at which pictures have it, and the height of its lines.
inline constexpr double kCodeWidth = 7.3, kCodeLine = 17;

/// Elements of SVG, and the area that they fill from (0, 0) on.
struct Drawing {
  double width = 0, height = 0;
  std::string body;
};

struct Point {
  double x = 0, y = 0;
};

/// Arrow heads for `more` of lines and curves. \1 is a placeholder for the id of the picture; no other text can contain
/// it.
inline constexpr std::string_view kArcEnd = " marker-end=\"url(#\1-head)\"";
inline constexpr std::string_view kArcStart = " marker-start=\"url(#\1-head)\"";
inline constexpr std::string_view kRuleEnd = " marker-end=\"url(#\1-rule)\"";

std::string line_element(Point from, Point to, std::string_view style_class, std::string_view more = {});
/// A curve that leaves the straight way at most by half of `bend`, to the left of it when that is positive.
std::string curve_element(Point from, Point to, double bend, std::string_view style_class, std::string_view more = {});
Point curve_middle(Point from, Point to, double bend);
std::string circle_element(Point at, double radius, std::string_view style_class);
std::string box_element(Point at, double width, double height, double round, std::string_view style_class);
/// `anchor`: `start`, `middle` or `end`. The text is escaped.
std::string text_element(Point at, std::string_view text, std::string_view style_class, std::string_view anchor);
/// `drawing` as a part of another.
std::string moved(const Drawing& drawing, Point to);

/// The style sheet of all pictures, light and dark.
std::string_view svg_style();
/// A whole `<svg>` element with a title and a description for screen readers; `id` is unique in its document.
/// Alone it has its own style sheet and page.
std::string svg_element(const Drawing& drawing, std::string_view id, std::string_view title,
                        std::string_view description, bool alone);

}  // namespace matcha::session
