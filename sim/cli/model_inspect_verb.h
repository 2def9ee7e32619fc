#pragma once

#include <string>
#include <vector>

#include "sim/cli/verb.h"

namespace rackwright::cli {

/// Parameters, weight bytes, KV bytes per token and operators of a model: a Hugging Face config.json or a preset.
class ModelInspectVerb final : public Verb {
 public:
  std::string_view name() const override { return "model inspect"; }
  std::string_view summary() const override { return "count parameters, memory and operators of a model"; }
  void declare(CLI::App& app) override;
  ExitCode run(Console& console) override;

 private:
  std::string model_;
};

}  // namespace rackwright::cli
