#include <fmt/format.h>

#include "models/kernels/families/families.h"
#include "models/kernels/families/step_operation.h"

namespace rackwright::kernels {

void measure_step(ProfileSession& session, std::vector<ProfileTable>& tables) {
  auto& table = tables.emplace_back("step", std::vector<std::string>{"model", "decode", "context", "prefill", "past", "layers"});
  for (const auto& c : thinned(step_grid(), session.every)) {
    std::vector<std::string> shape{c.model_name()};
    for (int value : {c.decode, c.context, c.prefill, c.past, c.layers}) shape.push_back(fmt::format("{}", value));
    time_case(session, table, shape, Mode::graph, [&] {
      return std::make_unique<StepOperation>(session.arena, session.blas_lt, session.bench.accuracy(), c, session.seed, session.bench.stream());
    });
  }
}

}  // namespace rackwright::kernels
