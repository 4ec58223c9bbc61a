#pragma once

#include <nanobind/nanobind.h>

namespace ceps::eax {

// Adds the submodule `eax`.
void bind(nanobind::module_ &module);

}  // namespace ceps::eax
