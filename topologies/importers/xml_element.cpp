#include "topologies/importers/xml_element.h"

#include <expat.h>

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "models/base/invariant.h"

namespace rackwright::topologies {

namespace {

constexpr std::size_t most_bytes = 64u << 20;
constexpr std::size_t most_elements = 1'000'000;
constexpr std::size_t most_levels = 100;

using Parser = std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)>;

struct Reading {
  XML_Parser parser = nullptr;
  ImportReport* report = nullptr;
  std::vector<XmlElement> open;  ///< From the root to the innermost element not closed yet.
  std::optional<XmlElement> root;
  std::size_t elements = 0;

  int line() const { return static_cast<int>(XML_GetCurrentLineNumber(parser)); }
  int column() const { return static_cast<int>(XML_GetCurrentColumnNumber(parser)) + 1; }
  void stop(std::string message) {
    report->error(line(), column(), std::move(message));
    XML_StopParser(parser, XML_FALSE);
  }
};

void on_start(void* user, const XML_Char* name, const XML_Char** attributes) {
  auto& reading = *static_cast<Reading*>(user);
  if (++reading.elements > most_elements) return reading.stop(fmt::format("more than {} elements", most_elements));
  if (reading.open.size() >= most_levels) return reading.stop(fmt::format("elements are nested more than {} deep", most_levels));
  XmlElement& element = reading.open.emplace_back();
  const std::string_view full = name;
  element.name = full.substr(full.rfind(':') + 1);  // npos + 1 is 0.
  element.line = reading.line();
  element.column = reading.column();
  for (; attributes[0] != nullptr; attributes += 2) element.attributes.emplace_back(attributes[0], attributes[1]);
}

void on_end(void* user, const XML_Char*) {
  auto& reading = *static_cast<Reading*>(user);
  XmlElement closed = std::move(reading.open.back());
  reading.open.pop_back();
  if (reading.open.empty())
    reading.root = std::move(closed);
  else
    reading.open.back().children.push_back(std::move(closed));
}

void on_text(void* user, const XML_Char* text, int length) {
  auto& reading = *static_cast<Reading*>(user);
  if (!reading.open.empty()) reading.open.back().text.append(text, static_cast<std::size_t>(length));
}

}  // namespace

const std::string* XmlElement::find(std::string_view attribute) const {
  const auto place = std::ranges::find(attributes, attribute, &std::pair<std::string, std::string>::first);
  return place == attributes.end() ? nullptr : &place->second;
}

std::string_view XmlElement::get(std::string_view attribute, std::string_view fallback) const {
  const std::string* found = find(attribute);
  return found == nullptr ? fallback : std::string_view(*found);
}

std::optional<XmlElement> parse_xml(std::string_view text, ImportReport& report) {
  if (text.size() > most_bytes) {
    report.error(0, 0, fmt::format("the file has {} bytes, more than {}", text.size(), most_bytes));
    return std::nullopt;
  }
  const Parser parser(XML_ParserCreate(nullptr), &XML_ParserFree);
  if (!parser) throw EnvironmentError("out of memory for an XML parser");
  Reading reading{parser.get(), &report, {}, {}, 0};
  XML_SetUserData(parser.get(), &reading);
  XML_SetElementHandler(parser.get(), on_start, on_end);
  XML_SetCharacterDataHandler(parser.get(), on_text);
  if (XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE) != XML_STATUS_OK) {
    const XML_Error error = XML_GetErrorCode(parser.get());
    if (error != XML_ERROR_ABORTED) report.error(reading.line(), reading.column(), fmt::format("not well-formed XML: {}", XML_ErrorString(error)));
    return std::nullopt;
  }
  return std::move(reading.root);
}

}  // namespace rackwright::topologies
