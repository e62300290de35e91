"""Logs of programs with loops, branches and functions that call functions, as they look on disk."""

from __future__ import annotations

from tests.importers.tfdbg2.logbuilder import LogBuilder


def nested_functions(log: LogBuilder) -> None:
    """`train(x)` squares x, calls `inner(y)`, which also captures the square, and its backward pass."""
    log.graph("root", "")
    log.graph("train", "train", "root")
    log.operation("train", "Placeholder", "x")
    log.operation("train", "Square", "Square", ["x:0"])
    log.graph("inner", "inner", "train")
    log.operation("inner", "Placeholder", "y")
    log.operation("inner", "Placeholder", "mul/Square", stack=["c"])
    log.operation("inner", "Log", "Log", ["y:0"])
    log.operation("inner", "Mul", "mul", ["Log:0", "mul/Square:0"])
    log.operation("inner", "Identity", "Identity", ["mul:0"])
    log.operation("inner", "NoOp", "NoOp", outputs=0)
    log.operation("train", "Neg", "Neg", ["StatefulPartitionedCall:0"])
    log.graph("backward", "__backward_inner_9", "inner")
    log.operation("backward", "Placeholder", "Placeholder")
    log.operation("backward", "Placeholder", "gradients/mul_grad/Mul/Log", stack=["c"])
    log.operation("backward", "Mul", "gradients/Mul", ["Placeholder:0", "gradients/mul_grad/Mul/Log:0"])
    log.operation("train", "Identity", "Identity", ["StatefulPartitionedCall_1:0"])
    log.operation("train", "NoOp", "NoOp", outputs=0)


def loop_and_branch(log: LogBuilder) -> None:
    """`train(x)` halves x in a loop that captures `limit`, then takes one of two branches."""
    log.graph("root", "")
    log.graph("train", "train", "root")
    log.operation("train", "Placeholder", "x")
    log.operation("train", "Const", "limit")
    log.graph("cond", "while_cond_4", "train")
    log.operation("cond", "Placeholder", "while/Placeholder")
    log.operation("cond", "Placeholder", "while/Less/limit")
    log.operation("cond", "Less", "while/Less", ["while/Placeholder:0", "while/Less/limit:0"])
    log.operation("cond", "NoOp", "while/NoOp", outputs=0)
    log.graph("body", "while_body_5", "train")
    log.operation("body", "Placeholder", "while/Placeholder")
    log.operation("body", "Placeholder", "while/limit")
    log.operation("body", "Mul", "while/mul", ["while/Placeholder:0", "while/limit:0"])
    log.operation("body", "Identity", "while/Identity", ["while/mul:0"])
    log.operation("body", "NoOp", "while/NoOp", outputs=0)
    log.operation("train", "While", "while", ["x:0", "limit:0"], outputs=2)
    log.operation("train", "Greater", "Greater", ["while:0", "limit:0"])
    log.graph("then", "cond_true_7", "train")
    log.operation("then", "Placeholder", "cond/Log/while")
    log.operation("then", "Log", "cond/Log", ["cond/Log/while:0"])
    log.operation("then", "Identity", "cond/Identity", ["cond/Log:0"])
    log.operation("then", "NoOp", "cond/NoOp", outputs=0)
    log.graph("else", "cond_false_8", "train")
    log.operation("else", "Placeholder", "cond/Add/x")
    log.operation("else", "Placeholder", "cond/Add/while")
    log.operation("else", "AddV2", "cond/Add", ["cond/Add/x:0", "cond/Add/while:0"])
    log.operation("else", "Identity", "cond/Identity", ["cond/Add:0"])
    log.operation("else", "NoOp", "cond/NoOp", outputs=0)
    log.operation("train", "If", "cond", ["Greater:0", "while:0", "x:0"])
    log.operation("train", "Identity", "Identity", ["cond:0"])
    log.operation("train", "NoOp", "NoOp", outputs=0)
