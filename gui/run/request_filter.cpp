#include "gui/run/request_filter.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "models/base/quantity.h"

namespace rackwright::gui {
namespace {

using results::RequestOutcome;
using Kind = RequestColumn::Kind;
using Value = std::function<double(const RequestOutcome&)>;

constexpr double never = std::numeric_limits<double>::quiet_NaN();

QString tr(const char* text) { return QCoreApplication::translate("RequestFilter", text); }

/// A length of time that exists only once the request has answered.
Value answered(SimTime (RequestOutcome::*length)() const, int tokens) {
  return [length, tokens](const RequestOutcome& r) { return r.output_tokens >= tokens ? (r.*length)().seconds() : never; };
}

template <class Member>
Value member(Member RequestOutcome::*which) {
  return [which](const RequestOutcome& r) { return static_cast<double>(r.*which); };
}

std::optional<double> numberOf(const QString& text, Kind kind) {
  bool isNumber = false;
  const double bare = text.toDouble(&isNumber);
  if (isNumber) return bare;  // Seconds, of a time.
  if (kind != Kind::time) return std::nullopt;
  QuantityError ignored;
  return parse_quantity(text.toStdString(), "s", ignored);
}

bool compares(const QString& sign, double a, double b) {
  if (sign == QStringLiteral("=")) return a == b;
  if (sign == QStringLiteral("!=")) return a != b;
  if (sign == QStringLiteral(">")) return a > b;
  if (sign == QStringLiteral(">=")) return a >= b;
  if (sign == QStringLiteral("<")) return a < b;
  return a <= b;
}

}  // namespace

std::vector<RequestColumn> requestColumns(const results::RunDescription& run) {
  std::vector<std::string> pools, classes, outcomes;
  for (const results::PoolDescription& pool : run.pools) pools.push_back(pool.name);
  for (const results::RequestClass& one : run.classes) classes.push_back(one.name);
  for (const results::Outcome outcome : {results::Outcome::completed, results::Outcome::rejected, results::Outcome::failed, results::Outcome::cancelled}) {
    outcomes.emplace_back(to_string(outcome));
  }
  const auto text = [](const char* name) { return QString::fromLatin1(name); };
  std::vector<RequestColumn> columns;
  columns.push_back({text("id"), tr("Request"), Kind::count, tr("Position in the stream, from 0"), member(&RequestOutcome::id)});
  columns.push_back({text("outcome"), tr("Outcome"), Kind::text, tr("What became of it"), [](const RequestOutcome& r) { return static_cast<double>(r.outcome); }, outcomes});
  columns.push_back({text("class"), tr("Class"), Kind::text, tr("Request class"), member(&RequestOutcome::request_class), classes});
  columns.push_back({text("pool"), tr("Pool"), Kind::text, tr("The pool that answered"), member(&RequestOutcome::pool), pools});
  columns.push_back({text("instance"), tr("Instance"), Kind::count, tr("Over all instances of the run"), member(&RequestOutcome::instance)});
  columns.push_back({text("arrival"), tr("Arrival"), Kind::time, tr("At the front door, in simulated time"), [](const RequestOutcome& r) { return r.arrival.seconds(); }});
  columns.push_back({text("queue"), tr("Queue"), Kind::time, tr("Arrival to the first step that computed something for it"), answered(&RequestOutcome::queue, 1)});
  columns.push_back({text("ttft"), tr("TTFT"), Kind::time, tr("Arrival to first token"), answered(&RequestOutcome::ttft, 1)});
  columns.push_back({text("tpot"), tr("TPOT"), Kind::time, tr("Mean time per output token after the first"), answered(&RequestOutcome::tpot, 2)});
  columns.push_back({text("e2e"), tr("End to end"), Kind::time, tr("Arrival to last token"), answered(&RequestOutcome::e2e, 1)});
  columns.push_back({text("gap"), tr("Longest gap"), Kind::time, tr("Longest wait between two tokens"), [](const RequestOutcome& r) { return r.output_tokens >= 2 ? r.longest_gap.seconds() : never; }});
  columns.push_back({text("kv"), tr("KV exposed"), Kind::time, tr("First token until its KV was where it decodes"), [](const RequestOutcome& r) { return r.kv_exposed ? r.kv_exposed->seconds() : never; }});
  columns.push_back({text("input"), tr("Input"), Kind::count, tr("Prompt tokens"), member(&RequestOutcome::input_tokens)});
  columns.push_back({text("cached"), tr("Cached"), Kind::count, tr("Prompt tokens that a cache held"), member(&RequestOutcome::cached_input_tokens)});
  columns.push_back({text("output"), tr("Output"), Kind::count, tr("Output tokens"), member(&RequestOutcome::output_tokens)});
  columns.push_back({text("preemptions"), tr("Preemptions"), Kind::count, tr("How often it had to begin again"), member(&RequestOutcome::preemptions)});
  return columns;
}

RequestFilter::RequestFilter(const QString& text, const std::vector<RequestColumn>& columns, QString& problem) {
  static const QRegularExpression term(QStringLiteral("^([a-z0-9_]+)(!=|>=|<=|=|>|<)(.+)$"));
  // A space between a comparison and its number or unit is a habit, no new term.
  QString tight = text.simplified();
  tight.replace(QRegularExpression(QStringLiteral("\\s*(!=|>=|<=|=|>|<)\\s*")), QStringLiteral("\\1"));
  tight.replace(QRegularExpression(QStringLiteral("([0-9]) (ps|ns|us|µs|ms|s|min|h)\\b")), QStringLiteral("\\1\\2"));
  for (const QString& word : tight.split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
    const QRegularExpressionMatch match = term.match(word.toLower());
    if (!match.hasMatch()) {
      bool isId = false;
      const double id = word.toDouble(&isId);
      if (isId) {
        conditions_.push_back([id](const RequestOutcome& r) { return static_cast<double>(r.id) == id; });
        continue;
      }
      // In any of the texts.
      std::vector<std::pair<Value, std::vector<bool>>> hits;
      for (const RequestColumn& column : columns) {
        if (column.kind != Kind::text) continue;
        std::vector<bool> fits;
        for (const std::string& name : column.names) fits.push_back(QString::fromStdString(name).contains(word, Qt::CaseInsensitive));
        hits.emplace_back(column.value, std::move(fits));
      }
      conditions_.push_back([hits](const RequestOutcome& r) {
        return std::ranges::any_of(hits, [&](const auto& hit) {
          const auto index = static_cast<std::size_t>(hit.first(r));
          return index < hit.second.size() && hit.second[index];
        });
      });
      continue;
    }
    const QString sign = match.captured(2);
    const auto column = std::ranges::find(columns, match.captured(1), &RequestColumn::name);
    if (column == columns.end()) {
      problem = tr("no column is called '%1'").arg(match.captured(1));
      return;
    }
    if (column->kind == Kind::text) {
      const auto name = std::ranges::find(column->names, match.captured(3).toStdString());
      const double index = name == column->names.end() ? -1 : static_cast<double>(name - column->names.begin());
      if (index < 0) {
        problem = tr("'%1' is no %2 of this run").arg(match.captured(3), column->name);
        return;
      }
      conditions_.push_back([value = column->value, sign, index](const RequestOutcome& r) { return compares(sign, value(r), index); });
      continue;
    }
    const auto limit = numberOf(match.captured(3), column->kind);
    if (!limit) {
      problem = tr("'%1' is no number").arg(match.captured(3));
      return;
    }
    conditions_.push_back([value = column->value, sign, limit = *limit](const RequestOutcome& r) { return compares(sign, value(r), limit); });
  }
}

bool RequestFilter::accepts(const RequestOutcome& request) const {
  return std::ranges::all_of(conditions_, [&](const auto& condition) { return condition(request); });
}

}  // namespace rackwright::gui
