#include "gui/run/step_columns.h"

#include <QCoreApplication>

#include "gui/run/number_text.h"
#include "models/base/quantity.h"

namespace rackwright::gui {
namespace {

using results::StepStretch;

QString tr(const char* text) { return QCoreApplication::translate("StepColumns", text); }
QString length(SimTime time) { return unitText(format_quantity(time.seconds(), "s", 4)); }

/// Lengths of the first and of the last step of a stretch.
QString stepLengths(const StepStretch& s) {
  if (s.steps == 0) return QStringLiteral("—");
  const QString first = length(s.boundary(1) - s.boundary(0));
  const QString last = length(s.boundary(s.steps) - s.boundary(s.steps - 1));
  return first == last ? first : QStringLiteral("%1 … %2").arg(first, last);
}

QString share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? QStringLiteral("%1 %").arg(100.0 * static_cast<double>(part) / static_cast<double>(whole), 0, 'f', 1) : QStringLiteral("—");
}

std::vector<StepColumn> make() {
  return {
      {tr("Start"), tr("When the first of the steps began"), QStringLiteral("86,400.000000 s"), false, [](const StepStretch& s) { return QString::number(s.start.seconds(), 'f', 6) + QStringLiteral(" s"); }},
      {tr("Computes"), tr("Prompts, one token for each running sequence, or both"), tr("prefill and decode"), true, [](const StepStretch& s) { return stepKindText(s.kind()); }},
      {tr("Steps"), tr("Consecutive steps that differ only in the age of their batch"), QStringLiteral("88,888"), false, [](const StepStretch& s) { return countText(s.steps); }},
      {tr("Each lasts"), tr("The first and the last of them, where they differ"), QStringLiteral("88.88 ms … 88.88 ms"), false, stepLengths},
      {tr("In all"), tr("How long they took together"), QStringLiteral("888.8 ms"), false, [](const StepStretch& s) { return length(s.end - s.start); }},
      {tr("Batch"), tr("Sequences in each step"), QStringLiteral("888"), false, [](const StepStretch& s) { return countText(s.sequences()); }},
      {tr("Prompts"), tr("Sequences whose prompt is computed"), QStringLiteral("888"), false, [](const StepStretch& s) { return countText(s.prefill_sequences); }},
      {tr("Prompt tokens"), tr("Computed by each step"), QStringLiteral("88,888"), false, [](const StepStretch& s) { return countText(s.prefill_tokens); }},
      {tr("Tokens out"), tr("By decoding, of all the steps together"), QStringLiteral("888,888"), false, [](const StepStretch& s) { return countText(s.decode_tokens(s.steps)); }},
      {tr("Waiting"), tr("Requests queued at the instance when the first of them began"), QStringLiteral("8,888"), false, [](const StepStretch& s) { return countText(s.waiting); }},
      {tr("KV use"), tr("Blocks of the KV cache in use at the end"), QStringLiteral("88.8 %"), false, [](const StepStretch& s) { return share(s.kv_blocks_used, s.kv_blocks); }},
      {tr("Power"), tr("Of the devices of the instance"), QStringLiteral("8.888 kW"), false, [](const StepStretch& s) { return QString::fromStdString(format_quantity(static_cast<double>(s.power_mw) / 1e3, "W", 4)); }},
  };
}

}  // namespace

const std::vector<StepColumn>& stepColumns() {
  static const std::vector<StepColumn> columns = make();
  return columns;
}

QString stepKindText(results::StepKind kind) {
  switch (kind) {
    case results::StepKind::prefill: return tr("prefill");
    case results::StepKind::decode: return tr("decode");
    case results::StepKind::mixed: return tr("prefill and decode");
    case results::StepKind::other: return tr("other");
  }
  return {};
}

}  // namespace rackwright::gui
