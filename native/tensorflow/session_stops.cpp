#include "tensorflow/session_stops.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tensorflow/interpreter.h"
#include "tensorflow/kernel_failure.h"
#include "tensorflow/session_names.h"

namespace nb = nanobind;

namespace tensordbg {
namespace {

std::atomic<bool> stopping{false};
// ((run, node, slot, step, frame, iteration), tensor) -> None, or why the operation is to fail.
Asked reached;

struct Wanted {
  int place = 0;
  bool single = false;  // it has one output
};

// Never destroyed: a session's kernels may outlive main.
struct Table {
  std::mutex mutex;
  std::unordered_map<std::int64_t, std::unordered_map<std::string, Wanted>> wanted;
  std::unordered_map<std::int64_t, std::set<const SessionStop*>> watches;
  std::atomic<std::uint64_t> generation{1};
};

Table& table() {
  static auto* made = new Table;
  return *made;
}

void describe_session_stops(std::int64_t run, const std::vector<std::pair<std::string, bool>>& nodes) {
  const std::lock_guard<std::mutex> lock(table().mutex);
  auto& wanted = table().wanted[run];
  wanted.clear();
  for (const auto& [name, single] : nodes) wanted.emplace(name, Wanted{static_cast<int>(wanted.size()), single});
  table().generation.fetch_add(1, std::memory_order_release);
}

void forget_session_stops(std::int64_t run) {
  const std::lock_guard<std::mutex> lock(table().mutex);
  table().wanted.erase(run);
  table().generation.fetch_add(1, std::memory_order_release);
}

std::vector<std::pair<int, int>> watched_in_session(std::int64_t run) {
  const std::lock_guard<std::mutex> lock(table().mutex);
  std::set<std::pair<int, int>> found;
  for (const SessionStop* watch : table().watches[run]) {
    if (watch->find() >= 0) found.emplace(watch->find(), watch->slot());
  }
  return {found.begin(), found.end()};
}

void start_session_stops(nb::object asked) {
  reached.set(std::move(asked));
  stopping.store(true, std::memory_order_release);
}

void stop_session_stops() {
  stopping.store(false, std::memory_order_release);
  reached.clear();
}

}  // namespace

SessionStop::SessionStop(std::int64_t run, std::string node, int slot)
    : run_(run), node_(std::move(node)), slot_(slot) {
  const std::lock_guard<std::mutex> lock(table().mutex);
  table().watches[run_].insert(this);
}

SessionStop::~SessionStop() {
  const std::lock_guard<std::mutex> lock(table().mutex);
  const auto found = table().watches.find(run_);
  if (found == table().watches.end()) return;
  found->second.erase(this);
  if (found->second.empty()) table().watches.erase(found);
}

int SessionStop::find() const {
  const auto wanted = table().wanted.find(run_);
  if (wanted == table().wanted.end()) return -1;
  for (const Guess& guess : described_names(node_)) {
    const auto found = wanted->second.find(guess.name);
    if (found != wanted->second.end()) return guess.folded && !found->second.single ? -1 : found->second.place;
  }
  return -1;
}

int SessionStop::place() {
  const std::uint64_t generation = table().generation.load(std::memory_order_acquire);
  const std::uint64_t known = known_.load(std::memory_order_acquire);
  if (known >> 32 == generation) return static_cast<int>(known & 0xFFFFFFFF) - 1;
  const std::lock_guard<std::mutex> lock(table().mutex);
  const int found = find();
  known_.store(generation << 32 | static_cast<std::uint64_t>(found + 1), std::memory_order_release);
  return found;
}

void SessionStop::reach(tensorflow::TF_OpKernelContext* context, const Given& tensor) {
  if (!stopping.load(std::memory_order_acquire) || interpreter_ends()) return;
  const int wanted = place();
  if (wanted < 0) return;
  std::string failure;
  {
    const Interpreter interpreter;
    if (!reached.is_set()) return;  // it was taken back while this one waited
    try {
      using tensorflow::api;
      const nb::tuple where = nb::make_tuple(run_, wanted, slot_, api.GetStepId(context), api.GetFrameId(context),
                                             api.GetIterId(context));
      const bool holds = tensor.valid() && (element_size(tensor.dtype()) > 0 || tensor.dtype() == DType::kString);
      const nb::object given = holds ? nb::object(tensor.described()) : nb::object(nb::none());
      const nb::object answer = reached.get()(where, given);
      if (!answer.is_none()) failure = nb::cast<std::string>(answer);
    } catch (const std::exception&) {
      // Whatever goes wrong in a debugger, the program goes on.
    }
  }
  if (!failure.empty()) fail(context, failure);
}

void bind_session_stops(nb::module_& module) {
  module.def("describe_session_stops", &describe_session_stops, nb::arg("run"), nb::arg("nodes"),
             "Says at which nodes of the runs with this number a debugger is to be asked: their names, and whether each has\n"
             "a single output.");
  module.def("forget_session_stops", &forget_session_stops, nb::arg("run"), "Takes these away again.");
  module.def("watched_in_session", &watched_in_session, nb::arg("run"),
             "The outputs of these nodes that there are once TensorFlow has optimised the graph: the places of nodes in the\n"
             "list, and outputs.");
  module.def("start_session_stops", &start_session_stops, nb::arg("reached"),
             "Has the watches of these nodes call `reached((run, node, slot, step, frame, iteration), tensor)` from now on, in\n"
             "the thread that runs them; one fails with what that answers, if not with None. A tensor is\n"
             "(dtype, shape, memory), the memory must not be used later; None where it has no elements to show.");
  module.def("stop_session_stops", &stop_session_stops, "The watches ask nobody from now on.");
}

}  // namespace tensordbg
