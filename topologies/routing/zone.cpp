#include "topologies/routing/zone.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace rackwright::topologies {

namespace {

constexpr std::size_t field_memory_bytes = 64u << 20;

/// Fields of an up_down zone hold the hops with the climb still allowed, then those without.
std::size_t slot(std::uint32_t place, Climb climb, std::size_t members) {
  return place + (climb == Climb::down ? members : 0);
}

}  // namespace

int Guide::member_hops(VertexIndex from, Climb climb) const {
  int best = unreachable;
  for (const Gate& gate : gates_) {
    const int last = gate.vertex == target_ ? 0 : 1;
    int hops = 0;
    if (zone_->grid_ != nullptr) {
      hops = zone_->grid_->hops(from, gate.vertex);
    } else {
      const bool two_climbs = zone_->discipline_ == Discipline::up_down;
      hops = (*gate.field)[slot(zone_->map_.place(from), two_climbs ? climb : Climb::up, zone_->members().size())];
    }
    if (hops != unreachable) best = std::min(best, hops + last);
  }
  return best;
}

int Guide::hops(VertexIndex from, Climb climb) const {
  if (from == target_) return 0;
  if (zone_->is_member(from)) return member_hops(from, climb);
  int best = unreachable;
  for (const LinkIndex link : zone_->topology_.out_links(from)) {
    if (!zone_->state_.usable(link)) continue;
    const VertexIndex to = zone_->topology_[link].to;
    if (to == target_) return 1;
    if (zone_->is_member(to)) best = std::min(best, member_hops(to, Climb::up) + 1);
  }
  return best;
}

void Guide::next_hops(VertexIndex from, Climb climb, std::vector<NextHop>& found) const {
  found.clear();
  const int left = hops(from, climb);
  if (left == 0 || left >= unreachable) return;
  const bool from_member = zone_->is_member(from);
  for (const LinkIndex link : zone_->topology_.out_links(from)) {
    if (!zone_->state_.usable(link)) continue;
    const VertexIndex to = zone_->topology_[link].to;
    if (to == target_ && left == 1) {
      found.push_back({link, Climb::down});
      continue;
    }
    if (!zone_->is_member(to)) continue;
    Climb after = climb;
    if (from_member && zone_->discipline_ == Discipline::up_down && !zone_->goes_up(from, to)) after = Climb::down;
    if (from_member && zone_->discipline_ == Discipline::up_down && climb == Climb::down && zone_->goes_up(from, to)) continue;
    if (member_hops(to, after) == left - 1) found.push_back({link, after});
  }
}

Zone::Zone(const Topology& topology, const ZoneMap& map, ZoneId id, const LinkState& state, Discipline discipline)
    : topology_(topology), map_(map), id_(id), state_(state), discipline_(discipline) {
  if (discipline == Discipline::minimal) find_grid();
  if (discipline == Discipline::up_down) rank_members();
}

void Zone::find_grid() {
  for (const Grid& grid : topology_.grids()) {
    const std::vector<VertexIndex>& members = map_.members(id_);
    if (members.size() != static_cast<std::size_t>(grid.count()) || members.front() != grid.first) continue;
    const auto intact = [&](VertexIndex member) {
      return grid.contains(member) && std::ranges::all_of(topology_.out_links(member), [&](LinkIndex link) {
               return !is_member(topology_[link].to) || state_.usable(link);
             });
    };
    if (std::ranges::all_of(members, intact)) grid_ = &grid;
    return;
  }
}

