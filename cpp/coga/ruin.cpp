#include "coga/ruin.hpp"

#include <algorithm>

namespace ceps::coga {

namespace {

constexpr double average_removed = 10.0;
constexpr int longest_string = 10;
constexpr double split_rate = 0.5;    // of strings that keep some customers in their middle
constexpr double growth_rate = 0.01;  // of what is kept there, by one more customer

}  // namespace

Ruin::Ruin(const Instance &instance, const CpuLimit &limit)
    : instance_(instance), limit_(limit), insertion_(instance) {}

void Ruin::ruin_and_recreate(Plan &plan, int amount, Random &random) {
    for (int removed = 0; removed < amount && !limit_.reached(); removed += static_cast<int>(removed_.size())) {
        const double before = plan.objective();
        plan.begin();
        remove_strings(plan, 1 + static_cast<Node>(random.below(instance_.customers())), random);
        sort_removed(random);
        insertion_.insert(plan, removed_, random);
        if (plan.objective() > before) {
            plan.undo();
        } else {
            plan.tidy();
        }
    }
}

// Strings of several routes around one customer. The numbers are those of the paper's equations 5 to 7.
void Ruin::remove_strings(Plan &plan, Node seed, Random &random) {
    removed_.clear();
    is_ruined_.assign(plan.routes(), 0);
    const double mean_size = static_cast<double>(instance_.customers()) / plan.used_routes();
    const double longest = std::min<double>(longest_string, mean_size);
    const double most = 4.0 * average_removed / (1.0 + longest) - 1.0;
    int strings = static_cast<int>(1.0 + random.uniform() * most);
    const auto ruin = [&](Node customer) {
        const int route = plan.route_of(customer);
        if (route < 0 || is_ruined_[route]) return;
        is_ruined_[route] = 1;
        const double bound = std::min<double>(longest, plan.route(route).size());
        remove_string(plan, customer, static_cast<int>(1.0 + random.uniform() * bound), random);
        --strings;
    };
    ruin(seed);
    for (const Node neighbour : instance_.neighbours(seed)) {
        if (strings <= 0) break;
        ruin(neighbour);
    }
}

// So many customers of one route, among them the given one; sometimes with a few kept in their middle.
void Ruin::remove_string(Plan &plan, Node customer, int length, Random &random) {
    const int route = plan.route_of(customer), size = plan.route(route).size();
    length = std::min(length, size);
    int kept = 0;
    if (length > 1 && length < size && random.uniform() < split_rate) {
        kept = 1;
        while (length + kept < size && random.uniform() < growth_rate) ++kept;
    }
    const int span = length + kept, position = plan.position_of(customer);
    const int first = std::max(1, position - span + 1), last = std::min(position, size - span + 1);
    const int begin = first + static_cast<int>(random.below(last - first + 1));
    const int keep_from = kept == 0 ? span : 1 + static_cast<int>(random.below(length - 1));
    for (int i = 0; i < span; ++i) {
        if (i < keep_from || i >= keep_from + kept) removed_.push_back(plan.route(route)[begin + i].node);
    }
    if (kept == 0) {
        plan.erase(route, begin, span);
    } else {
        plan.erase(route, begin + keep_from + kept, span - keep_from - kept);
        plan.erase(route, begin, keep_from);
    }
}

// In one of several orders, which say differently who is hard to place and comes first.
void Ruin::sort_removed(Random &random) {
    const auto sort_by = [&](auto key) {
        keys_.clear();
        for (const Node node : removed_) keys_.emplace_back(key(node), node);
        std::ranges::sort(keys_);
        for (std::size_t i = 0; i < removed_.size(); ++i) removed_[i] = keys_[i].second;
    };
    // The weights of the paper: random 4, by demand 4, far first 2, near first 1, and three orders by window, 2 each.
    const auto draw = random.below(17);
    if (draw < 4) {
        random.shuffle(std::span(removed_));
    } else if (draw < 8) {
        sort_by([&](Node node) { return -std::max(instance_[node].delivery, instance_[node].pickup); });
    } else if (draw < 10) {
        sort_by([&](Node node) { return -instance_.distance(0, node); });
    } else if (draw < 11) {
        sort_by([&](Node node) { return instance_.distance(0, node); });
    } else if (draw < 13) {
        sort_by([&](Node node) { return instance_[node].due - instance_[node].ready; });
    } else if (draw < 15) {
        sort_by([&](Node node) { return instance_[node].ready; });
    } else {
        sort_by([&](Node node) { return -instance_[node].due; });
    }
}

}  // namespace ceps::coga
