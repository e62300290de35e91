// What is recorded of a session's runs: the operation that TensorFlow's own debugger puts behind every tensor of a run
// when it is told to, and the copies that it puts between a tensor and whoever takes it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "graph_probe.h"
#include "log.h"
#include "tensorflow_api.h"

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

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The name without the parts that only number the inlined calls: `while/body/_7/Log` is `while/body/Log`.
std::string without_call_numbers(std::string_view name) {
  std::string result;
  while (!name.empty()) {
    const std::size_t end = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, end);
    if (part.front() != '_' || !is_number(part.substr(1))) {
      if (!result.empty()) result += '/';
      result += part;
    }
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return result;
}

// A constant that took a node's place: `<node>/_<number>__cf__<number>`. It does not tell which output it is.
bool folded(std::string_view name, std::string* node) {
  const std::size_t mark = name.rfind("__cf__");
  const std::size_t part = name.rfind('/');
  if (mark == std::string_view::npos || part == std::string_view::npos || part > mark) return false;
  if (!is_number(name.substr(mark + 6)) || name[part + 1] != '_') return false;
  *node = without_call_numbers(name.substr(0, part));
  return true;
}

// What the run's description calls a node of the graph as it runs: a fed tensor is `_arg_<node>_<slot>_<number>` there,
// and a chain of operations that was fused bears the name of the last.
std::string described_name(std::string_view name) {
  constexpr std::string_view kFused = "/unary_ops_composition";
  if (ends_with(name, kFused)) name.remove_suffix(kFused.size());
  if (name.substr(0, 5) == "_arg_") return std::string(name.substr(0, name.rfind('_')));
  return without_call_numbers(name);
}

struct Watch {
  Probe probe;
  bool wanted = false;
  bool reference = false;
};

// `__dbg_<node>:<slot>_<number>_TensordbgWatch` is how the inserter names the node that watches a tensor.
bool parse_watch_name(TF_StringView whole, std::string* node, int* slot) {
  constexpr std::string_view kBegin = "__dbg_";
  const std::string_view name(whole.data, whole.len);
  const std::size_t colon = name.rfind(':');
  if (name.substr(0, kBegin.size()) != kBegin || colon == std::string_view::npos) return false;
  *node = std::string(name.substr(kBegin.size(), colon - kBegin.size()));
  *slot = std::atoi(std::string(name.substr(colon + 1)).c_str());
  return true;
}

void* create_watch(TF_OpKernelConstruction* construction) {
  auto* watch = new Watch;
  const auto nodes = nodes_of(integer_attribute(construction, "run"));
  std::string node;
  int slot = 0;
  if (nodes == nullptr || !parse_watch_name(api.OpKernelConstruction_GetName(construction), &node, &slot)) return watch;
  auto found = nodes->find(node);
  if (found == nodes->end()) found = nodes->find(described_name(node));
  std::string constant_for;
  if (found == nodes->end() && folded(node, &constant_for)) {
    found = nodes->find(constant_for);
    if (found != nodes->end() && (found->second.kind & kSingle) == 0) return watch;
  }
  if (found == nodes->end()) return watch;
  const Watched& watched = found->second;
  watch->wanted = true;
  watch->reference = (watched.kind & kReference) != 0;
  watch->probe.site = watched.site;
  watch->probe.slot = static_cast<std::uint16_t>(node.rfind("_arg_", 0) == 0 ? 0 : slot);
  watch->probe.path = watched.path;
  return watch;
}

bool recordable(const TF_Tensor* tensor) { return element_size(dtype_of(api.TensorType(tensor))) > 0; }

void compute_watch(void* kernel, TF_OpKernelContext* context) {
  EventLog* log = active_log();
  auto* watch = static_cast<Watch*>(kernel);
  if (log == nullptr || !watch->wanted) return;
  TF_Status* status = api.NewStatus();
  TF_Tensor* tensor = nullptr;
  api.GetInput(context, 0, &tensor, status);
  const bool given = api.GetCode(status) == 0 && recordable(tensor);
  // In place of a variable that has no value yet the copy gave an empty tensor.
  const bool empty = given && watch->reference && api.TensorByteSize(tensor) == 0;
  if (given && !empty) record_tensor(log, &watch->probe, context, tensor);
  if (tensor != nullptr) api.DeleteTensor(tensor);
  api.DeleteStatus(status);
}

