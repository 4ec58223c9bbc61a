// A tour as every city's two neighbours. It has no direction: crossover exchanges edges, not sequences.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "eax/distance.hpp"

namespace ceps::eax {

// One city's place in a tour: its two neighbours and the lengths of the edges to them.
struct Links {
    City to[2];
    Edge length[2];

    int slot_of(City neighbour) const { return to[1] == neighbour; }
    bool has(City neighbour) const { return to[0] == neighbour || to[1] == neighbour; }
    void replace(City neighbour, City by, Edge new_length) {
        const int slot = slot_of(neighbour);
        to[slot] = by;
        length[slot] = new_length;
    }
};

struct Tour {
    std::vector<Links> links;
    Length length = 0;

    Tour() = default;

    // From the cities in the order they are visited: four or more.
    Tour(const Distance &distance, std::span<const City> order) : links(order.size()) {
        const std::size_t n = order.size();
        for (std::size_t i = 0; i < n; ++i) {
            const City here = order[i], next = order[i + 1 < n ? i + 1 : 0];
            const Edge edge = distance(here, next);
            links[here].to[1] = next;
            links[here].length[1] = edge;
            links[next].to[0] = here;
            links[next].length[0] = edge;
            length += edge;
        }
    }

    // The cities in the order they are visited, from city 0.
    void write_order(std::span<City> order) const {
        City previous = links[0].to[0], here = 0;
        for (auto &place : order) {
            place = here;
            const City next = links[here].to[links[here].to[0] == previous];
            previous = here;
            here = next;
        }
    }
};

}  // namespace ceps::eax
