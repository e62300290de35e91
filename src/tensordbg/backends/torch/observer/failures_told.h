// Tells Python which operations raised.
//
// (site, step, [(reference, dtype, sizes or None, [(site of a view, dtype, sizes of what it shows)], on meta, address)]), the
// last one first.
#pragma once

#include "measured.h"

namespace tensordbg_torch {

inline PyObject* told_sizes(const Shown& tensor) {
  if (tensor.is_nested) Py_RETURN_NONE;
  PyObject* sizes = PyTuple_New(static_cast<Py_ssize_t>(tensor.sizes.size()));
  for (std::size_t k = 0; sizes != nullptr && k < tensor.sizes.size(); ++k) {
    PyTuple_SET_ITEM(sizes, static_cast<Py_ssize_t>(k), PyLong_FromLongLong(tensor.sizes[k]));
  }
  return sizes;
}

// A list of what `tell` makes of each.
template <typename Each, typename Tell>
PyObject* told_list(const std::vector<Each>& all, Tell tell) {
  PyObject* list = PyList_New(0);
  for (const Each& one : all) {
    PyObject* each = tell(one);
    if (list != nullptr && (each == nullptr || PyList_Append(list, each) != 0)) Py_CLEAR(list);
    Py_XDECREF(each);
    if (list == nullptr) return nullptr;
  }
  return list;
}

inline PyObject* told_view(const ViewStep& view) {
  return Py_BuildValue("(LsN)", static_cast<long long>(view.site), view.of.dtype.c_str(), told_sizes(view.of));
}

inline PyObject* told_given(const Refused& given) {
  return Py_BuildValue("(LsNNOL)", static_cast<long long>(given.reference), given.shown.dtype.c_str(), told_sizes(given.shown),
                       told_list(given.views, told_view), given.shown.is_meta ? Py_True : Py_False, static_cast<long long>(given.address));
}

// What is known of one tensor that Python holds.
inline PyObject* known_tensor(PyObject*, PyObject* value) {
  if (!THPVariable_Check(value) || !has_elements(THPVariable_Unpack(value))) Py_RETURN_NONE;
  const Busy busy;
  try {
    return told_given(refused(Weak(THPVariable_Unpack(value).getIntrusivePtr()), {}));
  } catch (...) {
    Py_RETURN_NONE;
  }
}

inline PyObject* told_failure(const Failure& failure) {
  return Py_BuildValue("(LLN)", static_cast<long long>(failure.site), static_cast<long long>(failure.step),
                       told_list(failure.given, told_given));
}

inline PyObject* failures(PyObject*, PyObject*) { return told_list(g_failures.all(), told_failure); }

// Waits for what the GPU has yet to measure.
inline PyObject* failed_on_gpu(PyObject*, PyObject*) {
  const Busy busy;
  try {
    g_gpu.settle_all(record_measured);
    const std::lock_guard<std::mutex> guard(g_late_mutex);
    if (g_failed_on_gpu.has_value()) return told_failure(*g_failed_on_gpu);
  } catch (...) {  // then it is not known
  }
  Py_RETURN_NONE;
}

}  // namespace tensordbg_torch
