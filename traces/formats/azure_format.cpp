#include "traces/formats/known_formats.h"

namespace rackwright::traces {
namespace {

bool recognises(const TraceSample& sample) { return sample.has_all({"TIMESTAMP", "ContextTokens", "GeneratedTokens"}); }

/// 2023, 2024 and 2025 files; the last has NumImages in between, whose tokens ContextTokens does not tell apart.
ColumnMapping mapping() {
  ColumnMapping m;
  m[Field::arrival] = {"TIMESTAMP"};
  m[Field::input_tokens] = {"ContextTokens"};
  m[Field::output_tokens] = {"GeneratedTokens"};
  return m;
}

}  // namespace

constinit const TraceFormat azure_format{"azure", "Azure LLM inference traces 2023, 2024 and 2025 (AzurePublicDataset)", recognises, mapping};

}  // namespace rackwright::traces
