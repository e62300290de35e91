// Python's side of the event log: starting and stopping it, and what is recorded from Python itself.
#include "log_binding.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "health/measure.h"
#include "log/active.h"
#include "log/event_log.h"
#include "tensorflow/probe.h"

namespace nb = nanobind;

namespace tensordbg {
namespace {

void open_log(const std::string& folder, std::uint64_t segment_records, int detail, std::int64_t value_budget,
              std::int64_t value_file_bytes, std::uint64_t last, std::int64_t first_bad_budget) {
  if (ActiveLog().get() != nullptr) throw std::runtime_error("a log is already open in this process");
  std::unique_ptr<ValueStore> values;
  if (static_cast<Detail>(detail) == Detail::kValues) {
    values = std::make_unique<ValueStore>(folder, value_budget, value_file_bytes);
    if (last > 0) values->reuse();
  }
  auto* log = new EventLog(folder, segment_records, static_cast<Detail>(detail), std::move(values), last);
  if (first_bad_budget > 0) log->keep_first_bad(first_bad_budget);
  start_log(log);
}

void mute_sites(const nb::list& sites, bool muted) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log == nullptr) return;
  for (const nb::handle site : sites) log->mute(nb::cast<std::uint32_t>(site), muted);
}

void choose_dtypes(std::uint64_t mask) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log != nullptr) log->choose_dtypes(mask);
}

void keep_sketches() {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log != nullptr) log->keep_sketches();
}

void keep_all() {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log != nullptr) log->keep_all();
}

void forget(std::uint64_t begin, std::uint64_t end) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log != nullptr) log->forget(begin, end);
}

void choose_values(const nb::list& sites, bool kept) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log == nullptr || log->values() == nullptr) return;
  for (const nb::handle site : sites) log->values()->sites.set(nb::cast<std::uint32_t>(site), kept);
}

void watch_sites(const nb::list& sites, std::uint8_t fatal) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log == nullptr || log->first_bad() == nullptr) return;
  for (const nb::handle site : sites) log->first_bad()->watch(nb::cast<std::uint32_t>(site), fatal);
}

void watch_operand(std::uint32_t site, int operand, std::uint8_t fatal) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log != nullptr && log->first_bad() != nullptr) log->first_bad()->watch_operand(site, operand, fatal);
}

void pause() {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log != nullptr) log->pause();
}

void go_on() {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log != nullptr) log->go_on();
}

nb::object value_status() {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log == nullptr || log->values() == nullptr) return nb::none();
  const ValueStore* values = log->values();
  return nb::make_tuple(values->used(), values->refused(), values->failure());
}

nb::object log_status() {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log == nullptr) return nb::none();
  return nb::make_tuple(log->appended(), log->dropped(), log->failure(), log->bad());
}

double take_largest() {
  const ActiveLog active;
  EventLog* log = active.get();
  return log == nullptr ? 0 : log->take_largest();
}

void fill_common(Record* record, RecordKind kind, std::int64_t owner) {
  record->time_ns = monotonic_ns();
  record->owner = owner;
  record->thread = thread_number();
  record->kind = kind;
}

// What an execution's records tell of it.
struct Begun {
  std::uint32_t site;
  std::uint32_t function;
  std::int64_t step;
  bool failed;
};

constexpr std::uint32_t kNoFunction = 0xFFFFFFFFu;

// Writes the inputs into as many records as they need; the first is the execution's own.
void append_inputs(EventLog* log, std::int64_t execution, const Begun& begun, const std::vector<std::int64_t>& inputs) {
  auto kind = RecordKind::kExecutionBegin;
  std::size_t done = 0;
  do {
    std::uint64_t sequence = 0;
    Record* record = log->reserve(&sequence);
    if (record == nullptr) return;
    fill_common(record, kind, execution);
    record->site = begun.site;
    record->function = begun.function;
    record->iteration = begun.step;
    record->flags = (begun.function == kNoFunction ? 0 : kFlagFunction) | (begun.failed ? kFlagFailed : 0);
    const std::size_t count = std::min(inputs.size() - done, kMaxInputs);
    record->rank = static_cast<std::uint8_t>(count);
    std::copy_n(inputs.begin() + static_cast<std::ptrdiff_t>(done), count, record->execution.inputs);
    log->finish(record, sequence);
    done += count;
    kind = RecordKind::kExecutionInputs;
  } while (done < inputs.size());
}

std::int64_t append_execution(const Begun& begun, const std::vector<std::int64_t>& inputs) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log == nullptr) return -1;
  const std::int64_t execution = log->new_execution();
  if (FirstBad* first_bad = log->first_bad()) first_bad->began(execution, begun.site, inputs.data(), inputs.size());
  append_inputs(log, execution, begun, inputs);
  return execution;
}