/// Highest tier first; within a tier nearest to the roots first, which are the highest tier or, where tiers
/// do not differ, the one member with the most cables.
void Zone::rank_members() {
  const std::vector<VertexIndex>& all = members();
  const auto tier = [&](VertexIndex v) { return topology_[v].tier; };
  const auto cables = [&](VertexIndex v) { return topology_.out_links(v).size(); };
  if (all.empty()) return;
  const int top = tier(*std::ranges::max_element(all, {}, tier));
  const bool tiers_differ = std::ranges::any_of(all, [&](VertexIndex v) { return tier(v) != top; });

  std::vector<std::uint32_t> depth(all.size(), 0xffffffffu);
  std::vector<VertexIndex> queue;
  const auto reach = [&](VertexIndex v, std::uint32_t d) {
    if (depth[map_.place(v)] != 0xffffffffu) return;
    depth[map_.place(v)] = d;
    queue.push_back(v);
  };
  if (tiers_differ)
    for (const VertexIndex v : all)
      if (tier(v) == top) reach(v, 0);
  if (!tiers_differ) reach(*std::ranges::max_element(all, {}, cables), 0);
  std::size_t next_start = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    // A part cut off from the roots gets one of its own.
    if (i == queue.size()) {
      while (depth[map_.place(all[next_start])] != 0xffffffffu) ++next_start;
      reach(all[next_start], 0);
    }
    const VertexIndex v = queue[i];
    for (const LinkIndex link : topology_.out_links(v))
      if (state_.usable(link) && is_member(topology_[link].to)) reach(topology_[link].to, depth[map_.place(v)] + 1);
  }

  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t p) { return std::tuple(-tier(all[p]), depth[p], p); });
  rank_.resize(all.size());
  for (std::uint32_t r = 0; r < order.size(); ++r) rank_[order[r]] = r;
}

Guide Zone::guide(VertexIndex target) {
  Guide guide(*this, target);
  if (is_member(target)) {
    guide.gates_.push_back({target, field(target)});
    return guide;
  }
  for (const LinkIndex out : topology_.out_links(target)) {
    const VertexIndex neighbour = topology_[out].to;
    if (!is_member(neighbour) || !state_.usable(reverse(out))) continue;
    if (std::ranges::find(guide.gates_, neighbour, &Guide::Gate::vertex) == guide.gates_.end())
      guide.gates_.push_back({neighbour, field(neighbour)});
  }
  return guide;
}

std::shared_ptr<const Guide::Field> Zone::field(VertexIndex gate) {
  if (grid_ != nullptr) return nullptr;
  const std::uint32_t key = map_.place(gate);
  const auto place = fields_.find(key);
  if (place != fields_.end()) return place->second;
  auto made = std::make_shared<const Guide::Field>(discipline_ == Discipline::minimal ? search(gate) : search_up_down(gate));
  const std::size_t most = std::max<std::size_t>(1, field_memory_bytes / (made->size() * sizeof(std::uint16_t)));
  if (fields_.size() >= most) {
    fields_.erase(oldest_.front());
    oldest_.pop_front();
  }
  fields_.emplace(key, made);
  oldest_.push_back(key);
  return made;
}

Guide::Field Zone::search(VertexIndex gate) const {
  Guide::Field hops(members().size(), Guide::unreachable);
  std::vector<VertexIndex> queue{gate};
  hops[map_.place(gate)] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const VertexIndex at = queue[i];
    const auto next = static_cast<std::uint16_t>(hops[map_.place(at)] + 1);
    if (next == Guide::unreachable) break;
    for (const LinkIndex out : topology_.out_links(at)) {
      const VertexIndex before = topology_[out].to;
      if (!is_member(before) || !state_.usable(reverse(out)) || hops[map_.place(before)] != Guide::unreachable) continue;
      hops[map_.place(before)] = next;
      queue.push_back(before);
    }
  }
  return hops;
}

Guide::Field Zone::search_up_down(VertexIndex gate) const {
  const std::size_t count = members().size();
  Guide::Field hops(2 * count, Guide::unreachable);
  std::vector<std::pair<VertexIndex, Climb>> queue;
  const auto reach = [&](VertexIndex v, Climb climb, int distance) {
    std::uint16_t& known = hops[slot(map_.place(v), climb, count)];
    if (known != Guide::unreachable) return;
    known = static_cast<std::uint16_t>(distance);
    queue.emplace_back(v, climb);
  };
  reach(gate, Climb::up, 0);
  reach(gate, Climb::down, 0);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const auto [at, climb] = queue[i];
    const int next = hops[slot(map_.place(at), climb, count)] + 1;
    if (next == Guide::unreachable) break;
    for (const LinkIndex out : topology_.out_links(at)) {
      const VertexIndex before = topology_[out].to;
      if (!is_member(before) || !state_.usable(reverse(out))) continue;
      // An up link keeps the climb; a down link ends it, so it leads to `at` without it from either state.
      if (goes_up(before, at)) {
        if (climb == Climb::up) reach(before, Climb::up, next);
      } else if (climb == Climb::down) {
        reach(before, Climb::up, next);
        reach(before, Climb::down, next);
      }
    }
  }
  return hops;
}

}  // namespace rackwright::topologies
