#include "eax/start_tours.hpp"

#include <algorithm>
#include <numeric>

namespace ceps::eax {

namespace {

constexpr int longest_segment = 3;  // of Or-opt
constexpr int moves_between_clock_readings = 100;

}  // namespace

StartTours::StartTours(const Distance &distance, const Neighbours &neighbours, Start start, Improvement improvement)
    : distance_(distance), neighbours_(neighbours), start_(start), improvement_(improvement),
      n_(distance.cities()), order_(n_), place_(n_), waiting_(n_), waits_(n_) {}

std::span<const City> StartTours::make(Random &random, const CpuLimit &limit) {
    switch (start_) {
    case Start::random:
        start_random(random);
        break;
    case Start::nearest:
        start_nearest(random);
        break;
    case Start::greedy:
        start_greedy(random);
        break;
    }
    for (std::int32_t i = 0; i < n_; ++i) place_[order_[i]] = i;
    improve(random, limit);
    return order_;
}

void StartTours::start_random(Random &random) {
    std::iota(order_.begin(), order_.end(), 0);
    random.shuffle(std::span(order_));
}

// From a random city always on to the nearest one not yet visited; when all near ones are, to a random one.
void StartTours::start_nearest(Random &random) {
    start_random(random);
    for (std::int32_t i = 0; i < n_; ++i) place_[order_[i]] = i;
    for (std::int32_t i = 0; i + 1 < n_; ++i) {
        for (const auto &[city, _] : neighbours_.of(order_[i])) {
            if (place_[city] <= i) continue;
            const City other = order_[i + 1];
            put(place_[city], other);
            put(i + 1, city);
            break;
        }
    }
}

// Shortest edges first, their lengths blurred at random; the fragments are then joined in random order.
void StartTours::start_greedy(Random &random) {
    candidates_.clear();
    for (City a = 0; a < n_; ++a) {
        for (const auto &[b, length] : neighbours_.of(a)) {
            if (a < b) candidates_.push_back({length * (1.0 + 0.5 * random.uniform()), a, b});
        }
    }
    std::sort(candidates_.begin(), candidates_.end(), [](const Candidate &one, const Candidate &other) {
        return one.key != other.key ? one.key < other.key : one.a != other.a ? one.a < other.a : one.b < other.b;
    });
    ends_.resize(n_);
    std::iota(ends_.begin(), ends_.end(), 0);  // of every fragment's end, the other end
    degree_.assign(n_, 0);
    partners_.assign(2 * static_cast<std::size_t>(n_), -1);
    for (const auto &[_, a, b] : candidates_) {
        if (degree_[a] == 2 || degree_[b] == 2 || ends_[a] == b) continue;
        partners_[2 * a + degree_[a]++] = b;
        partners_[2 * b + degree_[b]++] = a;
        const City first = ends_[a], last = ends_[b];
        ends_[first] = last;
        ends_[last] = first;
    }
    start_random(random);
    std::vector<City> &sequence = waiting_;
    std::size_t filled = 0;
    for (const City begin : order_) {
        if (degree_[begin] == 2 || degree_[begin] < 0) continue;
        City previous = -1, here = begin;
        while (here != -1) {
            sequence[filled++] = here;
            const City next = partners_[2 * here] != previous ? partners_[2 * here] : partners_[2 * here + 1];
            degree_[here] = -1;
            previous = here;
            here = next;
        }
    }
    std::copy(sequence.begin(), sequence.end(), order_.begin());
}

void StartTours::improve(Random &random, const CpuLimit &limit) {
    std::iota(waiting_.begin(), waiting_.end(), 0);
    random.shuffle(std::span(waiting_));
    std::fill(waits_.begin(), waits_.end(), 1);
    head_ = 0;
    waiting_count_ = static_cast<std::size_t>(n_);
    for (int moves = 0; waiting_count_ > 0;) {
        const City city = waiting_[head_];
        head_ = head_ + 1 == waiting_.size() ? 0 : head_ + 1;
        --waiting_count_;
        waits_[city] = 0;
        while (improve_at(city)) {
            if (++moves % moves_between_clock_readings == 0 && limit.reached()) return;
        }
    }
}

void StartTours::ask_again(City city) {
    if (waits_[city]) return;
    waits_[city] = 1;
    const std::size_t tail = head_ + waiting_count_++;
    waiting_[tail < waiting_.size() ? tail : tail - waiting_.size()] = city;
}

bool StartTours::improve_at(City city) {
    return try_two_opt(city) || (improvement_ == Improvement::two_opt_or_opt && try_or_opt(city));
}

// Replace the edges (a, b) and (c, d) by (a, c) and (b, d), where b follows a as d follows c, forwards or backwards.
bool StartTours::try_two_opt(City a) {
    for (const int step : {1, -1}) {
        const City b = beside(a, step);
        const Edge ab = distance_(a, b);
        for (const auto &[c, ac] : neighbours_.of(a)) {
            if (ac >= ab) break;
            const City d = beside(c, step);
            if (c == b || d == a) continue;
            if (Length{ab} + distance_(c, d) <= Length{ac} + distance_(b, d)) continue;
            if (step == 1) {
                reverse(place_[b], place_[c]);
            } else {
                reverse(place_[c], place_[b]);
            }
            for (const City touched : {a, b, c, d}) ask_again(touched);
            return true;
        }
    }
    return false;
}

// Move a segment of up to three cities that begins with `first` to beside a neighbour of `first`.
bool StartTours::try_or_opt(City first) {
    for (const int step : {1, -1}) {
        const City before = beside(first, -step);
        City last = first;
        for (int size = 1; size <= longest_segment && size + 3 <= n_; ++size, last = beside(last, step)) {
            const City behind = beside(last, step);
            const Length removed =
                Length{distance_(before, first)} + distance_(last, behind) - distance_(before, behind);
            if (removed <= 0) continue;
            for (const auto &[c, to_c] : neighbours_.of(first)) {
                if (to_c >= removed) break;
                const std::int32_t offset = step * (place_[c] - place_[first]);
                if (wrapped(offset) < size) continue;  // c is in the segment
                for (const int side : {1, -1}) {
                    const City e = beside(c, side);
                    if ((c == before && e == first) || (c == behind && e == last)) continue;
                    const Length added = Length{to_c} + distance_(last, e) - distance_(c, e);
                    if (added >= removed) continue;
                    // In the direction of the array the segment comes between `after` and the city that follows it.
                    const City after = side == 1 ? c : e;
                    const std::int32_t low = step == 1 ? place_[first] : place_[last];
                    const bool begins_low = step == 1;
                    const bool first_comes_first = side == 1;
                    for (const City touched : {before, first, last, behind, c, e}) ask_again(touched);
                    move_segment(low, size, after, begins_low != first_comes_first);
                    return true;
                }
            }
        }
    }
    return false;
}

// Reverse the path from one place to another, or what lies outside it, whichever is shorter.
void StartTours::reverse(std::int32_t first, std::int32_t last) {
    std::int32_t inside = wrapped(last - first) + 1;
    if (2 * inside > n_) {
        std::swap(first, last);
        first = wrapped(first + 1);
        last = wrapped(last - 1);
        inside = n_ - inside;
    }
    for (std::int32_t swaps = inside / 2; swaps > 0; --swaps) {
        const City a = order_[first], b = order_[last];
        put(first, b);
        put(last, a);
        first = wrapped(first + 1);
        last = wrapped(last - 1);
    }
}

// Take `size` cities out at `first` and put them in behind `after`, shifting whichever side is shorter.
void StartTours::move_segment(std::int32_t first, int size, City after, bool reversed) {
    City segment[longest_segment];
    for (int i = 0; i < size; ++i) segment[i] = order_[wrapped(first + i)];
    if (reversed) std::reverse(segment, segment + size);
    const std::int32_t ahead = wrapped(place_[after] - wrapped(first + size) + 1);  // cities to pass going forwards
    const std::int32_t behind = n_ - size - ahead;
    std::int32_t hole = first;
    if (ahead <= behind) {
        for (std::int32_t i = 0; i < ahead; ++i, hole = wrapped(hole + 1)) put(hole, order_[wrapped(hole + size)]);
    } else {
        for (std::int32_t i = 0; i < behind; ++i) {
            const std::int32_t target = wrapped(hole + size - 1);
            put(target, order_[wrapped(hole - 1)]);
            hole = wrapped(hole - 1);
        }
    }
    for (int i = 0; i < size; ++i) put(wrapped(hole + i), segment[i]);
}

}  // namespace ceps::eax
