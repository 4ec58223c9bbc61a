// The diversity of a population: the entropy of its edges, and how an exchange would change it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "eax/assembly.hpp"
#include "eax/tour.hpp"

namespace ceps::eax {

class Diversity {
public:
    void start(std::span<const Tour> population);

    // How the entropy changes when a tour's cities become what they are now from what they were before.
    double change(std::span<const Change> before, const Tour &now) const;

    // Take such a change over.
    void apply(std::span<const Change> before, const Tour &now);

private:
    struct Counted {
        std::uint64_t edge;
        std::int32_t count;
    };

    static std::uint64_t name(City a, City b) {
        const auto low = static_cast<std::uint64_t>(a < b ? a : b), high = static_cast<std::uint64_t>(a < b ? b : a);
        return high << 32 | low;
    }
    std::size_t slot_of(std::uint64_t edge) const;
    std::int32_t count_of(std::uint64_t edge) const;
    void add(std::uint64_t edge, std::int32_t by);
    void make_room(std::size_t entries);

    std::vector<Counted> table_;  // open addressing; a power of two in size
    std::size_t used_ = 0;
    int shift_ = 0;
    std::vector<double> share_;  // −F/N · ln(F/N) by F, the number of the N tours that have an edge
};

}  // namespace ceps::eax
