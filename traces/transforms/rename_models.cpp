#include <utility>
#include <vector>

#include "traces/records/string_table.h"
#include "traces/transforms/transforms.h"

namespace rackwright::traces {
namespace {

class Renamed final : public RequestSource {
 public:
  Renamed(Requests source, std::map<std::string, std::string> names, RowCounts& counts)
      : source_(std::move(source)), renames_(std::move(names)), counts_(counts) {}

  bool next(Request& request) override {
    if (!source_->next(request)) return false;
    const std::string_view before = source_->name(request.model);
    request.model = translate(models_, request.model, &Renamed::renamed);
    request.request_class = translate(classes_, request.request_class, &Renamed::same);
    if (names_.name(request.model) != before) counts_.add(RowCause::model_renamed, RowFate::repaired, request.id + 1, before);
    return true;
  }
  std::string_view name(std::uint32_t id) const override { return names_.name(id); }
  std::optional<std::uint64_t> size() const override { return source_->size(); }

 private:
  static constexpr std::uint32_t unknown = ~std::uint32_t{0};

  std::string_view same(std::string_view name) const { return name; }
  std::string_view renamed(std::string_view name) const {
    auto found = renames_.find(std::string(name));
    if (found == renames_.end()) found = renames_.find("*");
    return found == renames_.end() ? name : std::string_view(found->second);
  }
  /// The number here of a name that the source calls `id`, looked up once.
  std::uint32_t translate(std::vector<std::uint32_t>& known, std::uint32_t id, std::string_view (Renamed::*change)(std::string_view) const) {
    if (id >= known.size()) known.resize(id + 1, unknown);
    if (known[id] == unknown) known[id] = names_.id((this->*change)(source_->name(id)));
    return known[id];
  }

  Requests source_;
  std::map<std::string, std::string> renames_;
  RowCounts& counts_;
  StringTable names_;
  std::vector<std::uint32_t> models_;
  std::vector<std::uint32_t> classes_;
};

}  // namespace

Requests rename_models(Requests source, std::map<std::string, std::string> names, RowCounts& counts) {
  return std::make_unique<Renamed>(std::move(source), std::move(names), counts);
}

}  // namespace rackwright::traces
