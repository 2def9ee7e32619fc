#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

#include "topologies/routing/link_state.h"
#include "topologies/routing/zone_map.h"

namespace rackwright::topologies {

/// Which paths are allowed.
enum class Discipline : std::uint8_t {
  minimal,  ///< As few hops as possible.
  /// As few hops as possible among those that go up and then down, never up again (Autonet's up*/down*; in a tree of
  /// switches, what subnet managers keep to after failures so that no cycle of waiting buffers can form).
  up_down,
};

/// Whether a path may still go up. It starts so.
enum class Climb : std::uint8_t { up, down };

struct NextHop {
  LinkIndex link;
  Climb climb = Climb::up;  ///< After it.
};

class Zone;

/// The ways from anywhere in a zone, or from a neighbour of it, to one target. Cheap to make once its fields exist.
class Guide {
 public:
  static constexpr int unreachable = 0xffff;  ///< No path of fewer hops than this.

  int hops(VertexIndex from, Climb climb = Climb::up) const;
  /// Every link that brings a transfer one hop nearer, in order of creation.
  void next_hops(VertexIndex from, Climb climb, std::vector<NextHop>& hops) const;
  VertexIndex target() const { return target_; }

 private:
  friend class Zone;
  using Field = std::vector<std::uint16_t>;
  struct Gate {
    VertexIndex vertex;
    std::shared_ptr<const Field> field;  ///< Null on an intact grid.
  };
  Guide(const Zone& zone, VertexIndex target) : zone_(&zone), target_(target) {}
  int member_hops(VertexIndex from, Climb climb) const;

  const Zone* zone_;
  VertexIndex target_;
  std::vector<Gate> gates_;  ///< Members next to the target, or the target itself.
};

/// Next hops inside one zone, worked out for the targets that are asked for: one breadth-first search a gate (a
/// switch with targets behind it), or none at all on an intact grid. Forgets the oldest fields beyond 64 MB.
class Zone {
 public:
  Zone(const Topology& topology, const ZoneMap& map, ZoneId id, const LinkState& state, Discipline discipline);

  Guide guide(VertexIndex target);
  const std::vector<VertexIndex>& members() const { return map_.members(id_); }
  bool is_member(VertexIndex vertex) const { return map_.zone_of(vertex) == id_; }
  bool is_intact_grid() const { return grid_ != nullptr; }

 private:
  friend class Guide;
  void find_grid();
  void rank_members();
  std::shared_ptr<const Guide::Field> field(VertexIndex gate);
  Guide::Field search(VertexIndex gate) const;
  Guide::Field search_up_down(VertexIndex gate) const;
  bool goes_up(VertexIndex from, VertexIndex to) const { return rank_[map_.place(to)] < rank_[map_.place(from)]; }

  const Topology& topology_;
  const ZoneMap& map_;
  ZoneId id_;
  const LinkState& state_;
  Discipline discipline_;
  const Grid* grid_ = nullptr;
  std::vector<std::uint32_t> rank_;  ///< By place; smaller is higher. Empty unless up_down.
  std::unordered_map<std::uint32_t, std::shared_ptr<const Guide::Field>> fields_;
  std::deque<std::uint32_t> oldest_;
};

}  // namespace rackwright::topologies
