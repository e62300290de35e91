// The Python stack of this thread, read without the interpreter's lock: only this thread changes its own frames, and they
// stay as they are while it is in C++.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#if PY_VERSION_HEX >= 0x030B0000
#define Py_BUILD_CORE
#include <internal/pycore_frame.h>
#undef Py_BUILD_CORE
#else
#include <frameobject.h>
#endif

#include <cstdint>

namespace tensordbg_torch {

struct Place {
  PyCodeObject* code;
  int instruction;  // in bytes, as `PyCode_Addr2Line` takes it
};

constexpr int kDeepest = 192;

#if PY_VERSION_HEX >= 0x030B0000
using RawFrame = _PyInterpreterFrame;

inline RawFrame* innermost(PyThreadState* thread) {
#if PY_VERSION_HEX >= 0x030D0000
  return thread->current_frame;
#else
  return thread->cframe == nullptr ? nullptr : thread->cframe->current_frame;
#endif
}

// Null for frames that stand for calls from C.
inline PyCodeObject* code_of(const RawFrame* frame) {
#if PY_VERSION_HEX >= 0x030D0000
  return frame->f_executable != nullptr && PyCode_Check(frame->f_executable)
             ? reinterpret_cast<PyCodeObject*>(frame->f_executable)
             : nullptr;
#elif PY_VERSION_HEX >= 0x030C0000
  return frame->owner == FRAME_OWNED_BY_CSTACK ? nullptr : frame->f_code;
#else
  return frame->f_code;
#endif
}

inline int instruction_of(const RawFrame* frame) {
  return static_cast<int>(_PyInterpreterFrame_LASTI(const_cast<RawFrame*>(frame)) * static_cast<int>(sizeof(_Py_CODEUNIT)));
}

inline RawFrame* outer(const RawFrame* frame) { return frame->previous; }
#else
using RawFrame = PyFrameObject;
inline RawFrame* innermost(PyThreadState* thread) { return thread->frame; }
inline PyCodeObject* code_of(const RawFrame* frame) { return frame->f_code; }
inline int instruction_of(const RawFrame* frame) { return frame->f_lasti * 2; }
inline RawFrame* outer(const RawFrame* frame) { return frame->f_back; }
#endif

// Calls `look` with each place, the innermost first.
template <typename Look>
void each_place(Look look) {
  PyThreadState* thread = PyGILState_GetThisThreadState();
  if (thread == nullptr) return;
  int depth = 0;
  for (RawFrame* frame = innermost(thread); frame != nullptr && depth < kDeepest; frame = outer(frame)) {
    PyCodeObject* code = code_of(frame);
    if (code == nullptr) continue;
    look(Place{code, instruction_of(frame)});
    ++depth;
  }
}

// The frame, at most a few callers up, of a function of this name; null where there is none.
inline const RawFrame* caller_named(const char* name) {
  constexpr int kNear = 4;
  PyThreadState* thread = PyGILState_GetThisThreadState();
  RawFrame* frame = thread == nullptr ? nullptr : innermost(thread);
  for (int depth = 0; frame != nullptr && depth < kNear; frame = outer(frame)) {
    PyCodeObject* code = code_of(frame);
    if (code == nullptr) continue;
    if (PyUnicode_CompareWithASCIIString(code->co_name, name) == 0) return frame;
    ++depth;
  }
  return nullptr;
}

// Whether a frame is one of those behind another.
inline bool is_around(const RawFrame* frame, const RawFrame* inner) {
  for (const RawFrame* each = outer(inner); each != nullptr; each = outer(each)) {
    if (each == frame) return true;
  }
  return false;
}

// The order counts: two small numbers must not give what the same ones, or others with the same bits, give.
inline std::uint64_t mixed(std::uint64_t hash, std::uint64_t with) {
  hash = hash * 0x9E3779B97F4A7C15ull + with;
  hash = (hash ^ hash >> 32) * 0xD6E8FEB86659FD93ull;
  return hash ^ hash >> 29;
}

inline std::uint64_t stack_hash() {
  std::uint64_t hash = 1469598103934665603ull;
  each_place([&hash](const Place& place) {
    hash = mixed(hash, reinterpret_cast<std::uintptr_t>(place.code) ^ static_cast<std::uint64_t>(place.instruction) << 48);
  });
  return hash;
}

}  // namespace tensordbg_torch
