// Many small runs of Co-GA with all kinds of instances and parameters, to be built with sanitizers: see
// `make sanitize`.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "coga/genetic.hpp"
#include "common/random.hpp"

using namespace ceps;
using namespace ceps::coga;

namespace {

constexpr double horizon = 1000.0, capacity = 100.0;

// Customers that a vehicle of their own can serve, anywhere or in few places, with wide or narrow windows.
std::vector<Site> sites(int customers, Random &random) {
    std::vector<Site> all{{50.0, 50.0, 0.0, 0.0, 0.0, horizon, 0.0}};
    const bool crowded = random.below(3) == 0, narrow = random.below(2) == 0, light = random.below(2) == 0;
    for (int i = 0; i < customers; ++i) {
        Site site{};
        site.x = crowded ? 25.0 * random.below(5) : 100.0 * random.uniform();
        site.y = crowded ? 25.0 * random.below(5) : 100.0 * random.uniform();
        site.delivery = random.uniform() * capacity / (light ? 10.0 : 1.0);
        site.pickup = random.below(2) == 0 ? 0.0 : random.uniform() * capacity / (light ? 10.0 : 1.0);
        site.ready = random.uniform() * 0.7 * horizon;
        site.due = std::max(site.ready, 80.0) + (narrow ? 5.0 : 100.0);
        site.service = 10.0 * random.uniform();
        all.push_back(site);
    }
    return all;
}

void check(const Instance &instance, const Solution &solution) {
    std::vector<char> seen(instance.customers() + 1);
    bool right = solution.routes() <= instance.vehicles();
    for (int i = 0; i < solution.routes(); ++i) {
        right = right && !solution.route(i).empty() && feasible(instance, solution.route(i));
        for (const Node node : solution.route(i)) right = right && !std::exchange(seen[node], 1);
    }
    if (right && std::ranges::count(seen, 1) == instance.customers()) return;
    std::puts("a reported solution is not feasible");
    std::exit(1);
}

}  // namespace

int main() {
    Random random(1);
    int runs = 0, reports = 0;
    for (const int customers : {1, 2, 3, 5, 8, 20, 60, 150}) {
        for (int repeat = 0; repeat < 20; ++repeat, ++runs) {
            const CpuLimit limit(60.0);
            const int vehicles = repeat % 3 == 0 ? 1 + customers / 8 : customers;
            const Fleet fleet{vehicles, capacity, 500.0 * random.below(3), static_cast<double>(random.below(2))};
            const Instance instance(sites(customers, random), fleet, {1e-6, 1e-7}, limit);
            Parameters parameters;
            parameters.population = 2 + static_cast<int>(random.below(10));
            parameters.merged_starts = 1 + static_cast<int>(random.below(4));
            parameters.sequential_starts = 1 + static_cast<int>(random.below(4));
            parameters.stagnation = 1 + static_cast<int>(random.below(8));
            parameters.mutation_rate = random.uniform();
            parameters.elites = static_cast<int>(random.below(12));
            parameters.ruin_lower = 1 + static_cast<int>(random.below(4));
            parameters.ruin_upper = parameters.ruin_lower + static_cast<int>(random.below(6));
            parameters.beta_start = 0.1 + random.uniform();
            parameters.reinsertion_below = static_cast<int>(random.below(6));
            parameters.swap_below = 5 + static_cast<int>(random.below(5));
            if (!instance.servable()) continue;
            Genetic(instance, parameters, random.next(), limit, 2, [&](const Solution &solution) {
                check(instance, solution);
                return ++reports < 0;
            }).run();
        }
    }
    std::printf("coga: %d runs, %d solutions, clean\n", runs, reports);
}
