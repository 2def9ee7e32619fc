#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/plots/plot.h"

namespace rackwright::report {

/// A table of text; the first column is left-aligned, the others are numbers. Cells are escaped; a column in which
/// every cell is empty is left out.
struct HtmlTable {
  std::string caption;
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
  bool text = false;  ///< Every column is text.
};
std::string to_html(const HtmlTable& table);

/// "<section id=…><h2>…</h2>…</section>", or nothing for an empty body.
std::string section(std::string_view id, std::string_view title, std::string_view body);

/// Plots side by side where the page is wide enough, each with its caption.
std::string figures(const std::vector<plots::Plot>& plots);
/// The plots of the group with this title.
std::string figures(const std::vector<plots::PlotGroup>& groups, std::string_view title);

/// A whole cut into named shares: one bar, and a legend that gives each share in words.
/// `classes` are CSS classes, one for each share.
struct Share {
  std::string name;
  double fraction = 0;
  std::string css_class;
  std::string meaning;
};
std::string share_bar(std::string_view label, const std::vector<Share>& shares);

}  // namespace rackwright::report
