#pragma once

#include <QColor>
#include <QPen>

#include "scenarios/results/step_stretch.h"

class QPalette;

namespace rackwright::gui {

bool isDark(const QPalette& palette);
/// From `a` (0) to `b` (1).
QColor between(const QColor& a, const QColor& b, double share);

/// Line styles differ with the colour, so that neither colour-blind readers nor a grey print confuse series.
QPen seriesPen(std::size_t series, const QPalette& palette);
QColor seriesColor(std::size_t series, const QPalette& palette);
QColor limitColor(const QPalette& palette);
QColor gridColor(const QPalette& palette);
QColor subtleColor(const QPalette& palette);

/// What a step computes, in the colours of the phases it serves.
QColor stepColor(results::StepKind kind, const QPalette& palette);

/// The phases of a request.
enum class Phase { waiting, prefill, decode };
QColor phaseColor(Phase phase, const QPalette& palette);

}  // namespace rackwright::gui
