"""Fixes in the words of TensorFlow and Keras."""

from __future__ import annotations

from collections.abc import Mapping

_CLIP = "clip the gradients (`tf.clip_by_global_norm(gradients, 1.0)`, `clipnorm=1.0` of a Keras optimizer)"
_DIVERGES = f"Training diverges. Lower the learning rate, {_CLIP}, scale the inputs to about 1."
_SCALE = "scale the data to about 1, subtracting its mean and dividing by its standard deviation; "
_PROBABILITIES = {
    "softmax": "The input is the output of a softmax. Compute the loss from the logits, which never takes the "
    "logarithm of 0: `tf.nn.softmax_cross_entropy_with_logits(labels, logits)`, or `tf.nn.log_softmax(logits)` "
    "(with Keras: a last layer without activation, and `from_logits=True`).",
    "sigmoid": "The input is the output of a sigmoid. Compute the loss from the logits: "
    "`tf.nn.sigmoid_cross_entropy_with_logits(labels, logits)`, or `tf.math.log_sigmoid(logits)` "
    "(with Keras: a last layer without activation, and `from_logits=True`).",
}
_OF_PROBABILITIES = (
    "Give it what goes into the {name} (a last layer without activation), or, where the {name} shall stay in "
    "the model, take the loss of probabilities: `from_logits=False`."
)

