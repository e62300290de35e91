// CUDA's driver without a GPU: kernels run on the processor, one thread of a block after the other up to each barrier, and
// memory of the device is memory of the process. What a kernel tells becomes visible later, as on a GPU that lags behind.
//
//   FAKE_CUDA_BEHIND=N    a result is seen when N further kernels were launched, or somebody waits for it
//   FAKE_CUDA_FAILS_AT=N  as of the N-th kernel nothing is seen any more, and the driver says so
//   FAKE_CUDA_CAPTURES=1  all that is launched is captured into a graph
#include <ucontext.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace {

struct Index {
  unsigned x;
};
Index threadIdx, blockIdx, blockDim, gridDim;

constexpr std::size_t kStack = 65536;
struct Fiber {
  ucontext_t context;
  std::unique_ptr<char[]> stack{new char[kStack]};
  bool ended = false;
};
std::vector<Fiber> fibers(256);
ucontext_t launching;

void __syncthreads() { swapcontext(&fibers[threadIdx.x].context, &launching); }
void __threadfence() {}
void __threadfence_system() {}
unsigned atomicAdd(unsigned* value, unsigned more) { return (*value += more) - more; }

}  // namespace

#define __device__
#define __global__
#define __shared__ static
#define __launch_bounds__(THREADS)
#include "gpu_kernel.cu"

namespace {

using Single = void (*)(Task);
const Single kKernels[] = {nullptr,
                           tensordbg_measure_1, tensordbg_measure_2, tensordbg_measure_3, tensordbg_measure_4,
                           tensordbg_measure_5, tensordbg_measure_6, tensordbg_measure_7, tensordbg_measure_8,
                           tensordbg_measure_9, tensordbg_measure_10, tensordbg_measure_11, tensordbg_measure_12,
                           tensordbg_measure_13, tensordbg_measure_14, tensordbg_measure_15, tensordbg_measure_16,
                           tensordbg_measure_17};
using OfMany = void (*)(Many);
const OfMany kKernelsOfMany[] = {tensordbg_measure_many_10, tensordbg_measure_many_11, tensordbg_measure_many_12,
                                 tensordbg_measure_many_13};

long setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? 0 : std::atol(value);
}

std::function<void()> running;

void enter() {
  running();
  fibers[threadIdx.x].ended = true;
  swapcontext(&fibers[threadIdx.x].context, &launching);
}

void run_block() {
  for (unsigned i = 0; i < blockDim.x; ++i) {
    Fiber& fiber = fibers[i];
    fiber.ended = false;
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.stack.get();
    fiber.context.uc_stack.ss_size = kStack;
    fiber.context.uc_link = &launching;
    makecontext(&fiber.context, enter, 0);
  }
  for (bool any = true; any;) {
    any = false;
    for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) {
      if (fibers[threadIdx.x].ended) continue;
      swapcontext(&launching, &fibers[threadIdx.x].context);
      any = any || !fibers[threadIdx.x].ended;
    }
  }
}

struct Hidden {
  Result* where;
  Result what;
};
std::deque<Hidden> hidden;
long launched = 0;

bool has_failed() { return setting("FAKE_CUDA_FAILS_AT") > 0 && launched >= setting("FAKE_CUDA_FAILS_AT"); }

void run(unsigned grid, unsigned block) {
  blockDim.x = block;
  gridDim.x = grid;
  for (blockIdx.x = 0; blockIdx.x < grid; ++blockIdx.x) run_block();
}

void run_one(Single kernel, Task task, unsigned grid, unsigned block) {
  Result shadow{};
  hidden.push_back({task.result, {}});
  task.result = &shadow;
  running = [=] { kernel(task); };
  run(grid, block);
  hidden.back().what = shadow;
}

void run_many(OfMany kernel, Many many, unsigned grid, unsigned block) {
  static std::vector<Result> shadows(4096);
  Result* const results = many.results;
  many.results = shadows.data();
  running = [&] { kernel(many); };
  run(grid, block);
  for (int i = 0, begin = 0; begin < static_cast<int>(grid); begin = many.tasks[i++].end) {
    hidden.push_back({results + many.tasks[i].place, shadows[many.tasks[i].place]});
  }
}

void show(std::size_t kept) {
  for (; hidden.size() > kept; hidden.pop_front()) *hidden.front().where = hidden.front().what;
}

}  // namespace

extern "C" {

int cuCtxGetCurrent(void** context) { return *context = &hidden, 0; }
int cuModuleLoadData(void** module, const void* image) { return *module = const_cast<void*>(image), 0; }
int cuModuleGetFunction(void** function, void*, const char* name) {
  const int number = std::atoi(std::strrchr(name, '_') + 1);
  const bool many = std::strstr(name, "many") != nullptr;
  *function = many ? const_cast<OfMany*>(&kKernelsOfMany[number - 10]) : static_cast<void*>(const_cast<Single*>(&kKernels[number]));
  return 0;
}
int cuLaunchKernel(void* function, unsigned grid, unsigned, unsigned, unsigned block, unsigned, unsigned, unsigned, void*,
                   void** arguments, void**) {
  ++launched;
  if (has_failed()) return 0;  // a launch tells of no earlier fault for a while
  const bool many = function >= std::begin(kKernelsOfMany) && function < std::end(kKernelsOfMany);
  if (many) run_many(*static_cast<OfMany*>(function), *static_cast<Many*>(arguments[0]), grid, block);
  else run_one(*static_cast<Single*>(function), *static_cast<Task*>(arguments[0]), grid, block);
  show(static_cast<std::size_t>(setting("FAKE_CUDA_BEHIND")));
  return 0;
}
int cuMemAlloc_v2(unsigned long long* memory, std::size_t size) {
  return *memory = reinterpret_cast<unsigned long long>(std::malloc(size)), 0;
}
int cuMemsetD8_v2(unsigned long long memory, unsigned char with, std::size_t size) {
  return std::memset(reinterpret_cast<void*>(memory), with, size), 0;
}
int cuMemHostAlloc(void** memory, std::size_t size, unsigned) { return *memory = std::malloc(size), 0; }
int cuMemHostGetDevicePointer_v2(unsigned long long* address, void* memory, unsigned) {
  return *address = reinterpret_cast<unsigned long long>(memory), 0;
}
int cuStreamIsCapturing(void*, int* status) { return *status = setting("FAKE_CUDA_CAPTURES") != 0, 0; }
int cuStreamQuery(void*) {
  if (has_failed()) return 700;  // CUDA_ERROR_ILLEGAL_ADDRESS
  show(0);
  return 0;
}
}
