#include "eax/genetic.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ceps::eax {

namespace {

constexpr int largest_growth = 16;  // of a population that is doubled with every restart: memory has an end

}  // namespace

Genetic::Genetic(const Distance &distance, const Parameters &parameters, std::uint64_t seed, const Stop &stop,
                 OnIncumbent on_incumbent)
    : distance_(distance), parameters_(parameters), stop_(stop), limit_(stop.cpu_seconds),
      on_incumbent_(std::move(on_incumbent)), random_(seed),
      neighbours_(distance, std::max(parameters.neighbours, parameters.merge_neighbours), limit_),
      start_tours_(distance, neighbours_, parameters.start, parameters.improvement), ab_cycles_(distance.cities()),
      e_sets_(distance.cities()), assembly_(distance, neighbours_, parameters.merge_neighbours),
      order_(distance.cities()) {}

void Genetic::run() {
    if (!neighbours_.complete()) {  // no time for more than any tour
        std::iota(order_.begin(), order_.end(), 0);
        note(Tour(distance_, order_));
        return;
    }
    const int largest = largest_growth * parameters_.population;
    int size = parameters_.population, populations = 0;
    do {
        evolve(size);
        if (parameters_.restart == Restart::double_size) size = std::min(2 * size, largest);
    } while (!stopped() && ++populations != stop_.populations);
}

// One population, from its start to its convergence.
void Genetic::evolve(int size) {
    if (!start_population(size)) return;
    auto strategy = Strategy::single;
    for (int unimproved = 0; !converged();) {
        const Length before = best_of_population_;
        if (!breed_generation(strategy)) return;
        unimproved = best_of_population_ < before ? 0 : unimproved + 1;
        if (strategy == Strategy::single && parameters_.block && unimproved >= parameters_.block_after) {
            strategy = Strategy::block;
            unimproved = 0;
        } else if (unimproved >= parameters_.restart_after) {
            return;
        }
    }
}

// False when stopped.
bool Genetic::start_population(int size) {
    population_.clear();
    for (int i = 0; i < size; ++i) {
        const auto order = start_tours_.make(random_, limit_);
        const Tour &tour = population_.emplace_back(distance_, order);
        note(tour);
        if (stopped()) return false;
    }
    mating_.resize(population_.size());
    std::iota(mating_.begin(), mating_.end(), 0);
    if (parameters_.selection == Selection::entropy) diversity_.start(population_);
    best_of_population_ = std::ranges::min(population_, {}, &Tour::length).length;
    return true;
}

// Every tour once as parent A, once as parent B. False when stopped.
bool Genetic::breed_generation(Strategy strategy) {
    random_.shuffle(std::span(mating_));
    for (std::size_t i = 0; i < mating_.size(); ++i) {
        Tour &a = population_[mating_[i]];
        const Tour &b = population_[mating_[i + 1 < mating_.size() ? i + 1 : 0]];
        cross(a, b, strategy);
        if (a.length < best_of_population_) {
            best_of_population_ = a.length;
            note(a);
        }
        if (stopped()) return false;
    }
    return true;
}

// Replace A by the best of its children with B, if one of them is better than A.
void Genetic::cross(Tour &a, const Tour &b, Strategy strategy) {
    const auto cycles = ab_cycles_.decompose(a, b, random_);
    e_sets_.begin(a, cycles, strategy, random_);
    if (e_sets_.exhausted()) return;
    assembly_.set_parent(a);
    double best_worth = 0.0;
    Length best_gain = 0;
    for (int child = 0; child < parameters_.offspring && !e_sets_.exhausted(); ++child) {
        const Length gain = assembly_.exchange(e_sets_.next(random_));
        if (gain > 0) {
            const double child_worth = worth(gain, a);
            if (child_worth > best_worth) {
                best_worth = child_worth;
                best_gain = gain;
                before_best_.assign(assembly_.before().begin(), assembly_.before().end());
                best_child_.clear();
                for (const auto &[city, _] : before_best_) best_child_.push_back({city, a.links[city]});
            }
        }
        assembly_.take_back();
    }
    if (best_gain == 0) return;
    for (const auto &[city, links] : best_child_) a.links[city] = links;
    a.length -= best_gain;
    if (parameters_.selection == Selection::entropy) diversity_.apply(before_best_, a);
}

// Length gained, under entropy-preserving selection for every unit of diversity that is lost.
double Genetic::worth(Length gain, const Tour &child) const {
    constexpr double next_to_nothing = 1e-9;
    if (parameters_.selection == Selection::greedy) return static_cast<double>(gain);
    const double lost = -diversity_.change(assembly_.before(), child);
    return static_cast<double>(gain) / std::max(lost, next_to_nothing);
}

bool Genetic::converged() const {
    return std::ranges::all_of(population_, [&](const Tour &tour) { return tour.length == best_of_population_; });
}

void Genetic::note(const Tour &tour) {
    if (best_ && tour.length >= *best_) return;
    best_ = tour.length;
    tour.write_order(order_);
    on_incumbent_(order_, tour.length);
}

bool Genetic::stopped() const { return (stop_.target && best_ && *best_ <= *stop_.target) || limit_.reached(); }

}  // namespace ceps::eax
