// How an operation was asked to compute: its axis, its epsilon, and all else that is no tensor, for the site's attributes.
#pragma once

#include "frames.h"

#include <ATen/core/ivalue.h>
#include <c10/util/SmallVector.h>

#include <cstring>

namespace tensordbg_torch {

inline std::uint64_t bits_of(double number) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &number, sizeof bits);
  return bits;
}

struct Setting {
  const char* name;  // as the operation's schema has it
  c10::IValue value;
};
using Settings = c10::SmallVector<Setting, 2>;

// A new reference to what stands for a value in Python; null where nothing does.
inline PyObject* python_value(const c10::IValue& value) {
  if (value.isBool()) return PyBool_FromLong(value.toBool() ? 1 : 0);
  if (value.isInt()) return PyLong_FromLongLong(value.toInt());
  if (value.isDouble()) return PyFloat_FromDouble(value.toDouble());
  if (value.isString()) return PyUnicode_FromString(value.toStringRef().c_str());
  if (!value.isList()) return nullptr;
  constexpr std::size_t kMost = 16;
  const auto list = value.toListRef();
  if (list.size() > kMost) return nullptr;
  PyObject* all = PyList_New(0);
  for (const c10::IValue& each : list) {
    PyObject* item = each.isList() ? nullptr : python_value(each);
    if (all == nullptr || item == nullptr || PyList_Append(all, item) != 0) Py_CLEAR(all);
    Py_XDECREF(item);
    if (all == nullptr) return nullptr;
  }
  return all;
}

// What tells calls with other settings apart: whole numbers and words for good, fractions may be other ones in each step.
struct SettingsKey {
  std::uint64_t whole;
  std::uint64_t fractions = 0;
};

inline void add_value(SettingsKey* key, const c10::IValue& value) {
  if (value.isBool()) key->whole = mixed(key->whole, value.toBool() ? 1 : 2);
  else if (value.isInt()) key->whole = mixed(key->whole, static_cast<std::uint64_t>(value.toInt()));
  else if (value.isString()) key->whole = mixed(key->whole, std::hash<std::string>()(value.toStringRef()));
  else if (value.isDouble()) key->fractions = mixed(key->fractions, bits_of(value.toDouble()));
  else if (value.isList()) {
    for (const c10::IValue& each : value.toListRef()) {
      if (!each.isList()) add_value(key, each);
    }
  }
}

inline SettingsKey with_settings(std::uint64_t key, const Settings& settings) {
  SettingsKey found{key};
  for (const Setting& each : settings) add_value(&found, each.value);
  return found;
}

// {name: value}, a new reference; what can't be told is left out.
inline PyObject* python_settings(const Settings* settings) {
  PyObject* told = PyDict_New();
  if (settings == nullptr || told == nullptr) return told;
  for (const Setting& each : *settings) {
    PyObject* value = python_value(each.value);
    if (value == nullptr || PyDict_SetItemString(told, each.name, value) != 0) PyErr_Clear();
    Py_XDECREF(value);
  }
  return told;
}

}  // namespace tensordbg_torch
