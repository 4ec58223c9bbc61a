// Parent A with some of its edges exchanged for edges of B: steps 4 and 5 of EAX.
//
// An E-set's exchange is carried out on A itself, measured, and taken back, so a child costs as much work as it has
// changes. A's cities in the order of its tour make that possible: the removed edges cut it into a few segments, which
// tell the sub-tours apart without a look at the cities.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "eax/ab_cycles.hpp"
#include "eax/neighbours.hpp"
#include "eax/tour.hpp"

namespace ceps::eax {

// One city before or after an exchange.
struct Change {
    City city;
    Links links;
};

// Merging sub-tours may gain a little, but not two edges' length: an exchange that loses more makes no better tour.
inline Length hopeless_gain(const Tour &tour) { return -2 * tour.length / static_cast<Length>(tour.links.size()); }

class Assembly {
public:
    Assembly(const Distance &distance, const Neighbours &neighbours, int merge_neighbours);

    // Take a tour as parent A. It is changed by `exchange` and restored by `take_back`.
    void set_parent(Tour &a);

    // Apply an E-set and merge the sub-tours into one. The gain in length; when it is 0 or less, the sub-tours may have
    // been left unmerged.
    Length exchange(std::span<const AbCycle *const> e_set);

    // What the cities that the exchange has touched were like before it.
    std::span<const Change> before() const { return before_; }

    void take_back();

private:
    // A stretch of A's order that the exchange leaves in one piece.
    struct Segment {
        std::int32_t first, last;  // places
        std::int32_t subtour;
        std::int32_t next_in_subtour;  // or −1
    };
    struct Subtour {
        std::int32_t size;
        std::int32_t first_segment, last_segment;
    };
    struct Merge {
        Length gain;
        City a, a_next, b, b_next;  // (a, a_next) and (b, b_next) become (a, b) and (a_next, b_next)
    };

    void cut(std::span<const AbCycle *const> e_set);
    void link(std::span<const AbCycle *const> e_set);
    void connect(std::int32_t end, std::int32_t other);
    std::int32_t free_end_of(City city) const;
    void find_subtours();
    std::int32_t smallest_subtour() const;
    std::optional<Merge> best_merge(std::int32_t subtour, Length least);
    void mark_cities(std::int32_t subtour);
    void merge(std::int32_t subtour, const Merge &found);
    std::int32_t subtour_of(City city) const;
    void forget_ends();
    void touch(City city);

    const Distance &distance_;
    const Neighbours &neighbours_;
    int merge_neighbours_;
    std::int32_t n_;
    Tour *parent_ = nullptr;
    Length hopeless_ = 0;
    std::vector<City> order_;
    std::vector<std::int32_t> place_;

    std::vector<std::int32_t> cuts_;
    std::vector<Segment> segments_;
    // An end is a segment's number times two, plus one for its last place. `linked_` leads from end to end.
    std::vector<std::int32_t> linked_;
    std::vector<std::int32_t> segment_starting_, segment_ending_;  // by place; −1 where none does
    std::vector<Subtour> subtours_;

    // A city is in the set that a stamp stands for when it bears that stamp: emptying the set is taking a new stamp.
    std::vector<std::uint32_t> inside_, touched_;
    std::uint32_t inside_stamp_ = 0, touched_stamp_ = 0;
    std::vector<Change> before_;
};

}  // namespace ceps::eax
