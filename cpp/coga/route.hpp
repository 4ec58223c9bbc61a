// One vehicle's route, with what makes the check of any change of it constant-time: when it can leave each stop at
// the earliest and must arrive at the latest, and the highest loads before and after.
#pragma once

#include <span>
#include <vector>

#include "coga/instance.hpp"

namespace ceps::coga {

struct Stop {
    Node node;
    double depart;  // at the earliest
    double late;    // arrival at the latest, so that everything after it is in time
    double load;    // when leaving
    double before;  // the highest load from the depot until leaving here
    double after;   // the highest load from leaving here on
    double picked;  // pickups so far
    double leg;     // distance to the next stop
};

// The demands of a few consecutive customers, and the highest load they alone make.
struct Demand {
    double delivery = 0.0, pickup = 0.0, highest = 0.0;

    void append(const Site &site) {
        delivery += site.delivery;
        pickup += site.pickup;
        highest = highest + site.delivery > pickup ? highest + site.delivery : pickup;
    }
};

class Route {
public:
    void assign(const Instance &instance, std::span<const Node> customers);
    // Put a customer between the stops of these positions: `gap` and the next one.
    void insert(const Instance &instance, int gap, Node customer);
    // Take out so many customers from this position on.
    void erase(const Instance &instance, int position, int count);

    bool empty() const { return stops_.size() <= 2; }
    int size() const { return stops_.size() > 2 ? static_cast<int>(stops_.size()) - 2 : 0; }
    const Stop &operator[](int position) const { return stops_[position]; }
    double distance() const { return distance_; }
    double delivery() const { return stops_.front().load; }
    double pickup() const { return stops_.back().picked; }

    // Whether these nodes can be visited between two stops in place of what is between them now.
    static bool in_time(const Instance &instance, const Stop &from, std::span<const Node> nodes, const Stop &to);

private:
    void refresh(const Instance &instance);

    std::vector<Stop> stops_;  // depot, customers, depot
    double distance_ = 0.0;
};

// Whether customers can be visited in this order by one vehicle.
bool feasible(const Instance &instance, std::span<const Node> customers);

}  // namespace ceps::coga
