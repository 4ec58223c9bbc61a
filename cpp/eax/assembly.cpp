#include "eax/assembly.hpp"

#include <algorithm>
#include <limits>

namespace ceps::eax {

Assembly::Assembly(const Distance &distance, const Neighbours &neighbours, int merge_neighbours)
    : distance_(distance), neighbours_(neighbours), merge_neighbours_(merge_neighbours), n_(distance.cities()),
      order_(n_), place_(n_), segment_starting_(n_, -1), segment_ending_(n_, -1), inside_(n_), touched_(n_) {}

void Assembly::set_parent(Tour &a) {
    parent_ = &a;
    hopeless_ = hopeless_gain(a);
    a.write_order(order_);
    for (std::int32_t i = 0; i < n_; ++i) place_[order_[i]] = i;
}

Length Assembly::exchange(std::span<const AbCycle *const> e_set) {
    before_.clear();
    ++touched_stamp_;
    Length gain = 0;
    for (const AbCycle *cycle : e_set) gain += cycle->gain;
    if (gain <= hopeless_) return gain;
    cut(e_set);
    link(e_set);
    find_subtours();
    forget_ends();
    for (std::size_t left = subtours_.size(); left > 1; --left) {
        const std::int32_t smallest = smallest_subtour();
        // What is not shorter after the last merge is no better child; before, a little hope is left.
        const Length least = left == 2 ? 0 : hopeless_;
        const std::optional<Merge> found = best_merge(smallest, least - gain);
        if (!found) return hopeless_;
        gain += found->gain;
        merge(smallest, *found);
    }
    return gain;
}

void Assembly::take_back() {
    for (const auto &[city, links] : before_) parent_->links[city] = links;
}

void Assembly::touch(City city) {
    if (touched_[city] == touched_stamp_) return;
    touched_[city] = touched_stamp_;
    before_.push_back({city, parent_->links[city]});
}

// The places behind which an edge of A is removed, and the segments between them.
void Assembly::cut(std::span<const AbCycle *const> e_set) {
    cuts_.clear();
    for (const AbCycle *cycle : e_set) {
        const auto cities = cycle->cities;
        for (std::size_t i = 0; i < cities.size(); i += 2) {
            const auto [low, high] = std::minmax(place_[cities[i]], place_[cities[i + 1]]);
            cuts_.push_back(high == low + 1 ? low : high);  // otherwise it is the edge from the last place to the first
        }
    }
    std::sort(cuts_.begin(), cuts_.end());
    const bool closing_edge_stays = cuts_.back() != n_ - 1;
    if (closing_edge_stays) cuts_.push_back(n_ - 1);
    segments_.clear();
    std::int32_t first = 0;
    for (const std::int32_t last : cuts_) {
        const auto number = static_cast<std::int32_t>(segments_.size());
        segments_.push_back({first, last, -1, -1});
        segment_starting_[first] = segment_ending_[last] = number;
        first = last + 1;
    }
    linked_.assign(2 * segments_.size(), -1);
    if (closing_edge_stays) connect(0, static_cast<std::int32_t>(linked_.size()) - 1);
}

void Assembly::connect(std::int32_t end, std::int32_t other) {
    linked_[end] = other;
    linked_[other] = end;
}

// Put the E-set's edges of B in the places of those of A, between the segments and in the tour.
void Assembly::link(std::span<const AbCycle *const> e_set) {
    for (const AbCycle *cycle : e_set) {
        const auto cities = cycle->cities;
        for (std::size_t i = 1; i < cities.size(); i += 2) {
            const City from = cities[i], to = cycle->after(i);
            const std::int32_t end = free_end_of(from);
            linked_[end] = end;  // taken, so that it is not found again as the end of `to`
            connect(end, free_end_of(to));
            touch(from);
            touch(to);
            const Edge length = cycle->b_edges[i / 2];
            const City a_of_from = cities[i - 1], a_of_to = cities[i + 2 < cities.size() ? i + 2 : 1];
            parent_->links[from].replace(a_of_from, to, length);
            parent_->links[to].replace(a_of_to, from, length);
        }
    }
}

std::int32_t Assembly::free_end_of(City city) const {
    const std::int32_t starting = segment_starting_[place_[city]];
    if (starting >= 0 && linked_[2 * starting] < 0) return 2 * starting;
    return 2 * segment_ending_[place_[city]] + 1;
}

void Assembly::find_subtours() {
    subtours_.clear();
    for (std::int32_t start = 0; start < static_cast<std::int32_t>(segments_.size()); ++start) {
        if (segments_[start].subtour >= 0) continue;
        const auto number = static_cast<std::int32_t>(subtours_.size());
        Subtour subtour{0, start, start};
        for (std::int32_t end = 2 * start; segments_[end / 2].subtour < 0; end = linked_[end ^ 1]) {
            Segment &segment = segments_[end / 2];
            segment.subtour = number;
            subtour.size += segment.last - segment.first + 1;
            if (end / 2 != start) {
                segments_[subtour.last_segment].next_in_subtour = end / 2;
                subtour.last_segment = end / 2;
            }
        }
        subtours_.push_back(subtour);
    }
}

void Assembly::forget_ends() {
    for (const auto &segment : segments_) {
        segment_starting_[segment.first] = -1;
        segment_ending_[segment.last] = -1;
    }
}

std::int32_t Assembly::smallest_subtour() const {
    std::int32_t smallest = -1, size = std::numeric_limits<std::int32_t>::max();
    for (std::int32_t number = 0; number < static_cast<std::int32_t>(subtours_.size()); ++number) {
        if (subtours_[number].size > 0 && subtours_[number].size < size) {
            smallest = number;
            size = subtours_[number].size;
        }
    }
    return smallest;
}

void Assembly::mark_cities(std::int32_t subtour) {
    ++inside_stamp_;
    for (std::int32_t s = subtours_[subtour].first_segment; s >= 0; s = segments_[s].next_in_subtour) {
        for (std::int32_t i = segments_[s].first; i <= segments_[s].last; ++i) inside_[order_[i]] = inside_stamp_;
    }
}

// The best exchange of two edges, among neighbours, that joins a sub-tour to another one and gains more than `least`.
std::optional<Assembly::Merge> Assembly::best_merge(std::int32_t subtour, Length least) {
    mark_cities(subtour);
    Merge best{least, -1, -1, -1, -1};
    const auto try_pair = [&](City a, City b, Edge ab, Edge hidden) {
        const Links &at_a = parent_->links[a], &at_b = parent_->links[b];
        for (const int i : {0, 1}) {
            const Length removed_here = Length{at_a.length[i]} - ab;
            for (const int j : {0, 1}) {
                const Length at_most = removed_here + at_b.length[j];
                if (at_most - hidden <= best.gain) continue;
                const Length gain = at_most - distance_(at_a.to[i], at_b.to[j]);
                if (gain > best.gain) best = {gain, a, at_a.to[i], b, at_b.to[j]};
            }
        }
    };
    // An exchange can be seen from both its ends in the sub-tour. It is enough to see it from the end whose new edge is
    // the shorter one, and there the other new edge is at least as long.
    bool island = true;  // no neighbour of its cities is outside
    for (std::int32_t s = subtours_[subtour].first_segment; s >= 0; s = segments_[s].next_in_subtour) {
        for (std::int32_t i = segments_[s].first; i <= segments_[s].last; ++i) {
            const City a = order_[i];
            for (const auto &[b, ab] : neighbours_.of(a, merge_neighbours_)) {
                if (inside_[b] == inside_stamp_) continue;
                island = false;
                try_pair(a, b, ab, ab);
            }
        }
    }
    if (island) {
        const City a = order_[segments_[subtours_[subtour].first_segment].first];
        for (City b = 0; b < n_; ++b) {
            if (inside_[b] != inside_stamp_) try_pair(a, b, distance_(a, b), 0);
        }
    }
    return best.a < 0 ? std::nullopt : std::optional(best);
}

void Assembly::merge(std::int32_t subtour, const Merge &found) {
    const auto &[_, a, a_next, b, b_next] = found;
    for (const City city : {a, a_next, b, b_next}) touch(city);
    auto &links = parent_->links;
    const Edge ab = distance_(a, b), next = distance_(a_next, b_next);
    links[a].replace(a_next, b, ab);
    links[a_next].replace(a, b_next, next);
    links[b].replace(b_next, a, ab);
    links[b_next].replace(b, a_next, next);
    const std::int32_t into = subtour_of(b);
    for (std::int32_t s = subtours_[subtour].first_segment; s >= 0; s = segments_[s].next_in_subtour) {
        segments_[s].subtour = into;
    }
    segments_[subtours_[into].last_segment].next_in_subtour = subtours_[subtour].first_segment;
    subtours_[into].last_segment = subtours_[subtour].last_segment;
    subtours_[into].size += subtours_[subtour].size;
    subtours_[subtour].size = 0;
}

std::int32_t Assembly::subtour_of(City city) const {
    const auto starts_behind = [](std::int32_t place, const Segment &segment) { return place < segment.first; };
    const auto behind = std::upper_bound(segments_.begin(), segments_.end(), place_[city], starts_behind);
    return (behind - 1)->subtour;
}

}  // namespace ceps::eax
