// AB-cycles: closed walks that take edges of parent A and of parent B in turn.
//
// Nagata and Kobayashi (2013), A Powerful Genetic Algorithm Using Edge Assembly Crossover for the Traveling Salesman
// Problem, INFORMS Journal on Computing 25(2), step 2 of EAX. Edges that both parents have may be walked, as an edge of
// either, but walks start only where the parents differ: the work grows with that, not with the number of cities.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/random.hpp"
#include "eax/distance.hpp"
#include "eax/tour.hpp"

namespace ceps::eax {

// Cities v0, v1, … v(2k−1): (v0, v1), (v2, v3) … are edges of A, (v1, v2) … (v(2k−1), v0) are edges of B.
struct AbCycle {
    std::span<const City> cities;
    std::span<const Edge> b_edges;  // lengths: b_edges[i] is that of the edge from v(2i+1)
    Length gain;                    // how much shorter A becomes by the exchange

    City after(std::size_t i) const { return cities[i + 1 < cities.size() ? i + 1 : 0]; }
};

class AbCycles {
public:
    explicit AbCycles(std::int32_t cities);

    // The AB-cycles of a random decomposition that change anything; valid until the next call.
    std::span<const AbCycle> decompose(const Tour &a, const Tour &b, Random &random);

private:
    // Which of a city's two edges in A (bits 0 and 1) and in B (bits 2 and 3) have not been walked yet.
    using Open = std::uint8_t;

    void collect_differences();
    bool differs_at(City city) const;
    void walk_from(City start, Random &random);
    City take_edge(City from, int parent, Random &random);
    void close_cycle(std::int32_t first, std::int32_t last);

    const Tour *parents_[2] = {nullptr, nullptr};
    std::vector<Open> open_;
    std::vector<City> differing_;

    // The walk: an edge of A leaves its cities at even places, an edge of B those at odd places.
    std::vector<City> walk_;
    std::vector<Edge> walked_;
    std::vector<std::int32_t> place_in_walk_[2];
    std::int32_t walk_size_ = 0;

    std::vector<City> cities_;
    std::vector<Edge> b_edges_;
    std::size_t cities_used_ = 0, b_edges_used_ = 0;
    std::vector<AbCycle> cycles_;
};

}  // namespace ceps::eax
