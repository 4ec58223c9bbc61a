// Random numbers that are the same on every platform. The standard library's distributions are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace ceps {

// xoshiro256** by Blackman and Vigna, seeded through splitmix64 as its authors advise.
class Random {
public:
    explicit Random(std::uint64_t seed) {
        for (auto &word : state_) {
            seed += 0x9e3779b97f4a7c15;
            std::uint64_t mixed = seed;
            mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
            mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
            word = mixed ^ (mixed >> 31);
        }
    }

    std::uint64_t next() {
        const std::uint64_t result = rotated(state_[1] * 5, 7) * 9;
        const std::uint64_t shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = rotated(state_[3], 45);
        return result;
    }

    // Uniform in 0 … bound − 1. The bias of taking the high half of a product is below 2⁻³² and immaterial here.
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }

    // Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    template <typename T>
    void shuffle(std::span<T> items) {
        for (std::size_t i = items.size(); i > 1; --i) {
            std::swap(items[i - 1], items[below(static_cast<std::uint32_t>(i))]);
        }
    }

private:
    static std::uint64_t rotated(std::uint64_t word, int by) { return (word << by) | (word >> (64 - by)); }

    std::uint64_t state_[4];
};

}  // namespace ceps
