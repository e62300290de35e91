// What is asked about each eager operation, while the program waits: where it stands in the program, which recorded tensors
// it takes, and what it gives. In Python this would take longer than many an operation itself.
#pragma once

#include <Python.h>
#include <frameobject.h>
#include <nanobind/nanobind.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "health/measure.h"

namespace tensordbg::tensorflow {

constexpr std::size_t kDeepestStack = 1024;

// Room for the key of a stack: for each frame two numbers.
using StackKey = std::array<std::int64_t, 2 * kDeepestStack>;

// Identities of the code objects and the places in them, the innermost first, of so many frames at most. Returns how many
// numbers were written.
std::size_t fill_stack_key(PyFrameObject* innermost, std::size_t deepest, StackKey* key);

// What each recording knows: (type of eager tensors, name of the mark, recorder, {TensorFlow's number of a dtype: the
// trace's}, {name of a device: the trace's number}). Tensors of other dtypes and devices are left alone. It borrows all.
struct EagerRecording {
  PyTypeObject* tensor_type;
  PyObject *name, *recorder, *dtypes, *devices;
};

EagerRecording eager_recording(const nanobind::tuple& parts);

// Whether all of `values`, which hold tensors and lists of them, are tensors that bear a mark of this recording's; their
// references are added.
bool add_references(PyObject* values, const EagerRecording& recording, std::vector<std::int64_t>* references, int levels = 2);

// A tensor that bears no mark yet, with elements that lie where they can be measured at once.
struct TensorAtHand {
  PyObject* tensor;
  DType dtype;
  std::uint16_t device;
  const void* data;
  int rank;
  // As many as TensorFlow's shapes can have.
  std::array<std::int64_t, 254> dims;
};

std::optional<TensorAtHand> tensor_at_hand(const EagerRecording& recording, PyObject* tensor);

// Marks and records a tensor that an operation has given, and says whether it is known not to be finite.
bool append_marked(const EagerRecording& recording, std::int64_t execution, std::uint32_t site, std::uint16_t slot,
                   const TensorAtHand& tensor);

}  // namespace tensordbg::tensorflow
