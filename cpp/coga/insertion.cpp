#include "coga/insertion.hpp"

namespace ceps::coga {

namespace {

constexpr double blink_rate = 0.01;

// Whether a route has room for a customer at all: all its deliveries leave the depot together, all pickups return.
bool has_room(const Instance &instance, const Route &route, const Site &site) {
    return route.delivery() + site.delivery <= instance.capacity() &&
           route.pickup() + site.pickup <= instance.capacity();
}

// Calls `visit(position, detour)` for every feasible gap of a route.
template <typename Visit>
void for_feasible_gaps(const Instance &instance, const Route &route, Node customer, double leg_weight, Visit visit) {
    const Site &site = instance[customer];
    const double *distance = instance.distances(customer);
    for (int gap = 0; gap <= route.size(); ++gap) {
        const Stop &from = route[gap], &to = route[gap + 1];
        const double arrival = from.depart + distance[from.node];
        if (arrival > site.due) return;  // later gaps are reached later still
        const double leave = (arrival > site.ready ? arrival : site.ready) + site.service;
        if (leave + distance[to.node] > to.late) continue;
        if (from.before + site.delivery > instance.capacity() || from.after + site.pickup > instance.capacity()) {
            continue;
        }
        visit(gap, distance[from.node] + distance[to.node] - leg_weight * from.leg);
    }
}

}  // namespace

Gap cheapest_gap(const Plan &plan, int route, Node customer, double beta) {
    Gap best;
    const Instance &instance = plan.instance();
    if (plan.route(route).empty() || !has_room(instance, plan.route(route), instance[customer])) return best;
    for_feasible_gaps(instance, plan.route(route), customer, 1.0 / beta, [&](int position, double detour) {
        if (detour < best.detour) best = {route, position, detour};
    });
    return best;
}

void Insertion::insert(Plan &plan, std::span<const Node> customers, Random &random) const {
    for (const Node customer : customers) {
        const Gap gap = blinking_gap(plan, customer, random);
        const double alone = instance_.objective(plan.used_routes() + 1, 2.0 * instance_.distance(0, customer)) -
                             instance_.objective(plan.used_routes(), 0.0);
        if (gap.detour < alone) {
            plan.insert(gap.route, gap.position, customer);
        } else {
            plan.open(customer);
        }
    }
}

Gap Insertion::blinking_gap(const Plan &plan, Node customer, Random &random) const {
    Gap best;
    const Site &site = instance_[customer];
    for (int i = 0; i < plan.routes(); ++i) {
        const Route &route = plan.route(i);
        if (route.empty() || !has_room(instance_, route, site)) continue;
        for_feasible_gaps(instance_, route, customer, 1.0, [&](int position, double detour) {
            if (detour < best.detour && random.uniform() >= blink_rate) best = {i, position, detour};
        });
    }
    return best;
}

}  // namespace ceps::coga
