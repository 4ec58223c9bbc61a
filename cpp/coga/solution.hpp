// Solutions at rest (what populations keep) and at work (what operators change, and may take back).
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "coga/instance.hpp"
#include "coga/route.hpp"

namespace ceps::coga {

// Routes one after the other, small and quick to copy.
struct Solution {
    std::vector<Node> customers;
    std::vector<int> ends;  // of the routes in `customers`
    double distance = 0.0;
    double objective = 0.0;

    int routes() const { return static_cast<int>(ends.size()); }
    std::span<const Node> route(int index) const {
        const int begin = index == 0 ? 0 : ends[index - 1];
        return std::span(customers).subspan(begin, ends[index] - begin);
    }
};

// A solution that is being changed. Customers may be missing while it is.
class Plan {
public:
    explicit Plan(const Instance &instance);

    const Instance &instance() const { return instance_; }
    void clear();
    void load(const Solution &solution);
    void store(Solution &solution) const;

    // Routes; one without customers stays where it is until `tidy`.
    int routes() const { return static_cast<int>(count_); }
    const Route &route(int index) const { return routes_[index]; }
    int used_routes() const { return used_; }
    double objective() const { return instance_.objective(used_, distance_); }

    // Where a customer is: its route, or −1 when it is missing, and its position in it.
    int route_of(Node customer) const { return route_of_[customer]; }
    int position_of(Node customer) const { return position_of_[customer]; }

    // Put a missing customer between the stops `gap` and `gap` + 1.
    void insert(int route, int gap, Node customer);
    // Take out customers: they are missing then.
    void erase(int route, int position, int count);
    // Customers that are missing, or leave routes that are assigned anew as well.
    void assign(int route, std::span<const Node> customers);
    // A new route for a missing customer.
    int open(Node customer);
    void tidy();

    // Changes after `begin` can be taken back by `undo`, until the next `begin` or `tidy`.
    void begin();
    void undo();

private:
    void keep(int route);
    void leave(const Route &route);
    void changed(int route, double distance_before, bool used_before);
    void place(int route);

    const Instance &instance_;
    std::vector<Route> routes_;  // more than there are in use: their memory is kept
    std::size_t count_ = 0;
    int used_ = 0;
    double distance_ = 0.0;
    std::vector<int> route_of_, position_of_;

    std::vector<std::pair<int, Route>> kept_;
    std::vector<char> is_kept_;
    std::size_t kept_count_ = 0, count_before_ = 0;
    int used_before_ = 0;
    double distance_before_ = 0.0;
    bool recording_ = false;
};

}  // namespace ceps::coga
