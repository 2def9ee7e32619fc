#include "scenarios/codec/protobuf_formats.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include "models/base/invariant.h"
#include "scenarios/codec/validate.h"
#include "scenarios/schema/message_values.h"

namespace rackwright::scenarios {
namespace {

using pb::FieldDescriptor;
using pb::TextFormat;

/// Deep enough for every schema, shallow enough for the stack.
constexpr int deepest = 64;

class DiagnosticCollector : public pb::io::ErrorCollector {
 public:
  DiagnosticCollector(const std::string& file, Diagnostics& diagnostics) : file_(file), diagnostics_(diagnostics) {}

#if GOOGLE_PROTOBUF_VERSION >= 4022000
  void RecordError(int line, pb::io::ColumnNumber column, absl::string_view message) override {
    add(line, column, std::string(message));
  }
#else
  void AddError(int line, pb::io::ColumnNumber column, const std::string& message) override {
    add(line, column, message);
  }
#endif

 private:
  /// Protobuf counts from 0, and -1 is "somewhere".
  void add(int line, int column, std::string message) {
    while (message.ends_with('.')) message.pop_back();
    diagnostics_.error({file_, line + 1, line < 0 ? 0 : column + 1}, "", std::move(message));
  }

  const std::string& file_;
  Diagnostics& diagnostics_;
};

/// Notes where every field of a parsed text stood.
class PlaceCollector {
 public:
  PlaceCollector(const std::string& file, SourceMap& places) : file_(file), places_(places) {}

  void collect(const pb::Message& message, const TextFormat::ParseInfoTree& tree) {
    const pb::Descriptor& type = *message.GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      if (!is_given(message, field)) continue;
      path_.push_back({std::string(field.name()), std::nullopt});
      if (field.is_map() || !field.is_repeated()) {
        collect_one(message, field, -1, tree);
      } else {
        for (int item = 0; item < message.GetReflection()->FieldSize(message, &field); ++item) {
          path_.push_back({{}, static_cast<std::size_t>(item)});
          collect_one(message, field, item, tree);
          path_.pop_back();
        }
      }
      path_.pop_back();
    }
  }

 private:
  void collect_one(const pb::Message& message, const FieldDescriptor& field, int item, const TextFormat::ParseInfoTree& tree) {
    // Entries of a map have no stable index; the first one's place stands for all.
    const TextFormat::ParseLocation at = tree.GetLocation(&field, field.is_map() ? 0 : item);
    if (at.line >= 0) places_.add(path_, {file_, at.line + 1, at.column + 1});
    if (!field.message_type() || field.is_map()) return;
    const TextFormat::ParseInfoTree* nested = tree.GetTreeForNested(&field, item);
    const pb::Reflection& reflection = *message.GetReflection();
    if (nested) collect(item < 0 ? reflection.GetMessage(message, &field) : reflection.GetRepeatedMessage(message, &field, item), *nested);
  }

  const std::string& file_;
  SourceMap& places_;
  Path path_;
};

}  // namespace

SourceMap read_textproto(const std::string& file, std::string_view text, pb::Message& message, Diagnostics& diagnostics,
                         Missing missing) {
  DiagnosticCollector collector(file, diagnostics);
  TextFormat::ParseInfoTree tree;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  parser.WriteLocationsTo(&tree);
  parser.SetRecursionLimit(deepest);
  SourceMap places(file);
  if (!parser.ParseFromString(std::string(text), &message)) return places;
  PlaceCollector(file, places).collect(message, tree);
  validate_message(message, places, diagnostics);
  if (missing == Missing::report) report_missing(message, places, diagnostics);
  return places;
}

SourceMap read_binary(const std::string& file, std::string_view bytes, pb::Message& message, Diagnostics& diagnostics,
                      Missing missing) {
  SourceMap places(file);
  pb::io::CodedInputStream input(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  input.SetRecursionLimit(deepest);
  if (!message.ParseFromCodedStream(&input) || !input.ConsumedEntireMessage()) {
    diagnostics.error({file}, "", "the bytes are not a binary " + std::string(message.GetDescriptor()->name()));
    return places;
  }
  validate_message(message, places, diagnostics);
  if (missing == Missing::report) report_missing(message, places, diagnostics);
  return places;
}

std::string write_textproto(const pb::Message& message) {
  std::string text;
  invariant(TextFormat::PrintToString(message, &text), "a message cannot be printed");
  return text;
}

std::string write_binary(const pb::Message& message) {
  std::string bytes;
  {
    pb::io::StringOutputStream stream(&bytes);
    pb::io::CodedOutputStream output(&stream);
    output.SetSerializationDeterministic(true);
    invariant(message.SerializeToCodedStream(&output), "a message cannot be serialized");
  }
  return bytes;
}

}  // namespace rackwright::scenarios
