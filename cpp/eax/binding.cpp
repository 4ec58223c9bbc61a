// The Python face of EAX.
#include "eax/binding.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>
#include <utility>

#include "eax/genetic.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace ceps::eax {

namespace {

using Points = nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

void solve(const Points &points, Metric metric, const Parameters &parameters, std::uint64_t seed, double cpu_seconds,
           std::optional<Length> target, int populations, const nb::callable &on_incumbent) {
    if (points.shape(0) < 4) throw nb::value_error("EAX needs four cities or more");
    if (parameters.population < 2 || parameters.offspring < 1 || parameters.neighbours < 1 ||
        parameters.merge_neighbours < 1) {
        throw nb::value_error("EAX needs a population of 2 or more, and 1 or more of offspring and neighbours");
    }
    const auto report = [&on_incumbent](std::span<const City> order, Length length) {
        nb::gil_scoped_acquire hold;
        nb::list nodes;
        for (const City city : order) nodes.append(city + 1);
        on_incumbent(nodes, length);
    };
    nb::gil_scoped_release release;
    const Distance distance({points.data(), 2 * points.shape(0)}, metric);
    Genetic(distance, parameters, seed, {cpu_seconds, target, populations}, report).run();
}

}  // namespace

void bind(nb::module_ &module) {
    auto eax = module.def_submodule("eax", "The genetic algorithm with edge assembly crossover for the TSP.");
    nb::enum_<Metric>(eax, "Metric")
        .value("EUC_2D", Metric::euc_2d)
        .value("CEIL_2D", Metric::ceil_2d)
        .value("ATT", Metric::att)
        .value("GEO", Metric::geo);
    nb::enum_<Selection>(eax, "Selection").value("greedy", Selection::greedy).value("entropy", Selection::entropy);
    nb::enum_<Start>(eax, "Start")
        .value("random", Start::random)
        .value("nearest", Start::nearest)
        .value("greedy", Start::greedy);
    nb::enum_<Improvement>(eax, "Improvement")
        .value("two_opt", Improvement::two_opt)
        .value("two_opt_or_opt", Improvement::two_opt_or_opt);
    nb::enum_<Restart>(eax, "Restart")
        .value("same_size", Restart::same_size)
        .value("double_size", Restart::double_size);
    nb::class_<Parameters>(eax, "Parameters")
        .def(nb::init<>())
        .def_rw("population", &Parameters::population)
        .def_rw("offspring", &Parameters::offspring)
        .def_rw("selection", &Parameters::selection)
        .def_rw("start", &Parameters::start)
        .def_rw("improvement", &Parameters::improvement)
        .def_rw("neighbours", &Parameters::neighbours)
        .def_rw("merge_neighbours", &Parameters::merge_neighbours)
        .def_rw("block", &Parameters::block)
        .def_rw("block_after", &Parameters::block_after)
        .def_rw("restart_after", &Parameters::restart_after)
        .def_rw("restart", &Parameters::restart);
    eax.def("solve", &solve, "points"_a, "metric"_a, "parameters"_a, "seed"_a, "cpu_seconds"_a, "target"_a.none(),
            "populations"_a, "on_incumbent"_a,
            "Evolve populations until the target, the limit or their number is reached; call on_incumbent with the "
            "node ids and the length of every better tour.");
}

}  // namespace ceps::eax
