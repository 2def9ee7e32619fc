#include "gui/views/overview_page.h"

#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "gui/run/number_text.h"
#include "gui/charts/shares_bar.h"
#include "gui/run/run_loader.h"
#include "gui/views/theme.h"
#include "scenarios/plots/run_plots.h"

namespace rackwright::gui {
namespace {

using results::RunSummary;

QString tr(const char* text) { return OverviewPage::tr(text); }
QString utf8(const std::string& text) { return QString::fromStdString(text); }

QLabel* heading(const QString& text) {
  auto* label = new QLabel(text);
  QFont bold = label->font();
  bold.setBold(true);
  label->setFont(bold);
  label->setContentsMargins(0, 10, 0, 2);
  return label;
}

struct Figure {
  QString title;
  QString value;
  QString note;
};

QFrame* card(const Figure& figure) {
  auto* frame = new QFrame;
  frame->setProperty("card", true);
  auto* title = new QLabel(figure.title);
  title->setProperty("subtle", true);
  auto* value = new QLabel(figure.value);
  QFont large = value->font();
  large.setPointSizeF(large.pointSizeF() * 1.7);
  large.setWeight(QFont::DemiBold);
  value->setFont(large);
  value->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* note = new QLabel(figure.note);
  note->setProperty("subtle", true);
  note->setWordWrap(true);
  auto* layout = new QVBoxLayout(frame);
  layout->setContentsMargins(14, 10, 14, 10);
  layout->setSpacing(2);
  for (QLabel* label : {title, value, note}) layout->addWidget(label);
  layout->addStretch(1);  // A card beside a longer one keeps its lines together.
  frame->setAccessibleName(QStringLiteral("%1: %2").arg(figure.title, figure.value));
  return frame;
}

std::vector<Figure> figures(const RunSummary& summary) {
  std::vector<Figure> all;
  const results::RequestCounts& counts = summary.requests;
  QStringList lost;
  if (counts.rejected > 0) lost.push_back(tr("%1 rejected").arg(countText(counts.rejected)));
  if (counts.failed > 0) lost.push_back(tr("%1 failed").arg(countText(counts.failed)));
  if (counts.cancelled > 0) lost.push_back(tr("%1 cancelled").arg(countText(counts.cancelled)));
  if (counts.in_flight > 0) lost.push_back(tr("%1 in flight").arg(countText(counts.in_flight)));
  all.push_back({tr("Completed"), countText(counts.completed), lost.isEmpty() ? tr("every request, in %1").arg(durationText(summary.duration_s)) : lost.join(QStringLiteral(", "))});
  all.push_back({tr("Output"), tr("%1 tokens/s").arg(countText(static_cast<std::int64_t>(summary.output_tokens_per_s + 0.5))),
                 tr("%1 requests/s, %2 input tokens/s").arg(quantityText(summary.requests_per_s, ""), quantityText(summary.input_tokens_per_s, ""))});
  const auto latency = [&](const char* name, const std::optional<results::DurationStatistics>& values) {
    if (!values) return;
    all.push_back({tr("%1 p99").arg(utf8(plots::name_of(name))), quantityText(values->p99, "s"), tr("median %1, at most %2").arg(quantityText(values->p50, "s"), quantityText(values->max, "s"))});
  };
  latency("ttft", summary.ttft_s);
  latency("tpot", summary.tpot_s);
  latency("e2e", summary.e2e_s);
  if (summary.slo) {
    all.push_back({tr("Within every limit"), quantityText(summary.slo->attainment, "fraction"), tr("goodput %1 requests/s").arg(quantityText(summary.slo->goodput_requests_per_s, ""))});
  }
  if (summary.network && summary.network->kv) {
    const results::DurationStatistics& exposed = summary.network->kv->exposed_s;
    all.push_back({tr("KV transfer p99"), quantityText(exposed.p99, "s"), tr("exposed after the first token; median %1").arg(quantityText(exposed.p50, "s"))});
  }
  if (summary.it) {
    const QString perToken = summary.it->per_output_token_j ? tr(", %1 per output token").arg(quantityText(*summary.it->per_output_token_j, "J")) : QString();
    all.push_back({tr("IT power"), quantityText(summary.it->mean_w, "W"), tr("peak %1%2").arg(quantityText(summary.it->peak_w, "W"), perToken)});
  }
  return all;
}

/// A table in rich text; without titles, cells after the first are no numbers.
QLabel* table(const QStringList& titles, const std::vector<QStringList>& rows) {
  const QString others = titles.isEmpty() ? QStringLiteral("left") : QStringLiteral("right");
  const auto cells = [&others](const QStringList& values, const char* tag) {
    QString text = QStringLiteral("<tr>");
    for (qsizetype i = 0; i < values.size(); ++i) {
      text += QStringLiteral("<%1 align=%2 style='padding: 3px 22px 3px 0'>%3</%1>").arg(QLatin1String(tag), i == 0 ? QStringLiteral("left") : others, values[i].toHtmlEscaped());
    }
    return text + QStringLiteral("</tr>");
  };
  QString text = QStringLiteral("<table cellspacing=0>");
  if (!titles.isEmpty()) text += cells(titles, "th");
  for (const QStringList& row : rows) text += cells(row, "td");
  auto* label = new QLabel(text + QStringLiteral("</table>"));
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

QLabel* paragraph(const QString& text) {
  auto* label = new QLabel(text);
  label->setWordWrap(true);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

template <std::size_t Size>
SharesBar* sharesBar(const std::array<double, Size>& shares, const std::array<const char*, Size>& names, const std::array<const char*, Size>& meanings) {
  std::vector<SharesBar::Share> parts;
  for (std::size_t i = 0; i < Size; ++i) parts.push_back({QString::fromLatin1(names[i]).replace(QLatin1Char('_'), QLatin1Char(' ')).replace(QStringLiteral("sm "), QStringLiteral("SM ")), shares[i], OverviewPage::tr(meanings[i])});
  auto* bar = new SharesBar;
  bar->setShares(std::move(parts));
  bar->setMaximumWidth(900);
  return bar;
}

}  // namespace

OverviewPage::OverviewPage(QWidget* parent) : QScrollArea(parent), body_(nullptr) {
  setFrameShape(QFrame::NoFrame);
  setWidgetResizable(true);
}

void OverviewPage::show(const LoadedRun& run) {
  auto* page = new QWidget;
  body_ = new QVBoxLayout(page);
  body_->setContentsMargins(pageMargin, 14, pageMargin, pageMargin);
  body_->setSpacing(8);
  const results::RunRecord& record = run.record;
  if (record.summary) {
    const RunSummary& summary = *record.summary;
    auto* grid = new QGridLayout;
    grid->setSpacing(10);
    int at = 0;
    for (const Figure& figure : figures(summary)) {
      grid->addWidget(card(figure), at / 4, at % 4);
      ++at;
    }
    for (int column = 0; column < 4; ++column) grid->setColumnStretch(column, 1);
    body_->addLayout(grid);

    if (summary.slo && !summary.slo->objectives.empty()) {
      body_->addWidget(heading(tr("Objectives")));
      std::vector<QStringList> rows;
      for (const results::Objective& objective : summary.slo->objectives) {
        const QString name = QStringLiteral("%1 %2 p%3").arg(utf8(objective.request_class), utf8(plots::name_of(to_string(objective.target.metric)))).arg(objective.target.quantile * 100).trimmed();
        rows.push_back({name, quantityText(objective.target.limit.seconds(), "s"), objective.value_s ? quantityText(*objective.value_s, "s") : QStringLiteral("—"), objective.met ? tr("✓ met") : tr("✗ missed")});
      }
      body_->addWidget(table({QString(), tr("limit"), tr("simulated"), QString()}, rows));
    }
    if (summary.provenance) {
      body_->addWidget(heading(tr("Where the costs come from, by share of busy time")));
      body_->addWidget(sharesBar(*summary.provenance, results::provenance_names,
                                 std::array<const char*, 5>{QT_TR_NOOP("interpolated inside a measured grid"), QT_TR_NOOP("beyond the edge of a measured grid"), QT_TR_NOOP("a roofline fitted to measurements of the device"),
                                                            QT_TR_NOOP("a roofline with a stated efficiency"), QT_TR_NOOP("a value that the scenario supplied for lack of any")}));
    }
    if (summary.bound) {
      body_->addWidget(heading(tr("What busy time waited for")));
      body_->addWidget(sharesBar(*summary.bound, results::bound_names,
                                 std::array<const char*, 4>{QT_TR_NOOP("arithmetic at the SM clock"), QT_TR_NOOP("device memory"), QT_TR_NOOP("links between devices"), QT_TR_NOOP("the host")}));
    }
    body_->addWidget(heading(tr("Pools")));
    std::vector<QStringList> pools;
    for (const results::PoolSummary& pool : summary.pools) {
      pools.push_back({utf8(pool.name), quantityText(pool.utilization, "fraction"), countText(pool.steps), quantityText(pool.mean_batch, ""),
                       pool.kv_peak_fraction ? quantityText(*pool.kv_peak_fraction, "fraction") : QStringLiteral("—"), countText(pool.preemptions)});
    }
    body_->addWidget(table({tr("pool"), tr("utilization"), tr("steps"), tr("mean batch"), tr("KV peak"), tr("preemptions")}, pools));
    if (!summary.rate_match.empty()) {
      body_->addWidget(heading(tr("What each side could take at full load")));
      std::vector<QStringList> rows;
      for (const results::RateMatch& match : summary.rate_match) {
        rows.push_back({utf8(match.name), quantityText(match.prefill_requests_per_s, "1/s"), quantityText(match.transfer_requests_per_s(), "1/s"), quantityText(match.decode_requests_per_s, "1/s"), utf8(std::string(match.binds()))});
      }
      body_->addWidget(table({tr("model"), tr("prefill"), tr("transfer"), tr("decode"), tr("what binds")}, rows));
    }
    if (!summary.layer_sides.empty()) {
      body_->addWidget(heading(tr("A layer of a micro-batch at full load")));
      std::vector<QStringList> rows;
      for (const results::LayerSides& sides : summary.layer_sides) {
        rows.push_back({utf8(sides.name), quantityText(sides.attention_s, "s"), quantityText(sides.send_s, "s"), quantityText(sides.feed_forward_s, "s"), quantityText(sides.return_s, "s"), utf8(std::string(sides.binds()))});
      }
      body_->addWidget(table({tr("pool"), tr("attention"), tr("out"), tr("feed-forward"), tr("back"), tr("what binds")}, rows));
    }
    if (!record.run.unverified_figures.empty()) {
      body_->addWidget(heading(tr("Figures from memory that the run stands on")));
      for (const std::string& line : record.run.unverified_figures) body_->addWidget(paragraph(QStringLiteral("• ") + utf8(line)));
    }
    if (!summary.warnings.empty()) {
      body_->addWidget(heading(tr("Warnings")));
      for (const std::string& warning : summary.warnings) body_->addWidget(paragraph(QStringLiteral("• ") + utf8(warning)));
    }
  } else {
    body_->addWidget(paragraph(tr("The run has no summary: it did not come to its end. Charts and requests show what was simulated until then.")));
  }
  if (!record.run.trace_report.empty()) {
    body_->addWidget(heading(tr("What the reader said of the log")));
    for (const std::string& line : record.run.trace_report) body_->addWidget(paragraph(utf8(line)));
  }
  body_->addWidget(heading(tr("Run")));
  std::vector<QStringList> facts{{tr("scenario"), utf8(record.run.scenario)}, {tr("seed"), QString::number(record.run.seed)}, {tr("Rackwright"), utf8(record.run.version)}};
  if (!record.run.question.empty()) facts.insert(facts.begin() + 1, {tr("question"), utf8(record.run.question)});
  for (const results::InputFile& input : record.run.inputs) facts.push_back({utf8(input.kind), QStringLiteral("%1  (%2)").arg(utf8(input.path), QString::number(input.hash, 16))});
  body_->addWidget(table({}, facts));
  body_->addStretch(1);
  setWidget(page);
}

}  // namespace rackwright::gui
