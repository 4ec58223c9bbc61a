#include "coga/local_search.hpp"

#include <algorithm>
#include <numeric>

namespace ceps::coga {

namespace {

constexpr int longest_moved = 3, longest_swapped = 2;
constexpr double least_gain = 1e-7;

// Deliveries and the highest load of a route's part before and after leaving a stop, as if it were all there is.
double deliveries_after(const Stop &stop) { return stop.load - stop.picked; }
double highest_before(const Stop &stop) { return stop.before - deliveries_after(stop); }
double highest_after(const Stop &stop) { return stop.after - stop.picked; }

// The highest load of a route that has the part of one until a stop, and the part of another after a stop.
double highest_joined(const Stop &until, const Stop &after) {
    return std::max(highest_before(until) + deliveries_after(after), highest_after(after) + until.picked);
}

void copy_part(const Route &route, int begin, int end, std::vector<Node> &nodes) {
    for (int position = begin; position < end; ++position) nodes.push_back(route[position].node);
}

}  // namespace

void LocalSearch::reinsert(Plan &plan, Random &random) {
    until_no_gain(plan, random, [this](Plan &changed, Node a, Node b) {
        for (int length = 1; length <= longest_moved; ++length) {
            if (move_behind(changed, a, length, b) || move_ahead(changed, a, length, b)) return true;
        }
        return false;
    });
}

void LocalSearch::swap(Plan &plan, Random &random) {
    until_no_gain(plan, random, [this](Plan &changed, Node a, Node b) {
        if (changed.route_of(a) == changed.route_of(b)) return false;
        if (swap_tails(changed, a, b)) return true;
        for (int of_a = 1; of_a <= longest_swapped; ++of_a) {
            for (int of_b = 1; of_b <= longest_swapped; ++of_b) {
                if (swap_segments(changed, a, of_a, b, of_b)) return true;
            }
        }
        return false;
    });
}

// Tries `improve` on every customer and its neighbours, again wherever a route has changed since.
template <typename Improve>
void LocalSearch::until_no_gain(Plan &plan, Random &random, Improve improve) {
    order_.resize(instance_.customers());
    std::iota(order_.begin(), order_.end(), 1);
    random.shuffle(std::span(order_));
    tested_.assign(instance_.customers() + 1, -1);
    changed_.assign(plan.routes(), 0);
    int changes = 0;
    for (bool gained = true; gained;) {
        gained = false;
        for (const Node a : order_) {
            if (limit_.reached()) return plan.tidy();
            const int tested = tested_[a];
            tested_[a] = changes;
            for (const Node b : instance_.neighbours(a)) {
                const int route_a = plan.route_of(a), route_b = plan.route_of(b);
                if (std::max(changed_[route_a], changed_[route_b]) <= tested) continue;
                if (!improve(plan, a, b)) continue;
                changed_[route_a] = changed_[route_b] = ++changes;
                gained = true;
            }
        }
    }
    plan.tidy();
}

// The segment that begins with a comes right behind b.
bool LocalSearch::move_behind(Plan &plan, Node a, int length, Node b) {
    return move(plan, plan.route_of(a), plan.position_of(a), length, plan.route_of(b), plan.position_of(b));
}

// The segment that ends with a comes right ahead of b.
bool LocalSearch::move_ahead(Plan &plan, Node a, int length, Node b) {
    const int begin = plan.position_of(a) - length + 1;
    return move(plan, plan.route_of(a), begin, length, plan.route_of(b), plan.position_of(b) - 1);
}

bool LocalSearch::move(Plan &plan, int from, int begin, int length, int to, int gap) {
    const Route &source = plan.route(from), &destination = plan.route(to);
    const int last = begin + length - 1;
    if (begin < 1 || last > source.size() || (from == to && gap >= begin - 1 && gap <= last)) return false;
    const Stop &ahead = source[begin - 1], &behind = source[last + 1];
    const Stop &left = destination[gap], &right = destination[gap + 1];
    double gain = ahead.leg + source[last].leg - instance_.distance(ahead.node, behind.node) + left.leg -
                  instance_.distance(left.node, source[begin].node) - instance_.distance(source[last].node, right.node);
    if (from != to && length == source.size()) gain += value_of_a_route(plan);
    if (gain < least_gain) return false;
    segment_.clear();
    copy_part(source, begin, last + 1, segment_);
    return from == to ? move_within(plan, from, begin, gap) : move_between(plan, from, begin, to, gap);
}

bool LocalSearch::move_within(Plan &plan, int route, int begin, int gap) {
    const int length = static_cast<int>(segment_.size());
    first_.clear();
    copy_part(plan.route(route), 1, plan.route(route).size() + 1, first_);
    first_.erase(first_.begin() + begin - 1, first_.begin() + begin - 1 + length);
    const int place = gap < begin ? gap : gap - length;
    first_.insert(first_.begin() + place, segment_.begin(), segment_.end());
    if (!feasible(instance_, first_)) return false;
    plan.assign(route, first_);
    return true;
}

bool LocalSearch::move_between(Plan &plan, int from, int begin, int to, int gap) {
    const Route &destination = plan.route(to);
    const Stop &left = destination[gap], &right = destination[gap + 1];
    Demand demand;
    for (const Node node : segment_) demand.append(instance_[node]);
    if (left.before + demand.delivery > instance_.capacity() || left.after + demand.pickup > instance_.capacity() ||
        left.load + demand.highest > instance_.capacity()) {
        return false;
    }
    if (!Route::in_time(instance_, left, segment_, right)) return false;
    first_.clear();
    copy_part(destination, 1, gap + 1, first_);
    first_.insert(first_.end(), segment_.begin(), segment_.end());
    copy_part(destination, gap + 1, destination.size() + 1, first_);
    plan.erase(from, begin, static_cast<int>(segment_.size()));
    plan.assign(to, first_);
    return true;
}

// The segment that begins with a and the one right behind b change places.
bool LocalSearch::swap_segments(Plan &plan, Node a, int length_a, Node b, int length_b) {
    const int of_a = plan.route_of(a), of_b = plan.route_of(b);
    const Route &route_a = plan.route(of_a), &route_b = plan.route(of_b);
    const int begin_a = plan.position_of(a), begin_b = plan.position_of(b) + 1;
    const int end_a = begin_a + length_a, end_b = begin_b + length_b;
    if (end_a > route_a.size() + 1 || end_b > route_b.size() + 1) return false;
    const Node first_a = a, last_a = route_a[end_a - 1].node;
    const Node first_b = route_b[begin_b].node, last_b = route_b[end_b - 1].node;
    const Stop &ahead_a = route_a[begin_a - 1], &behind_a = route_a[end_a];
    const Stop &ahead_b = route_b[begin_b - 1], &behind_b = route_b[end_b];
    const double gain = ahead_a.leg + route_a[end_a - 1].leg + ahead_b.leg + route_b[end_b - 1].leg -
                        instance_.distance(ahead_a.node, first_b) - instance_.distance(last_b, behind_a.node) -
                        instance_.distance(ahead_b.node, first_a) - instance_.distance(last_a, behind_b.node);
    if (gain < least_gain) return false;
    segment_.clear();
    copy_part(route_a, begin_a, end_a, segment_);
    other_segment_.clear();
    copy_part(route_b, begin_b, end_b, other_segment_);
    if (!replaceable(route_a, begin_a, end_a, other_segment_) || !replaceable(route_b, begin_b, end_b, segment_)) {
        return false;
    }
    first_.clear();
    second_.clear();
    copy_part(route_a, 1, begin_a, first_);
    first_.insert(first_.end(), other_segment_.begin(), other_segment_.end());
    copy_part(route_a, end_a, route_a.size() + 1, first_);
    copy_part(route_b, 1, begin_b, second_);
    second_.insert(second_.end(), segment_.begin(), segment_.end());
    copy_part(route_b, end_b, route_b.size() + 1, second_);
    plan.assign(of_a, first_);
    plan.assign(of_b, second_);
    return true;
}

// Whether the customers of these positions may be replaced by others.
bool LocalSearch::replaceable(const Route &route, int begin, int end, std::span<const Node> others) const {
    Demand out, in;
    for (int position = begin; position < end; ++position) out.append(instance_[route[position].node]);
    for (const Node node : others) in.append(instance_[node]);
    const Stop &ahead = route[begin - 1], &last = route[end - 1];
    return ahead.before - out.delivery + in.delivery <= instance_.capacity() &&
           last.after - out.pickup + in.pickup <= instance_.capacity() &&
           ahead.load - out.delivery + in.highest <= instance_.capacity() &&
           Route::in_time(instance_, ahead, others, route[end]);
}

// What b's route has behind b, and what a's has from a on, change places.
bool LocalSearch::swap_tails(Plan &plan, Node a, Node b) {
    const int of_a = plan.route_of(a), of_b = plan.route_of(b);
    const Route &route_a = plan.route(of_a), &route_b = plan.route(of_b);
    const int at_a = plan.position_of(a), at_b = plan.position_of(b);
    const Stop &ahead_a = route_a[at_a - 1], &stop_a = route_a[at_a], &stop_b = route_b[at_b];
    const Stop &behind_b = route_b[at_b + 1];
    double gain = ahead_a.leg + stop_b.leg - instance_.distance(b, a) -
                  instance_.distance(ahead_a.node, behind_b.node);
    if (at_a == 1 && at_b == route_b.size()) gain += value_of_a_route(plan);
    if (gain < least_gain) return false;
    if (stop_b.depart + instance_.distance(b, a) > stop_a.late) return false;
    if (ahead_a.depart + instance_.distance(ahead_a.node, behind_b.node) > behind_b.late) return false;
    if (highest_joined(stop_b, ahead_a) > instance_.capacity()) return false;
    if (highest_joined(ahead_a, stop_b) > instance_.capacity()) return false;
    first_.clear();
    second_.clear();
    copy_part(route_a, 1, at_a, first_);
    copy_part(route_b, at_b + 1, route_b.size() + 1, first_);
    copy_part(route_b, 1, at_b + 1, second_);
    copy_part(route_a, at_a, route_a.size() + 1, second_);
    plan.assign(of_a, first_);
    plan.assign(of_b, second_);
    return true;
}

double LocalSearch::value_of_a_route(const Plan &plan) const {
    return instance_.objective(plan.used_routes(), 0.0) - instance_.objective(plan.used_routes() - 1, 0.0);
}

}  // namespace ceps::coga
