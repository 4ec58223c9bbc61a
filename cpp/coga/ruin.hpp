// Ruin and recreate: take out strings of consecutive customers near each other, insert them again.
//
// Christiaens and Vanden Berghe (2020), Slack Induction by String Removals, Transportation Science 54(2), 417–433.
#pragma once

#include <utility>
#include <vector>

#include "coga/insertion.hpp"
#include "coga/solution.hpp"
#include "common/cpu_clock.hpp"
#include "common/random.hpp"

namespace ceps::coga {

class Ruin {
public:
    Ruin(const Instance &instance, const CpuLimit &limit);

    // Removes and inserts `amount` customers in all, some strings at a time. What makes the plan worse is taken back:
    // so many at once could only be put together worse than they were.
    void ruin_and_recreate(Plan &plan, int amount, Random &random);

private:
    void remove_strings(Plan &plan, Node seed, Random &random);
    void remove_string(Plan &plan, Node customer, int length, Random &random);
    void sort_removed(Random &random);

    const Instance &instance_;
    const CpuLimit &limit_;
    Insertion insertion_;
    std::vector<Node> removed_;
    std::vector<char> is_ruined_;
    std::vector<std::pair<double, Node>> keys_;
};

}  // namespace ceps::coga
