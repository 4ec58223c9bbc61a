#include "coga/route.hpp"

#include <algorithm>

namespace ceps::coga {

void Route::assign(const Instance &instance, std::span<const Node> customers) {
    stops_.resize(customers.size() + 2);
    stops_.front().node = stops_.back().node = 0;
    for (std::size_t i = 0; i < customers.size(); ++i) stops_[i + 1].node = customers[i];
    refresh(instance);
}

void Route::insert(const Instance &instance, int gap, Node customer) {
    Stop stop{};
    stop.node = customer;
    stops_.insert(stops_.begin() + gap + 1, stop);
    refresh(instance);
}

void Route::erase(const Instance &instance, int position, int count) {
    stops_.erase(stops_.begin() + position, stops_.begin() + position + count);
    refresh(instance);
}

void Route::refresh(const Instance &instance) {
    double load = 0.0;
    for (const Stop &stop : stops_) load += instance[stop.node].delivery;
    double time = instance[0].ready, highest = load, picked = 0.0;
    distance_ = 0.0;
    Stop *previous = nullptr;
    for (Stop &stop : stops_) {
        const Site &site = instance[stop.node];
        if (previous) {
            previous->leg = instance.distance(previous->node, stop.node);
            distance_ += previous->leg;
            time = std::max(time + previous->leg, site.ready) + site.service;
            load += site.pickup - site.delivery;
            picked += site.pickup;
        }
        stop.depart = time;
        stop.load = load;
        stop.picked = picked;
        stop.before = highest = std::max(highest, load);
        previous = &stop;
    }
    stops_.back().leg = 0.0;
    double late = instance[0].due;
    highest = 0.0;
    for (auto stop = stops_.rbegin(); stop != stops_.rend(); ++stop) {
        const Site &site = instance[stop->node];
        stop->late = late = std::min(site.due, late - stop->leg - site.service);
        stop->after = highest = std::max(highest, stop->load);
    }
}

bool Route::in_time(const Instance &instance, const Stop &from, std::span<const Node> nodes, const Stop &to) {
    double time = from.depart;
    Node at = from.node;
    for (const Node node : nodes) {
        const Site &site = instance[node];
        time += instance.distance(at, node);
        if (time > site.due) return false;
        time = std::max(time, site.ready) + site.service;
        at = node;
    }
    return time + instance.distance(at, to.node) <= to.late;
}

bool feasible(const Instance &instance, std::span<const Node> customers) {
    double time = instance[0].ready, load = 0.0;
    for (const Node node : customers) load += instance[node].delivery;
    if (load > instance.capacity()) return false;
    Node at = 0;
    for (const Node node : customers) {
        const Site &site = instance[node];
        time += instance.distance(at, node);
        load += site.pickup - site.delivery;
        if (time > site.due || load > instance.capacity()) return false;
        time = std::max(time, site.ready) + site.service;
        at = node;
    }
    return time + instance.distance(at, 0) <= instance[0].due;
}

}  // namespace ceps::coga
