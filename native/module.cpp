// The Python module `tensordbg._native`: each part binds itself.
#include <nanobind/nanobind.h>

namespace tensordbg {
void bind_health(nanobind::module_& module);
void bind_log(nanobind::module_& module);
void bind_log_table(nanobind::module_& module);
void bind_buffer_reads(nanobind::module_& module);
void bind_check(nanobind::module_& module);
void bind_counted(nanobind::module_& module);
void bind_eager_path(nanobind::module_& module);
void bind_known_operations(nanobind::module_& module);
void bind_session_check(nanobind::module_& module);
void bind_trap(nanobind::module_& module);
void bind_sessions(nanobind::module_& module);
void bind_session_stops(nanobind::module_& module);
void bind_stop(nanobind::module_& module);
void bind_traceback(nanobind::module_& module);
}  // namespace tensordbg

NB_MODULE(_native, module) {
  module.doc() = "The compiled part of tensordbg: the health kernel, the event log, the TensorFlow probe.";
  tensordbg::bind_health(module);
  tensordbg::bind_log(module);
  tensordbg::bind_log_table(module);
  tensordbg::bind_buffer_reads(module);
  tensordbg::bind_check(module);
  tensordbg::bind_counted(module);
  tensordbg::bind_eager_path(module);
  tensordbg::bind_known_operations(module);
  tensordbg::bind_session_check(module);
  tensordbg::bind_trap(module);
  tensordbg::bind_sessions(module);
  tensordbg::bind_session_stops(module);
  tensordbg::bind_stop(module);
  tensordbg::bind_traceback(module);
}
