#include "eax/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ceps::eax {

namespace {

constexpr City cities_between_clock_readings = 256;

// Cities in square cells of a grid, about two to a cell.
class Grid {
public:
    explicit Grid(std::span<const Distance::Point> points) : points_(points) {
        low_ = high_ = points[0];
        for (const auto &point : points) {
            low_ = {std::min(low_.x, point.x), std::min(low_.y, point.y)};
            high_ = {std::max(high_.x, point.x), std::max(high_.y, point.y)};
        }
        const double n = static_cast<double>(points.size());
        const double width = high_.x - low_.x, height = high_.y - low_.y;
        // A flat box has no area: there the longer side alone decides.
        cell_ = std::max({std::sqrt(2.0 * width * height / n), 2.0 * std::max(width, height) / n, 1e-12});
        columns_ = static_cast<int>(width / cell_) + 1;
        rows_ = static_cast<int>(height / cell_) + 1;
        starts_.assign(static_cast<std::size_t>(columns_) * rows_ + 1, 0);
        for (const auto &point : points) ++starts_[cell_of(point) + 1];
        for (std::size_t cell = 1; cell < starts_.size(); ++cell) starts_[cell] += starts_[cell - 1];
        members_.resize(points.size());
        std::vector<int> next(starts_.begin(), starts_.end() - 1);
        for (City city = 0; city < static_cast<City>(points.size()); ++city) {
            members_[next[cell_of(points[city])]++] = city;
        }
    }

    // The nearest `count` cities as (squared distance, city), in order. Ties go to the smaller number.
    void nearest(City from, int count, std::vector<std::pair<double, City>> &found) const {
        found.clear();
        const auto at = points_[from];
        const int column = static_cast<int>((at.x - low_.x) / cell_), row = static_cast<int>((at.y - low_.y) / cell_);
        const int farthest = std::max(columns_, rows_);
        for (int ring = 0; ring <= farthest; ++ring) {
            collect_ring(from, column, row, ring, found);
            if (static_cast<int>(found.size()) < count) continue;
            std::nth_element(found.begin(), found.begin() + (count - 1), found.end());
            // All cities within `ring` cells have been seen.
            const double seen = ring * cell_;
            if (found[count - 1].first <= seen * seen) break;
        }
        std::sort(found.begin(), found.end());
        found.resize(std::min(found.size(), static_cast<std::size_t>(count)));
    }

private:
    std::size_t cell_of(const Distance::Point &point) const {
        const auto column = static_cast<std::size_t>((point.x - low_.x) / cell_);
        const auto row = static_cast<std::size_t>((point.y - low_.y) / cell_);
        return row * columns_ + column;
    }

    void collect_ring(City from, int column, int row, int ring, std::vector<std::pair<double, City>> &found) const {
        for (int r = std::max(0, row - ring); r <= std::min(rows_ - 1, row + ring); ++r) {
            const bool border = r == row - ring || r == row + ring;
            const int step = border || ring == 0 ? 1 : 2 * ring;
            for (int c = column - ring; c <= column + ring; c += step) {
                if (c < 0 || c >= columns_) continue;
                const std::size_t cell = static_cast<std::size_t>(r) * columns_ + c;
                for (int i = starts_[cell]; i < starts_[cell + 1]; ++i) {
                    const City city = members_[i];
                    if (city == from) continue;
                    const double dx = points_[city].x - points_[from].x, dy = points_[city].y - points_[from].y;
                    found.emplace_back(dx * dx + dy * dy, city);
                }
            }
        }
    }

    std::span<const Distance::Point> points_;
    Distance::Point low_{}, high_{};
    double cell_ = 1.0;
    int columns_ = 1, rows_ = 1;
    std::vector<int> starts_;
    std::vector<City> members_;
};

}  // namespace

Neighbours::Neighbours(const Distance &distance, int per_city, const CpuLimit &limit)
    : per_city_(std::min(per_city, distance.cities() - 1)) {
    const Grid grid(distance.points());
    lists_.reserve(static_cast<std::size_t>(distance.cities()) * per_city_);
    std::vector<std::pair<double, City>> found;
    for (City city = 0; city < distance.cities(); ++city) {
        if (city % cities_between_clock_readings == 0 && limit.reached()) return;
        grid.nearest(city, per_city_, found);
        for (const auto &[_, other] : found) lists_.push_back({other, distance(city, other)});
    }
    complete_ = true;
}

}  // namespace ceps::eax
