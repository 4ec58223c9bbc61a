// Local improvement by neighbour lists: reinsertion of segments, and swaps of segments and tails.
#pragma once

#include <span>
#include <vector>

#include "coga/solution.hpp"
#include "common/cpu_clock.hpp"
#include "common/random.hpp"

namespace ceps::coga {

class LocalSearch {
public:
    LocalSearch(const Instance &instance, const CpuLimit &limit) : instance_(instance), limit_(limit) {}

    // Until no segment of up to three customers has a better place next to one of its neighbours.
    void reinsert(Plan &plan, Random &random);
    // Until no swap of segments of up to two customers, or of the tails of two routes, is better.
    void swap(Plan &plan, Random &random);

private:
    template <typename Improve>
    void until_no_gain(Plan &plan, Random &random, Improve improve);
    bool move_behind(Plan &plan, Node a, int length, Node b);
    bool move_ahead(Plan &plan, Node a, int length, Node b);
    bool move(Plan &plan, int from, int begin, int length, int to, int gap);
    bool move_within(Plan &plan, int route, int begin, int gap);
    bool move_between(Plan &plan, int from, int begin, int to, int gap);
    bool swap_segments(Plan &plan, Node a, int length_a, Node b, int length_b);
    bool replaceable(const Route &route, int begin, int end, std::span<const Node> others) const;
    bool swap_tails(Plan &plan, Node a, Node b);
    double value_of_a_route(const Plan &plan) const;

    const Instance &instance_;
    const CpuLimit &limit_;
    std::vector<Node> order_, segment_, other_segment_, first_, second_;
    std::vector<int> tested_, changed_;  // by customer and by route, in ticks of the clock of changes
};

}  // namespace ceps::coga
