/* How a compiled part that is built elsewhere, against a framework's headers, writes into the event log: functions of
 * tensordbg's own compiled part, handed over in a capsule, so that nothing need be linked. */
#ifndef TENSORDBG_LOG_TABLE_H
#define TENSORDBG_LOG_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* The capsule's name; it changes with anything below. */
#define TENSORDBG_LOG_TABLE_NAME "tensordbg.log_table.2"

/* What is measured of a tensor; native/record.h says of each what it is. */
typedef struct {
  int64_t negative, zero, neg_inf, pos_inf, nan, subnormal;
  int64_t first_bad;       /* row-major index; -1 where all are finite */
  double min, max, sum, sum_squares;
} TensordbgHealth;

typedef struct {
  int64_t execution;
  uint32_t site;
  uint16_t slot;
  uint16_t device;
  int dtype;               /* tensordbg/health/spec.py */
  int rank;
  const int64_t* dims;
  const int64_t* strides;  /* in elements; null where the elements lie in row-major order */
  const void* data;        /* null where they can't be read: the shape alone is recorded */
  const TensordbgHealth* health; /* of one that was measured where it lies, without data; its `first_bad` counts elements as they lie */
  const void* small;       /* ... its elements in row-major order, where it has no more than 64 bytes of them; or null */
} TensordbgTensor;

typedef struct {
  /* Whether anything is recorded now. */
  int (*recording)(void);
  /* Records that an operation has run, and returns its execution; -1 where nothing is recorded. An input is the execution
   * that made it << 16 | its slot, or -1. */
  int64_t (*begin)(uint32_t site, int64_t step, const int64_t* inputs, size_t count);
  /* Records one tensor of an execution; returns whether it is known not to be finite. */
  int (*tensor)(const TensordbgTensor* tensor);
  /* The number of a device's name. */
  uint16_t (*device)(const char* name);
  /* Whether the health of what a site gives is recorded now. */
  int (*measures)(uint32_t site, int dtype);
} TensordbgLogTable;

#endif
