// How a kernel asks Python something.
#pragma once

#include <nanobind/nanobind.h>

namespace tensordbg {

// The interpreter, for a kernel that asks it something. No garbage is collected meanwhile: what the program left behind may
// be a pipeline or a session, and to free it may mean to wait for the very operation that asks.
class Interpreter {
 public:
  Interpreter() {
    if (asking_++ == 0) collects_ = PyGC_Disable() != 0;
  }
  ~Interpreter() {
    if (--asking_ == 0 && collects_) PyGC_Enable();
  }
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

 private:
  const nanobind::gil_scoped_acquire lock_;
  // Of all threads; with the lock.
  static inline int asking_ = 0;
  static inline bool collects_ = false;
};

// What Python gave to be asked, until it is taken back; touched only with the interpreter's lock. At the end of the process
// it is left alone, as there is no interpreter any more.
class Asked {
 public:
  void set(nanobind::object given) {
    const nanobind::object before = nanobind::steal(held_);
    held_ = given.release().ptr();
  }
  void clear() { set(nanobind::object()); }
  bool is_set() const { return held_ != nullptr; }
  // A reference of its own, since it may be taken back while it is called.
  nanobind::object get() const { return nanobind::borrow(held_); }

 private:
  PyObject* held_ = nullptr;
};

inline bool interpreter_ends() {
#if PY_VERSION_HEX >= 0x030D0000
  return !Py_IsInitialized() || Py_IsFinalizing();
#else
  return !Py_IsInitialized() || _Py_IsFinalizing();
#endif
}

}  // namespace tensordbg
