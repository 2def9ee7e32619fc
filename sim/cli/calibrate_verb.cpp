#include "sim/cli/calibrate_verb.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/base/names.h"
#include "models/cost/calibration.h"
#include "models/cost/measured_cost.h"
#include "models/cost/profile_reader.h"
#include "models/cost/roofline_cost.h"
#include "scenarios/catalog/catalog.h"
#include "scenarios/schema/hardware.pb.h"
#include "scenarios/spec/hall_reader.h"
#include "sim/cli/calibrate_rows.h"
#include "sim/cli/console.h"

namespace rackwright::cli {
namespace {

std::string as_text(const cost::OperatorProfile& profile, const cost::Efficiencies& fitted,
                    const std::vector<cost::FitQuality>& quality, const std::vector<cost::FitQuality>& carried, report::TextStyle style) {
  std::string text = fmt::format("Profile      {}, {}\n", profile.device, profile.source);
  text += fmt::format("Points       {} measured, {} off the grid to check with\n", profile.points.size(), profile.check.size());
  text += fmt::format("Efficiencies of the fitted roofline: products {:.3f} of the bf16 peak, prefill attention {:.3f}, decode attention {:.3f} of the bandwidth\n\n",
                      fitted.gemm_bf16, fitted.prefill_attention, fitted.attention_memory);
  report::TextTable table({"Off the grid", "points", "error p50", "p95", "max"});
  for (const cost::FitQuality& one : quality) {
    table.add({one.operator_class, std::to_string(one.points), fmt::format("{:.1f} %", one.p50 * 100), fmt::format("{:.1f} %", one.p95 * 100),
               fmt::format("{:.1f} %", one.max * 100)});
  }
  report::TextTable others({"As devices without a profile take it", "points", "error p50", "p95", "max"});
  for (const cost::FitQuality& one : carried) {
    others.add({one.operator_class, std::to_string(one.points), fmt::format("{:.1f} %", one.p50 * 100), fmt::format("{:.1f} %", one.p95 * 100),
                fmt::format("{:.1f} %", one.max * 100)});
  }
  return text + table.text(style) + "\n" + others.text(style);
}

}  // namespace

void CalibrateVerb::declare(CLI::App& app) {
  app.add_option("PROFILE", profile_, "a profile of the catalog, a folder that rackwright-profile wrote, or timed collectives: a log of nccl-tests, or a CSV file (op, ranks, nodes, bytes, us)")->required();
  app.add_option("--device", device_, "the device of the catalog that was measured, for its peaks (default: h200-sxm)")->default_val("h200-sxm");
}

ExitCode CalibrateVerb::run(Console& console) {
  if (std::filesystem::is_regular_file(profile_)) return calibrate_rows(profile_, console);
  const scenarios::Catalog catalog;
  const auto* entry = dynamic_cast<const v1::Device*>(catalog.find("device", device_));
  if (!entry) {
    console.error("no device is called '" + device_ + "'", name_hint(device_, catalog.names("device")));
    return ExitCode::bad_input;
  }
  Diagnostics diagnostics;
  std::shared_ptr<const cost::OperatorProfile> profile = catalog.profile(profile_);
  if (!profile && !std::filesystem::is_directory(profile_)) {
    console.error("'" + profile_ + "' is neither a profile of the catalog nor a folder", name_hint(profile_, catalog.profile_names()));
    return ExitCode::bad_input;
  }
  if (!profile) profile = std::make_shared<const cost::OperatorProfile>(cost::read_profile(profile_, diagnostics));
  hardware::DeviceSpec device = scenarios::device_spec(*entry);
  device.name = device_;
  cost::check_roofline_inputs(device, {device_, 0, 0}, "", diagnostics);
  console.show(diagnostics);
  if (diagnostics.has_errors()) return ExitCode::bad_input;

  const cost::Efficiencies fitted = cost::fit_efficiencies(*profile, device);
  const auto roofline = std::make_shared<cost::RooflineOperatorCost>(device, fitted, std::nullopt);
  const cost::MeasuredOperatorCost measured(*profile, device, roofline);
  const std::vector<cost::FitQuality> quality = cost::fit_quality(measured, profile->check);
  if (console.format() == Format::json) {
    auto json = nlohmann::ordered_json::array();
    for (const cost::FitQuality& one : quality) {
      json.push_back({{"class", one.operator_class}, {"points", one.points}, {"p50", one.p50}, {"p95", one.p95}, {"max", one.max}});
    }
    console.out() << json.dump(2) << '\n';
  } else {
    const cost::RooflineOperatorCost lent(device, cost::carried_efficiencies(*profile, device, device), std::nullopt);
    console.out() << as_text(*profile, fitted, quality, cost::fit_quality(lent, profile->check), console.out_style());
  }
  return ExitCode::ok;
}

}  // namespace rackwright::cli
