#pragma once

#include <QString>
#include <functional>
#include <string>
#include <vector>

#include "scenarios/results/request_outcome.h"
#include "scenarios/results/run_description.h"

namespace rackwright::gui {

/// A column of the request table: what it is called, and the value of a row.
struct RequestColumn {
  enum class Kind { count, time, text };

  QString name;     ///< As in the filter and in requests.csv, without the unit: "ttft".
  QString title;
  Kind kind = Kind::count;
  QString help;
  /// Seconds for times; not a number where the request never got that far. Of texts: an index into names.
  std::function<double(const results::RequestOutcome&)> value;
  std::vector<std::string> names = {};  ///< Of texts.
};

/// The columns of a run's requests.
std::vector<RequestColumn> requestColumns(const results::RunDescription& run);

/// Which rows to show: "outcome=failed ttft>500ms pool=chat", all of them must hold; a bare word is looked for in the
/// texts, a bare number is an id.
class RequestFilter {
 public:
  RequestFilter() = default;
  /// Fills `problem` with a sentence when the text means nothing.
  RequestFilter(const QString& text, const std::vector<RequestColumn>& columns, QString& problem);

  bool accepts(const results::RequestOutcome& request) const;
  bool acceptsAll() const { return conditions_.empty(); }

 private:
  std::vector<std::function<bool(const results::RequestOutcome&)>> conditions_;
};

}  // namespace rackwright::gui