std::int64_t begin_execution(std::int64_t site, std::int64_t function, std::int64_t step, const std::vector<std::int64_t>& inputs,
                             bool failed) {
  return append_execution({static_cast<std::uint32_t>(site), static_cast<std::uint32_t>(function), step, failed}, inputs);
}

void end_execution(std::int64_t execution, bool failed) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log == nullptr) return;
  std::uint64_t sequence = 0;
  Record* record = log->reserve(&sequence);
  if (record == nullptr) return;
  fill_common(record, RecordKind::kExecutionEnd, execution);
  record->flags = failed ? kFlagFailed : 0;
  log->finish(record, sequence);
}

// Room for the record of a tensor, or null; the tensor itself is filled in.
Record* reserve_tensor(EventLog* log, const MadeBy& made_by, std::uint64_t* sequence) {
  Record* record = log->reserve(sequence);
  if (record == nullptr) return nullptr;
  fill_common(record, RecordKind::kEagerTensor, made_by.execution);
  record->site = made_by.site;
  record->slot = made_by.slot;
  record->device = made_by.device;
  return record;
}

bool is_wanted(std::uint32_t site, DType dtype) {
  const ActiveLog active;
  EventLog* log = active.get();
  return log != nullptr && log->wants(site, dtype);
}

// Records a tensor of an eager execution, and says whether it is known not to be finite. `array` has the buffer protocol and
// is C-contiguous.
bool append_tensor(std::int64_t execution, std::uint32_t site, std::uint16_t slot, int dtype, std::uint16_t device,
                   nb::handle array) {
  // To ask for a buffer may cost the making of an array.
  if (!is_wanted(site, static_cast<DType>(dtype))) return false;
  Py_buffer view;
  if (PyObject_GetBuffer(array.ptr(), &view, PyBUF_ND) != 0) throw nb::python_error();
  const std::vector<std::int64_t> dims(view.shape, view.shape + view.ndim);
  const bool bad =
      append_elements({execution, site, slot, device}, static_cast<DType>(dtype), {view.buf, view.ndim, dims.data()});
  PyBuffer_Release(&view);
  return bad;
}

// Records a tensor of strings of an eager execution: `dims` is its shape, `texts` its elements as bytes.
void append_strings(std::int64_t execution, std::uint32_t site, std::uint16_t slot, std::uint16_t device,
                    const std::vector<std::int64_t>& dims, const nb::list& texts) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log == nullptr || !log->wants(site, DType::kString)) return;
  std::vector<Text> found;
  found.reserve(nb::len(texts));
  for (const nb::handle text : texts) {
    if (!PyBytes_Check(text.ptr())) throw nb::type_error("the elements of a tensor of strings are bytes");
    found.push_back({PyBytes_AS_STRING(text.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(text.ptr()))});
  }
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  if (count != static_cast<std::int64_t>(found.size())) throw nb::value_error("texts and shape differ in number");
  std::uint64_t sequence = 0;
  Record* record = reserve_tensor(log, {execution, site, slot, device}, &sequence);
  if (record == nullptr) return;
  fill_strings(log, static_cast<int>(dims.size()), [&dims](int axis) { return dims[axis]; },
               [&found](std::int64_t k) { return found[k]; }, record);
  log->finish(record, sequence);
}

// Records a tensor of an eager execution that was reduced where it lies: `dims` is its shape, `summary` the eleven numbers
// of TensorFlow's FULL_HEALTH, or nothing.
bool append_summary(std::int64_t execution, std::uint32_t site, std::uint16_t slot, int dtype, std::uint16_t device,
                    const std::vector<std::int64_t>& dims, const std::vector<double>& summary) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log == nullptr || !log->wants(site, static_cast<DType>(dtype))) return false;
  std::uint64_t sequence = 0;
  Record* record = reserve_tensor(log, {execution, site, slot, device}, &sequence);
  if (record == nullptr) return false;
  fill_summary(log, static_cast<DType>(dtype), summary.size() == 11 ? summary.data() : nullptr,
               static_cast<int>(dims.size()), [&dims](int axis) { return dims[axis]; }, record);
  const bool bad = not_finite(*record);
  log->finish(record, sequence);
  return bad;
}

}  // namespace

bool is_recording() {
  const ActiveLog active;
  return active.get() != nullptr && !active.get()->paused();
}

std::int64_t begin_eager_execution(std::uint32_t site, std::int64_t step, const std::vector<std::int64_t>& inputs) {
  return append_execution({site, kNoFunction, step, false}, inputs);
}

