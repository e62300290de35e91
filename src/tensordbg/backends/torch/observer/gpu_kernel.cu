// The health of a tensor that lies on a GPU, measured there: what native/health/measure.h counts on a processor, by the same
// definitions. The block of a tensor that ends last puts together what all have found.
//
// A launch may measure many tensors of a dtype, each by blocks of its own: what an operation on a whole list gives.
//
// NVRTC compiles it at run time for the GPU that is there, without any header of a library. A test compiles it for the processor too, with
// threads in place of a GPU's: so it takes nothing of CUDA but the names of threads and blocks, shared memory, barriers,
// fences and one atomic addition.
#include "gpu_elements.h"

// As TensordbgHealth in log_table.h.
struct Health {
  Signed negative, zero, neg_inf, pos_inf, nan, subnormal, first_bad;
  double min, max, sum, sum_squares;
};

constexpr int kSmallBytes = 64;

// Lies in memory of the host that the GPU writes.
struct Result {
  Health health;
  unsigned char small[kSmallBytes];  // the elements, of a tensor that has no more
  volatile Unsigned done;            // the number of the launch, written last
};

constexpr int kMaxRank = 8;

// ... that several threads have looked at.
struct Counted {
  Signed lowest, highest;
  double sum, squares, scaled;
  Signed first_bad;
  Signed negative, zero, neg_inf, pos_inf, nan, subnormal;
};

struct Task {
  const void* data;
  Signed count;
  Signed dims[kMaxRank];     // of a tensor whose elements don't lie one behind the other
  Signed strides[kMaxRank];  // in elements
  Counted* parts;            // for one block each; those of launches of other streams have others
  unsigned* ended;           // how many blocks have ended; 0 before and after
  Result* result;
  Unsigned number;
  int rank;                  // 0 where the elements lie one behind the other
};

constexpr int kMany = 64;

// One of many tensors whose elements lie one behind the other.
struct Small {
  const void* data;
  Signed count;
  Unsigned number;
  int place;
  int end;  // the first block that is the next one's
};

struct Many {
  Small tasks[kMany];
  int most_blocks;  // of one tensor: so many of `parts` are its own
  Counted* parts;
  unsigned* ended;
  Result* results;
};

// The blocks that measure one tensor, and which of them this one is.
struct Blocks {
  int own, count;
};

template <typename Order>
__device__ inline Seen<Order> nothing() {
  constexpr Order kMost = static_cast<Order>((Unsigned{1} << (8 * sizeof(Order) - 1)) - 1);
  Seen<Order> seen;
  seen.lowest = kMost;
  seen.highest = -kMost - 1;
  seen.sum = seen.squares = seen.scaled = 0.0;
  seen.first_bad = kFar;
  seen.negative = seen.zero = seen.neg_inf = seen.pos_inf = seen.nan = seen.subnormal = 0;
  return seen;
}

template <typename Order>
__device__ inline Counted counted(const Seen<Order>& seen) {
  return {seen.lowest, seen.highest, seen.sum,     seen.squares, seen.scaled, seen.first_bad,
          seen.negative, seen.zero,  seen.neg_inf, seen.pos_inf, seen.nan,    seen.subnormal};
}

// It may have seen nothing.
__device__ inline void join(Counted* into, const Counted& other) {
  if (other.lowest < into->lowest) into->lowest = other.lowest;
  if (other.highest > into->highest) into->highest = other.highest;
  if (other.first_bad < into->first_bad) into->first_bad = other.first_bad;
  into->sum += other.sum;
  into->squares += other.squares;
  into->scaled += other.scaled;
  into->negative += other.negative;
  into->zero += other.zero;
  into->neg_inf += other.neg_inf;
  into->pos_inf += other.pos_inf;
  into->nan += other.nan;
  into->subnormal += other.subnormal;
}

// What one thread has; so large that those of neighbours lie in other banks of the memory.
struct Slot {
  Counted counted;
  Signed apart;
};

