// How the nodes of a session's run are named as they run, and how they were named in the program's graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tensorflow/api.h"

namespace tensordbg {

// The tensor that a node watches which TensorFlow's debugger put in.
struct WatchedTensor {
  std::string node;
  int slot = 0;
};

// `__dbg_<node>:<slot>_<number>_<operation>` is how the inserter names the node.
std::optional<WatchedTensor> watched_tensor(tensorflow::TF_StringView name);

// What a node of the graph as it runs may be called in a description of the run, best guess first.
struct Guess {
  std::string name;
  bool folded = false;  // a constant that took the node's place: it does not tell which output it is
};
std::vector<Guess> described_names(const std::string& node);

// Our own copies in place of TensorFlow's, between a watched tensor and whoever takes it; once in a process.
void register_copies();

}  // namespace tensordbg
