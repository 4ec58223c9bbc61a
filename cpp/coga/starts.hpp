// Start solutions.
#pragma once

#include <vector>

#include "coga/insertion.hpp"
#include "coga/solution.hpp"
#include "common/cpu_clock.hpp"
#include "common/random.hpp"

namespace ceps::coga {

class Starts {
public:
    Starts(const Instance &instance, const CpuLimit &limit)
        : instance_(instance), limit_(limit), insertion_(instance) {}

    // From one route per customer: the one with the greatest saving moves into another route, as long as there is a
    // saving (and time: the plan is a solution all along).
    void merge(Plan &plan, double beta);
    // Seed routes of random customers, then the others in random sequence.
    void insert_in_random_sequence(Plan &plan, Random &random);

private:
    struct Offer {
        Gap gap;
        double saving;
    };
    void consider(const Plan &plan, int route, Node customer, double beta);
    void reconsider(const Plan &plan, Node customer, double beta);

    const Instance &instance_;
    const CpuLimit &limit_;
    Insertion insertion_;
    std::vector<Node> order_;
    std::vector<Offer> best_;  // of every customer that is alone
};

}  // namespace ceps::coga
