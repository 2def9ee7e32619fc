#include "scenarios/codec/codec.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <array>
#include <memory>
#include <utility>

#include "scenarios/codec/message_reader.h"
#include "scenarios/codec/message_writer.h"
#include "scenarios/codec/node_writer.h"
#include "scenarios/codec/protobuf_formats.h"
#include "scenarios/codec/yaml_reader.h"

namespace rackwright::scenarios {

std::optional<Format> format_of(std::string_view file_name) {
  using Ending = std::pair<std::string_view, Format>;
  constexpr auto endings = std::to_array<Ending>({{".yaml", Format::yaml}, {".yml", Format::yaml}, {".json", Format::json},
                                                  {".textproto", Format::textproto}, {".txtpb", Format::textproto},
                                                  {".pb", Format::binary}, {".binpb", Format::binary}});
  for (const auto& [ending, format] : endings) {
    if (file_name.ends_with(ending)) return format;
  }
  return std::nullopt;
}

SourceMap read_message(const std::string& file, std::string bytes, Format format, pb::Message& message,
                       Diagnostics& diagnostics, Missing missing) {
  if (format == Format::textproto) return read_textproto(file, bytes, message, diagnostics, missing);
  if (format == Format::binary) return read_binary(file, bytes, message, diagnostics, missing);
  const auto source = std::make_shared<const SourceText>(file, std::move(bytes));
  std::optional<Node> tree = read_yaml(*source, diagnostics, format == Format::json ? Notation::json : Notation::yaml);
  if (!tree) return SourceMap(file);
  read_tree(*tree, *source, message, diagnostics, {}, missing);
  return SourceMap(source, std::move(*tree), *message.GetDescriptor());
}

std::string write_message(const pb::Message& message, Format format) {
  switch (format) {
    case Format::textproto: return write_textproto(message);
    case Format::binary: return write_binary(message);
    case Format::json: return write_document(message_tree(message), Notation::json);
    case Format::yaml: break;
  }
  return write_document(message_tree(message), Notation::yaml);
}

}  // namespace rackwright::scenarios
