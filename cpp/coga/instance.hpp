// A VRPSPDTW instance as the search sees it: distances, neighbours, and one objective for vehicles and distance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/cpu_clock.hpp"

namespace ceps::coga {

using Node = std::int32_t;  // 0 is the depot

struct Site {
    double x, y;
    double delivery, pickup;
    double ready, due;
    double service;
};

struct Fleet {
    int vehicles;
    double capacity;
    double dispatching_cost;
    double unit_cost;
};

// How much later than due a vehicle may be, and how much more than its capacity it may carry.
struct Tolerance {
    double time;
    double load;
};

class Instance {
public:
    // The depot is the first site. Incomplete, and of no use, when the limit is reached meanwhile.
    Instance(std::vector<Site> sites, const Fleet &fleet, const Tolerance &tolerance, const CpuLimit &limit);

    bool complete() const { return complete_; }
    // Whether every customer can be served by a vehicle of its own: otherwise nobody can serve it.
    bool servable() const;

    int customers() const { return static_cast<int>(sites_.size()) - 1; }
    int vehicles() const { return fleet_.vehicles; }
    double capacity() const { return capacity_; }
    const Site &operator[](Node node) const { return sites_[node]; }
    const double *distances(Node from) const { return &distance_[from * sites_.size()]; }
    double distance(Node a, Node b) const { return distances(a)[b]; }
    // Customers that are good to visit next to this one, the best first.
    std::span<const Node> neighbours(Node customer) const {
        return {neighbours_.data() + static_cast<std::size_t>(customer) * per_customer_, per_customer_};
    }

    // What the search minimises: the cost in units of distance, routes beyond the fleet above all.
    double objective(int routes, double distance) const {
        const int excess = routes > fleet_.vehicles ? routes - fleet_.vehicles : 0;
        return vehicle_weight_ * routes + excess_weight_ * excess + distance;
    }
    double vehicle_weight() const { return vehicle_weight_; }

private:
    void measure(const CpuLimit &limit);
    void find_neighbours(const CpuLimit &limit);
    double badness(Node a, Node b) const;

    std::vector<Site> sites_;
    Fleet fleet_;
    double capacity_;
    double vehicle_weight_ = 0.0;
    double excess_weight_ = 0.0;
    bool complete_ = false;
    std::vector<double> distance_;
    std::size_t per_customer_ = 0;
    std::vector<Node> neighbours_;
};

}  // namespace ceps::coga