void destroy_watch(void* kernel) { delete static_cast<Watch*>(kernel); }

// Whether a copy was put in for a watch of ours; TensorFlow's debugger may be used by the program as well.
struct Copy {
  bool ours = false;
};

void* create_copy(TF_OpKernelConstruction* construction) {
  auto* copy = new Copy;
  TF_Status* status = api.NewStatus();
  std::int32_t count = 0, bytes = 0;
  api.OpKernelConstruction_GetAttrSize(construction, "debug_ops_spec", &count, &bytes, status);
  if (api.GetCode(status) == 0 && count > 0) {
    std::vector<char*> values(count);
    std::vector<std::size_t> lengths(count);
    std::vector<char> storage(bytes + 1);
    api.OpKernelConstruction_GetAttrStringList(construction, "debug_ops_spec", values.data(), lengths.data(), count,
                                               storage.data(), storage.size(), status);
    copy->ours = api.GetCode(status) == 0 && lengths[0] > std::strlen(kWatch) &&
                 std::memcmp(values[0], kWatch, std::strlen(kWatch)) == 0;
  }
  api.DeleteStatus(status);
  return copy;
}

void put_out_copy(TF_OpKernelContext* context, const TF_Tensor* tensor, TF_Status* status) {
  std::vector<std::int64_t> dims(api.NumDims(tensor));
  for (std::size_t axis = 0; axis < dims.size(); ++axis) dims[axis] = api.Dim(tensor, static_cast<int>(axis));
  const std::size_t bytes = api.TensorByteSize(tensor);
  TF_Tensor* output = api.AllocateOutput(context, 0, api.TensorType(tensor), dims.data(), static_cast<int>(dims.size()),
                                         bytes, status);
  if (output == nullptr) return;
  if (bytes > 0) std::memcpy(api.TensorData(output), api.TensorData(tensor), bytes);
  api.DeleteTensor(output);
}

// A variable without a value: what watches it is given an empty tensor, nothing else takes it.
void put_out_nothing(TF_OpKernelContext* context, TF_Status* status) {
  const std::int64_t none = 0;
  TF_Tensor* output = api.AllocateOutput(context, 0, api.ExpectedOutputDataType(context, 0), &none, 1, 0, status);
  if (output != nullptr) api.DeleteTensor(output);
}

// TensorFlow's own kernel copies each tensor. For our watches the tensor itself is passed on, so that whoever takes it
// has the same memory as without us, and sees in it what a later operation on a reference variable writes.
void compute_copy(void* kernel, TF_OpKernelContext* context) {
  TF_Status* status = api.NewStatus();
  TF_Tensor* tensor = nullptr;
  api.GetInput(context, 0, &tensor, status);
  if (api.GetCode(status) != 0) {
    api.SetStatus(status, 0, "");
    put_out_nothing(context, status);
  } else if (static_cast<Copy*>(kernel)->ours) {
    api.SetOutput(context, 0, tensor, status);
  } else {
    put_out_copy(context, tensor, status);
  }
  if (tensor != nullptr) api.DeleteTensor(tensor);
  api.DeleteStatus(status);
}

void destroy_copy(void* kernel) { delete static_cast<Copy*>(kernel); }

// Only for the types that are recorded; the others keep TensorFlow's kernel, and so do those by which a kernel can't be
// chosen (8-bit floats).
void register_copy(const char* operation, int type) {
  TF_KernelBuilder* builder = api.NewKernelBuilder(operation, "CPU", create_copy, compute_copy, destroy_copy);
  TF_Status* status = api.NewStatus();
  api.KernelBuilder_TypeConstraint(builder, "T", type, status);
  if (api.GetCode(status) == 0) {
    api.KernelBuilder_Priority(builder, 1);
    api.RegisterKernelBuilder(operation, builder, status);
  } else {
    api.DeleteKernelBuilder(builder);
  }
  api.DeleteStatus(status);
}

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
  constexpr int kLargestType = 64;
  for (int type = 1; type < kLargestType; ++type) {
    if (element_size(dtype_of(type)) == 0) continue;
    register_copy("Copy", type);
    register_copy("CopyHost", type);
  }
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
