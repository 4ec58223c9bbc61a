// E-sets: which AB-cycles are exchanged together. Step 3 of EAX.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/random.hpp"
#include "eax/ab_cycles.hpp"
#include "eax/assembly.hpp"

namespace ceps::eax {

using ESet = std::span<const AbCycle *const>;

enum class Strategy { single, block };

class ESets {
public:
    explicit ESets(std::int32_t cities);

    // Begin with the AB-cycles of a new pair of parents.
    void begin(const Tour &a, std::span<const AbCycle> cycles, Strategy strategy, Random &random);

    bool exhausted() const { return position_ == sequence_.size(); }

    // The next E-set, unless they are exhausted. Valid until the next call.
    ESet next(Random &random);

private:
    struct Shared {
        std::int32_t with;
        std::int32_t cities;
    };

    void find_shared_cities();
    void search_block(std::int32_t centre, Random &random);
    void toggle(std::int32_t cycle);
    std::span<const Shared> shared_by(std::int32_t cycle) const {
        return {shared_.data() + shared_from_[cycle], shared_.data() + shared_from_[cycle + 1]};
    }

    std::span<const AbCycle> cycles_;
    Strategy strategy_ = Strategy::single;
    std::vector<std::int32_t> sequence_;
    std::size_t position_ = 0;
    std::vector<const AbCycle *> e_set_;

    // Of the block strategy: for every cycle the cycles it shares cities with, and how many.
    std::vector<std::int32_t> cycle_at_;
    std::vector<std::pair<std::int32_t, std::int32_t>> meetings_;
    std::vector<Shared> shared_;
    std::vector<std::size_t> shared_from_;
    std::vector<std::int32_t> shared_total_, shared_with_block_, tabu_until_;
    std::vector<char> in_block_, best_block_;
    std::int32_t border_ = 0;
};

}  // namespace ceps::eax
