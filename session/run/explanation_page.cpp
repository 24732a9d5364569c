#include "session/run/explanation_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "session/pictures/draw_pattern.h"
#include "session/pictures/svg.h"
#include "session/run/draw_nest.h"
#include "session/run/texts.h"
#include "session/version.h"
#include "styles.h"

namespace matcha::session {

namespace {

constexpr std::size_t kMostInHeading = 90;

std::string title_of(const Explanation& all) { return all.semantics.empty() ? all.signature : all.semantics; }

/// A table; the first column heads its rows. `numbers[i]`: column i holds numbers.
std::string table(std::string_view caption, const std::vector<std::string>& heads, const std::vector<bool>& numbers,
                  const std::vector<std::vector<std::string>>& rows) {
  const auto kind = [&](std::size_t i) { return numbers[i] ? " class=\"number\"" : ""; };
  // The caption is as wide as the page, however wide the table is.
  std::string out = fmt::format("<div class=\"scroll\" tabindex=\"0\"><table>\n<caption>{}</caption>\n<thead><tr>",
                                fmt::format("<span>{}</span>", escaped(caption)));
  for (std::size_t i = 0; i < heads.size(); ++i) {
    out += fmt::format("<th scope=\"col\"{}>{}</th>", kind(i), escaped(heads[i]));
  }
  out += "</tr></thead>\n<tbody>\n";
  for (const std::vector<std::string>& row : rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      // Blanks at the beginning say how deep a loop is.
      const std::size_t blanks = std::min(row[i].find_first_not_of(' '), row[i].size());
      const std::string indent = blanks == 0 ? "" : fmt::format(" style=\"padding-left: {}px\"", 8 * blanks);
      out += i == 0 ? fmt::format("<th scope=\"row\"{}>{}</th>", indent, escaped(row[i].substr(blanks)))
                    : fmt::format("<td{}>{}</td>", kind(i), escaped(row[i]));
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table></div>\n";
}

std::string heading(std::string_view text) { return fmt::format("<h2>{}</h2>\n", escaped(text)); }

std::string paragraph(std::string_view text, std::string_view style_class = {}) {
  return style_class.empty() ? fmt::format("<p>{}</p>\n", escaped(text))
                             : fmt::format("<p class=\"{}\">{}</p>\n", style_class, escaped(text));
}

std::string figure(const std::string& svg) { return fmt::format("<figure>\n{}</figure>\n", svg); }

std::string engine_table(const nlohmann::ordered_json& decision, std::string_view caption) {
  std::vector<std::vector<std::string>> rows;
  for (const EngineRow& row : engine_rows(decision)) {
    rows.push_back({row.name, row.cost, row.memory, row.is_chosen ? "answers" : row.remark});
  }
  if (rows.empty()) return {};
  return table(caption, {"engine", "expected", "memory", ""}, {false, true, true, false}, rows);
}

std::string engine_section(const Explanation& all) {
  if (all.decision.empty()) return {};
  std::string out = heading("Engines");
  for (const std::string& line : all.method) out += paragraph(line);
  return out + engine_table(all.decision, "The ways to answer, the best first");
}

std::string counted_section(const Explanation& all) {
  std::string out = heading("What is counted");
  if (all.semantics.empty()) {
    out += paragraph("What the program says: its result is that of the function below.");
  } else {
    out += paragraph(all.semantics + ".") + paragraph(all.meaning);
  }
  for (const std::string& graph : all.graphs) out += paragraph(graph, "quiet");
  if (!all.order.empty()) out += paragraph("Vertices are ranked " + all.order + ".", "quiet");
  if (!all.schedule.empty()) {
    out += paragraph("run --tune takes a schedule that it remembers: " + all.schedule + ".", "quiet");
  }
  return out;
}

/// Each pattern is a separate figure, so that a narrow page has them in more rows; the legend is below.
std::string pattern_figures(const Explanation& all) {
  std::string out = "<div class=\"patterns\">\n";
  const std::vector<Drawing> pictures = pattern_pictures(all.plans, count_texts(all));
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    out += figure(svg_element(pictures[i], fmt::format("pattern-{}", i), "A pattern and its matching order",
                              pattern_words({all.plans[i]}), false));
  }
  out += "</div>\n";
  if (all.plans.size() > pictures.size()) {
    out += paragraph(fmt::format("And {} more.", all.plans.size() - pictures.size()), "quiet");
  }
  const std::vector<LegendEntry> legend = pattern_legend(all.plans);
  if (legend.empty()) return out;
  out += "<ul class=\"legend\">\n";
  for (std::size_t i = 0; i < legend.size(); ++i) {
    const std::string sign = svg_element(legend[i].sign, fmt::format("sign-{}", i), "Sign", legend[i].text, false);
    out += fmt::format("<li>{}<span>{}</span></li>\n", sign, escaped(legend[i].text));
  }
  return out + "</ul>\n";
}

std::string pattern_sections(const Explanation& all) {
  if (all.plans.empty()) return {};
  std::string out = heading("Pattern and matching order");
  out += pattern_figures(all);
  if (const std::vector<std::string> counts = count_texts(all); !all.count_names.empty() && !counts.empty()) {
    std::vector<std::vector<std::string>> rows;
    for (std::size_t i = 0; i < counts.size(); ++i) rows.push_back({all.count_names[i], counts[i]});
    out += table(all.stopped.empty() ? "Counts." : "Counts, as far as the run came.", {"pattern", "count"},
                 {false, true}, rows);
  }
  if (all.choices.empty()) return out;
  out += heading("Plans considered");
  std::vector<std::vector<std::string>> rows;
  for (const pattern::Choice& choice : all.choices) {
    rows.push_back({choice.plan, std::string(to_string(choice.algorithm)), precise_time(choice.cost / 1e6),
                    fmt::format("{:.2f}", choice.cost / all.choices.front().cost)});
  }
  std::vector<std::string> heads{"order | restrictions", "algorithm", "estimated", "times the first"};
  std::vector<bool> numbers{false, false, true, true};
  std::string caption = "Estimated by the cost model, of one core; the first was taken.";
  if (!actual_time(all).empty()) {
    heads.emplace_back("actual");
    numbers.push_back(true);
    for (std::vector<std::string>& row : rows) row.emplace_back();
    rows.front().back() = precise_time(all.run_ms);
    caption += fmt::format(" Actual: on {} thread{}.", all.threads, all.threads == 1 ? "" : "s");
  }
  return out + table(caption, heads, numbers, rows);
}

std::string loop_sections(const Explanation& all) {
  std::string out = heading("Loops as they run");
  out += figure(svg_element(draw_nest(all), "nest", "The loops as they run", nest_words(all), false));
  out += heading("Sizes");
  std::vector<std::vector<std::string>> rows;
  for (const SizeRow& row : size_rows(all)) {
    rows.push_back(
        {std::string(2 * row.depth, ' ') + row.text, row.expected, row.expected_mean, row.items, row.mean, row.kept});
  }
  out += table(sizes_caption(all), {"step", "estimated", "mean", figures_name(all), "mean", "kept"},
               {false, true, true, true, true, true}, rows);
  return out;
}

std::string program_sections(const Explanation& all) {
  return heading("Program") + fmt::format("<pre><code>{}</code></pre>\n", escaped(all.text)) +
         fmt::format("<details>\n<summary>As written, in words</summary>\n<pre>{}</pre>\n</details>\n",
                     escaped(outline(all.written)));
}

std::string pass_section(const Explanation& all) {
  std::vector<std::vector<std::string>> rows;
  for (const passes::PassRun& run : all.passes) {
    std::vector<std::string> facts;
    for (const auto& [name, count] : run.statistics) facts.push_back(fmt::format("{}: {}", name, count));
    rows.push_back({run.text, run.changed ? "changed" : "nothing", fmt::format("{}", fmt::join(facts, ", ")),
                    precise_time(run.milliseconds), precise_time(run.verify_milliseconds)});
  }
  return heading("Passes") + table("What each did to the program, in order.",
                                   {"pass", "program", "changes", "time", "verifier"},
                                   {false, false, false, true, true}, rows);
}

std::string stream_section(const Explanation& all) {
  if (all.stream.empty()) return "";
  std::string out = heading("In a stream");
  for (const std::string& line : all.stream) out += paragraph(line);
  return out + engine_table(all.stream_decision, "The ways to keep the answer, for a batch of one edge");
}

std::string memory_section(const Explanation& all) {
  std::string out = heading("Memory of each thread");
  if (all.memory.empty()) {
    return out + paragraph("None: every set is a slice of a list of neighbors, or only counted.");
  }
  std::vector<std::vector<std::string>> rows;
  for (const PlannedBuffer& buffer : all.memory) {
    const double items = static_cast<double>(buffer.items.value_or(0));
    rows.push_back({buffer.name, buffer.capacity, std::to_string(buffer.item_bytes),
                    buffer.items ? short_number(items * static_cast<double>(buffer.item_bytes)) + "B" : ""});
  }
  return out + table("Buffers of stored sets, planned before the run.", {"buffer", "items", "bytes each", "in all"},
                     {false, false, true, true}, rows);
}

std::string run_section(const Explanation& all) {
  if (all.times.empty()) return {};
  std::vector<std::vector<std::string>> rows;
  for (const auto& [step, ms] : all.times) rows.push_back({step, precise_time(ms)});
  std::string out = heading("Times");
  if (all.ran) {
    out += paragraph(fmt::format("{} outer steps, {} loops of stragglers split off, SIMD tier {}.",
                                 grouped(static_cast<__int128>(all.positions)),
                                 grouped(static_cast<__int128>(all.deferred)), all.simd));
  }
  return out + table("Stages, in order.", {"stage", "time"}, {false, true}, rows);
}

}  // namespace

std::string explanation_svg(const Explanation& all) {
  constexpr double kMargin = 16;
  Drawing page{0, kMargin, {}};
  const auto heading_text = [&](const std::string& text) {
    page.body += text_element({kMargin, page.height + 16}, text, "title", "start");
    page.height += 30;
  };
  const auto add = [&](const Drawing& drawing) {
    page.body += moved(drawing, {kMargin, page.height});
    page.width = std::max(page.width, drawing.width + 2 * kMargin);
    page.height += drawing.height + kMargin;
  };
  heading_text(shortened(title_of(all), kMostInHeading));
  if (!all.plans.empty()) add(draw_patterns(all.plans, count_texts(all)));
  if (!all.plans.empty()) heading_text("Loops as they run");
  add(draw_nest(all));
  std::string words = all.plans.empty() ? "" : pattern_words(all.plans) + " ";
  return svg_element(page, "explain", title_of(all), words + nest_words(all), true);
}

std::string explanation_html(const Explanation& all) {
  std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n";
  out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  out += fmt::format("<title>{}</title>\n<style>\n{}{}</style>\n</head>\n<body>\n<main>\n",
                     escaped(shortened(title_of(all), kMostInHeading)), styles::embedded_text("session/run/page.css"),
                     svg_style());
  out += fmt::format("<h1>{}</h1>\n", escaped(all.signature));
  out += paragraph(all.name, "quiet");
  if (const std::string answer = answer_text(all); !answer.empty()) {
    out += fmt::format("<p class=\"answer\">{}: <strong>{}</strong></p>\n",
                       all.stopped.empty() ? "Result" : "Partial result", escaped(answer));
  }
  if (!all.stopped.empty()) {
    out += paragraph(fmt::format("The run was {}.", all.stopped));
  }
  out +=
      counted_section(all) + engine_section(all) + pattern_sections(all) + loop_sections(all) + program_sections(all);
  out += pass_section(all) + memory_section(all) + stream_section(all) + run_section(all);
  out += fmt::format("</main>\n<footer>\n{}</footer>\n</body>\n</html>\n",
                     paragraph(fmt::format("matcha {} explain", matcha_version()), "quiet"));
  return out;
}

}  // namespace matcha::session
