#include "coga/solution.hpp"

#include <algorithm>

namespace ceps::coga {

Plan::Plan(const Instance &instance)
    : instance_(instance), route_of_(instance.customers() + 1, -1), position_of_(instance.customers() + 1, 0) {}

void Plan::clear() {
    std::ranges::fill(route_of_, -1);
    count_ = 0;
    used_ = 0;
    distance_ = 0.0;
    recording_ = false;
}

void Plan::load(const Solution &solution) {
    clear();
    for (int i = 0; i < solution.routes(); ++i) {
        if (count_ == routes_.size()) routes_.emplace_back();
        routes_[count_].assign(instance_, solution.route(i));
        distance_ += routes_[count_].distance();
        place(static_cast<int>(count_++));
    }
    used_ = solution.routes();
}

void Plan::store(Solution &solution) const {
    solution.customers.clear();
    solution.ends.clear();
    solution.distance = 0.0;
    for (std::size_t i = 0; i < count_; ++i) {
        const Route &route = routes_[i];
        if (route.empty()) continue;
        for (int position = 1; position <= route.size(); ++position) solution.customers.push_back(route[position].node);
        solution.ends.push_back(static_cast<int>(solution.customers.size()));
        solution.distance += route.distance();
    }
    solution.objective = instance_.objective(solution.routes(), solution.distance);
}

void Plan::insert(int route, int gap, Node customer) {
    keep(route);
    const double before = routes_[route].distance();
    routes_[route].insert(instance_, gap, customer);
    changed(route, before, routes_[route].size() > 1);
}

void Plan::erase(int route, int position, int count) {
    keep(route);
    for (int i = position; i < position + count; ++i) route_of_[routes_[route][i].node] = -1;
    const double before = routes_[route].distance();
    routes_[route].erase(instance_, position, count);
    changed(route, before, true);
}

void Plan::assign(int route, std::span<const Node> customers) {
    keep(route);
    const double before = routes_[route].distance();
    const bool used = !routes_[route].empty();
    routes_[route].assign(instance_, customers);
    changed(route, before, used);
}

int Plan::open(Node customer) {
    const int index = static_cast<int>(count_++);
    if (count_ > routes_.size()) routes_.emplace_back();
    routes_[index].assign(instance_, {&customer, 1});
    changed(index, 0.0, false);
    return index;
}

void Plan::tidy() {
    recording_ = false;
    for (std::size_t i = 0; i < count_;) {
        if (!routes_[i].empty()) {
            ++i;
            continue;
        }
        std::swap(routes_[i], routes_[--count_]);
        if (i < count_) place(static_cast<int>(i));
    }
}

void Plan::begin() {
    for (std::size_t i = 0; i < kept_count_; ++i) is_kept_[kept_[i].first] = 0;
    is_kept_.resize(routes_.size());
    kept_count_ = 0;
    count_before_ = count_;
    used_before_ = used_;
    distance_before_ = distance_;
    recording_ = true;
}

void Plan::undo() {
    // First everybody leaves, then all come back where they were: who was missing is missing again.
    for (std::size_t i = count_before_; i < count_; ++i) leave(routes_[i]);
    for (std::size_t i = 0; i < kept_count_; ++i) leave(routes_[kept_[i].first]);
    for (std::size_t i = 0; i < kept_count_; ++i) std::swap(routes_[kept_[i].first], kept_[i].second);
    count_ = count_before_;
    for (std::size_t i = 0; i < kept_count_; ++i) place(kept_[i].first);
    used_ = used_before_;
    distance_ = distance_before_;
}

void Plan::leave(const Route &route) {
    for (int position = 1; position <= route.size(); ++position) route_of_[route[position].node] = -1;
}

void Plan::keep(int route) {
    if (!recording_ || static_cast<std::size_t>(route) >= count_before_ || is_kept_[route]) return;
    is_kept_[route] = 1;
    if (kept_count_ == kept_.size()) kept_.emplace_back();
    kept_[kept_count_].first = route;
    kept_[kept_count_++].second = routes_[route];
}

void Plan::changed(int route, double distance_before, bool used_before) {
    distance_ += routes_[route].distance() - distance_before;
    used_ += static_cast<int>(!routes_[route].empty()) - static_cast<int>(used_before);
    place(route);
}

void Plan::place(int route) {
    const Route &changed = routes_[route];
    for (int position = 1; position <= changed.size(); ++position) {
        route_of_[changed[position].node] = route;
        position_of_[changed[position].node] = position;
    }
}

}  // namespace ceps::coga