bool append_elements(const MadeBy& made_by, DType dtype, const Elements& elements) {
  const ActiveLog active;
  EventLog* log = active.get();
  if (log == nullptr || !log->wants(made_by.site, dtype)) return false;
  std::uint64_t sequence = 0;
  Record* record = reserve_tensor(log, made_by, &sequence);
  if (record == nullptr) return false;
  fill_tensor(log, dtype, elements.data, elements.rank, [&elements](int axis) { return elements.dims[axis]; }, record);
  const bool bad = not_finite(*record);
  log->finish(record, sequence);
  return bad;
}

void bind_log(nb::module_& module) {
  module.def("open_log", &open_log, nb::arg("folder"), nb::arg("segment_records"), nb::arg("detail"),
             nb::arg("value_budget") = 0, nb::arg("value_file_bytes") = 0, nb::arg("last") = 0,
             nb::arg("first_bad_budget") = 0,
             "Starts recording into `folder`; `detail` is 0 (ops), 1 (shapes), 2 (health) or 3 (values). With `last` > 0 "
             "only that many of the most recent executions and tensors of graphs are kept; with `first_bad_budget` > 0 the "
             "elements of the first bad tensors, in so many bytes.");
  module.def("close_log", &stop_log, "Stops recording; what was recorded stays.");
  module.def("log_status", &log_status, "(records appended, records dropped, why it stopped growing, tensors not finite), or None.");
  module.def("take_largest", &take_largest, "The largest magnitude recorded since this was last asked for.");
  module.def("choose_values", &choose_values, nb::arg("sites"), nb::arg("kept"),
             "Keeps the values of these sites from now on, or keeps them no longer.");
  module.def("watch_sites", &watch_sites, nb::arg("sites"), nb::arg("fatal"),
             "Keeps the first tensors of these sites that hold what is fatal to who takes them: 1 a zero, 2 a negative number, 4 "
             "one whose exponential overflows, 8 one beyond 1 or -1, added up.");
  module.def("watch_operand", &watch_operand, nb::arg("site"), nb::arg("operand"), nb::arg("fatal"),
             "The same of an operand, 0 to 15, of an eager site.");
  module.def("pause", &pause, "Records no tensors until `go_on` is called; pauses may overlap.");
  module.def("go_on", &go_on, "Ends a pause.");
  module.def("value_status", &value_status, "(bytes kept, values refused, why writing failed), or None.");
  module.def("mute_sites", &mute_sites, nb::arg("sites"), nb::arg("muted") = true,
             "Records no tensors of these sites, or records them again.");
  module.def("choose_dtypes", &choose_dtypes, nb::arg("mask"),
             "Records only tensors of dtypes whose bit, by their number in the trace, is set.");
  module.def("keep_sketches", &keep_sketches, "Records the sketch of each tensor too; before anything is recorded.");
  module.def("keep_all", &keep_all,
             "Of a log that keeps the most recent records: what is there stays for good, the counting begins anew.");
  module.def("forget", &forget, nb::arg("begin"), nb::arg("end"),
             "Of such a log: drops what was appended as number `begin` up to and without `end`, counted from 1.");
  module.def("begin_execution", &begin_execution, nb::arg("site"), nb::arg("function"), nb::arg("step"),
             nb::arg("inputs"), nb::arg("failed") = false, "Records that an execution begins, and of an eager one whether it failed; returns its number, -1 where nothing is recorded.");
  module.def("end_execution", &end_execution, nb::arg("execution"), nb::arg("failed"));
  module.def("append_tensor", &append_tensor, nb::arg("execution"), nb::arg("site"), nb::arg("slot"),
             nb::arg("dtype"), nb::arg("device"), nb::arg("array"), "Records one tensor of an eager execution.");
  module.def("append_summary", &append_summary, nb::arg("execution"), nb::arg("site"), nb::arg("slot"),
             nb::arg("dtype"), nb::arg("device"), nb::arg("dims"), nb::arg("summary"),
             "Records one tensor of an eager execution that was reduced on its own device.");
  module.def("append_strings", &append_strings, nb::arg("execution"), nb::arg("site"), nb::arg("slot"),
             nb::arg("device"), nb::arg("dims"), nb::arg("texts"),
             "Records one tensor of strings of an eager execution: its shape, and its elements as a list of bytes.");
  module.def(
      "intern_device",
      [](const std::string& name) -> std::uint32_t {
        const ActiveLog active;
        EventLog* log = active.get();
        return log == nullptr ? 0 : log->intern(NameKind::kDevice, name);
      },
      nb::arg("name"));
  module.def("register_tensorflow_probe", &register_tensorflow_probe, nb::arg("library"),
             "Registers the probe operation with the TensorFlow whose framework library lies at this path.");
}

}  // namespace tensordbg
