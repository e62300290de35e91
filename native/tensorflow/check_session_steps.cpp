#include "tensorflow/check_session_steps.h"

#include <algorithm>

#include "tensorflow/kernel_failure.h"
#include "tensorflow/session_names.h"

namespace tensordbg {

namespace {

// More turns of loops than these are not remembered; only what is said of a failure would gain by it.
constexpr std::size_t kMostTurns = 256;

}  // namespace

void Waiter::release(const std::optional<std::string>& message) {
  if (released_.exchange(true)) return;
  if (message) fail(context_, *message);
  done_();
}

CheckedRun::CheckedRun(std::vector<CheckedNode> nodes) : nodes_(std::move(nodes)), present_(nodes_.size(), false) {
  for (std::size_t place = 0; place < nodes_.size(); ++place) by_name_.emplace(nodes_[place].name, static_cast<int>(place));
}

int CheckedRun::find(const std::string& node) const {
  for (const Guess& guess : described_names(node)) {
    const auto found = by_name_.find(guess.name);
    if (found != by_name_.end()) return guess.folded && !nodes_[found->second].single ? -1 : found->second;
  }
  return -1;
}

void CheckedRun::add_kernel(Source output) {
  const std::lock_guard<std::mutex> lock(mutex_);
  present_[output.first] = true;
  if (kernels_.insert(output).second) resolved_ = false;
}

std::uint64_t CheckedRun::begin_call() {
  const std::lock_guard<std::mutex> lock(mutex_);
  calls_.insert(++clock_);
  return clock_;
}

// A step begins after its call. So where all calls under way began after a step was first seen, the step's is over.
void CheckedRun::end_call(std::uint64_t call) {
  std::unordered_map<std::int64_t, Step> over;
  const std::lock_guard<std::mutex> lock(mutex_);
  calls_.erase(call);
  for (auto step = steps_.begin(); step != steps_.end();) {
    if (calls_.empty() || step->second.began < *calls_.begin()) {
      over.insert(steps_.extract(step++));
    } else {
      ++step;
    }
  }
}

CheckedRun::Step& CheckedRun::step_of(std::int64_t step) {
  const auto found = steps_.find(step);
  if (found != steps_.end()) return found->second;
  Step& made = steps_[step];
  made.began = clock_;
  return made;
}

std::optional<std::string> CheckedRun::failure(std::int64_t step) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = steps_.find(step);
  return found == steps_.end() ? std::nullopt : found->second.failure;
}

void CheckedRun::fail_step(std::int64_t step, const std::string& message) {
  std::vector<std::shared_ptr<Waiter>> waiters;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Step& failed = step_of(step);
    if (!failed.failure) failed.failure = message;
    waiters.swap(failed.waiters);
  }
  for (const auto& waiter : waiters) waiter->release(message);
}

void CheckedRun::note_passed(std::int64_t step, int kinds) {
  const std::lock_guard<std::mutex> lock(mutex_);
  step_of(step).passed |= kinds;
}

int CheckedRun::incoming(std::int64_t step, Turn turn, int node) {
  std::vector<std::shared_ptr<Given>> given;
  int possible = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    Step& running = step_of(step);
    possible = running.passed;
    if (possible == 0) return 0;
    const auto& held = running.turns[turn];
    for (const Source& source : sources(node)) {
      if ((nodes_[source.first].foreign >> std::min(source.second, 63) & 1) != 0) continue;
      const auto found = held.find(source);
      if (found == held.end()) return possible;
      given.push_back(found->second.tensor);
    }
    if (unknown_[node]) return possible;
  }
  int kinds = 0;
  for (const auto& tensor : given) kinds |= tensor->kinds();
  return kinds & possible;
}

std::shared_ptr<Given> CheckedRun::held(std::int64_t step, Turn turn, Source source) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto running = steps_.find(step);
  if (running == steps_.end()) return nullptr;
  const auto tensors = running->second.turns.find(turn);
  if (tensors == running->second.turns.end()) return nullptr;
  const auto found = tensors->second.find(source);
  return found == tensors->second.end() ? nullptr : found->second.tensor;
}

