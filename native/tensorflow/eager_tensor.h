// The elements of an eager tensor, as TensorFlow holds them: through the buffer protocol it would first make an array.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

namespace tensordbg::tensorflow {

// What is known of an eager tensor without its elements.
struct EagerTensor {
  void* handle;  // null where it is none
  int dtype;     // TensorFlow's number
};

// Looks for what is needed in the library of TensorFlow's own binding of its eager runtime, and what that is linked with.
// Returns whether all is there; else no tensor has a handle.
bool find_eager_runtime(const std::string& library);

EagerTensor eager_tensor(PyObject* tensor);

// Shape and elements of a tensor in the memory of this process, for as long as the tensor lives: its rank, -1 where they are
// not at hand. At most `most` extents are written.
int eager_elements(const EagerTensor& tensor, int most, std::int64_t* dims, const void** data);

}  // namespace tensordbg::tensorflow
