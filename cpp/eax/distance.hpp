// TSPLIB's integer distances, computed from the coordinates: two cities' coordinates are nearer to the processor
// than an entry of a matrix of all pairs would be.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ceps::eax {

using City = std::int32_t;
using Edge = std::int32_t;    // the length of one edge
using Length = std::int64_t;  // the length of a tour

enum class Metric { euc_2d, ceil_2d, att, geo };

class Distance {
public:
    // `points` are x and y (GEO: latitude and longitude) of each city in turn.
    Distance(std::span<const double> points, Metric metric);

    std::int32_t cities() const { return static_cast<std::int32_t>(points_.size()); }

    Edge operator()(City a, City b) const {
        const double dx = points_[a].x - points_[b].x;
        const double dy = points_[a].y - points_[b].y;
        const double squares = dx * dx + dy * dy;
        switch (metric_) {
        case Metric::euc_2d:
            return static_cast<Edge>(std::sqrt(squares) + 0.5);
        case Metric::ceil_2d:
            return static_cast<Edge>(std::ceil(std::sqrt(squares)));
        case Metric::att:
            return static_cast<Edge>(std::ceil(std::sqrt(squares / 10.0)));
        case Metric::geo:
            return on_the_globe(a, b);
        }
        return 0;
    }

    struct Point {
        double x, y;
    };
    std::span<const Point> points() const { return points_; }

private:
    Edge on_the_globe(City a, City b) const;

    Metric metric_;
    std::vector<Point> points_;
};

}  // namespace ceps::eax
