// Where a customer is best inserted.
#pragma once

#include <limits>
#include <span>

#include "coga/solution.hpp"
#include "common/random.hpp"

namespace ceps::coga {

struct Gap {
    int route = -1;  // −1: none
    int position = 0;
    double detour = std::numeric_limits<double>::infinity();
};

// The cheapest feasible gap of one route: c(i,k) + c(k,j) − c(i,j)/β. With β = 1 that is the detour; with a smaller
// one, long legs attract (Wang and Chen's saving, divided by −β and without what is the same for all gaps).
Gap cheapest_gap(const Plan &plan, int route, Node customer, double beta);

// Inserts missing customers one after the other, each where it costs least; into a route of its own where that costs
// less or nothing else is feasible. Gaps are overlooked now and then, which makes results differ ("blinks",
// Christiaens and Vanden Berghe 2020).
class Insertion {
public:
    explicit Insertion(const Instance &instance) : instance_(instance) {}

    void insert(Plan &plan, std::span<const Node> customers, Random &random) const;

private:
    Gap blinking_gap(const Plan &plan, Node customer, Random &random) const;

    const Instance &instance_;
};

}  // namespace ceps::coga
