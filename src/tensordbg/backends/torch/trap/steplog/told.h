// Tells Python what a step's log holds.
#pragma once

#include "frames.h"

#include <torch/csrc/autograd/python_variable.h>

#include "noted_stacks.h"
#include "noting.h"

namespace tensordbg_torch {

inline PyObject* numbers(c10::ArrayRef<std::int64_t> values) {
  PyObject* all = PyTuple_New(static_cast<Py_ssize_t>(values.size()));
  for (std::size_t i = 0; all != nullptr && i < values.size(); ++i) PyTuple_SET_ITEM(all, i, PyLong_FromLongLong(values[i]));
  return all;
}

// (memory, dtype, offset, sizes, strides), None where there is no tensor.
inline PyObject* told(const At& at) {
  if (at.memory < 0) return Py_NewRef(Py_None);
  const Shapes& shapes = g_log.memories.shapes();
  return Py_BuildValue("(iiLNN)", at.memory, static_cast<int>(at.dtype), static_cast<long long>(at.offset),
                       numbers(shapes.sizes(at)), numbers(shapes.strides(at)));
}

// A list of what `tell_one` makes of each; null, with an exception, where it can't.
template <typename Each, typename Tell>
PyObject* listed(const Each& all, Tell tell_one) {
  PyObject* list = PyList_New(0);
  for (const auto& each : all) {
    PyObject* one = tell_one(each);
    if (one == nullptr || PyList_Append(list, one) != 0) {
      Py_XDECREF(one);
      Py_XDECREF(list);
      return nullptr;
    }
    Py_DECREF(one);
  }
  return list;
}

inline c10::ArrayRef<At> tensors_in(const Range& range) { return {g_log.tensors.data() + range.first, range.count}; }

inline PyObject* told(const Range& range) {
  return listed(tensors_in(range), [](const At& each) { return told(each); });
}

// A value as Python has it; what it has not is an exception.
inline PyObject* told(const c10::IValue& value) {
  if (value.isNone() || value.isGenerator() || value.isTensor()) return Py_NewRef(Py_None);
  if (value.isBool()) return PyBool_FromLong(value.toBool());
  if (value.isInt()) return PyLong_FromLongLong(value.toInt());
  if (value.isDouble()) return PyFloat_FromDouble(value.toDouble());
  if (value.isString()) return PyUnicode_FromString(value.toStringRef().c_str());
  if (value.isDevice()) return PyUnicode_FromString(value.toDevice().str().c_str());
  if (value.isSymInt()) return PyLong_FromLongLong(value.toSymInt().guard_int(__FILE__, __LINE__));
  if (value.isList()) return listed(value.toListRef(), [](const c10::IValue& each) { return told(each); });
  PyErr_Format(PyExc_TypeError, "a value of the kind %s", value.tagKind().c_str());
  return nullptr;
}

// (name, overload, [("v", value) or ("t", tensor) or ("l", tensors)], results, stack, forward, node, autocast, state, grad)
inline PyObject* told(const Entry& entry) {
  const c10::ArrayRef<Argument> given(g_log.arguments.data() + entry.arguments.first, entry.arguments.count);
  PyObject* arguments = listed(given, [](const Argument& each) {
    return each.kind == Kind::kValue    ? Py_BuildValue("(sN)", "v", told(each.value))
           : each.kind == Kind::kTensor ? Py_BuildValue("(sN)", "t", told(tensors_in(each.tensors).front()))
                                        : Py_BuildValue("(sN)", "l", told(each.tensors));
  });
  if (arguments == nullptr) return nullptr;
  return Py_BuildValue("(ssNNKLLsii)", entry.operation->name.c_str(), entry.more->overload.c_str(), arguments, told(entry.results),
                       static_cast<unsigned long long>(entry.stack), static_cast<long long>(entry.forward),
                       static_cast<long long>(entry.node),
                       entry.autocast == 0 ? "" : c10::toString(static_cast<at::ScalarType>(entry.autocast - 1)), entry.state,
                       entry.grad ? 1 : 0);
}

// (first byte, bytes, whether it was written since, device), None of what the step made.
inline PyObject* told(const Memory& memory) {
  const Outside* outside = g_log.memories.outside(memory);
  if (outside == nullptr) return Py_NewRef(Py_None);
  const bool is_copied = outside->copy.defined();
  const bool dirty =
      !is_copied && outside->version.enabled() && outside->version.current_version() != outside->first_version;
  const std::int64_t low = outside->low / 64 * 64;  // so that it can lie as it did, as far as kernels care
  const std::string bytes = bytes_here(is_copied ? outside->copy.storage() : outside->held, low, outside->high);
  return Py_BuildValue("(Ly#Os)", static_cast<long long>(low), bytes.data(), static_cast<Py_ssize_t>(bytes.size()),
                       dirty ? Py_True : Py_False, outside->held.device().str().c_str());
}

inline PyObject* first_of(const Memory& memory) {
  const Outside* outside = g_log.memories.outside(memory);
  return told(outside == nullptr ? At{} : outside->first);
}

// (operations, memories, how each was looked at first, states, stacks, trouble, memories that came from other processes)
inline PyObject* take_log(PyObject*, PyObject*) {
  const std::lock_guard<std::mutex> guard(g_mutex);
  PyObject* operations = listed(g_log.entries, [](const Entry& entry) { return told(entry); });
  PyObject* memories = listed(g_log.memories.all(), [](const Memory& each) { return told(each); });
  PyObject* firsts = listed(g_log.memories.all(), first_of);
  PyObject* states = listed(g_log.states, [](const State& each) {
    return Py_BuildValue("(sy#)", each.device.str().c_str(), static_cast<const char*>(each.bytes.const_data_ptr()),
                         static_cast<Py_ssize_t>(each.bytes.nbytes()));
  });
  PyObject* stacks = PyDict_New();
  for (const Entry& entry : g_log.entries) {
    PyObject* frames = frames_of(entry.stack);
    if (stacks == nullptr || frames == nullptr) continue;
    PyObject* key = PyLong_FromUnsignedLongLong(entry.stack);
    if (key == nullptr || PyDict_SetItem(stacks, key, frames) != 0) PyErr_Clear();
    Py_XDECREF(key);
  }
  PyObject* arrived = listed(g_log.memories.arrived(), [](int each) { return PyLong_FromLong(each); });
  for (PyObject* each : {operations, memories, firsts, states, stacks, arrived}) {
    if (each != nullptr) continue;
    for (PyObject* other : {operations, memories, firsts, states, stacks, arrived}) Py_XDECREF(other);
    return nullptr;
  }
  return Py_BuildValue("(NNNNNsN)", operations, memories, firsts, states, stacks, g_log.trouble.c_str(), arrived);
}

// Where a tensor lies in the memories of the step, None where it has not used it; with `add` it counts as used then.
inline PyObject* locate(PyObject*, PyObject* arguments) {
  PyObject* tensor;
  int add;
  if (!PyArg_ParseTuple(arguments, "Op", &tensor, &add)) return nullptr;
  if (!THPVariable_Check(tensor)) return PyErr_Format(PyExc_TypeError, "no tensor"), nullptr;
  const at::Tensor& found = THPVariable_Unpack(tensor);
  if (!found.defined() || !has_elements(found) || !is_plain(found)) Py_RETURN_NONE;
  const std::lock_guard<std::mutex> guard(g_mutex);
  return add != 0 ? told(g_log.memories.take(found, false)) : told(g_log.memories.find(found));
}

}  // namespace tensordbg_torch
