// The ways by which a program gets at the elements of a tensor without any operation: `numpy()`, `tolist()` and such.
//
// They are methods written in C; the function behind each is replaced in its own description, so that the class, and what
// compiles or inspects Python code, see the same method as before.
#pragma once

#include <ATen/ATen.h>
#include <torch/csrc/autograd/python_variable.h>

#include <array>

namespace tensordbg_torch {

// Is told of each tensor that is read, and whether the program has its memory too from then on; must not throw.
using OnRead = void (*)(const at::Tensor&, bool);
inline OnRead g_on_read = nullptr;

constexpr std::array<const char*, 3> kReaders = {"numpy", "tolist", "untyped_storage"};
constexpr std::size_t kShares = 0;  // `numpy`; a storage is taken to be asked for its size, or given another

struct Reader {
  PyMethodDef* method = nullptr;
  PyCFunction plain = nullptr;
};
inline std::array<Reader, kReaders.size()> g_readers;

template <std::size_t N>
PyObject* read_with_words(PyObject* self, PyObject* arguments, PyObject* words) {
  g_on_read(THPVariable_Unpack(self), N == kShares);
  return reinterpret_cast<PyCFunctionWithKeywords>(reinterpret_cast<void (*)()>(g_readers[N].plain))(self, arguments, words);
}

template <std::size_t N>
PyObject* read_plainly(PyObject* self, PyObject* argument) {
  g_on_read(THPVariable_Unpack(self), N == kShares);
  return g_readers[N].plain(self, argument);
}

template <std::size_t N>
void watch_reader(PyTypeObject* base) {
  PyObject* found = PyDict_GetItemString(base->tp_dict, kReaders[N]);
  if (found == nullptr || !PyObject_TypeCheck(found, &PyMethodDescr_Type)) return;
  PyMethodDef* method = reinterpret_cast<PyMethodDescrObject*>(found)->d_method;
  const int flags = method->ml_flags & (METH_VARARGS | METH_KEYWORDS | METH_NOARGS | METH_O | METH_FASTCALL);
  if (flags != (METH_VARARGS | METH_KEYWORDS) && flags != METH_NOARGS && flags != METH_O && flags != METH_VARARGS) return;
  g_readers[N] = {method, method->ml_meth};
  method->ml_meth = flags == (METH_VARARGS | METH_KEYWORDS)
                        ? reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(read_with_words<N>))
                        : read_plainly<N>;
}

// `base` is the class that has the methods, torch._C.TensorBase.
inline void watch_readers(PyTypeObject* base, OnRead on_read) {
  g_on_read = on_read;
  if (g_readers[0].method != nullptr) return;
  watch_reader<0>(base);
  watch_reader<1>(base);
  watch_reader<2>(base);
}

inline void unwatch_readers() {
  for (Reader& reader : g_readers) {
    if (reader.method != nullptr) reader.method->ml_meth = reader.plain;
    reader.method = nullptr;
  }
}

}  // namespace tensordbg_torch
