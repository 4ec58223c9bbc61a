// Co-GA: two populations that co-evolve, one to diversify, one to intensify (Wang and Chen 2012).
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "coga/instance.hpp"
#include "coga/local_search.hpp"
#include "coga/operators.hpp"
#include "coga/parameters.hpp"
#include "coga/ruin.hpp"
#include "coga/solution.hpp"
#include "coga/starts.hpp"
#include "common/cpu_clock.hpp"
#include "common/random.hpp"

namespace ceps::coga {

// Called with every better solution that is feasible; true ends the run.
using OnIncumbent = std::function<bool(const Solution &)>;

class Genetic {
public:
    // A round is the life of the populations, from their start to stagnation; 0: as many as there is time for.
    Genetic(const Instance &instance, const Parameters &parameters, std::uint64_t seed, const CpuLimit &limit,
            int rounds, OnIncumbent on_incumbent);

    // Evolve until stopped. The best solution is the one reported last.
    void run();

private:
    using Population = std::vector<Solution>;

    void evolve();
    void start();
    void diversify();
    void intensify(bool stagnating);
    void add_improved(const Solution &parent);
    void add_crossed(const Solution &a, const Solution &b);
    void add_ruined(const Solution &parent);
    void improve();
    void mutate();
    void keep(Population &population);
    void select(Population &population);
    const Solution &any(const Population &population);
    void note(const Solution &solution);
    bool stopped() const;

    const Instance &instance_;
    Parameters parameters_;
    const CpuLimit &limit_;
    int rounds_;
    OnIncumbent on_incumbent_;
    Random random_;
    Plan plan_;
    Starts starts_;
    Ruin ruin_;
    Operators operators_;
    LocalSearch local_search_;

    Population diverse_, intense_;  // I and II, best first
    Population offspring_, pool_;
    double best_of_round_ = 0.0;  // objective
    double best_ = 0.0;           // of all that were reported
    bool enough_ = false;
};

}  // namespace ceps::coga
