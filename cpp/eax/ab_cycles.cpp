#include "eax/ab_cycles.hpp"

#include <algorithm>

namespace ceps::eax {

AbCycles::AbCycles(std::int32_t cities)
    : open_(cities), walk_(2 * static_cast<std::size_t>(cities) + 1), walked_(walk_.size()), cities_(walk_.size()),
      b_edges_(walk_.size()) {
    differing_.reserve(cities);
    for (auto &places : place_in_walk_) places.assign(cities, -1);
}

std::span<const AbCycle> AbCycles::decompose(const Tour &a, const Tour &b, Random &random) {
    parents_[0] = &a;
    parents_[1] = &b;
    collect_differences();
    cycles_.clear();
    cities_used_ = b_edges_used_ = 0;
    while (!differing_.empty()) {
        const auto pick = random.below(static_cast<std::uint32_t>(differing_.size()));
        const City start = differing_[pick];
        if (differs_at(start)) {
            walk_from(start, random);
        } else {
            differing_[pick] = differing_.back();
            differing_.pop_back();
        }
    }
    return cycles_;
}

void AbCycles::collect_differences() {
    constexpr Open all_edges = 0b1111;
    std::fill(open_.begin(), open_.end(), all_edges);
    differing_.clear();
    for (City city = 0; city < static_cast<City>(open_.size()); ++city) {
        if (differs_at(city)) differing_.push_back(city);
    }
}

// Whether a city has an open edge of A that is not in B.
bool AbCycles::differs_at(City city) const {
    const Links &in_a = parents_[0]->links[city], &in_b = parents_[1]->links[city];
    return ((open_[city] & 1) && !in_b.has(in_a.to[0])) || ((open_[city] & 2) && !in_b.has(in_a.to[1]));
}

// Walk until the walk is used up. Every city has as many open edges of A as of B, so it can always be left again.
void AbCycles::walk_from(City start, Random &random) {
    walk_[0] = start;
    walk_size_ = 1;
    place_in_walk_[0][start] = 0;
    while (true) {
        const std::int32_t here = walk_size_ - 1;
        const City next = take_edge(walk_[here], here % 2, random);
        const std::int32_t parity = walk_size_ % 2;
        const std::int32_t before = place_in_walk_[parity][next];
        walk_[walk_size_++] = next;
        if (before < 0) {
            place_in_walk_[parity][next] = walk_size_ - 1;
            continue;
        }
        close_cycle(before, walk_size_ - 1);
        for (std::int32_t i = before + 1; i < walk_size_ - 1; ++i) place_in_walk_[i % 2][walk_[i]] = -1;
        walk_size_ = before + 1;
        if (before == 0) {
            place_in_walk_[0][start] = -1;
            return;
        }
    }
}

// Leave a city by a random open edge of a parent; the edge is then no longer open.
City AbCycles::take_edge(City from, int parent, Random &random) {
    const Links &here = parents_[parent]->links[from];
    const int open = open_[from] >> (2 * parent) & 3;
    const int slot = open == 3 ? static_cast<int>(random.next() >> 63) : open >> 1;
    const City to = here.to[slot];
    const int back = parents_[parent]->links[to].slot_of(from);
    open_[from] ^= static_cast<Open>(1 << (2 * parent + slot));
    open_[to] ^= static_cast<Open>(1 << (2 * parent + back));
    walked_[walk_size_ - 1] = here.length[slot];
    return to;
}

// The walk from place `first` to place `last`, which is the same city again, is an AB-cycle.
void AbCycles::close_cycle(std::int32_t first, std::int32_t last) {
    if (last - first == 2) return;  // an edge of A and the same edge of B: nothing would change
    const std::int32_t begin = first + first % 2;  // the first city there that an edge of A leaves
    const std::size_t cities_from = cities_used_, b_edges_from = b_edges_used_;
    Length gain = 0;
    for (std::int32_t i = begin; i < begin + (last - first); ++i) {
        const std::int32_t at = i < last ? i : i - (last - first);
        cities_[cities_used_++] = walk_[at];
        if (at % 2 == 0) {
            gain += walked_[at];
        } else {
            gain -= walked_[at];
            b_edges_[b_edges_used_++] = walked_[at];
        }
    }
    cycles_.push_back({{&cities_[cities_from], cities_used_ - cities_from},
                       {&b_edges_[b_edges_from], b_edges_used_ - b_edges_from},
                       gain});
}

}  // namespace ceps::eax
