#include "eax/e_sets.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace ceps::eax {

namespace {

constexpr std::int32_t longest_tabu = 10;
constexpr std::int32_t search_patience = 20;  // iterations without a better block

}  // namespace

ESets::ESets(std::int32_t cities) : cycle_at_(cities) {}

void ESets::begin(const Tour &a, std::span<const AbCycle> cycles, Strategy strategy, Random &random) {
    cycles_ = cycles;
    strategy_ = strategy;
    position_ = 0;
    sequence_.clear();
    const Length hopeless = hopeless_gain(a);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(cycles.size()); ++i) {
        if (strategy == Strategy::block || cycles[i].gain > hopeless) sequence_.push_back(i);
    }
    random.shuffle(std::span(sequence_));
    if (strategy == Strategy::block) {
        find_shared_cities();
        // Large cycles first: they are the centres of the blocks that single cycles cannot make.
        std::stable_sort(sequence_.begin(), sequence_.end(), [&](std::int32_t one, std::int32_t other) {
            return cycles[one].cities.size() > cycles[other].cities.size();
        });
    }
}

ESet ESets::next(Random &random) {
    e_set_.clear();
    const std::int32_t chosen = sequence_[position_++];
    if (strategy_ == Strategy::single) {
        e_set_.push_back(&cycles_[chosen]);
    } else {
        search_block(chosen, random);
        for (std::size_t i = 0; i < cycles_.size(); ++i) {
            if (best_block_[i]) e_set_.push_back(&cycles_[i]);
        }
    }
    return e_set_;
}

void ESets::find_shared_cities() {
    std::fill(cycle_at_.begin(), cycle_at_.end(), -1);
    meetings_.clear();
    for (std::int32_t cycle = 0; cycle < static_cast<std::int32_t>(cycles_.size()); ++cycle) {
        for (const City city : cycles_[cycle].cities) {
            const std::int32_t other = cycle_at_[city];
            if (other >= 0 && other != cycle) {
                meetings_.emplace_back(cycle, other);
                meetings_.emplace_back(other, cycle);
            }
            cycle_at_[city] = cycle;
        }
    }
    std::sort(meetings_.begin(), meetings_.end());
    shared_.clear();
    shared_from_.assign(cycles_.size() + 1, 0);
    shared_total_.assign(cycles_.size(), 0);
    std::size_t meeting = 0;
    for (std::int32_t cycle = 0; cycle < static_cast<std::int32_t>(cycles_.size()); ++cycle) {
        shared_from_[cycle] = shared_.size();
        for (; meeting < meetings_.size() && meetings_[meeting].first == cycle; ++meeting) {
            const std::int32_t with = meetings_[meeting].second;
            if (shared_.size() == shared_from_[cycle] || shared_.back().with != with) shared_.push_back({with, 0});
            ++shared_.back().cities;
            ++shared_total_[cycle];
        }
    }
    shared_from_.back() = shared_.size();
}

void ESets::toggle(std::int32_t cycle) {
    const std::int32_t sign = in_block_[cycle] ? -1 : 1;
    border_ += sign * (shared_total_[cycle] - 2 * shared_with_block_[cycle]);
    in_block_[cycle] ^= 1;
    for (const auto &[with, cities] : shared_by(cycle)) shared_with_block_[with] += sign * cities;
}

// The block strategy of Nagata and Kobayashi: around a centre, smaller cycles are gathered by tabu search so that few
// cities are left with one edge of A and one of B. At those the child's sub-tours arise; a block of B inside A has few.
void ESets::search_block(std::int32_t centre, Random &random) {
    in_block_.assign(cycles_.size(), 0);
    shared_with_block_.assign(cycles_.size(), 0);
    tabu_until_.assign(cycles_.size(), 0);
    border_ = 0;
    toggle(centre);
    best_block_ = in_block_;
    std::int32_t best_border = border_;
    const std::size_t centre_size = cycles_[centre].cities.size();
    for (std::int32_t iteration = 1, unimproved = 0; best_border > 0 && unimproved < search_patience; ++iteration) {
        std::int32_t chosen = -1, smallest_border = std::numeric_limits<std::int32_t>::max();
        for (std::int32_t cycle = 0; cycle < static_cast<std::int32_t>(cycles_.size()); ++cycle) {
            if (cycle == centre || shared_with_block_[cycle] == 0) continue;
            if (cycles_[cycle].cities.size() >= centre_size) continue;
            const std::int32_t sign = in_block_[cycle] ? -1 : 1;
            const std::int32_t border = border_ + sign * (shared_total_[cycle] - 2 * shared_with_block_[cycle]);
            if (border >= smallest_border || (tabu_until_[cycle] >= iteration && border >= best_border)) continue;
            chosen = cycle;
            smallest_border = border;
        }
        if (chosen < 0) break;
        toggle(chosen);
        tabu_until_[chosen] = iteration + 1 + static_cast<std::int32_t>(random.below(longest_tabu));
        ++unimproved;
        if (border_ < best_border) {
            best_border = border_;
            best_block_ = in_block_;
            unimproved = 0;
        }
    }
}

}  // namespace ceps::eax
