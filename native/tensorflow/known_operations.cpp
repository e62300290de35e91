// Eager operations that ran before at the same place: recorded without a line of Python, as the program waits for each.
//
// What comes for the first time, or takes what no recorded operation made, is left to Python, which then tells what it has
// found out.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "log_binding.h"
#include "tensorflow/eager_path.h"

namespace nb = nanobind;

namespace tensordbg {
namespace {

using namespace tensorflow;

// The place of an operation: the stack on which it runs, and the layer that is called.
struct Place {
  nb::object op_type;
  nb::object layer;
  const std::int64_t* stack;
  std::size_t length;

  bool operator==(const Place& other) const {
    return length == other.length && std::memcmp(stack, other.stack, length * sizeof(std::int64_t)) == 0 &&
           PyUnicode_Compare(op_type.ptr(), other.op_type.ptr()) == 0 && PyUnicode_Compare(layer.ptr(), other.layer.ptr()) == 0;
  }
};

struct PlaceHash {
  std::size_t operator()(const Place& place) const {
    auto hash = static_cast<std::uint64_t>(PyObject_Hash(place.op_type.ptr()) ^ PyObject_Hash(place.layer.ptr()));
    for (std::size_t k = 0; k < place.length; ++k) {
      hash = (hash ^ static_cast<std::uint64_t>(place.stack[k])) * 0x9E3779B97F4A7C15u;
      hash ^= hash >> 29;
    }
    return hash;
  }
};

struct Known {
  std::unique_ptr<std::int64_t[]> stack;
  std::uint32_t site;
  nb::object steps;  // counts how often the site ran
};

// The operations that one recording knows. All is done with the interpreter's lock.
struct KnownOperations {
  nb::tuple recording;
  std::size_t deepest;
  std::int64_t every;
  std::unordered_map<Place, Known, PlaceHash> places;
};

constexpr const char* kCapsule = "tensordbg.known_operations";

KnownOperations* operations_in(const nb::capsule& capsule) {
  auto* found = static_cast<KnownOperations*>(PyCapsule_GetPointer(capsule.ptr(), kCapsule));
  if (found == nullptr) throw nb::python_error();
  return found;
}

nb::capsule known_operations(const nb::tuple& recording, std::size_t deepest, std::int64_t every) {
  eager_recording(recording);  // it has what is needed
  return nb::capsule(new KnownOperations{recording, deepest, every, {}}, kCapsule,
                     [](void* operations) noexcept { delete static_cast<KnownOperations*>(operations); });
}

void learn_operation(const nb::capsule& capsule, const nb::str& op_type, const nb::str& layer, const nb::bytes& key,
                     std::uint32_t site, nb::object steps) {
  const std::size_t length = key.size() / sizeof(std::int64_t);
  auto stack = std::make_unique<std::int64_t[]>(length);
  std::memcpy(stack.get(), key.c_str(), length * sizeof(std::int64_t));
  const Place place{op_type, layer, stack.get(), length};
  operations_in(capsule)->places.emplace(place, Known{std::move(stack), site, std::move(steps)});
}

// How often a site ran before.
std::int64_t next_step(const Known& known) {
  const nb::object step = nb::steal(PyIter_Next(known.steps.ptr()));
  if (!step.is_valid()) throw nb::python_error();
  return nb::cast<std::int64_t>(step);
}

// The frame that called the operation: the innermost two are the caller of this and the layer before the operation.
nb::object frame_behind_ours() {
  nb::object frame = nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame()));
  for (int ours = 0; ours < 2 && frame.is_valid(); ++ours) {
    frame = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetBack(reinterpret_cast<PyFrameObject*>(frame.ptr()))));
  }
  return frame;
}

nb::object record_known(const nb::capsule& capsule, const nb::str& op_type, const nb::str& layer, const nb::tuple& arguments,
                        std::size_t inputs, nb::handle result) {
  if (!is_recording()) return nb::none();
  KnownOperations* operations = operations_in(capsule);
  const EagerRecording recording = eager_recording(operations->recording);
  const std::optional<TensorAtHand> tensor = tensor_at_hand(recording, result.ptr());
  if (!tensor) return nb::none();
  std::vector<std::int64_t> references;
  const nb::object given = nb::steal(PyTuple_GetSlice(arguments.ptr(), 0, static_cast<Py_ssize_t>(inputs)));
  if (!add_references(given.ptr(), recording, &references)) return nb::none();
  StackKey key;
  const nb::object outer = frame_behind_ours();
  const std::size_t length = fill_stack_key(reinterpret_cast<PyFrameObject*>(outer.ptr()), operations->deepest, &key);
  const auto found = operations->places.find({op_type, layer, key.data(), length});
  if (found == operations->places.end()) return nb::none();
  const Known& known = found->second;
  const std::int64_t step = next_step(known);
  if (step % operations->every != 0) return nb::make_tuple();
  const std::int64_t execution = begin_eager_execution(known.site, step, references);
  const bool bad = append_marked(recording, execution, known.site, 0, *tensor);
  if (!bad && nb::len(layer) == 0) return nb::make_tuple();
  return nb::make_tuple(execution, known.site, bad);
}

}  // namespace

void bind_known_operations(nb::module_& module) {
  module.def("known_operations", &known_operations, nb::arg("recording"), nb::arg("deepest"), nb::arg("every"),
             "Begins to know operations for a recording, that of `append_marked`, of which one step in `every` is recorded, by so "
             "many frames of their stacks.");
  module.def("learn_operation", &learn_operation, nb::arg("known"), nb::arg("op_type"), nb::arg("layer"), nb::arg("key"),
             nb::arg("site"), nb::arg("steps"), "Knows an operation from now on that gives one tensor.");
  module.def("record_known", &record_known, nb::arg("known"), nb::arg("op_type"), nb::arg("layer"), nb::arg("arguments"),
             nb::arg("inputs"), nb::arg("result").none(),
             "Records an operation that has run behind the caller: (execution, site, whether its tensor is known not to be "
             "finite), () where there is nothing more to do, None where nothing was recorded.");
}

}  // namespace tensordbg
