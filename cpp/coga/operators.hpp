// What makes offspring different: crossover of two parents, and small random changes of one.
#pragma once

#include <vector>

#include "coga/insertion.hpp"
#include "coga/solution.hpp"
#include "common/random.hpp"

namespace ceps::coga {

class Operators {
public:
    explicit Operators(const Instance &instance) : instance_(instance), insertion_(instance) {}

    // Routes of both parents by turns, as long as they share no customer; the others are inserted.
    void cross(Plan &child, const Solution &a, const Solution &b, Random &random);
    // One of: relocate one or a few customers, exchange two, split a route, dissolve a small one. A change that is
    // not feasible is not made.
    void mutate(Plan &plan, Random &random);

private:
    void relocate(Plan &plan, Random &random);
    void exchange(Plan &plan, Random &random);
    void split(Plan &plan, Random &random);
    void dissolve(Plan &plan, Random &random);

    const Instance &instance_;
    Insertion insertion_;
    std::vector<int> routes_of_a_, routes_of_b_;
    std::vector<char> is_in_child_;
    Solution kept_;
    std::vector<Node> loose_, first_, second_;
};

}  // namespace ceps::coga
