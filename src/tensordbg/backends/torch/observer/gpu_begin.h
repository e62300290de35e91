// Takes over the kernels for GPUs from Python.
#pragma once

#include <Python.h>
#include <c10/core/Device.h>

#include <exception>
#include <string>
#include <vector>

namespace tensordbg_torch {

// Calls `start` with (kernels for each GPU, kind of device), and returns what it says to Python.
template <typename Start>
PyObject* begin_on_gpu(PyObject* arguments, Start start) {
  PyObject* kernels;
  const char* kind;
  if (!PyArg_ParseTuple(arguments, "O!s", &PyTuple_Type, &kernels, &kind)) return nullptr;
  std::vector<std::string> images;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(kernels); ++i) {
    char* image;
    Py_ssize_t size;
    if (PyBytes_AsStringAndSize(PyTuple_GET_ITEM(kernels, i), &image, &size) != 0) return nullptr;
    images.emplace_back(image, static_cast<std::size_t>(size));
  }
  try {
    return PyBool_FromLong(start(std::move(images), c10::Device(kind).type()));
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
}

}  // namespace tensordbg_torch
