// Tells whether a loss lies far above those of the last steps: the modified z-score of B. Iglewicz and D. Hoaglin, "How to
// Detect and Handle Outliers" (1993), from the median and the median absolute deviation, which a few wild losses do not move.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tensordbg {

inline double median(std::vector<double> values) {
  const auto upper = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), upper, values.end());
  if (values.size() % 2 == 1) return *upper;
  return (*upper + *std::max_element(values.begin(), upper)) / 2;
}

// How far a loss lies above the median of others, in deviations of a normal distribution; 0 where they are too few to tell.
inline double loss_score(const std::vector<double>& losses, double loss) {
  constexpr std::size_t kFewest = 20;
  if (losses.size() < kFewest) return 0;
  const double middle = median(losses);
  std::vector<double> distances(losses);
  double sum = 0;
  for (double& each : distances) sum += each = std::fabs(each - middle);
  // 0.6745 is the third quartile of the normal distribution. Where half of the losses are equal, the mean distance
  // serves, which is 0.7979 deviations of it.
  const double spread = median(distances) / 0.6745;
  const double instead = sum / static_cast<double>(distances.size()) / 0.7979;
  const double deviation = spread > 0 ? spread : instead;
  return deviation > 0 ? (loss - middle) / deviation : 0;
}

// The losses of the last steps.
class LossWindow {
 public:
  // Looks at so many.
  explicit LossWindow(std::size_t size) : size_(std::max<std::size_t>(size, 1)) {}

  double score(double loss) const { return loss_score(losses_, loss); }

  void add(double loss) {
    if (losses_.size() < size_) {
      losses_.push_back(loss);
    } else {
      losses_[next_] = loss;
    }
    next_ = (next_ + 1) % size_;
  }

 private:
  std::size_t size_;
  std::size_t next_ = 0;
  std::vector<double> losses_;
};

}  // namespace tensordbg