void CheckedRun::checked(std::int64_t step, Turn turn, Source output, std::shared_ptr<Given> tensor) {
  std::vector<std::shared_ptr<Given>> unneeded;
  std::vector<std::shared_ptr<Waiter>> free;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    resolve();
    Step& running = step_of(step);
    drop_earlier(running, turn);
    const auto takers = takers_.find(output);
    if (tensor != nullptr && takers != takers_.end()) {
      running.turns[turn][output] = {std::move(tensor), takers->second};
    }
    const CheckedNode& node = nodes_[output.first];
    if ((node.checked >> output.second & 1) != 0) {
      const auto held = running.turns.find(turn);
      for (const Source& source : held == running.turns.end() ? std::vector<Source>{} : sources(output.first)) {
        const auto found = held->second.find(source);
        if (found == held->second.end() || --found->second.takers > 0) continue;
        unneeded.push_back(std::move(found->second.tensor));
        held->second.erase(found);
      }
      if (held != running.turns.end() && held->second.empty()) running.turns.erase(held);
      if (++running.checked[output.first] == kernels_of_[output.first]) {
        for (const auto& waiter : running.waiters) {
          waiter->left.erase(output.first);
          if (waiter->left.empty()) free.push_back(waiter);
        }
        const auto done = [](const auto& waiter) { return waiter->left.empty() || waiter->released(); };
        running.waiters.erase(std::remove_if(running.waiters.begin(), running.waiters.end(), done), running.waiters.end());
      }
    }
  }
  for (const auto& waiter : free) waiter->release(std::nullopt);
}

std::shared_ptr<Waiter> CheckedRun::wait(std::int64_t step, int node,
                                         const std::function<std::shared_ptr<Waiter>(std::set<int>)>& add) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Step& running = step_of(step);
  if (running.failure) return nullptr;
  std::set<int> left;
  for (const int other : nodes_[node].waits) {
    const auto kernels = kernels_of_.find(other);
    if (kernels != kernels_of_.end() && running.checked[other] < kernels->second) left.insert(other);
  }
  if (left.empty()) return nullptr;
  running.waiters.push_back(add(std::move(left)));
  return running.waiters.back();
}

// What an output was computed from: of an input that the runtime has fused away, what that was computed from.
const std::vector<Source>& CheckedRun::sources(int place) {
  resolve();
  return sources_[place];
}

void CheckedRun::resolve() {
  if (resolved_) return;
  resolved_ = true;
  sources_.assign(nodes_.size(), {});
  unknown_.assign(nodes_.size(), false);
  takers_.clear();
  kernels_of_.clear();
  for (std::size_t place = 0; place < nodes_.size(); ++place) {
    if (!present_[place] || nodes_[place].checked == 0) continue;
    std::set<Source> found;
    std::set<int> seen;
    std::vector<Source> waiting = nodes_[place].inputs;
    unknown_[place] = nodes_[place].unknown;
    while (!waiting.empty()) {
      const Source source = waiting.back();
      waiting.pop_back();
      if (present_[source.first]) {
        found.insert(source);
      } else if (seen.insert(source.first).second) {
        const auto& inputs = nodes_[source.first].inputs;
        if (nodes_[source.first].unknown) unknown_[place] = true;
        waiting.insert(waiting.end(), inputs.begin(), inputs.end());
      }
    }
    sources_[place].assign(found.begin(), found.end());
  }
  for (const auto& [place, slot] : kernels_) {
    if ((nodes_[place].checked >> slot & 1) == 0) continue;
    ++kernels_of_[place];
    for (const Source& source : sources_[place]) ++takers_[source];
  }
}

// Turns of a loop that is being watched run one after the other.
void CheckedRun::drop_earlier(Step& step, Turn turn) {
  while (true) {
    const auto first = step.turns.lower_bound({turn.first, 0});
    if (first == step.turns.end() || first->first.first != turn.first || first->first.second + 1 >= turn.second) break;
    step.turns.erase(first);
  }
  if (step.turns.size() <= kMostTurns) return;
  const auto oldest = std::find_if(step.turns.begin(), step.turns.end(), [&](const auto& each) {
    return each.first.first != 0 && each.first.first != turn.first;
  });
  if (oldest != step.turns.end()) step.turns.erase(oldest);
}

}  // namespace tensordbg
