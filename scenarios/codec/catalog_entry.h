#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/diagnostic.h"
#include "scenarios/schema/protobuf_fwd.h"

namespace rackwright::scenarios {

/// A source of catalog figures: scenarios/schema/sources.proto says what the confidences mean.
struct FigureSource {
  std::string title;
  std::string confidence;  ///< "sourced", "listed", "derived" or "memory".
};

/// By the key that marks in the catalog carry.
using FigureSources = std::map<std::string, FigureSource, std::less<>>;

/// Reads sources.yaml: {stas: {title: …, confidence: sourced}, …}.
FigureSources read_figure_sources(const std::string& file, std::string bytes, Diagnostics& diagnostics);

/// Which source stands behind which value of an entry, by path: {"memory.bandwidth": "stas"}.
struct FigureMarks {
  std::map<std::string, std::string, std::less<>> sources;
  std::vector<std::string> unmarked;  ///< Paths of quantities without a mark; counts say what a thing is made of.
};

/// Reads one catalog entry: YAML of the message in which a value may end with a mark, as in
/// `bandwidth: 4.8 TB/s @stas`. Marks are taken off; one that `sources` lacks is an error.
FigureMarks read_catalog_entry(const std::string& file, std::string bytes, const FigureSources& sources,
                               pb::Message& message, Diagnostics& diagnostics);

}  // namespace rackwright::scenarios
