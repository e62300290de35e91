"""Fixes that hold in every framework."""

from __future__ import annotations

from collections.abc import Mapping

FIXES: Mapping[str, Mapping[str, str]] = {
    # causes
    "arithmetic_overflow": {
        "": "Numbers as large as these are wrong as a rule: find out where they come from, scale or normalise them, or "
        "compute with logarithms or in float64.",
    },
    "bad_before_step": {
        "": "Run `tdbg run --check` with the program: it stops at the first operation whose result is not finite, with "
        "its line. Where that is in the model, or at this very line, the data came so: look at that row.",
        "columns": "Look at how the data are scaled before that: a column that is the same in all rows has a standard "
        "deviation of 0, and 0/0 is NaN; divide by `std + 1e-7`. `tdbg run --check` with the program finds the line.",
    },
    "bad_input_data": {
        "columns": "Look at how the data were scaled: a column that is the same in all rows has a standard deviation "
        "of 0, and 0/0 is NaN. Divide by `std + 1e-7`, or drop columns that are constant or have no values.",
        "python": "Look into that function: it divides by 0, takes a root or logarithm that there is none of, or reads "
        "bad data. `np.seterr(all='raise')` in it raises at the line.",
    },
    "bad_variable": {
        "given": "Look at how that line comes to the value: what it computes with NumPy or plain Python is not "
        "recorded (a mean over no steps), nor where it was read. `np.isfinite(value).all()` before it tells at once.",
        "between_recorded_steps": "Use `tdbg trap`, which tests each step at little cost, and keeps the first bad one "
        "whole, however late it comes; or, where it comes soon, record once more without `--overhead` or `--every`.",
    },
    "before_kept_events": {
        "": "Record again and keep more: a larger N for `--last N` or `circular_buffer_size`, or all; `--detail` and "
        "the filters decide how much room an event takes.",
    },
    "between_recorded_tensors": {
        "": "The steps after it were recorded whole: if numbers go bad in them again, that is told too. Otherwise "
        "record once more without `--overhead`, or use `tdbg trap`: it keeps the first bad step whole at little cost.",
    },
    "division_by_zero": {
        "accumulator": "Start the accumulator above 0: `initial_accumulator_value=0.1`.",
        "added_after": "The {added} is added to the quotient, too late: add it to the divisor, `a / (b + 1e-7)`.",
    },
    "epsilon": {
        "zero": "The number that is added to {name}, or bounds it, is 0 in {dtype}: take 1e-7.",
        "zero_half": "The small number that is added to {name} is 0 in float16 (1e-8 is below its smallest number): "
        "take 1e-4, or compute this in float32.",
    },
    "from_another_process": {
        "": "Look at all processes together: record each of them into one folder (`tdbg run --out FOLDER`), and "
        "`tdbg why FOLDER` names the one in which it started.",
        "captures": "Replay this step's captures of the other processes too: in one of them it started.",
    },
    "function_domain": {"cosine": " A cosine of unit vectors leaves the domain by rounding alone."},
    "half_precision_overflow": {
        "processes": "Cast to float32 before the values are put together, or divide by the number of processes before.",
    },
    "jump": {
        "given": "Scale the data to about 1 before it goes in. ",
        "made": "Bound or normalise what {name} gives. ",
        "set": "Where a training had left the variable like that, lower its learning rate, or clip the gradients; else "
        "set it to smaller numbers. ",
    },
    "raised_rate": {
        "": "Training went on until the learning rate was raised: look at the schedule or the callback that did it, "
        "and keep the rate nearer to {before} than to {after}.",
    },
    "returned_from_python": {
        "": "Fix first what made {name} bad: this value then most likely goes with it. If it was not made from that, "
        "look at the data itself.",
    },
    "unknown": {"": "Look at its inputs: `tdbg show` prints how each of them looked before."},
    # warnings
    "dead_units": {
        "": "Lower the learning rate, start with smaller or positive biases, scale the inputs to about 1, or use an "
        "activation that has a slope everywhere: LeakyReLU, ELU, GELU.",
    },
    "growing_in_loop": {
        "": "Each iteration multiplies by more than 1. Scale the recurrent weights down (orthogonal, with a gain of 1 "
        "or less), put a bounded activation such as tanh or a normalisation into the loop, or use a gated cell (LSTM, "
        "GRU); clip the gradients.",
    },
    "growing_values": {
        "": "Bound the values, or normalise them: what grows like this is infinite before long.",
        "given": "Look at what is passed in: if it is meant to grow, all is well until its type holds it no longer; "
        "else scale it, to about 1.",
    },
    "often_zero_gradient": {
        "": "Most batches teach nothing: look at what the operation is given. A ReLU that is mostly off needs a "
        "smaller rate or another start, a clipped value wider limits, a mask more that it lets through.",
    },
    "saturated_activation": {
        "": "What goes in is too large: scale the inputs, start with smaller weights, normalise before the activation, "
        "or lower the learning rate; ReLU-like activations do not saturate.",
        "softmax": "The scores are too far apart: divide them by the root of their dimension, or normalise queries and "
        "keys.",
    },
    "saturated_output": {
        "": "See that the targets lie within the range of the activation: scale them, or let the last layer have none. "
        "If they do, what goes in is too large: lower the learning rate, scale the inputs, check the labels.",
    },
    "shrinking_values": {
        "": "Find out which operation takes the signal away: a factor below 1 applied again and again, a gate "
        "that closes, saturated activations. Normalisation layers and residual connections keep it up.",
        "gradient": "Look at the activations behind it: saturated sigmoids and tanhs let no gradient through. Use "
        "ReLU-like activations, normalisation layers or residual connections, a smaller learning rate.",
        "variable": "The weights collapse: lower the weight decay or the regularisation, or the learning rate.",
    },
    "negated_loss": {
        "": "Take the minus before the loss away: an optimizer makes smaller what it is given. If the error is "
        "meant to grow, as an adversary's, all is well.",
        "likelihood": "Take the negative as the loss, `loss = -log_likelihood`: an optimizer makes smaller what it is "
        "given.",
    },
    "unchanged_variable": {
        "no_effect": "Look at its gradient and at the learning rate that it is given: one of them is zero, or a "
        "constraint undoes the update.",
        "vanishing": "Its updates are next to nothing, so look at what its gradient passes on the way: saturated "
        "sigmoids and tanhs, small factors applied again and again. ReLU-like activations, normalisation layers and "
        "residual connections let it through. See also whether the learning rate is meant to be so small.",
    },
    "zero_gradient": {
        "": "Look at what the operation is given: a clipped, rounded, saturated or constant value has no slope.",
        "all_zero": "A mask or an activation that is zero throughout lets no gradient through: find out why it is.",
        "zero_weights": "Give the weights small random numbers at the beginning, other ones for each unit, as layers "
        "do by themselves: where they are all zero, nothing comes back through them.",
        "cancel": "See that nothing is compared with itself: in a ratio or difference of new and old values, such as "
        "two log-probabilities, cut the old ones off from the weights before.",
        "dead": "Lower the learning rate, start with smaller or positive biases, or use LeakyReLU, ELU or GELU.",
        "not_taken": "Look at what follows: it takes nothing of these units, or the values are so large that all "
        "behind them is saturated; then lower the learning rate.",
    },
    # alerts
    "other_parameters": {
        "known": "the machine of that process may compute wrong: start from the last checkpoint before this step "
        "without it and test its memory and processors; or look for what the program does in that process alone",
        "either": "one of the two machines may compute wrong, or the program changes the variable in one process "
        "alone: run these steps again on a third to see which is right",
    },
    "placement": {"no_kernel": "use operations that have one, or leave it if it is small"},
    "standing_still": {
        "": "look at what that process does now: `py-spy dump --pid PID` on its machine; if it is gone, its exit code "
        "and the system's log tell why"
    },
    # comparing
    "unlike_randomness": {
        "": "switch the randomness off in both runs (evaluation mode), or give both the same seed",
        "frameworks": "switch the randomness off in both runs (evaluation mode), or hand both the same numbers: no "
        "seed has two frameworks draw the same",
    },
}
