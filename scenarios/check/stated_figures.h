#pragma once

namespace rackwright::v1 {
class Facility;
}

namespace rackwright::scenarios {

class Catalog;
class Findings;
struct HallSpec;

/// Marks devices of which the scenario itself states figures as assumed. A device whose speed it changes is not the one that
/// was measured: its group loses the measured profile, with a warning, unless the scenario names the profile too. Warns of a
/// stated power budget below what the rack may draw. `written` is the facility without what presets fill in.
void apply_stated_figures(const v1::Facility& written, const Catalog& catalog, HallSpec& hall, Findings& findings);

}  // namespace rackwright::scenarios
