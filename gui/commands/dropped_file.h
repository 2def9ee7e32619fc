#pragma once

#include <QString>

namespace rackwright::gui {

class ScenarioDraft;

/// What a file that somebody drops on the window is, told by its content.
enum class DroppedKind { scenario, run, modelConfig, topology, trace, unknown };

/// Reads no more than the head of the file.
DroppedKind kindOfDropped(const QString& path);

/// Puts a model configuration, a topology or a trace into the scenario: `folder` is where the scenario lies, empty when
/// it has no file. A trace takes the place of a generator, a topology that of the network between the nodes.
/// False, with the draft's problem, where it does not fit.
bool placeDropped(ScenarioDraft& draft, DroppedKind kind, const QString& path, const QString& folder);

}  // namespace rackwright::gui
