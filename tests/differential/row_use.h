#pragma once

namespace rackwright::test {

/// What a row of a table is for: to fit a model's figures, or to check what it predicts. Never both.
enum class RowUse { calibration, check };

}  // namespace rackwright::test
