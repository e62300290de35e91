// The callbacks that PyTorch calls at the beginning and the end of every operation, and of every node of a backward pass.
#pragma once

#include <ATen/record_function.h>

#include "freed_memory.h"

namespace tensordbg_torch {

struct Callback {
  at::RecordFunctionCallback::StartCallback begin;
  at::RecordFunctionCallback::EndCallback end;
};

class Callbacks {
 public:
  // Has PyTorch call them in all threads; if it does already, those of before stay.
  void attach(Callback operation, Callback backward) {
    if (operations_ != at::INVALID_CALLBACK_HANDLE) return;
    keep_freed_memory();
    operations_ = at::addGlobalCallback(at::RecordFunctionCallback(operation.begin, operation.end)
                                            .needsInputs(true)
                                            .needsOutputs(true)
                                            .scopes({at::RecordScope::FUNCTION}));
    backward_ = at::addGlobalCallback(
        at::RecordFunctionCallback(backward.begin, backward.end).scopes({at::RecordScope::BACKWARD_FUNCTION}));
  }

  void detach() {
    if (operations_ == at::INVALID_CALLBACK_HANDLE) return;
    rests_ = false;
    at::removeCallback(operations_);
    at::removeCallback(backward_);
    operations_ = backward_ = at::INVALID_CALLBACK_HANDLE;
  }

  // Has it call none of them until `wake`; what an operation is given is then not gathered for us either.
  void rest() {
    if (operations_ == at::INVALID_CALLBACK_HANDLE || rests_) return;
    at::disableCallback(operations_);
    at::disableCallback(backward_);
    rests_ = true;
  }

  void wake() {
    if (operations_ == at::INVALID_CALLBACK_HANDLE || !rests_) return;
    at::reenableCallback(operations_);
    at::reenableCallback(backward_);
    rests_ = false;
  }

 private:
  bool rests_ = false;
  at::CallbackHandle operations_ = at::INVALID_CALLBACK_HANDLE;
  at::CallbackHandle backward_ = at::INVALID_CALLBACK_HANDLE;
};

}  // namespace tensordbg_torch
