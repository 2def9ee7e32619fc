#include "sim/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "sim/report/numbers.h"
#include "sim/report/svg_plot.h"

namespace rackwright::report {

std::string to_html(const HtmlTable& table) {
  if (table.rows.empty()) return {};
  std::string html = table.text ? "<div class=\"scroll\"><table class=\"text\">" : "<div class=\"scroll\"><table>";
  if (!table.caption.empty()) html += "<caption>" + escaped(table.caption) + "</caption>";
  html += "<thead><tr>";
  std::vector<bool> shown(table.head.size(), true);
  for (std::size_t i = 1; i < shown.size(); ++i)
    shown[i] = std::ranges::any_of(table.rows, [i](const auto& row) { return i < row.size() && !row[i].empty(); });
  for (std::size_t i = 0; i < table.head.size(); ++i) {
    if (shown[i]) html += "<th scope=\"col\">" + escaped(table.head[i]) + "</th>";
  }
  html += "</tr></thead><tbody>\n";
  for (const std::vector<std::string>& row : table.rows) {
    html += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (!shown[i]) continue;
      html += i == 0 ? "<th scope=\"row\">" + escaped(row[i]) + "</th>" : "<td>" + escaped(row[i]) + "</td>";
    }
    html += "</tr>\n";
  }
  return html + "</tbody></table></div>\n";
}

std::string section(std::string_view id, std::string_view title, std::string_view body) {
  if (body.empty()) return {};
  return fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-h\"><h2 id=\"{0}-h\">{1}</h2>\n{2}</section>\n", id,
                     escaped(title), body);
}

std::string figures(const std::vector<plots::Plot>& plots) {
  if (plots.empty()) return {};
  std::string html = "<div class=\"figures\">\n";
  for (const plots::Plot& plot : plots) {
    fmt::format_to(std::back_inserter(html), "<figure><figcaption><strong>{}</strong> {}</figcaption>\n{}\n</figure>\n",
                   escaped(plot.title), escaped(plot.caption), to_svg(plot));
  }
  return html + "</div>\n";
}

std::string figures(const std::vector<plots::PlotGroup>& groups, std::string_view title) {
  for (const plots::PlotGroup& group : groups) {
    if (group.title == title) return figures(group.plots);
  }
  return {};
}

std::string share_bar(std::string_view label, const std::vector<Share>& shares) {
  std::string bar = fmt::format("<div class=\"bar\" role=\"img\" aria-label=\"{}\">", escaped(label));
  std::string legend = "<ul class=\"shares\">";
  for (const Share& share : shares) {
    if (share.fraction <= 0) continue;
    fmt::format_to(std::back_inserter(bar), "<span class=\"{}\" style=\"width:{:.3f}%\"></span>", share.css_class,
                   share.fraction * 100);
    fmt::format_to(std::back_inserter(legend), "<li><i class=\"{}\"></i><b>{}</b> {}<small>{}</small></li>", share.css_class,
                   escaped(percent(share.fraction)), escaped(share.name), escaped(share.meaning));
  }
  return bar + "</div>" + legend + "</ul>\n";
}

}  // namespace rackwright::report
