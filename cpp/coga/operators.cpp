#include "coga/operators.hpp"

#include <algorithm>
#include <numeric>

namespace ceps::coga {

namespace {

constexpr int longest_segment = 5;

void shuffled_routes(const Solution &solution, std::vector<int> &order, Random &random) {
    order.resize(solution.routes());
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
}

void copy_customers(const Route &route, std::vector<Node> &customers) {
    customers.clear();
    for (int position = 1; position <= route.size(); ++position) customers.push_back(route[position].node);
}

}  // namespace

void Operators::cross(Plan &child, const Solution &a, const Solution &b, Random &random) {
    shuffled_routes(a, routes_of_a_, random);
    shuffled_routes(b, routes_of_b_, random);
    is_in_child_.assign(instance_.customers() + 1, 0);
    kept_.customers.clear();
    kept_.ends.clear();
    const auto take_one = [&](const Solution &parent, std::vector<int> &left) {
        while (!left.empty()) {
            const auto route = parent.route(left.back());
            left.pop_back();
            if (std::ranges::any_of(route, [&](Node node) { return is_in_child_[node] != 0; })) continue;
            for (const Node node : route) is_in_child_[node] = 1;
            kept_.customers.insert(kept_.customers.end(), route.begin(), route.end());
            kept_.ends.push_back(static_cast<int>(kept_.customers.size()));
            return;
        }
    };
    while (!routes_of_a_.empty() || !routes_of_b_.empty()) {
        take_one(a, routes_of_a_);
        take_one(b, routes_of_b_);
    }
    child.load(kept_);
    loose_.clear();
    for (Node node = 1; node <= instance_.customers(); ++node) {
        if (!is_in_child_[node]) loose_.push_back(node);
    }
    random.shuffle(std::span(loose_));
    insertion_.insert(child, loose_, random);
}

void Operators::mutate(Plan &plan, Random &random) {
    switch (random.below(4)) {
        case 0: return relocate(plan, random);
        case 1: return exchange(plan, random);
        case 2: return split(plan, random);
        default: return dissolve(plan, random);
    }
}

// A segment to a random place, in its own route or another one.
void Operators::relocate(Plan &plan, Random &random) {
    const Node customer = 1 + static_cast<Node>(random.below(instance_.customers()));
    const int from = plan.route_of(customer), begin = plan.position_of(customer);
    const int most = std::min(longest_segment, plan.route(from).size() - begin + 1);
    const int length = 1 + static_cast<int>(random.below(most));
    const int to = static_cast<int>(random.below(plan.routes()));
    copy_customers(plan.route(from), first_);
    loose_.assign(first_.begin() + begin - 1, first_.begin() + begin - 1 + length);
    first_.erase(first_.begin() + begin - 1, first_.begin() + begin - 1 + length);
    if (to == from) {
        second_ = first_;
    } else {
        copy_customers(plan.route(to), second_);
    }
    const auto gap = static_cast<std::ptrdiff_t>(random.below(static_cast<std::uint32_t>(second_.size()) + 1));
    second_.insert(second_.begin() + gap, loose_.begin(), loose_.end());
    if (!feasible(instance_, second_)) return;
    if (to != from) plan.assign(from, first_);
    plan.assign(to, second_);
    plan.tidy();
}

// Two customers, of one route or of two.
void Operators::exchange(Plan &plan, Random &random) {
    const Node a = 1 + static_cast<Node>(random.below(instance_.customers()));
    const auto near = instance_.neighbours(a);
    if (near.empty()) return;
    const Node b = near[random.below(static_cast<std::uint32_t>(near.size()))];
    const int route_a = plan.route_of(a), route_b = plan.route_of(b);
    copy_customers(plan.route(route_a), first_);
    if (route_a == route_b) {
        std::swap(first_[plan.position_of(a) - 1], first_[plan.position_of(b) - 1]);
        if (feasible(instance_, first_)) plan.assign(route_a, first_);
        return;
    }
    copy_customers(plan.route(route_b), second_);
    std::swap(first_[plan.position_of(a) - 1], second_[plan.position_of(b) - 1]);
    if (!feasible(instance_, first_) || !feasible(instance_, second_)) return;
    plan.assign(route_a, first_);
    plan.assign(route_b, second_);
}

// One route becomes two, where there is a vehicle for it.
void Operators::split(Plan &plan, Random &random) {
    const int route = static_cast<int>(random.below(plan.routes()));
    const int size = plan.route(route).size();
    if (size < 2 || plan.used_routes() >= instance_.vehicles()) return;
    copy_customers(plan.route(route), first_);
    const auto cut = first_.begin() + 1 + static_cast<std::ptrdiff_t>(random.below(size - 1));
    second_.assign(cut, first_.end());
    first_.erase(cut, first_.end());
    plan.assign(route, first_);
    const int opened = plan.open(second_.front());
    plan.assign(opened, second_);
}

// The smaller of two random routes: its customers go where they cost least.
void Operators::dissolve(Plan &plan, Random &random) {
    const int a = static_cast<int>(random.below(plan.routes())), b = static_cast<int>(random.below(plan.routes()));
    const int route = plan.route(a).size() <= plan.route(b).size() ? a : b;
    copy_customers(plan.route(route), loose_);
    random.shuffle(std::span(loose_));
    plan.erase(route, 1, plan.route(route).size());
    insertion_.insert(plan, loose_, random);
    plan.tidy();
}

}  // namespace ceps::coga
