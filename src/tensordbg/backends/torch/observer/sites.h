// Which site an operation has: asked of Python once, and known by place, owner and settings from then on.
#pragma once

#include "running.h"
#include "seen.h"

#include <mutex>
#include <unordered_map>


namespace tensordbg_torch {

inline std::mutex g_sites_mutex;
struct KnownSite {
  std::int64_t site = -1;
  std::uint64_t fractions = 0;  // of its settings
};
constexpr std::uint64_t kVarying = ~0ULL;  // in their place: it is known that they change
inline std::unordered_map<std::uint64_t, KnownSite> g_sites;
inline std::unordered_map<std::uint64_t, int> g_variants;  // how many sites there are at one place, by their settings
constexpr int kMostVariants = 4;

// One of the sites that a thread met of late.
struct SeenSite {
  std::uint64_t key = 0;
  std::uint32_t recording = 0;
  KnownSite known;
};

// The variable that a site is about, and whether it writes it.
struct Owner {
  std::int64_t variable = kNobody;
  bool written = false;
};

// What else is known where a site is asked for.
struct About {
  Known first;        // the first input
  double number = 0;  // which one it is, of a number of the program's text
  Owner owner;
  const Settings* settings = nullptr;
  const std::string* group = nullptr;  // of a collective operation the processes that run it
};

// How an operation was asked to compute, and with which processes.
inline PyObject* python_settings_of(const About& about) {
  PyObject* settings = python_settings(about.settings);
  if (settings == nullptr || about.group == nullptr || about.group->empty()) return settings;
  PyObject* group = PyUnicode_FromStringAndSize(about.group->data(), static_cast<Py_ssize_t>(about.group->size()));
  if (group == nullptr || PyDict_SetItemString(settings, "group", group) != 0) Py_CLEAR(settings);
  Py_XDECREF(group);
  return settings;
}

inline std::int64_t ask_for_site(const char* name, std::int64_t forward, std::int64_t module, int autocast, int place,
                          const About& about) {
  if (interpreter_ends()) return -1;
  const Interpreter held;
  PyObject* frames = frames_of_thread();
  PyObject* site = frames == nullptr
                       ? nullptr
                       : PyObject_CallFunction(g_describe, "sN(LLsiLi)(LL)dN", name, frames, static_cast<long long>(forward),
                                               static_cast<long long>(module),
                                               autocast == 0 ? "" : c10::toString(static_cast<at::ScalarType>(autocast - 1)),
                                               place, static_cast<long long>(about.owner.variable), about.owner.written ? 1 : 0,
                                               static_cast<long long>(about.first.reference < 0 ? -1 : about.first.site),
                                               static_cast<long long>(about.first.reference & 0xFFFF), about.number,
                                               python_settings_of(about));
  const std::int64_t told = site == nullptr ? -1 : PyLong_AsLongLong(site);
  if (PyErr_Occurred() != nullptr) PyErr_Clear();
  Py_XDECREF(site);
  return told;
}

// What tells sites at one place apart, beside how the operation was asked to compute.
inline std::uint64_t place_key(const char* name, std::uint64_t stack, int autocast, int place, const About& about) {
  const Thread& thread = t_thread;
  const Node* node = node_of_thread();
  const std::int64_t forward = node == nullptr ? -1 : node->forward;
  const std::int64_t module = thread.modules.innermost();
  std::uint64_t key = mixed(stack, reinterpret_cast<std::uintptr_t>(name));
  key = mixed(key, static_cast<std::uint64_t>(forward));
  key = mixed(key, static_cast<std::uint64_t>(module) << 16 ^ static_cast<std::uint64_t>(autocast) << 8 ^
                       static_cast<std::uint64_t>(place + 1));
  const Owner& owner = about.owner;
  if (about.number != 0) key = mixed(key, bits_of(about.number));
  if (owner.variable != kNobody) key = mixed(key, static_cast<std::uint64_t>(owner.variable) << 1 | owner.written);
  if (about.group != nullptr && !about.group->empty()) key = mixed(key, std::hash<std::string>{}(*about.group));
  return key;
}

// A site at a place, null where it is not known: that of these settings, or, where they change all the time, of any.
inline KnownSite* known_site(std::uint64_t here, std::uint64_t* key) {
  if (*key != here) {
    const auto found = g_sites.find(*key);
    if (found != g_sites.end()) return &found->second;
    if (g_variants[here] < kMostVariants) return nullptr;
    *key = here;
  }
  const auto found = g_sites.find(here);
  return found == g_sites.end() ? nullptr : &found->second;
}

inline void tell_varies(std::int64_t site) {
  if (site < 0 || interpreter_ends()) return;
  const Interpreter held;
  PyObject* done = PyObject_CallFunction(g_varies, "L", static_cast<long long>(site));
  if (done == nullptr) PyErr_Clear();
  Py_XDECREF(done);
}

// Fractions that are not those of the calls before are nothing to say of the site.
inline std::int64_t site_with(SeenSite* seen, std::uint64_t fractions) {
  if (seen->known.fractions != fractions && seen->known.fractions != kVarying) {
    seen->known.fractions = kVarying;
    {
      const std::lock_guard<std::mutex> guard(g_sites_mutex);
      g_sites[seen->key].fractions = kVarying;
    }
    tell_varies(seen->known.site);
  }
  return seen->known.site;
}

inline std::int64_t site_of(const char* name, std::uint64_t stack, int autocast, int place, About about = {}) {
  const std::uint64_t here = place_key(name, stack, autocast, place, about);
  const SettingsKey wanted = about.settings == nullptr ? SettingsKey{here} : with_settings(here, *about.settings);
  const std::uint32_t recording = g_recording.load(std::memory_order_relaxed);
  std::uint64_t key = wanted.whole;
  SeenSite& seen = seen_at<SeenSite, 8192>(key);
  if (seen.key == key && seen.recording == recording) return site_with(&seen, wanted.fractions);
  {
    std::unique_lock<std::mutex> guard(g_sites_mutex);
    if (const KnownSite* known = known_site(here, &key); known != nullptr) {
      SeenSite found{key, recording, *known};
      guard.unlock();
      if (key == wanted.whole) seen = found;
      return site_with(&found, wanted.fractions);
    }
  }
  // The lock is not held meanwhile: another thread may hold the interpreter and wait for it.
  if (key != wanted.whole) about.settings = nullptr;  // they change all the time
  const Node* node = node_of_thread();
  const std::int64_t module = t_thread.modules.innermost();
  const std::int64_t site = ask_for_site(name, node == nullptr ? -1 : node->forward, module, autocast, place, about);
  if (site == -1) return site;
  const std::lock_guard<std::mutex> guard(g_sites_mutex);
  const std::uint64_t fractions = about.settings == nullptr ? kVarying : wanted.fractions;
  if (g_sites.emplace(key, KnownSite{site, fractions}).second && key != here) ++g_variants[here];
  return site;
}

// The frames do not change while an operation runs, but below one that calls the program's own code.
inline std::uint64_t stack_of(Context* context) {
  if (context->stack == 0) context->stack = stack_hash();
  return context->stack;
}

inline std::int64_t site_of(Context* context, const Owner& owner) {
  return site_of(context->operation->name.c_str(), stack_of(context), context->autocast, context->place,
                 {context->given.empty() ? Known{} : context->given.front().known, 0, owner, &context->settings, &context->group});
}

inline std::int64_t site_of(Context* context) {
  if (context->site == -1) context->site = site_of(context, Owner{});
  return context->site;
}

}  // namespace tensordbg_torch
