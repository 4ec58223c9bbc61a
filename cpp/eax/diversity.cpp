#include "eax/diversity.hpp"

#include <bit>
#include <cmath>
#include <utility>

namespace ceps::eax {

namespace {

constexpr std::uint64_t nobody = ~std::uint64_t{0};

// Both ends of a changed edge are among the changed cities, so each such edge is seen from its smaller end alone.
template <typename OnRemoved, typename OnAdded>
void for_changed_edges(std::span<const Change> before, const Tour &now, OnRemoved on_removed, OnAdded on_added) {
    for (const auto &[city, old] : before) {
        const Links &links = now.links[city];
        for (const int slot : {0, 1}) {
            if (city < old.to[slot] && !links.has(old.to[slot])) on_removed(city, old.to[slot]);
            if (city < links.to[slot] && !old.has(links.to[slot])) on_added(city, links.to[slot]);
        }
    }
}

}  // namespace

void Diversity::start(std::span<const Tour> population) {
    const auto size = population.size();
    share_.assign(size + 2, 0.0);
    for (std::size_t f = 1; f < share_.size(); ++f) {
        const double part = static_cast<double>(f) / static_cast<double>(size);
        share_[f] = -part * std::log(part);
    }
    table_.clear();
    used_ = 0;
    make_room(4 * population[0].links.size());
    for (const auto &tour : population) {
        for (City city = 0; city < static_cast<City>(tour.links.size()); ++city) {
            for (const City other : tour.links[city].to) {
                if (city < other) add(name(city, other), 1);
            }
        }
    }
}

double Diversity::change(std::span<const Change> before, const Tour &now) const {
    double change = 0.0;
    for_changed_edges(
        before, now,
        [&](City a, City b) {
            const auto count = count_of(name(a, b));
            change += share_[count - 1] - share_[count];
        },
        [&](City a, City b) {
            const auto count = count_of(name(a, b));
            change += share_[count + 1] - share_[count];
        });
    return change;
}

void Diversity::apply(std::span<const Change> before, const Tour &now) {
    for_changed_edges(
        before, now, [&](City a, City b) { add(name(a, b), -1); }, [&](City a, City b) { add(name(a, b), 1); });
}

std::size_t Diversity::slot_of(std::uint64_t edge) const {
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = (edge * 0x9e3779b97f4a7c15) >> shift_;
    while (table_[slot].edge != edge && table_[slot].edge != nobody) slot = (slot + 1) & mask;
    return slot;
}

std::int32_t Diversity::count_of(std::uint64_t edge) const {
    const Counted &found = table_[slot_of(edge)];
    return found.edge == edge ? found.count : 0;
}

void Diversity::add(std::uint64_t edge, std::int32_t by) {
    Counted &found = table_[slot_of(edge)];
    if (found.edge == edge) {
        found.count += by;
        return;
    }
    found = {edge, by};
    if (2 * ++used_ > table_.size()) make_room(2 * used_);
}

// A new table for this many entries; edges that no tour has any more are dropped.
void Diversity::make_room(std::size_t entries) {
    const auto old = std::exchange(table_, {});
    const std::size_t size = std::bit_ceil(2 * entries);
    table_.assign(size, {nobody, 0});
    shift_ = 64 - std::countr_zero(size);
    used_ = 0;
    for (const auto &entry : old) {
        if (entry.edge == nobody || entry.count == 0) continue;
        table_[slot_of(entry.edge)] = entry;
        ++used_;
    }
}

}  // namespace ceps::eax
