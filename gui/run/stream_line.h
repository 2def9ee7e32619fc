#pragma once

#include <QByteArray>
#include <cstdint>
#include <optional>

namespace rackwright::gui {

/// How far a run has come, as `rackwright run --progress json` says.
struct RunProgress {
  double simTime_s = 0;
  std::int64_t requestsDone = 0;
  std::optional<std::int64_t> requestsTotal;
  std::optional<double> fraction;  ///< In [0, 1].
  double elapsed_s = 0;            ///< Of the host.
  std::optional<double> left_s;    ///< Of the host, guessed.
};

/// The progress in one line of stderr; nothing when the line is something else.
std::optional<RunProgress> parseProgress(const QByteArray& line);

}  // namespace rackwright::gui
