#include "coga/starts.hpp"

#include <algorithm>
#include <numeric>

namespace ceps::coga {

void Starts::merge(Plan &plan, double beta) {
    plan.clear();
    for (Node customer = 1; customer <= instance_.customers(); ++customer) plan.open(customer);
    best_.assign(instance_.customers() + 1, {});
    for (Node customer = 1; customer <= instance_.customers(); ++customer) reconsider(plan, customer, beta);
    while (!limit_.reached()) {
        Node mover = 0;
        for (Node customer = 1; customer <= instance_.customers(); ++customer) {
            if (best_[customer].gap.route >= 0 && (mover == 0 || best_[customer].saving > best_[mover].saving)) {
                mover = customer;
            }
        }
        if (mover == 0) break;
        const Gap gap = best_[mover].gap;
        const int left = plan.route_of(mover);
        plan.erase(left, 1, 1);
        plan.insert(gap.route, gap.position, mover);
        // Nobody in a route with others moves any more; the others' offers stand, but for the two routes changed.
        for (int position = 1; position <= plan.route(gap.route).size(); ++position) {
            best_[plan.route(gap.route)[position].node] = {};
        }
        for (Node customer = 1; customer <= instance_.customers(); ++customer) {
            if (plan.route(plan.route_of(customer)).size() > 1) continue;
            const int offered = best_[customer].gap.route;
            if (offered == left || offered == gap.route) {
                reconsider(plan, customer, beta);
            } else {
                consider(plan, gap.route, customer, beta);
            }
        }
    }
    plan.tidy();
}

void Starts::reconsider(const Plan &plan, Node customer, double beta) {
    best_[customer] = {};
    for (int route = 0; route < plan.routes(); ++route) consider(plan, route, customer, beta);
}

void Starts::consider(const Plan &plan, int route, Node customer, double beta) {
    if (route == plan.route_of(customer)) return;
    const Gap gap = cheapest_gap(plan, route, customer, beta);
    if (gap.route < 0) return;
    // The vehicle it no longer needs is saved, too.
    const double saving = instance_.vehicle_weight() + 2.0 * instance_.distance(0, customer) - beta * gap.detour;
    if (saving <= 0.0 || (best_[customer].gap.route >= 0 && saving <= best_[customer].saving)) return;
    best_[customer] = {gap, saving};
}

void Starts::insert_in_random_sequence(Plan &plan, Random &random) {
    plan.clear();
    order_.resize(instance_.customers());
    std::iota(order_.begin(), order_.end(), 1);
    random.shuffle(std::span(order_));
    double delivery = 0.0, pickup = 0.0;
    for (const Node node : order_) {
        delivery += instance_[node].delivery;
        pickup += instance_[node].pickup;
    }
    const int seeds = std::min({static_cast<int>(std::max(delivery, pickup) / instance_.capacity()) + 2,
                                instance_.customers(), instance_.vehicles()});
    for (int i = 0; i < seeds; ++i) plan.open(order_[i]);
    insertion_.insert(plan, std::span(order_).subspan(seeds), random);
}

}  // namespace ceps::coga
