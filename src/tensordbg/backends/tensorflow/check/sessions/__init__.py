"""Checks of what sessions compute, by watches on the partitioned graph; also of what the runtime never computed.

`runs.py` uses the watches by which sessions are recorded, with an operation of its own, `TensordbgSessionCheck`
(`native/tensorflow/check_session.cpp`). The runtime lets whatever takes a tensor wait for its watch, so the first
that fails is the origin's. A watch sees its own tensor only; so it keeps it
(`native/tensorflow/check_session_steps.cpp`) until those have been checked that were computed from it, for the
message and for the rules of what is allowed. What Grappler fused is not there: a watch then keeps what went into the
chain, and a failed one has the chain computed eagerly (`unseen.py`), with TensorFlow's own kernels. What is
only chosen from is looked at once the choice has put out something bad; until then all that went into it is kept.

Control edges lead past a watch: TensorFlow's optimizers let an update wait for another gradient to be *computed*. So
a watch of what goes into the update waits for the other check (`waits.py`), as an asynchronous kernel, which blocks
no thread. The C API hands such a kernel the address of a callback on the stack; ours copies the `std::function`
behind it, where the name of one of TensorFlow's functions shows that it is that type. If there is none, nothing
waits. A check that never comes, since its operation failed, is waited for two seconds.
"""