// What all threads of a block have: in its first thread's place.
__device__ inline void join_block(Slot* all) {
  constexpr int kFew = 32;
  const int own = static_cast<int>(threadIdx.x);
  __syncthreads();
  if (own < kFew) {
    Counted found = all[own].counted;
    #pragma unroll 1
    for (int i = own + kFew; i < kThreads; i += kFew) join(&found, all[i].counted);
    all[own].counted = found;
  }
  #pragma unroll 1
  for (int half = kFew / 2; half > 0; half /= 2) {
    __syncthreads();
    if (own < half) join(&all[own].counted, all[own + half].counted);
  }
  __syncthreads();
}

struct alignas(16) Load {
  unsigned words[4];
};

// Elements that lie one behind the other, sixteen bytes at a time, some of these on their way at once.
template <class Kind>
__device__ inline void look_at_row(const Task& task, Blocks blocks, Seen<typename Kind::Order>* seen) {
  using Element = typename Kind::Element;
  constexpr int kEach = sizeof(Load) / sizeof(Element);
  constexpr int kAtOnce = kEach > 8 ? 1 : kEach > 2 ? 2 : 4;
  const auto* elements = static_cast<const Element*>(task.data);
  const Signed threads = static_cast<Signed>(blocks.count) * blockDim.x;
  const Signed own = static_cast<Signed>(blocks.own) * blockDim.x + threadIdx.x;
  Signed looked = 0;
  if (reinterpret_cast<Unsigned>(task.data) % sizeof(Load) == 0) {
    const auto* loads = static_cast<const Load*>(task.data);
    const Signed count = task.count / kEach;
    #pragma unroll 1
    for (Signed first = own; first < count; first += kAtOnce * threads) {
      union {
        Load load;
        Element elements[kEach];
      } each[kAtOnce];
      for (int k = 0; k < kAtOnce; ++k) {
        if (first + k * threads < count) each[k].load = loads[first + k * threads];
      }
      for (int k = 0; k < kAtOnce; ++k) {
        const Signed at = first + k * threads;
        if (at >= count) break;
        Together<Kind, kEach>::look(each[k].elements, at * kEach, seen);
      }
    }
    looked = count * kEach;
  }
  #pragma unroll 1
  for (Signed i = looked + own; i < task.count; i += threads) Kind::look(elements[i], i, seen);
}

__device__ inline Signed offset_of(const Task& task, Signed index) {
  Signed offset = 0;
  #pragma unroll 1
  for (int axis = task.rank - 1; axis > 0; --axis) {
    offset += index % task.dims[axis] * task.strides[axis];
    index /= task.dims[axis];
  }
  return offset + index * task.strides[0];
}

template <class Kind>
__device__ inline void look_at_strided(const Task& task, Blocks blocks, Seen<typename Kind::Order>* seen) {
  const auto* elements = static_cast<const typename Kind::Element*>(task.data);
  const Signed threads = static_cast<Signed>(blocks.count) * blockDim.x;
  #pragma unroll 1
  for (Signed i = static_cast<Signed>(blocks.own) * blockDim.x + threadIdx.x; i < task.count; i += threads) {
    Kind::look(elements[offset_of(task, i)], i, seen);
  }
}

template <class Kind>
__device__ inline void tell(const Task& task, const Counted& all) {
  const bool any = all.lowest <= all.highest;
  const double none = same_bits<double>(0x7ff8000000000000ULL);
  Health health{all.negative, all.zero, all.neg_inf, all.pos_inf, all.nan, all.subnormal};
  health.first_bad = all.first_bad == kFar ? -1 : all.first_bad;
  health.min = any ? Kind::number(all.lowest) : none;
  health.max = any ? Kind::number(all.highest) : none;
  health.sum = is_finite(all.sum) ? all.sum : all.scaled / kScale;
  health.sum_squares = all.squares;
  task.result->health = health;
  if (task.count * static_cast<Signed>(sizeof(typename Kind::Element)) <= kSmallBytes) {
    const auto* elements = static_cast<const typename Kind::Element*>(task.data);
    auto* small = reinterpret_cast<typename Kind::Element*>(task.result->small);
    #pragma unroll 1
    for (Signed i = 0; i < task.count; ++i) small[i] = elements[task.rank == 0 ? i : offset_of(task, i)];
  }
  __threadfence_system();
  task.result->done = task.number;
}

