// The genetic algorithm with edge assembly crossover (Nagata and Kobayashi 2013), restarted until it is stopped.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "common/cpu_clock.hpp"
#include "common/random.hpp"
#include "eax/ab_cycles.hpp"
#include "eax/assembly.hpp"
#include "eax/distance.hpp"
#include "eax/diversity.hpp"
#include "eax/e_sets.hpp"
#include "eax/neighbours.hpp"
#include "eax/start_tours.hpp"
#include "eax/tour.hpp"

namespace ceps::eax {

enum class Selection { greedy, entropy };
enum class Restart { same_size, double_size };

struct Parameters {
    int population = 100;
    int offspring = 30;  // of every pair
    Selection selection = Selection::entropy;
    Start start = Start::random;
    Improvement improvement = Improvement::two_opt_or_opt;
    int neighbours = 10;        // that the start tours are improved with
    int merge_neighbours = 8;   // that sub-tours are merged with
    bool block = true;          // whether the block strategy follows the single strategy
    int block_after = 50;       // generations without a better tour after which it does
    int restart_after = 50;     // generations without a better tour after which a population is given up
    Restart restart = Restart::same_size;
};

struct Stop {
    double cpu_seconds;
    std::optional<Length> target;
    int populations;  // 0: as many as there is time for
};

// Called with every better tour, as the cities in the order they are visited.
using OnIncumbent = std::function<void(std::span<const City>, Length)>;

class Genetic {
public:
    Genetic(const Distance &distance, const Parameters &parameters, std::uint64_t seed, const Stop &stop,
            OnIncumbent on_incumbent);

    // Evolve populations until stopped. The best tour is the one reported last.
    void run();

private:
    void evolve(int size);
    bool start_population(int size);
    bool breed_generation(Strategy strategy);
    void cross(Tour &a, const Tour &b, Strategy strategy);
    double worth(Length gain, const Tour &child) const;
    bool converged() const;
    void note(const Tour &tour);
    bool stopped() const;

    const Distance &distance_;
    Parameters parameters_;
    Stop stop_;
    CpuLimit limit_;
    OnIncumbent on_incumbent_;
    Random random_;
    Neighbours neighbours_;
    StartTours start_tours_;
    AbCycles ab_cycles_;
    ESets e_sets_;
    Assembly assembly_;
    Diversity diversity_;

    std::vector<Tour> population_;
    std::vector<std::int32_t> mating_;
    Length best_of_population_ = 0;
    std::vector<Change> before_best_, best_child_;
    std::vector<City> order_;
    std::optional<Length> best_;
};

}  // namespace ceps::eax
