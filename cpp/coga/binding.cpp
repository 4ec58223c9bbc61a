// The Python face of Co-GA.
#include "coga/binding.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>

#include <vector>

#include "coga/genetic.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ceps::coga {

namespace {

// A row for each node, the depot first: x, y, delivery, pickup, ready, due, service.
using Table = nb::ndarray<const double, nb::shape<-1, 7>, nb::c_contig, nb::device::cpu>;

std::vector<Site> sites_of(const Table &table) {
    std::vector<Site> sites;
    for (std::size_t i = 0; i < table.shape(0); ++i) {
        const double *row = table.data() + 7 * i;
        sites.push_back({row[0], row[1], row[2], row[3], row[4], row[5], row[6]});
    }
    return sites;
}

nb::list routes_of(const Solution &solution) {
    nb::list routes;
    for (int i = 0; i < solution.routes(); ++i) {
        nb::list route;
        for (const Node node : solution.route(i)) route.append(node);
        routes.append(route);
    }
    return routes;
}

void solve(const Table &table, const Fleet &fleet, const Tolerance &tolerance, const Parameters &parameters,
           std::uint64_t seed, double cpu_seconds, int rounds, const nb::callable &on_incumbent) {
    if (table.shape(0) < 2) throw nb::value_error("Co-GA needs a customer");
    if (parameters.sequential_starts < 1 || parameters.merged_starts < 1 || parameters.ruin_lower < 1 ||
        parameters.ruin_upper < parameters.ruin_lower) {
        throw nb::value_error("Co-GA needs a start of either kind, and 1 <= ruin_lower <= ruin_upper");
    }
    const auto report = [&on_incumbent](const Solution &solution) {
        nb::gil_scoped_acquire hold;
        return nb::cast<bool>(on_incumbent(routes_of(solution)));
    };
    nb::gil_scoped_release release;
    const CpuLimit limit(cpu_seconds);
    const Instance instance(sites_of(table), fleet, tolerance, limit);
    if (!instance.complete() || !instance.servable()) return;
    Genetic(instance, parameters, seed, limit, rounds, report).run();
}

}  // namespace

void bind(nb::module_ &module) {
    auto coga = module.def_submodule("coga", "The co-evolving genetic algorithm for the VRPSPDTW.");
    nb::class_<Fleet>(coga, "Fleet")
        .def(nb::init<int, double, double, double>(), "vehicles"_a, "capacity"_a, "dispatching_cost"_a,
             "unit_cost"_a);
    nb::class_<Tolerance>(coga, "Tolerance").def(nb::init<double, double>(), "time"_a, "load"_a);
    nb::class_<Parameters>(coga, "Parameters")
        .def(nb::init<>())
        .def_rw("population", &Parameters::population)
        .def_rw("merged_starts", &Parameters::merged_starts)
        .def_rw("sequential_starts", &Parameters::sequential_starts)
        .def_rw("stagnation", &Parameters::stagnation)
        .def_rw("mutation_rate", &Parameters::mutation_rate)
        .def_rw("elites", &Parameters::elites)
        .def_rw("ruin_lower", &Parameters::ruin_lower)
        .def_rw("ruin_upper", &Parameters::ruin_upper)
        .def_rw("beta_start", &Parameters::beta_start)
        .def_rw("beta_increment", &Parameters::beta_increment)
        .def_rw("reinsertion_below", &Parameters::reinsertion_below)
        .def_rw("swap_below", &Parameters::swap_below);
    coga.def("solve", &solve, "table"_a, "fleet"_a, "tolerance"_a, "parameters"_a, "seed"_a, "cpu_seconds"_a,
             "rounds"_a, "on_incumbent"_a,
             "Evolve until the limit or the number of rounds is reached, or on_incumbent, called with the routes of "
             "every better solution as indices of nodes, returns true.");
}

}  // namespace ceps::coga
