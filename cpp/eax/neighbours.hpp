// The nearest neighbours of every city, nearest first, with their distances.
#pragma once

#include <span>
#include <vector>

#include "common/cpu_clock.hpp"
#include "eax/distance.hpp"

namespace ceps::eax {

struct Neighbour {
    City city;
    Edge distance;
};

class Neighbours {
public:
    // When the limit is reached before all lists are made, they are left incomplete.
    Neighbours(const Distance &distance, int per_city, const CpuLimit &limit);

    bool complete() const { return complete_; }

    std::span<const Neighbour> of(City city) const {
        return {&lists_[static_cast<std::size_t>(city) * per_city_], static_cast<std::size_t>(per_city_)};
    }

    // The nearest `count` of them.
    std::span<const Neighbour> of(City city, int count) const {
        return of(city).first(static_cast<std::size_t>(count < per_city_ ? count : per_city_));
    }

private:
    int per_city_;
    bool complete_ = false;
    std::vector<Neighbour> lists_;
};

}  // namespace ceps::eax
