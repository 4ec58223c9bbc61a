#pragma once

#include <nanobind/nanobind.h>

namespace ceps::coga {

// Adds the submodule `coga`.
void bind(nanobind::module_ &module);

}  // namespace ceps::coga
