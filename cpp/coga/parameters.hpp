// The twelve parameters of Co-GA (Wang and Chen 2012).
#pragma once

namespace ceps::coga {

struct Parameters {
    int population = 50;        // members of each population
    int merged_starts = 7;      // starts that merge one-customer routes by the best saving
    int sequential_starts = 7;  // starts that insert customers in random sequence
    int stagnation = 200;       // generations without a better solution after which populations start again
    double mutation_rate = 0.5;
    int elites = 7;  // of the intensifying population
    // Ruins remove n/k customers, k uniform between these two.
    int ruin_lower = 2;
    int ruin_upper = 10;
    // Weight of the way to the new place, in the savings of merged starts: the first one's, and the step to the next.
    double beta_start = 0.2;
    double beta_increment = 0.2;
    // A draw from 0 to 9 below the first improves an offspring by reinsertion, below the second by swaps, else not.
    int reinsertion_below = 3;
    int swap_below = 6;
};

}  // namespace ceps::coga
