// What the checks of a session's runs keep while a step is under way: the tensors that a later check may have to show,
// and which checks others wait for.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensorflow/input_tensor.h"

namespace tensordbg {

// A node of a description, by its place there, and one of its outputs.
using Source = std::pair<int, int>;

// A node of the graph that a run computes, as the program made it.
struct CheckedNode {
  std::string name;
  bool single = false;             // it has one output
  bool reference = false;          // its outputs are references to variables, which may not be initialised yet
  bool unknown = false;            // not all that it is computed from is known
  std::uint64_t checked = 0;       // bit i: output i is checked
  std::uint64_t foreign = 0;       // bit i: the elements of output i were not checked where they were made
  std::vector<Source> inputs;
  std::vector<int> waits;          // nodes that must have been checked before what takes this one may run
};

// A loop's turn, or what is outside of all loops.
using Turn = std::pair<std::uint64_t, std::int64_t>;

// What waits for the checks of others.
class Waiter {
 public:
  Waiter(tensorflow::TF_OpKernelContext* context, std::function<void()> done, std::set<int> left)
      : left(std::move(left)), context_(context), done_(std::move(done)) {}

  // Lets it go, once; with a message it fails.
  void release(const std::optional<std::string>& message);
  bool released() const { return released_.load(); }

  std::set<int> left;

 private:
  tensorflow::TF_OpKernelContext* context_;
  std::function<void()> done_;
  std::atomic<bool> released_{false};
};

// One kind of run.
class CheckedRun {
 public:
  explicit CheckedRun(std::vector<CheckedNode> nodes);

  // The node that a name in the graph as it runs stands for, -1 where there is none.
  int find(const std::string& node) const;
  const CheckedNode& node(int place) const { return nodes_[place]; }

  // To be said when kernels are made, before anything runs.
  void add_kernel(Source output);

  // A call from Python begins, and ends: then what is left of its step is given up.
  std::uint64_t begin_call();
  void end_call(std::uint64_t call);

  // What ended a step, if anything has.
  std::optional<std::string> failure(std::int64_t step);
  void fail_step(std::int64_t step, const std::string& message);

  void note_passed(std::int64_t step, int kinds);
  // The kinds of bad numbers that were let pass among what an output was computed from.
  int incoming(std::int64_t step, Turn turn, int node);
  std::shared_ptr<Given> held(std::int64_t step, Turn turn, Source source);

  // Keeps a tensor for those that take it, gives back what went into it, and lets go those who waited for its check.
  void checked(std::int64_t step, Turn turn, Source output, std::shared_ptr<Given> tensor);

  // Those of a node's waits that are not done yet; `add` makes a waiter of them, under the lock.
  std::shared_ptr<Waiter> wait(std::int64_t step, int node,
                               const std::function<std::shared_ptr<Waiter>(std::set<int>)>& add);

 private:
  struct Held {
    std::shared_ptr<Given> tensor;
    int takers;
  };
  struct Step {
    std::uint64_t began = 0;
    int passed = 0;
    std::optional<std::string> failure;
    std::map<Turn, std::map<Source, Held>> turns;
    std::unordered_map<int, int> checked;
    std::vector<std::shared_ptr<Waiter>> waiters;
  };

  bool is_present(int place) const { return present_[place]; }
  void resolve();
  const std::vector<Source>& sources(int place);
  void drop_earlier(Step& step, Turn turn);
  Step& step_of(std::int64_t step);

  std::vector<CheckedNode> nodes_;
  std::unordered_map<std::string, int> by_name_;
  std::mutex mutex_;
  std::vector<bool> present_;
  std::set<Source> kernels_;
  bool resolved_ = false;
  std::unordered_map<int, int> kernels_of_;
  std::vector<std::vector<Source>> sources_;
  // Whether not all is known that a node was computed from.
  std::vector<bool> unknown_;
  std::map<Source, int> takers_;
  std::unordered_map<std::int64_t, Step> steps_;
  std::set<std::uint64_t> calls_;
  std::uint64_t clock_ = 0;
};

}  // namespace tensordbg
