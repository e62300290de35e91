// The calls of modules in one thread: hooks that PyTorch calls before and after each.
//
// Python is asked for a module's number, and told of a tensor that a module gives, once for each; all under its lock.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <torch/csrc/autograd/python_variable.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "frames.h"
#include "makers.h"

namespace tensordbg_torch {

struct ModuleCall {
  std::int64_t number;
  const RawFrame* frame;  // that of PyTorch's which calls the module, null where it isn't known
};

// A call may end without a word, by an exception that is no `Exception`, or while no hook is set: its frame tells.
struct ModuleCalls {
  PyObject* root = nullptr;  // the outermost; whoever calls it holds it
  std::vector<ModuleCall> under_way;

  bool none() const { return under_way.empty(); }
  std::int64_t innermost() const { return none() ? -1 : under_way.back().number; }

  void drop_those_not_around(const RawFrame* frame) {
    if (frame == nullptr) return;
    while (!none() && under_way.back().frame != nullptr && !is_around(under_way.back().frame, frame)) under_way.pop_back();
  }

  // Takes out the call that a frame has begun, and those within it; gives its number, or -1 where there is none.
  std::int64_t end(const RawFrame* frame) {
    const auto begun_here = [frame](const ModuleCall& each) {
      return frame == nullptr || each.frame == nullptr || each.frame == frame;
    };
    const auto found = std::find_if(under_way.rbegin(), under_way.rend(), begun_here);
    if (found == under_way.rend()) return -1;
    const std::int64_t number = found->number;
    under_way.erase(std::next(found).base(), under_way.end());
    return number;
  }
};

class Modules {
 public:
  // begin(outermost, module) -> number; gives(number, site, slot, output); gives_many(number, result).
  void start(PyObject* begin, PyObject* gives, PyObject* gives_many) {
    for (PyObject* each : {begin, gives, gives_many}) Py_INCREF(each);  // those before are kept: a call may be under way
    begin_ = begin;
    gives_ = gives;
    gives_many_ = gives_many;
    for (auto& [key, known] : known_) forget(&known);
    known_.clear();
    told_.clear();
  }

  bool before(ModuleCalls* calls, PyObject* module) {
    const RawFrame* frame = caller_named(kCaller);
    calls->drop_those_not_around(frame);
    PyObject* root = calls->none() ? module : calls->root;
    const std::int64_t number = number_of(root, module);
    if (number < 0) return false;
    calls->root = root;
    calls->under_way.push_back({number, frame});
    return true;
  }

  bool after(ModuleCalls* calls, Makers* makers, PyObject* result) {
    const std::int64_t number = calls->end(caller_named(kCaller));
    if (number < 0) return true;
    if (THPVariable_Check(result)) return tell(number, makers, result, 0);
    if (result == Py_None) return true;
    if (!PyTuple_CheckExact(result)) return tell_many(number, result);
    const Py_ssize_t size = PyTuple_GET_SIZE(result);
    for (Py_ssize_t k = 0; k < size; ++k) {
      PyObject* each = PyTuple_GET_ITEM(result, k);
      if (each != Py_None && !THPVariable_Check(each)) return tell_many(number, result);
    }
    int output = 0;
    for (Py_ssize_t k = 0; k < size; ++k) {
      PyObject* each = PyTuple_GET_ITEM(result, k);
      if (each != Py_None && !tell(number, makers, each, output++)) return false;
    }
    return true;
  }

 private:
  struct Called {
    PyObject* root;  // weak references: another object may take the address of one that is gone
    PyObject* module;
    std::int64_t number;
  };

  static void forget(Called* known) {
    Py_CLEAR(known->root);
    Py_CLEAR(known->module);
  }

  static bool is(PyObject* reference, PyObject* object) {
#if PY_VERSION_HEX >= 0x030D0000
    PyObject* found = nullptr;
    const bool same = PyWeakref_GetRef(reference, &found) == 1 && found == object;
    Py_XDECREF(found);
    return same;
#else
    return PyWeakref_GET_OBJECT(reference) == object;
#endif
  }

  std::int64_t number_of(PyObject* root, PyObject* module) {
    const auto key = std::make_pair(root, module);
    const auto found = known_.find(key);
    if (found != known_.end()) {
      if (is(found->second.root, root) && is(found->second.module, module)) return found->second.number;
      forget(&found->second);
      known_.erase(found);
    }
    const Uncompiled uncompiled;
    PyObject* told = PyObject_CallFunctionObjArgs(begin_, root, module, nullptr);
    const std::int64_t number = told == nullptr ? -1 : PyLong_AsLongLong(told);
    Py_XDECREF(told);
    if (PyErr_Occurred() != nullptr) return -1;
    if (known_.size() >= kMost) {
      for (auto& [address, each] : known_) forget(&each);
      known_.clear();
    }
    Called known{PyWeakref_NewRef(root, nullptr), PyWeakref_NewRef(module, nullptr), number};
    if (known.root == nullptr || known.module == nullptr) {  // it can't be known again
      PyErr_Clear();
      forget(&known);
      return number;
    }
    known_.emplace(key, known);
    return number;
  }

  bool tell(std::int64_t number, Makers* makers, PyObject* result, int output) {
    const at::Tensor& tensor = THPVariable_Unpack(result);
    const Known maker = has_elements(tensor) ? makers->find(tensor) : Known{};
    if (maker.reference == kUnknown) return true;
    const auto slot = static_cast<long long>(maker.reference & 0xFFFF);
    const std::uint64_t key = mixed(mixed(static_cast<std::uint64_t>(number), maker.site),
                                    static_cast<std::uint64_t>(slot) << 32 | static_cast<std::uint32_t>(output));
    if (!told_.insert(key).second) return true;
    const Uncompiled uncompiled;
    return done(PyObject_CallFunction(gives_, "LLLi", static_cast<long long>(number), static_cast<long long>(maker.site),
                                      slot, output));
  }

  bool tell_many(std::int64_t number, PyObject* result) {
    const Uncompiled uncompiled;
    return done(PyObject_CallFunction(gives_many_, "LO", static_cast<long long>(number), result));
  }

  static bool done(PyObject* value) {
    Py_XDECREF(value);
    return value != nullptr;
  }

  static constexpr std::size_t kMost = 1 << 16;
  static constexpr const char* kCaller = "_call_impl";  // the method of `torch.nn.Module`, since PyTorch 0.1.12
  PyObject* begin_ = nullptr;
  PyObject* gives_ = nullptr;
  PyObject* gives_many_ = nullptr;
  std::map<std::pair<PyObject*, PyObject*>, Called> known_;
  std::unordered_set<std::uint64_t> told_;
};

}  // namespace tensordbg_torch
