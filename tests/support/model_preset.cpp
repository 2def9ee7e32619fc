#include "tests/support/model_preset.h"

#include <stdexcept>

#include "scenarios/catalog/catalog.h"
#include "scenarios/codec/source_map.h"
#include "scenarios/schema/model.pb.h"
#include "scenarios/spec/findings.h"
#include "scenarios/spec/model_reader.h"

namespace rackwright::test {

llm::ModelShape model_preset(const std::string& name) {
  const scenarios::Catalog catalog;
  const auto* entry = dynamic_cast<const v1::Model*>(catalog.find("model", name));
  if (!entry) throw std::runtime_error("no model preset is called " + name);
  v1::Model model = *entry;
  model.set_preset(name);
  const scenarios::SourceMap places(name);
  Diagnostics diagnostics;
  scenarios::Findings findings(places, diagnostics);
  llm::ModelShape shape = scenarios::model_shape(model, "", findings);
  if (findings.has_errors()) throw std::runtime_error(to_string(diagnostics.all().front()));
  return shape;
}

std::vector<std::string> model_preset_names() { return scenarios::Catalog().names("model"); }

}  // namespace rackwright::test
