// The Python face of the native code. Everything long-running releases the GIL.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include "coga/binding.hpp"
#include "common/process_tree.hpp"
#include "eax/binding.hpp"

namespace nb = nanobind;
using namespace nb::literals;

NB_MODULE(_native, module) {
    module.doc() = "The C++ core of ceps.";

    nb::class_<ceps::TreeUsage>(module, "TreeUsage", "What all descendants of a process use together.")
        .def_ro("cpu_seconds", &ceps::TreeUsage::cpu_seconds)
        .def_ro("memory_bytes", &ceps::TreeUsage::memory_bytes)
        .def_ro("processes", &ceps::TreeUsage::processes);
    module.def("usage_below", &ceps::usage_below, "root"_a, "excepted"_a = 0,
               "CPU seconds, memory and process ids of all living descendants of a process, but for one child.");
    module.def("own_cpu_seconds", &ceps::own_cpu_seconds, "process"_a,
               "CPU seconds of the threads of one process; 0 when it is gone.");
    module.def("adopt_orphans", &ceps::adopt_orphans, "Become the parent of descendants that lose theirs.");
    module.def("die_with_parent", &ceps::die_with_parent, "Have the kernel kill this process when its parent ends.");

    ceps::coga::bind(module);
    ceps::eax::bind(module);
}