FIXES: Mapping[str, Mapping[str, str]] = {
    # causes
    "arithmetic_overflow": {
        "divisor": "Keep the divisor away from 0: `a / tf.maximum(b, 1e-7)`.",
        "processes": "Clip the values (`tf.clip_by_norm`) or divide by the number of processes before they are put "
        "together.",
        "squares": "Clip the gradients before the optimizer takes them (`tf.clip_by_global_norm(gradients, 1.0)`, "
        "`clipnorm=1.0` of a Keras optimizer): it squares them.",
        "update": "Lower the learning rate, or clip the gradients: `tf.clip_by_global_norm(gradients, 1.0)`.",
    },
    "bad_input_data": {
        "": "Look at that row of the data. Drop such rows, `dataset.filter(lambda x, y: "
        "tf.reduce_all(tf.math.is_finite(x)))`, or fill them in, `tf.where(tf.math.is_finite(x), x, 0.0)`.",
    },
    "bad_variable": {
        "": "Look at where the variable's first value comes from: a restored checkpoint, an initializer, or an "
        "assignment before recording began; `tf.debugging.assert_all_finite(variable, 'after restore')` tells at once.",
    },
    "cast_overflow": {
        "": "Scale or bound the values before the cast (`tf.saturate_cast(x, dtype)` bounds them), or cast to "
        "bfloat16, whose range is that of float32.",
    },
    "diverging_values": {
        "": _DIVERGES,
        "unscaled": f"Training diverges: {_SCALE}else lower the learning rate, or {_CLIP}.",
        "loop": "The loop enlarges its state in each iteration: multiply by smaller weights (orthogonal, with a gain "
        "of 1 or less), bound it (`tf.clip_by_norm`, `tf.tanh`), or normalise it.",
        "loop_gradient": "The gradient grows in each iteration of the loop, backwards: scale the recurrent weights "
        "down, or stop it after some iterations (`tf.stop_gradient`); clipping comes too late for what has overflowed.",
    },
    "division_by_zero": {
        "": "Use `tf.math.divide_no_nan(a, b)` where 0 is the right answer; else keep the divisor away from 0: "
        "`a / (b + 1e-7)`, or `a / tf.maximum(b, 1e-7)` for one that is never negative.",
        "epsilon": "Give the optimizer an epsilon above 0, such as `epsilon=1e-7`.",
        "epsilon_half": "Give the optimizer an epsilon that the type can hold, `epsilon=1e-4`, or keep the variables "
        "in float32 (`tf.keras.mixed_precision.set_global_policy('mixed_float16')`).",
        "norm": "Begin with weights that are not 0. For a layer that is to give 0 at first, set its scale to 0.",
        "normalisation": "Give the normalisation an epsilon: `epsilon=1e-3`.",
        "root": "Add a small number before the root: `tf.math.rsqrt(x + 1e-6)`.",
        "unwritten": "Write {name} before it is divided by (count first, then divide; run its update), "
        "start it at 1, or take `tf.math.divide_no_nan(a, b)` where 0 is the right answer.",
    },
    "epsilon": {
        "lost": "The {added} that is added to {name} does not keep it from 0, as what it is added to is "
        "negative or the type can't hold it: bound it from below instead, `tf.maximum(x, 1e-7)`.",
    },
    "exp_overflow": {
        "": "Take the maximum away before the exponential (`tf.nn.softmax` and `tf.reduce_logsumexp` do), write "
        "`tf.nn.softplus(x)` for log(1 + exp(x)), or bound the input: `tf.exp(tf.minimum(x, 80.0))`.",
    },
    "fully_masked_softmax": {
        "": "Mask with a large finite number, `tf.where(mask, x, tf.{dtype}.min)`, or keep rows that are masked "
        "throughout out of the softmax (`tf.keras.layers.Softmax()(x, mask)`).",
    },
    "function_domain": {
        "above": "Bound the input, `tf.maximum(x, {low} + 1e-7)`, or find out why it leaves the domain.",
        "between": "Bound the input: `tf.clip_by_value(x, {low} + 1e-6, {high} - 1e-6)`.",
        "infinity": "Keep the infinities out: mask with a large finite number, or clip (`tf.clip_by_value`).",
    },
    "half_precision_overflow": {
        "": "Compute this in float32 (`tf.cast(x, tf.float32)`, `dtype='float32'` for a Keras layer), or use bfloat16, "
        "whose range is that of float32. For gradients, `tf.keras.mixed_precision.LossScaleOptimizer`.",
    },
    "impossible_alignment": {
        "": "Leave out sequences whose labels are longer than what the network gives for them: compare `logit_length`, "
        "which pooling and strides make shorter, with `label_length`.",
    },
    "inf_minus_inf": {
        "": "Keep the infinities out before they meet: mask with a large finite number, or clip (`tf.clip_by_value`).",
    },
    "infinite_gradient": {
        "": "Keep the input of the forward operation away from 0. A `tf.where` after it does not help, as the gradient "
        "still passes through the branch not taken: put a harmless value in before it as well, "
        "`tf.where(ok, f(tf.where(ok, x, 1.0)), 0.0)`.",
        "added_after": "The {added} is added behind the root, which leaves its slope at 0 infinite: put it "
        "under the root, `tf.sqrt(x + 1e-12)`.",
        "root": "Add a small number under the root, `tf.sqrt(x + 1e-12)`, also in norms and distances: "
        "`tf.sqrt(tf.reduce_sum(v * v) + 1e-12)` in place of `tf.norm(v)`.",
        "distinct": "Vectors that belong to equal values have no gradient: differentiate the values alone "
        "(`tf.linalg.svd(a, compute_uv=False)`, `tf.linalg.eigvalsh`), or pull equal ones apart before, "
        "`a + tf.linalg.diag(1e-4 * tf.random.uniform([n]))`.",
        "edge": "Keep the input of the forward operation off the ends of its domain, "
        "`tf.clip_by_value(x, {low} + 1e-6, {high} - 1e-6)`.",
        "edge_cosine": " Of two vectors in space, `tf.atan2(tf.norm(tf.linalg.cross(a, b), axis=-1), "
        "tf.reduce_sum(a * b, -1))` tells small angles better.",
        "edge_low": "Keep the input of the forward operation off the end of its domain, `tf.maximum(x, {low} + 1e-6)`.",
        **_PROBABILITIES,
    },
    "jump": {
        "update": f"One update was too large: lower the learning rate, or {_CLIP}. ",
        "unscaled": f"One update was too large: {_SCALE}else lower the learning rate, or {_CLIP}. ",
    },
    "log_of_negative": {
        "": "Find out why the input is negative (a difference, a layer without softplus or softmax behind it), "
        "or bound it: `tf.math.log(tf.maximum(x, 1e-7))`.",
        "one_plus": "Find out why the input falls below -1, or bound it: `tf.math.log1p(tf.maximum(x, -1 + 1e-7))`.",
    },
    "log_of_zero": {
        "": "Keep the input away from 0: `tf.math.log(tf.maximum(x, 1e-7))`; for a product with a factor that is 0 "
        "there, `tf.math.xlogy(factor, x)`.",
        "added_after": "The {added} is added to the logarithm, too late: `tf.math.log(x + 1e-7)`.",
        "exponentials": "The input is made of exponentials that have become 0: compute with what they are taken of, "
        "`tf.reduce_logsumexp(x, axis)` for the logarithm of a sum of exponentials; add the logarithms of factors to "
        "x.",
        "probabilities": "The input is a product of many probabilities that has become 0: add up their logarithms, "
        "`tf.nn.log_softmax` in place of the softmax and `a + b` of `a * b`; a sum or matrix product of them is "
        "`tf.reduce_logsumexp(a[:, None] + b, 0)`.",
        "one_plus": "Keep the input above -1: `tf.math.log1p(tf.maximum(x, -1 + 1e-7))`.",
        "tanh": "The input is 1 - tanh(x)^2: compute its logarithm from x, "
        "`2 * (math.log(2.0) - x - tf.math.softplus(-2 * x))`.",
        "quotient": "The input is a quotient. If it is a softmax written out, compute the loss from the logits: "
        "`tf.nn.softmax_cross_entropy_with_logits(labels, logits)`; else `tf.math.log(tf.maximum(x, 1e-7))`.",
        **_PROBABILITIES,
    },
    "non_finite_constant": {
        "": "If it serves as a mask, take the type's lowest finite number, `tf.{dtype}.min`, instead.",
        "missing": "If it stands for what is missing, leave that out before anything is computed of it: `ok = "
        "tf.math.is_finite(target)`, `loss_fn(target[ok], prediction[ok])`. A `tf.where` on the loss does not help, as "
        "the gradient of the branch not taken is NaN too.",
    },
    "pow_domain": {
        "": "Bound the base, `tf.pow(tf.maximum(x, 1e-7), p)`; for the power of a magnitude "
        "`tf.sign(x) * tf.pow(tf.abs(x), p)`.",
    },
    "reduction_of_nothing": {
        "": "Keep empty batches out (`drop_remainder=True`, or a filter), or say what nothing amounts to: "
        "`tf.cond(tf.size(x) > 0, lambda: tf.reduce_mean(x), lambda: 0.0)`, or "
        "`tf.math.divide_no_nan(tf.reduce_sum(x), count)`.",
    },
    "regrouped_operations": {
        "": "The factors or terms that this line and the next ones apply are too large together: write them as one "
        "number that its type can hold, or leave them apart: "
        "`config.graph_options.rewrite_options.arithmetic_optimization` and `constant_folding` set to "
        "`RewriterConfig.OFF`.",
    },
    "root_of_negative": {
        "": "If rounding alone brings the input below 0 (a variance as E[x^2] - E[x]^2), bound it: "
        "`tf.sqrt(tf.maximum(x, 0.0) + 1e-12)`; else find out why it is negative.",
    },
    "shrinking_divisor": {
        "": "Keep the divisor away from 0: `a / tf.maximum(b, 1e-3)`, with the smallest number that makes sense there.",
        "exponential": "Bound what the exponential is taken of: `tf.exp(tf.maximum(x, -4.6))` is never below 0.01.",
        "variable": "Keep {name} away from 0: divide by `tf.maximum(b, 0.01)`. Where it is learned, as a temperature, "
        "learn its logarithm, which leaves it positive, and bound that: divide by `tf.exp(tf.maximum(log_b, -4.6))`.",
    },
    "singular_matrix": {
        "": "Add a little to the diagonal before (`a + 1e-6 * tf.eye(n)`), or solve with a regulariser: "
        "`tf.linalg.lstsq(a, b, l2_regularizer=1e-6)`; columns that depend on each other make a matrix singular.",
        "determinant": "The determinant is 0: add a little to the diagonal before, `a + 1e-6 * tf.eye(n)`.",
    },
    "source_not_seen": {
        "": "Record all operations, without filters of names or types, and from the start of the program. If it is so "
        "still, look at what {name} was made from: `tf.debugging.assert_all_finite` before that line.",
    },
    "zero_times_inf": {
        "": "A mask cannot be multiplied in where infinities are: choose with `tf.where(mask, x, 0.0)`, or "
        "`tf.math.multiply_no_nan(x, mask)`.",
        "loss": "Mask the logits with a large finite number, `tf.where(mask, x, tf.{dtype}.min)`.",
    },
    "unknown": {
        "unseen": "Call `tf.config.run_functions_eagerly(True)` first, and leave `jit_compile=True` out: nothing is "
        "compiled then, and the operation that began is named.",
    },
    # warnings
    "wrapped_integers": {
        "": "Compute this in a wider type (`tf.cast(x, tf.int32)`, `tf.int64`, or a floating-point type).",
        "cast": "Clip first, or use `tf.saturate_cast`, or a wider type.",
    },
    "activation_twice": {"sigmoid": _OF_PROBABILITIES, "softmax": _OF_PROBABILITIES},
    "clipped_probabilities": {
        "": "Have the loss take logits, `BinaryCrossentropy(from_logits=True)` "
        "(`tf.nn.sigmoid_cross_entropy_with_logits`), or end the model with a sigmoid, or a softmax.",
    },
    "constant_loss": {
        "": "See that the optimizer is given the variables and a rate above zero, that the loss depends on them (no "
        "rounding, `tf.argmax`, clipping or `tf.stop_gradient` between), and that outputs and labels vary.",
    },
    "cut_part": {
        "": "Compute this part of what has a slope: the probabilities in place of `tf.cast(p > 0.5, tf.float32)`, a "
        "softmax in place of `tf.argmax`. If it is only to be watched, leave it out of the loss.",
    },
    "growing_values": {
        "sign": " The loss rises from the first step on: look at the sign too, an update is `assign_sub` of the "
        "gradient.",
        "training": _DIVERGES,
        "unbounded": "Look at the sign of the loss: what is to become larger (an ELBO, a log-likelihood, a reward) is "
        "negated before its gradient is taken, `loss = -elbo`. Else bound what grows: clip it, or add a penalty.",
    },
    "half_precision": {
        "large": "Compute this in float32 (`dtype='float32'` for a Keras layer, `tf.cast(x, tf.float32)`), scale it "
        "down, or use bfloat16, whose range is that of float32.",
        "small": "Scale the loss (`tf.keras.mixed_precision.LossScaleOptimizer`, which the policy `mixed_float16` "
        "brings along), or compute this in float32 or bfloat16.",
    },
    "log_near_zero": {
        "": "Compute the loss from the logits (`tf.nn.sparse_softmax_cross_entropy_with_logits`, "
        "`tf.nn.sigmoid_cross_entropy_with_logits`, `tf.nn.log_softmax`), or keep the input from 0: "
        "`tf.math.log(tf.maximum(x, 1e-7))`.",
    },
    "no_updates": {
        "frozen": "Set `trainable = True` for what is to be trained, and compile the model again; `model.summary()` "
        "counts what is trainable.",
        "others": "Give `optimizer.apply_gradients` the variables that the model computes with.",
        "rate": "Look at the learning rate, `optimizer.learning_rate`, and at what a schedule makes of it.",
        "rounded": "Keep the variables in float32, as the policies `mixed_float16` and `mixed_bfloat16` do, and look "
        "at the learning rate, `optimizer.learning_rate`.",
        "set_back": "Give `optimizer.apply_gradients` what the tape gave.",
    },
    "outer_broadcast": {
        "": "Give both the same shape: `tf.squeeze(x, axis=-1)` of the column, or `tf.expand_dims(y, -1)` of the "
        "other.",
    },
    "rising_loss": {
        "": "Look at the sign: an optimizer makes the loss smaller, so `assign_sub` the gradient, and give it the "
        "negative of what should grow. If the sign is right, lower the learning rate.",
    },
    "softmax_of_one": {
        "": "For two classes with one output use a sigmoid and its loss (`activation='sigmoid'`, "
        "`BinaryCrossentropy`), or give the layer as many outputs as there are classes; else name the right axis.",
        "axis": "Name the axis over which it is meant, `tf.nn.softmax(x, axis=1)` (`Softmax(axis=1)`): a softmax that "
        "weighs positions, as attention does, is taken over them, and the last axis has a length of 1. For two classes "
        "with one output use a sigmoid.",
    },
    "unchanged_variable": {
        "cut": "Look for what has no gradient between it and the loss: `tf.argmax`, `tf.round`, a comparison, a cast "
        "to whole numbers, `tf.stop_gradient`, NumPy. `tape.gradient` gives None for it, and Keras says so itself.",
        "rounded": "Keep the variables in float32, as the policies `mixed_float16` and `mixed_bfloat16` do, or raise "
        "the learning rate, which may bring other trouble.",
        "unwritten": "Give it to the optimizer with the others, and see that the loss depends on it: `tape.gradient` "
        "gives None where it does not. If it is meant to stay as it is, make it with `trainable=False`, or freeze the "
        "layer.",
    },
    "zero_gradient": {
        "unconnected": "Connect it with the loss: look for `tf.stop_gradient`, rounding, comparisons or `tf.argmax` "
        "between.",
    },
    # failures
    "lost_gradient": {
        "": "look for what ran before the `GradientTape` began, or variables that it doesn't watch",
    },
    # comparing
    "unlike_randomness": {
        "kernels": "switch the randomness off in both runs (evaluation mode), or compare without `jit_compile`: by the "
        "same seed XLA draws other numbers",
    },
    # replays
    "replay": {
        "race": "tf.config.experimental.enable_op_determinism() rules out the first",
        "random": "draw them from a tf.random.Generator, whose state is captured",
    },
    # alerts
    "placement": {
        "asked": "take out the tf.device around it, if the CPU is not meant",
        "unknown": "see which of its inputs lies on the CPU, or ask for the device with tf.device('/GPU:0')",
        "variable": "make the variable where no tf.device chooses the CPU",
    },
    "retracing": {
        "": "look at what differs between its calls: the device, the strategy or the scopes around them",
        "Python value": "pass it as a tensor, such as tf.constant({name}), if the graph need not depend on its value",
        "dtype": "cast it to one dtype before the call, or give an input_signature",
        "kind": "pass it the same way each time, as a tensor",
        "library": "give it data of one shape and dtype each time (drop_remainder=True for batches)",
        "made_anew": "make the tf.function once, outside of the loop, and call that",
        "object": "pass the same object each time, or the tensors that it holds",
        "shape": "give tf.function(reduce_retracing=True), or an input_signature with None where the shape changes, or "
        "bring the tensors to one shape (drop_remainder=True for batches)",
        "structure": "pass it with the same structure each time, with tensors in place of Python numbers",
    },
}
"""By what is wrong, then by what else is known of it."""

NOT_THERE: Mapping[str, str] = {
    "accumulated_gradients": "a tape gives gradients of its own each time",
    "clipped_while_scaled": "a LossScaleOptimizer divides the gradients before it clips them",
    "deviation_of_one": "TensorFlow divides by the number of rows itself",
    "evaluation_mode": "a layer is told in each call whether it learns",
    "factor_not_finite": "TensorFlow's sums scale nothing by a number of Python's",
    "no_label_counts": "TensorFlow's losses know no label that is ignored",
    "no_log_probabilities": "TensorFlow's losses take logits or probabilities",
    "splitting": "a tf.function is one graph, or it is not made",
    "training_mode": "a layer is told in each call whether it learns",
    "without_gradient": "Keras and tapes say themselves which variables have no gradient",
}
"""What can't be wrong in TensorFlow, with the reason."""
