// The tours a population starts from: built at random, then improved by 2-opt and Or-opt on neighbour lists.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/cpu_clock.hpp"
#include "common/random.hpp"
#include "eax/distance.hpp"
#include "eax/neighbours.hpp"

namespace ceps::eax {

enum class Start { random, nearest, greedy };
enum class Improvement { two_opt, two_opt_or_opt };

class StartTours {
public:
    StartTours(const Distance &distance, const Neighbours &neighbours, Start start, Improvement improvement);

    // A new tour, as the cities in the order they are visited. When the limit is reached it is left as it is then.
    std::span<const City> make(Random &random, const CpuLimit &limit);

private:
    void start_random(Random &random);
    void start_nearest(Random &random);
    void start_greedy(Random &random);

    void improve(Random &random, const CpuLimit &limit);
    bool improve_at(City city);
    bool try_two_opt(City city);
    bool try_or_opt(City city);

    std::int32_t wrapped(std::int32_t place) const { return place >= n_ ? place - n_ : place < 0 ? place + n_ : place; }
    City beside(City city, int step) const { return order_[wrapped(place_[city] + step)]; }
    void put(std::int32_t place, City city) {
        order_[place] = city;
        place_[city] = place;
    }
    void reverse(std::int32_t first, std::int32_t last);
    void move_segment(std::int32_t first, int size, City after, bool reversed);
    void ask_again(City city);

    const Distance &distance_;
    const Neighbours &neighbours_;
    Start start_;
    Improvement improvement_;
    std::int32_t n_;
    std::vector<City> order_;
    std::vector<std::int32_t> place_;

    // Cities whose surroundings have changed since they were last looked at, first in, first out.
    std::vector<City> waiting_;
    std::vector<char> waits_;
    std::size_t head_ = 0, waiting_count_ = 0;

    // Scratch of the greedy start.
    struct Candidate {
        double key;
        City a, b;
    };
    std::vector<Candidate> candidates_;
    std::vector<City> ends_;
    std::vector<char> degree_;
    std::vector<City> partners_;
};

}  // namespace ceps::eax
