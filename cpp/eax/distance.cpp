#include "eax/distance.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace ceps::eax {

namespace {

// TSPLIB's degrees.minutes in radians, with the six digits of π that its optima rest on.
double radians(double coordinate) {
    const double degrees = std::trunc(coordinate);
    return 3.141592 * (degrees + 5.0 * (coordinate - degrees) / 3.0) / 180.0;
}

}  // namespace

Distance::Distance(std::span<const double> points, Metric metric) : metric_(metric) {
    double low[2] = {0.0, 0.0}, high[2] = {0.0, 0.0};
    for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
        Point point{points[i], points[i + 1]};
        for (const int axis : {0, 1}) {
            const double value = points[i + axis];
            low[axis] = i == 0 ? value : std::min(low[axis], value);
            high[axis] = i == 0 ? value : std::max(high[axis], value);
        }
        points_.push_back(metric == Metric::geo ? Point{radians(point.x), radians(point.y)} : point);
    }
    if (std::hypot(high[0] - low[0], high[1] - low[1]) >= std::numeric_limits<Edge>::max() - 1) {
        throw std::invalid_argument("EAX computes with 32-bit distances, and this instance has longer ones");
    }
}

Edge Distance::on_the_globe(City a, City b) const {
    const Point p = points_[a], q = points_[b];
    const double q1 = std::cos(p.y - q.y);
    const double q2 = std::cos(p.x - q.x);
    const double q3 = std::cos(p.x + q.x);
    const double cosine = std::clamp(0.5 * ((1.0 + q1) * q2 - (1.0 - q1) * q3), -1.0, 1.0);
    return static_cast<Edge>(6378.388 * std::acos(cosine) + 1.0);
}

}  // namespace ceps::eax
