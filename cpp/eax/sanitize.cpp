// Many small runs of EAX with all kinds of cities and parameters, to be built with sanitizers: see `make sanitize`.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/random.hpp"
#include "eax/genetic.hpp"

using namespace ceps;
using namespace ceps::eax;

namespace {

// Uniform, on a coarse lattice (many cities in the same place), on a line, or all in one place.
std::vector<double> cities(int n, int kind, Random &random) {
    std::vector<double> points;
    for (int i = 0; i < n; ++i) {
        const double x = random.below(1000), y = random.below(1000);
        const double lattice_x = random.below(4), lattice_y = random.below(4);
        const double options[4][2] = {{x, y}, {lattice_x, lattice_y}, {x, 0.0}, {7.0, 7.0}};
        points.push_back(options[kind][0]);
        points.push_back(options[kind][1]);
    }
    return points;
}

void check_tour(const Distance &distance, std::span<const City> order, Length length) {
    std::vector<char> seen(order.size());
    Length sum = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        seen[order[i]] = 1;
        sum += distance(order[i], order[i + 1 < order.size() ? i + 1 : 0]);
    }
    for (const char visited : seen) {
        if (!visited) sum = -1;
    }
    if (sum == length) return;
    std::puts("a reported tour is not one, or not of the length reported");
    std::exit(1);
}

}  // namespace

int main() {
    Random random(1);
    int runs = 0;
    for (const int n : {4, 5, 6, 7, 8, 9, 12, 20, 50, 120}) {
        for (int repeat = 0; repeat < 60; ++repeat, ++runs) {
            const auto metric = static_cast<Metric>(random.below(4));
            const Distance distance(cities(n, repeat % 4, random), metric);
            Parameters parameters;
            parameters.population = 2 + static_cast<int>(random.below(20));
            parameters.offspring = 1 + static_cast<int>(random.below(20));
            parameters.selection = static_cast<Selection>(random.below(2));
            parameters.start = static_cast<Start>(random.below(3));
            parameters.improvement = static_cast<Improvement>(random.below(2));
            parameters.neighbours = 1 + static_cast<int>(random.below(12));
            parameters.merge_neighbours = 1 + static_cast<int>(random.below(12));
            parameters.block = random.below(2) == 0;
            parameters.block_after = static_cast<int>(random.below(5));
            parameters.restart_after = 1 + static_cast<int>(random.below(5));
            parameters.restart = static_cast<Restart>(random.below(2));
            Genetic(distance, parameters, random.next(), {60.0, std::nullopt, 2},
                    [&](std::span<const City> order, Length length) { check_tour(distance, order, length); })
                .run();
        }
    }
    std::printf("eax: %d runs, clean\n", runs);
}
