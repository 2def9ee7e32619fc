#pragma once

#include <optional>

#include "models/base/diagnostic.h"
#include "scenarios/codec/node.h"
#include "scenarios/codec/source_text.h"

namespace rackwright::scenarios {

/// How much of an input is read at all. Far above any real scenario, so that a hostile or broken file
/// ends with a message instead of the memory.
struct ReadLimits {
  std::size_t bytes = std::size_t{64} << 20;
  std::size_t depth = 64;
  std::size_t nodes = 2'000'000;
};

enum class Notation { yaml, json };

/// Reads one document into a tree; an empty file is an empty mapping. Nothing, and at least one error in
/// `diagnostics`, when it is not well formed.
///
/// Of YAML this takes block and flow collections, every style of scalar and comments. It refuses, with a
/// message each: several documents, anchors and aliases, merge keys, tags, "? key" and keys that are not
/// scalars, single pairs in lists, duplicate keys, tabs as indentation (docs/adr/0002-yaml.md says why).
/// JSON is read by the same parser; only its escaped surrogate pairs need the notation to be known.
std::optional<Node> read_yaml(const SourceText& source, Diagnostics& diagnostics, Notation notation = Notation::yaml,
                              const ReadLimits& limits = {});

}  // namespace rackwright::scenarios
