#include "coga/instance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace ceps::coga {

namespace {

constexpr std::size_t most_neighbours = 40;
constexpr double waiting_weight = 0.2;  // of a unit of waiting against a unit of distance

}  // namespace

Instance::Instance(std::vector<Site> sites, const Fleet &fleet, const Tolerance &tolerance, const CpuLimit &limit)
    : sites_(std::move(sites)), fleet_(fleet), capacity_(fleet.capacity + tolerance.load / 2) {
    // Half of the tolerance: whoever sums in another order and allows all of it will agree.
    for (Site &site : sites_) site.due += tolerance.time / 2;
    measure(limit);
    if (!limit.reached()) find_neighbours(limit);
    complete_ = !limit.reached();
}

void Instance::measure(const CpuLimit &limit) {
    const std::size_t nodes = sites_.size();
    distance_.resize(nodes * nodes);
    double longest = 0.0;
    for (std::size_t a = 0; a < nodes && !limit.reached(); ++a) {
        for (std::size_t b = 0; b < nodes; ++b) {
            const double x = sites_[a].x - sites_[b].x, y = sites_[a].y - sites_[b].y;
            distance_[a * nodes + b] = std::sqrt(x * x + y * y);
            longest = std::max(longest, distance_[a * nodes + b]);
        }
    }
    // More than all routes together can differ by: from there on a vehicle always counts first.
    excess_weight_ = 1.0 + 2.0 * longest * static_cast<double>(nodes);
    const bool far = fleet_.unit_cost * excess_weight_ > fleet_.dispatching_cost;
    vehicle_weight_ = far ? fleet_.dispatching_cost / fleet_.unit_cost : excess_weight_;
}

void Instance::find_neighbours(const CpuLimit &limit) {
    const std::size_t count = static_cast<std::size_t>(customers());
    per_customer_ = std::min(most_neighbours, count - 1);
    neighbours_.resize((count + 1) * per_customer_);
    std::vector<std::pair<double, Node>> others;
    for (Node a = 1; a <= customers() && !limit.reached(); ++a) {
        others.clear();
        for (Node b = 1; b <= customers(); ++b) {
            if (b != a) others.emplace_back(std::min(badness(a, b), badness(b, a)), b);
        }
        const auto end = others.begin() + static_cast<std::ptrdiff_t>(per_customer_);
        std::partial_sort(others.begin(), end, others.end());
        for (std::size_t i = 0; i < per_customer_; ++i) neighbours_[a * per_customer_ + i] = others[i].second;
    }
}

// Of going from a to b: distance, waiting that cannot be avoided, and lateness that cannot (Vidal et al. 2013).
double Instance::badness(Node a, Node b) const {
    const double arrival = sites_[a].service + distance(a, b);
    const double waiting = std::max(0.0, sites_[b].ready - arrival - sites_[a].due);
    const double lateness = std::max(0.0, sites_[a].ready + arrival - sites_[b].due);
    return distance(a, b) + waiting_weight * waiting + lateness;
}

bool Instance::servable() const {
    const Site &depot = sites_.front();
    for (Node node = 1; node <= customers(); ++node) {
        const Site &site = sites_[node];
        const double arrival = depot.ready + distance(0, node);
        const double back = std::max(arrival, site.ready) + site.service + distance(node, 0);
        if (arrival > site.due || back > depot.due) return false;
        if (std::max(site.delivery, site.pickup) > capacity_) return false;
    }
    return true;
}

}  // namespace ceps::coga
