// One event of a trace as it lies in a memory-mapped segment: 256 bytes, little endian, fixed for a
// format version. Python reads the same layout through `tensordbg/trace/raw/record.py`; change both together.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tensordbg {

constexpr std::size_t kRecordSize = 256;
constexpr std::size_t kMaxDims = 22;
constexpr std::size_t kMaxInputs = 24;

// Dimensions that are not needed hold the elements of a small tensor: behind `kSmallMark` in `dims[kSmallRank]`.
constexpr std::size_t kSmallRank = 5;
constexpr std::size_t kSmallBytes = (kMaxDims - kSmallRank - 1) * sizeof(std::uint32_t);
constexpr std::uint32_t kSmallMark = 0x6c616d73;

// Of a larger one they hold its sketch, where that was asked for: behind `kSketchMark` in `dims[kSketchRank]`.
constexpr std::size_t kSketchRank = 11;
constexpr std::uint32_t kSketchMark = 0x74656b73;

enum class RecordKind : std::uint8_t {
  kGraphTensor = 1,     // a tensor seen by the probe operation inside a graph; `owner` is the step id
  kEagerTensor = 2,     // a tensor handed over from Python; `owner` is the execution
  kExecutionBegin = 3,  // an execution starts; `inputs` holds its first inputs
  kExecutionInputs = 4, // more inputs of the execution that `owner` names
  kExecutionEnd = 5,
};

constexpr std::uint8_t kFlagHealth = 1;      // the numbers of `health` were measured
constexpr std::uint8_t kFlagFunction = 2;    // the execution is a call of a function, not of one operation
constexpr std::uint8_t kFlagManyDims = 4;    // the rank exceeds kMaxDims: the last dimension holds the rest's product
constexpr std::uint8_t kFlagFailed = 8;      // the execution ended with an exception
// Of imported tensors a part may be known; kFlagHealth stands for the last three of these together.
constexpr std::uint8_t kFlagSize = 16;       // the number of elements is known, also where the shape is not
constexpr std::uint8_t kFlagFiniteness = 32; // `first_bad` says whether all are finite
constexpr std::uint8_t kFlagSpecials = 64;   // infinities and NaNs were counted
constexpr std::uint8_t kFlagSigns = 128;     // negative elements and zeros were counted

struct HealthFields {
  std::int64_t negative;   // finite and below zero
  std::int64_t zero;       // both zeros
  std::int64_t neg_inf;
  std::int64_t pos_inf;
  std::int64_t nan;
  std::int64_t subnormal;  // also counted as negative or positive
  std::int64_t first_bad;  // flat index of the first non-finite element, -1 where all are finite
  double min;              // over the finite elements; NaN where there are none
  double max;
  double sum;
  double sum_squares;
};

struct SketchFields {
  double magnitudes;  // the sum over the finite elements
  double sums[4];     // of the finite elements, with signs by their places, see health/sketch.h
};

struct TensorFields {
  std::int64_t size;
  HealthFields health;
  std::int64_t value_position;  // where the elements lie in `values/`, + 1; 0 where they were not kept
  std::uint32_t dims[kMaxDims];
};

struct ExecutionFields {
  // Each input: the execution that made it << 16 | its output slot; -1 where it is not known.
  std::int64_t inputs[kMaxInputs];
};

struct Record {
  std::uint64_t sequence;   // 1, 2, 3... in the order of reservation; stored last, 0 means not yet written
  std::int64_t time_ns;     // CLOCK_MONOTONIC
  std::int64_t owner;       // step id of the runtime, or the execution: see RecordKind
  std::uint64_t frame;      // the loop frame's identity within a step, 0 outside of loops
  std::int64_t iteration;   // of the innermost loop, from 0
  std::uint32_t site;       // of the operation; for a function's execution: its call site
  std::uint32_t path;       // interned name of the call path inside the graph, 0 is the root
  std::uint32_t thread;     // the operating system's thread id
  std::uint32_t function;   // of a function's execution: the function called
  std::uint16_t slot;       // output number
  std::uint16_t device;     // interned device name, 0 is unknown
  RecordKind kind;
  std::uint8_t dtype;       // tensordbg/health/spec.py
  std::uint8_t rank;        // of `dims`; of an execution record: the number of inputs in it
  std::uint8_t flags;
  union {
    TensorFields tensor;
    ExecutionFields execution;
  };
};

// Whether it is of a tensor that is known not to be finite.
inline bool not_finite(const Record& record) {
  const HealthFields& health = record.tensor.health;
  const bool tensor = record.kind == RecordKind::kGraphTensor || record.kind == RecordKind::kEagerTensor;
  return tensor && (record.flags & (kFlagHealth | kFlagSpecials)) != 0 && health.neg_inf + health.pos_inf + health.nan > 0;
}

static_assert(sizeof(TensorFields) == 192);
static_assert(sizeof(SketchFields) == (kMaxDims - kSketchRank - 1) * sizeof(std::uint32_t));
static_assert(offsetof(Record, tensor) == 64);
static_assert(sizeof(Record) == kRecordSize);

}  // namespace tensordbg