template <class Kind>
__device__ inline void measure(const Task& task, Blocks blocks) {
  __shared__ Slot all[kThreads];
  __shared__ bool last;
  auto seen = nothing<typename Kind::Order>();
  if (task.rank == 0) look_at_row<Kind>(task, blocks, &seen);
  else look_at_strided<Kind>(task, blocks, &seen);
  all[threadIdx.x].counted = counted(seen);
  join_block(all);
  if (blocks.count == 1) {
    if (threadIdx.x == 0) tell<Kind>(task, all[0].counted);
    return;
  }
  if (threadIdx.x == 0) {
    task.parts[blocks.own] = all[0].counted;
    __threadfence();
    last = atomicAdd(task.ended, 1u) == blocks.count - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  Counted found = counted(nothing<typename Kind::Order>());
  #pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < blocks.count; i += kThreads) join(&found, task.parts[i]);
  all[threadIdx.x].counted = found;
  join_block(all);
  if (threadIdx.x != 0) return;
  *task.ended = 0;
  tell<Kind>(task, all[0].counted);
}

template <class Kind>
__device__ inline void measure_many(const Many& many) {
  int which = 0, begin = 0;
#pragma unroll 1
  for (; many.tasks[which].end <= static_cast<int>(blockIdx.x); ++which) begin = many.tasks[which].end;
  const Small& small = many.tasks[which];
  Task task;
  task.data = small.data;
  task.count = small.count;
  task.parts = many.parts + static_cast<Signed>(which) * many.most_blocks;
  task.ended = many.ended + which;
  task.result = many.results + small.place;
  task.number = small.number;
  task.rank = 0;
  measure<Kind>(task, {static_cast<int>(blockIdx.x) - begin, small.end - begin});
}

// By the number of a dtype in a trace, see tensordbg/health/spec.py.
#define TENSORDBG_KERNEL(NUMBER, KIND) \
  extern "C" __global__ void __launch_bounds__(kThreads) tensordbg_measure_##NUMBER(const Task task) { \
    measure<KIND>(task, {static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x)}); \
  }

#define TENSORDBG_KERNEL_OF_MANY(NUMBER, KIND) \
  extern "C" __global__ void __launch_bounds__(kThreads) tensordbg_measure_many_##NUMBER(const Many many) { \
    measure_many<KIND>(many); \
  }

TENSORDBG_KERNEL(1, Truth)
TENSORDBG_KERNEL(2, Whole<signed char>)
TENSORDBG_KERNEL(3, Whole<short>)
TENSORDBG_KERNEL(4, Whole<int>)
TENSORDBG_KERNEL(5, Whole<Signed>)
TENSORDBG_KERNEL(6, Whole<unsigned char>)
TENSORDBG_KERNEL(7, Whole<unsigned short>)
TENSORDBG_KERNEL(8, Whole<unsigned>)
TENSORDBG_KERNEL(9, Whole<Unsigned>)
TENSORDBG_KERNEL(10, Real<Float16>)
TENSORDBG_KERNEL(11, Real<BFloat16>)
TENSORDBG_KERNEL(12, Real<Float32>)
TENSORDBG_KERNEL(13, Real<Float64>)
TENSORDBG_KERNEL(14, Real<Float8E4M3FN>)
TENSORDBG_KERNEL(15, Real<Float8E5M2>)
TENSORDBG_KERNEL(16, Complex<Float32>)
TENSORDBG_KERNEL(17, Complex<Float64>)

// Gradients, parameters and what optimizers keep.
TENSORDBG_KERNEL_OF_MANY(10, Real<Float16>)
TENSORDBG_KERNEL_OF_MANY(11, Real<BFloat16>)
TENSORDBG_KERNEL_OF_MANY(12, Real<Float32>)
TENSORDBG_KERNEL_OF_MANY(13, Real<Float64>)
