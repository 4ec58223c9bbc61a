#include "coga/genetic.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace ceps::coga {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least_gain = 1e-7;  // differences below it come from the order of summation

}  // namespace

Genetic::Genetic(const Instance &instance, const Parameters &parameters, std::uint64_t seed, const CpuLimit &limit,
                 int rounds, OnIncumbent on_incumbent)
    : instance_(instance), parameters_(parameters), limit_(limit), rounds_(rounds),
      on_incumbent_(std::move(on_incumbent)), random_(seed), plan_(instance), starts_(instance, limit),
      ruin_(instance, limit), operators_(instance), local_search_(instance, limit), best_(infinity) {}

void Genetic::run() {
    int rounds = 0;
    do {
        evolve();
    } while (!stopped() && ++rounds != rounds_);
}

// One round: both populations, from their start to stagnation.
void Genetic::evolve() {
    start();
    for (int unimproved = 0; unimproved < parameters_.stagnation && !stopped();) {
        const double before = best_of_round_;
        diversify();
        intensify(2 * unimproved >= parameters_.stagnation);
        unimproved = best_of_round_ < before ? 0 : unimproved + 1;
    }
}

// Sequential starts come first: they take a millisecond each, and a first solution is soon wanted.
void Genetic::start() {
    best_of_round_ = infinity;
    diverse_.clear();
    for (int i = 0; i < parameters_.sequential_starts && !stopped(); ++i) {
        starts_.insert_in_random_sequence(plan_, random_);
        keep(diverse_);
    }
    for (int i = 0; i < parameters_.merged_starts && !stopped(); ++i) {
        starts_.merge(plan_, parameters_.beta_start + i * parameters_.beta_increment);
        keep(diverse_);
    }
    while (static_cast<int>(diverse_.size()) < parameters_.population && !stopped()) {
        const auto sequential = random_.below(parameters_.sequential_starts);
        const auto merged = parameters_.sequential_starts + random_.below(parameters_.merged_starts);
        operators_.cross(plan_, diverse_[sequential], diverse_[merged], random_);
        keep(diverse_);
    }
    std::ranges::stable_sort(diverse_, {}, &Solution::objective);
    intense_ = diverse_;
}

// Population I: its best improved; any others ruined and recreated.
void Genetic::diversify() {
    offspring_.clear();
    add_improved(diverse_.front());
    while (offspring_.size() < 2 * diverse_.size() && !stopped()) add_ruined(any(diverse_));
    select(diverse_);
}

// Population II: its elites improved and crossed with each other, then any two crossed; on the way to stagnation, half
// of these are any one ruined and recreated instead. The best of I comes in.
void Genetic::intensify(bool stagnating) {
    offspring_.clear();
    const std::size_t elites = std::min<std::size_t>(parameters_.elites, intense_.size());
    const std::size_t enough = 2 * intense_.size();
    for (std::size_t i = 0; i < elites && !stopped(); ++i) add_improved(intense_[i]);
    for (std::size_t a = 0; a < elites; ++a) {
        for (std::size_t b = 0; b < a && offspring_.size() < enough && !stopped(); ++b) {
            add_crossed(intense_[a], intense_[b]);
        }
    }
    while (offspring_.size() < enough && !stopped()) {
        if (stagnating && random_.below(2) == 0) {
            add_ruined(any(intense_));
        } else {
            add_crossed(any(intense_), any(intense_));
        }
    }
    offspring_.push_back(diverse_.front());
    select(intense_);
}

void Genetic::add_improved(const Solution &parent) {
    plan_.load(parent);
    improve();
    keep(offspring_);
}

void Genetic::add_crossed(const Solution &a, const Solution &b) {
    operators_.cross(plan_, a, b, random_);
    improve();
    mutate();
    keep(offspring_);
}

void Genetic::add_ruined(const Solution &parent) {
    plan_.load(parent);
    const int lower = parameters_.ruin_lower, upper = parameters_.ruin_upper;
    const int share = lower + static_cast<int>(random_.below(upper - lower + 1));
    ruin_.ruin_and_recreate(plan_, std::max(1, instance_.customers() / share), random_);
    mutate();
    keep(offspring_);
}

void Genetic::improve() {
    const int draw = static_cast<int>(random_.below(10));
    if (draw < parameters_.reinsertion_below) {
        local_search_.reinsert(plan_, random_);
    } else if (draw < parameters_.swap_below) {
        local_search_.swap(plan_, random_);
    }
}

void Genetic::mutate() {
    if (random_.uniform() < parameters_.mutation_rate) operators_.mutate(plan_, random_);
}

void Genetic::keep(Population &population) {
    plan_.store(population.emplace_back());
    note(population.back());
}

// The next generation of a population, from its members and the offspring: the best, and others by linear ranking.
void Genetic::select(Population &population) {
    pool_.clear();
    std::ranges::move(population, std::back_inserter(pool_));
    std::ranges::move(offspring_, std::back_inserter(pool_));
    std::ranges::stable_sort(pool_, {}, &Solution::objective);
    const auto [equals, end] = std::ranges::unique(
        pool_, [](double a, double b) { return b - a < least_gain; }, &Solution::objective);
    pool_.erase(equals, end);
    const std::size_t size = population.size();
    population.assign(1, pool_.front());
    while (population.size() < size) {
        // The probability of a rank falls linearly to 0 behind the last.
        const double share = 1.0 - std::sqrt(random_.uniform());
        const auto rank = static_cast<std::size_t>(share * static_cast<double>(pool_.size()));
        population.push_back(pool_[std::min(rank, pool_.size() - 1)]);
    }
    std::ranges::stable_sort(population, {}, &Solution::objective);
}

const Solution &Genetic::any(const Population &population) {
    return population[random_.below(static_cast<std::uint32_t>(population.size()))];
}

void Genetic::note(const Solution &solution) {
    if (solution.objective < best_of_round_ - least_gain) best_of_round_ = solution.objective;
    if (solution.routes() > instance_.vehicles() || solution.objective >= best_ - least_gain) return;
    best_ = solution.objective;
    enough_ = on_incumbent_(solution);
}

bool Genetic::stopped() const { return enough_ || limit_.reached(); }

}  // namespace ceps::coga
