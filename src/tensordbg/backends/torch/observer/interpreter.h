// Python's side of an observer: its lock, the frames of a thread, and a word to Python when the observer failed.
#pragma once

#include "frames.h"

#include <string>
#include <unordered_set>

namespace tensordbg_torch {

// Sets an exception aside that is on its way, and lets it go on at the end.
struct OnItsWay {
  OnItsWay() { PyErr_Fetch(&kind, &value, &trace); }
  ~OnItsWay() { PyErr_Restore(kind, value, trace); }
  OnItsWay(const OnItsWay&) = delete;
  PyObject *kind, *value, *trace;
};

// Keeps Dynamo from compiling our functions: within what torch.compile has compiled it takes every function that is called.
//
// `torch._C._dynamo.eval_frame.set_eval_frame(callback)`, private in PyTorch since 2.0, gives what was set before.
class Uncompiled {
 public:
  Uncompiled() : before_(setter() == nullptr ? nullptr : PyObject_CallOneArg(setter(), Py_None)) { PyErr_Clear(); }
  ~Uncompiled() {
    if (before_ == nullptr) return;
    const OnItsWay raised;  // by what was called meanwhile
    if (before_ != Py_None) Py_XDECREF(PyObject_CallOneArg(setter(), before_));
    Py_DECREF(before_);
    PyErr_Clear();
  }
  Uncompiled(const Uncompiled&) = delete;

 private:
  static PyObject* setter() {
    static PyObject* const found = [] {
      PyObject* module = PyImport_ImportModule("torch._C._dynamo.eval_frame");
      PyObject* function = module == nullptr ? nullptr : PyObject_GetAttrString(module, "set_eval_frame");
      PyErr_Clear();
      return function;
    }();
    return found;
  }

  PyObject* before_;
};

// Holds the interpreter's lock, and leaves an exception that is on its way as it is.
class Interpreter {
 public:
  Interpreter() {}
  Interpreter(const Interpreter&) = delete;

 private:
  struct Lock {
    Lock() : state(PyGILState_Ensure()) {}
    ~Lock() { PyGILState_Release(state); }
    PyGILState_STATE state;
  };
  // They are taken in this order, and given back in the other.
  Lock lock_;
  OnItsWay on_its_way_;
  Uncompiled uncompiled_;
};

inline bool interpreter_ends() {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_IsFinalizing() != 0;
#else
  return _Py_IsFinalizing() != 0;
#endif
}

// The exception that Python has raised, which is cleared.
inline std::string error_of_python() {
  PyObject *kind, *value, *trace;
  PyErr_Fetch(&kind, &value, &trace);
  PyErr_NormalizeException(&kind, &value, &trace);
  PyObject* text = value == nullptr ? nullptr : PyObject_Repr(value);
  const char* const words = text == nullptr ? nullptr : PyUnicode_AsUTF8(text);
  const std::string said = words == nullptr ? "an error in Python" : words;
  PyErr_Clear();
  Py_XDECREF(text);
  Py_XDECREF(kind);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return said;
}

// Calls a function of Python with a message, unless the interpreter is ending.
inline void tell(PyObject* function, const char* message) {
  if (interpreter_ends()) return;
  const Interpreter held;
  PyObject* done = PyObject_CallFunction(function, "s", message);
  if (done == nullptr) PyErr_Clear();
  Py_XDECREF(done);
}

// The frames of this thread, the innermost first; code objects are kept for good, as their addresses tell stacks apart.
inline PyObject* frames_of_thread() {
  static std::unordered_set<PyCodeObject*>* const kept = new std::unordered_set<PyCodeObject*>;
  PyObject* frames = PyList_New(0);
  if (frames == nullptr) return nullptr;
  bool failed = false;
  each_place([&](const Place& place) {
    if (kept->insert(place.code).second) Py_INCREF(place.code);
    PyObject* frame = Py_BuildValue("(OiO)", place.code->co_filename, PyCode_Addr2Line(place.code, place.instruction),
                                    place.code->co_name);
    failed = failed || frame == nullptr || PyList_Append(frames, frame) != 0;
    Py_XDECREF(frame);
  });
  if (failed) Py_CLEAR(frames);
  return frames;
}

}  // namespace tensordbg_torch
