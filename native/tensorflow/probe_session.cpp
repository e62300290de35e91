// What is recorded of a session's runs: the operation that TensorFlow's own debugger puts behind every tensor of a run
// when it is told to.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "log/active.h"
#include "log/event_log.h"
#include "tensorflow/api.h"
#include "tensorflow/graph_probe.h"
#include "tensorflow/input_tensor.h"
#include "tensorflow/session_names.h"
#include "tensorflow/session_stops.h"

namespace tensordbg {
namespace {

namespace nb = nanobind;
using namespace tensorflow;  // NOLINT  the C API under its own names

constexpr char kWatch[] = "TensordbgWatch";

constexpr std::uint32_t kReference = 1;  // its outputs are references to variables, which may not be initialised yet
constexpr std::uint32_t kSingle = 2;     // it has one output

// A node whose outputs are recorded.
struct Watched {
  std::uint32_t site;
  std::string path;   // of calls and loops, in which its graph runs
  std::uint32_t kind;  // kReference, kSingle
};

using WatchedNodes = std::unordered_map<std::string, Watched>;

std::mutex runs_mutex;
std::unordered_map<std::int64_t, std::shared_ptr<const WatchedNodes>> runs;

// Says which nodes are recorded in the runs that are numbered so; the lists are parallel.
void describe_run(std::int64_t run, const std::vector<std::string>& names, const std::vector<std::uint32_t>& sites,
                  const std::vector<std::string>& paths, const std::vector<std::uint32_t>& kinds) {
  auto nodes = std::make_shared<WatchedNodes>();
  for (std::size_t k = 0; k < names.size(); ++k) (*nodes)[names[k]] = {sites[k], paths[k], kinds[k]};
  const std::lock_guard<std::mutex> lock(runs_mutex);
  runs[run] = std::move(nodes);
}

void forget_run(std::int64_t run) {
  const std::lock_guard<std::mutex> lock(runs_mutex);
  runs.erase(run);
}

std::shared_ptr<const WatchedNodes> nodes_of(std::int64_t run) {
  const std::lock_guard<std::mutex> lock(runs_mutex);
  const auto found = runs.find(run);
  return found == runs.end() ? nullptr : found->second;
}

struct Watch {
  Probe probe;
  std::unique_ptr<SessionStop> stop;
  bool wanted = false;
  bool reference = false;
};

void* create_watch(TF_OpKernelConstruction* construction) {
  auto* watch = new Watch;
  const std::int64_t run = integer_attribute(construction, "run");
  const auto nodes = nodes_of(run);
  const auto tensor = watched_tensor(api.OpKernelConstruction_GetName(construction));
  if (nodes == nullptr || !tensor) return watch;
  watch->stop = std::make_unique<SessionStop>(run, tensor->node, tensor->slot);
  for (const Guess& guess : described_names(tensor->node)) {
    const auto found = nodes->find(guess.name);
    if (found == nodes->end()) continue;
    const Watched& watched = found->second;
    if (guess.folded && (watched.kind & kSingle) == 0) return watch;
    watch->wanted = true;
    watch->reference = (watched.kind & kReference) != 0;
    watch->probe.site = watched.site;
    watch->probe.slot = static_cast<std::uint16_t>(tensor->slot);
    watch->probe.path = watched.path;
    return watch;
  }
  return watch;
}

void record(Watch* watch, TF_OpKernelContext* context, const Given& tensor) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log == nullptr || !watch->wanted) return;
  if (!tensor.valid() || (element_size(tensor.dtype()) == 0 && tensor.dtype() != DType::kString)) return;
  // In place of a variable that has no value yet the copy gave an empty tensor.
  const bool empty = watch->reference && tensor.bytes() == 0;
  if (!empty) record_tensor(log, &watch->probe, context, tensor.tensor());
}

void compute_watch(void* kernel, TF_OpKernelContext* context) {
  auto* watch = static_cast<Watch*>(kernel);
  const Given tensor(context, 0);
  record(watch, context, tensor);
  // Without the log, as the program may stand here for long.
  if (watch->stop != nullptr) watch->stop->reach(context, tensor);
}

void destroy_watch(void* kernel) { delete static_cast<Watch*>(kernel); }

void register_watch(const std::string& library) {
  static bool registered = false;
  if (registered) return;
  load_api(library);
  register_operation({kWatch,
                      {"x: T"},
                      {"T: type", "device_name: string = ''", "tensor_name: string = ''", "debug_urls: list(string) = []",
                       "gated_grpc: bool = false", "run: int = -1"},
                      false},
                     {create_watch, compute_watch, destroy_watch});
  register_copies();
  registered = true;
}

}  // namespace

void bind_sessions(nb::module_& module) {
  module.def("register_tensorflow_watch", &register_watch, nb::arg("library"),
             "Registers the watch with the TensorFlow whose framework library lies at this path.");
  module.def("describe_run", &describe_run, nb::arg("run"), nb::arg("names"), nb::arg("sites"), nb::arg("paths"),
             nb::arg("kinds"),
             "Says which nodes are recorded in the runs with this number: their names, sites, the paths of calls and loops\n"
             "in which they run, and 1 for those that put out references + 2 for those with a single output.");
  module.def("forget_run", &forget_run, nb::arg("run"), "Takes such a description away again.");
}

}  // namespace tensordbg
