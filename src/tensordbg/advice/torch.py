"""Fixes in the words of PyTorch."""

from __future__ import annotations

from collections.abc import Mapping

_CLIP = "clip the gradients (`torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)` before `optimizer.step()`)"
_DIVERGES = f"Training diverges. Lower the learning rate, {_CLIP}, scale the inputs to about 1."
_SCALE = "scale the data to about 1, subtracting its mean and dividing by its standard deviation; "
_PROBABILITIES = {
    "softmax": "The input is the output of a softmax. Compute the loss from the logits, which never takes the "
    "logarithm of 0: `torch.nn.functional.cross_entropy(logits, labels)`, or "
    "`torch.nn.functional.log_softmax(logits, dim=-1)` (with modules: no `nn.Softmax` at the end, and "
    "`nn.CrossEntropyLoss`).",
    "sigmoid": "The input is the output of a sigmoid. Compute the loss from the logits: "
    "`torch.nn.functional.binary_cross_entropy_with_logits(logits, labels)`, or "
    "`torch.nn.functional.logsigmoid(logits)` (with modules: no `nn.Sigmoid` at the end, and `nn.BCEWithLogitsLoss`).",
}

FIXES: Mapping[str, Mapping[str, str]] = {
    # causes
    "arithmetic_overflow": {
        "divisor": "Keep the divisor away from 0: `a / b.clamp(min=1e-7)`.",
        "processes": "Clip the values (`x.clamp(-limit, limit)`, for gradients `torch.nn.utils.clip_grad_norm_`) or "
        "divide by the number of processes before they are put together.",
        "squares": "Clip the gradients before the optimizer takes them "
        "(`torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)`): it squares them.",
        "update": "Lower the learning rate, or clip the gradients: "
        "`torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)`.",
    },
    "bad_input_data": {
        "": "Look at that row of the data. Drop such rows, `x[torch.isfinite(x).flatten(1).all(dim=1)]`, or fill them "
        "in, `torch.where(torch.isfinite(x), x, 0.0)`.",
    },
    "bad_variable": {
        "": "Look at where the parameter's first value comes from: a loaded checkpoint, its initialisation, or a "
        "change before recording began; `torch.isfinite(parameter).all()` tells at once.",
    },
    "cast_overflow": {
        "": "Scale or bound the values before the cast (`x.clamp(torch.finfo(dtype).min, torch.finfo(dtype).max)` "
        "bounds them), or cast to bfloat16, whose range is that of float32.",
    },
    "deviation_of_one": {
        "": "Take the deviation over more than one row (`drop_last=True` of the `DataLoader`), or divide by their "
        "number: `torch.std(x, 0, correction=0)`.",
    },
    "diverging_values": {
        "": _DIVERGES,
        "unscaled": f"Training diverges: {_SCALE}else lower the learning rate, or {_CLIP}.",
        "loop": "The loop enlarges its state in each iteration: multiply by smaller weights "
        "(`torch.nn.init.orthogonal_(weight, gain=1.0)`), bound it (`torch.tanh`, `torch.clamp`), or normalise it.",
        "loop_gradient": "The gradient grows in each iteration of the loop, backwards: scale the recurrent weights "
        "down, or stop it after some iterations (`state.detach()`); clipping comes too late for what has overflowed.",
    },
    "division_by_zero": {
        "": "Keep the divisor away from 0: `a / (b + 1e-7)`, or `a / b.clamp(min=1e-7)` for one that is never "
        "negative; where 0 is the right answer, `torch.where(b == 0, 0.0, a / torch.where(b == 0, 1.0, b))`.",
        "epsilon": "Give the optimizer an epsilon above 0, such as `eps=1e-8`.",
        "epsilon_half": "Give the optimizer an epsilon that the type can hold, `eps=1e-4`, or keep the parameters in "
        "float32 and compute in half precision under `torch.autocast`.",
        "norm": "Begin with weights that are not 0. For a layer that is to give 0 at first, set its scale to 0: "
        "`nn.init.zeros_(layer.parametrizations.weight.original0)` behind `weight_norm(layer)`.",
        "normalisation": "Give the normalisation an epsilon: `eps=1e-5`.",
        "root": "Add a small number before the root: `torch.rsqrt(x + 1e-6)`.",
        "unwritten": "Write {name} before it is divided by (count first, then divide), start it at 1, or bound it, "
        "`b.clamp(min=1)`.",
    },
    "epsilon": {
        "lost": "The {added} that is added to {name} does not keep it from 0, as what it is added to is "
        "negative or the type can't hold it: bound it from below instead, `x.clamp(min=1e-7)`.",
    },
    "exp_overflow": {
        "": "Take the maximum away before the exponential (`torch.softmax` and `torch.logsumexp` do), write "
        "`torch.nn.functional.softplus(x)` for log(1 + exp(x)), or bound the input: `torch.exp(x.clamp(max=80.0))`.",
    },
    "factor_not_finite": {
        "": "Look at what that line scales by: print `optimizer.param_groups[0]['lr']` and what a scheduler makes of "
        "it in this step, or the `alpha` that is given.",
    },
    "fully_masked_softmax": {
        "": "Mask with a large finite number, `x.masked_fill(~mask, torch.finfo(torch.{dtype}).min)`, or see that each "
        "row of the mask leaves one element, also that of an attention (`attn_mask`, `key_padding_mask`).",
    },
    "function_domain": {
        "above": "Bound the input, `x.clamp(min={low} + 1e-7)`, or find out why it leaves the domain.",
        "between": "Bound the input: `x.clamp({low} + 1e-6, {high} - 1e-6)`.",
        "infinity": "Keep the infinities out: mask with a large finite number, or clip (`torch.clamp`).",
    },
    "half_precision_overflow": {
        "": "Compute this in float32 (`x.float()` within `torch.autocast(device, enabled=False)`), or use bfloat16 "
        "(`torch.autocast(device, dtype=torch.bfloat16)`), whose range is that of float32. For gradients, "
        "`torch.amp.GradScaler`.",
    },
    "impossible_alignment": {
        "": "Leave out sequences whose labels are longer than what the network gives for them (compare "
        "`input_lengths`, which pooling and strides make shorter, with `target_lengths`), or let them count nothing: "
        "`CTCLoss(zero_infinity=True)`.",
    },
    "inf_minus_inf": {
        "": "Keep the infinities out before they meet: mask with a large finite number, or clip (`torch.clamp`).",
    },
    "infinite_gradient": {
        "": "Keep the input of the forward operation away from 0. A `torch.where` after it does not help, as the "
        "gradient still passes through the branch not taken: put a harmless value in before it as well, "
        "`torch.where(ok, f(torch.where(ok, x, 1.0)), 0.0)`.",
        "added_after": "The {added} is added behind the root, which leaves its slope at 0 infinite: put it "
        "under the root, `torch.sqrt(x + 1e-12)`.",
        "root": "Add a small number under the root, `torch.sqrt(x + 1e-12)`, also in norms and distances: "
        "`torch.sqrt((v * v).sum() + 1e-12)` in place of `torch.linalg.norm(v)`.",
        "distinct": "Vectors that belong to equal values have no gradient: differentiate the values alone "
        "(`torch.linalg.svdvals`, `torch.linalg.eigvalsh`), or pull equal ones apart before, "
        "`a + torch.diag(1e-4 * torch.rand(n))`.",
        "edge": "Keep the input of the forward operation off the ends of its domain, "
        "`x.clamp({low} + 1e-6, {high} - 1e-6)`.",
        "edge_cosine": " Of two vectors in space, "
        "`torch.atan2(torch.linalg.cross(a, b).norm(dim=-1), (a * b).sum(-1))` tells small angles better.",
        "edge_low": "Keep the input of the forward operation off the end of its domain, `x.clamp(min={low} + 1e-6)`.",
        **_PROBABILITIES,
    },
    "jump": {
        "update": f"One update was too large: lower the learning rate, or {_CLIP}. ",
        "unscaled": f"One update was too large: {_SCALE}else lower the learning rate, or {_CLIP}. ",
    },
    "log_of_negative": {
        "": "Find out why the input is negative (a difference, a layer without softplus or softmax behind it), "
        "or bound it: `torch.log(x.clamp(min=1e-7))`.",
        "one_plus": "Find out why the input falls below -1, or bound it: `torch.log1p(x.clamp(min=-1 + 1e-7))`.",
    },
    "log_of_zero": {
        "": "Keep the input away from 0: `torch.log(x.clamp(min=1e-7))`; for a product with a factor that is 0 there, "
        "`torch.xlogy(factor, x)`.",
        "added_after": "The {added} is added to the logarithm, too late: `torch.log(x + 1e-7)`.",
        "exponentials": "The input is made of exponentials that have become 0: compute with what they are taken of, "
        "`torch.logsumexp(x, dim)` for the logarithm of a sum of exponentials; add the logarithms of factors to x "
        "(`torch.distributions` have such a `log_prob`).",
        "probabilities": "The input is a product of many probabilities that has become 0: add up their logarithms, "
        "`torch.log_softmax` in place of the softmax and `a + b` of `a * b`; a sum or matrix product of them is "
        "`torch.logsumexp(a[:, None] + b, 0)`.",
        "one_plus": "Keep the input above -1: `torch.log1p(x.clamp(min=-1 + 1e-7))`.",
        "tanh": "The input is 1 - tanh(x)^2: compute its logarithm from x, "
        "`2 * (math.log(2.0) - x - torch.nn.functional.softplus(-2 * x))`, as "
        "`torch.distributions.transforms.TanhTransform` does.",
        "quotient": "The input is a quotient. If it is a softmax written out, compute the loss from the logits: "
        "`torch.nn.functional.cross_entropy(logits, labels)`; else `torch.log(x.clamp(min=1e-7))`.",
        **_PROBABILITIES,
    },
    "no_label_counts": {
        "": "Leave out batches in which no label counts, or divide the sum yourself: `F.cross_entropy(logits, labels, "
        "reduction='sum') / (labels != -100).sum().clamp(min=1)`.",
    },
    "non_finite_constant": {
        "": "If it serves as a mask, take the type's lowest finite number, `torch.finfo(torch.{dtype}).min`, instead.",
        "missing": "If it stands for what is missing, leave that out before anything is computed of it: `ok = "
        "torch.isfinite(target)`, `loss_fn(prediction[ok], target[ok])`. A `torch.where` on the loss does not help, as "
        "the gradient of the branch not taken is NaN too.",
    },
    "pow_domain": {
        "": "Bound the base, `x.clamp(min=1e-7) ** p`; for the power of a magnitude `x.sign() * x.abs() ** p`.",
    },
    "reduction_of_nothing": {
        "": "Keep empty batches out (`drop_last=True` of the `DataLoader`, or a test of `x.numel()`), or say what "
        "nothing amounts to: `x.sum() / max(x.numel(), 1)`.",
    },
    "root_of_negative": {
        "": "If rounding alone brings the input below 0 (a variance as E[x^2] - E[x]^2), bound it: "
        "`torch.sqrt(x.clamp(min=0.0) + 1e-12)`; else find out why it is negative.",
    },
    "shrinking_divisor": {
        "": "Keep the divisor away from 0: `a / b.clamp(min=1e-3)`, with the smallest number that makes sense there.",
        "exponential": "Bound what the exponential is taken of: `x.clamp(min=-4.6).exp()` is never below 0.01.",
        "variable": "Keep {name} away from 0: divide by `b.clamp(min=0.01)`. Where it is learned, as a temperature, "
        "learn its logarithm, which leaves it positive, and bound that: divide by `log_b.clamp(min=-4.6).exp()`.",
    },
    "singular_matrix": {
        "": "Add a little to the diagonal before (`a + 1e-6 * torch.eye(n)`), or solve by least squares: "
        "`torch.linalg.lstsq(a, b)`; columns that depend on each other make a matrix singular.",
        "determinant": "The determinant is 0: add a little to the diagonal before, `a + 1e-6 * torch.eye(n)`.",
    },
    "source_not_seen": {
        "": "Record all operations, without filters of names or types, and from the start of the program. If it is so "
        "still, look at what {name} was made from: `torch.isfinite(x).all()` before that line.",
    },
    "zero_times_inf": {
        "": "A mask cannot be multiplied in where infinities are: choose with `torch.where(mask, x, 0.0)`, or "
        "`x.masked_fill(~mask, 0.0)`.",
        "loss": "Mask the logits with a large finite number, `x.masked_fill(~mask, torch.finfo(torch.{dtype}).min)`.",
    },
    "unknown": {
        "unseen": "Run the program with `TORCHDYNAMO_DISABLE=1` in its environment: nothing is compiled then, and the "
        "operation that began is named.",
    },
    # warnings
    "accumulated_gradients": {
        "": "Call `optimizer.zero_grad()` in each step, before `loss.backward()`; where the gradients of several "
        "batches are to be added up, after each `optimizer.step()`.",
    },
    "clipped_while_scaled": {
        "": "Call `scaler.unscale_(optimizer)` between `scaler.scale(loss).backward()` and the clipping; `scaler.step` "
        "knows then that it is done.",
    },
    "activation_twice": {
        "sigmoid": "Give it what goes into the sigmoid (no `nn.Sigmoid` at the end), or, where the sigmoid shall stay "
        "in the model, take the loss of probabilities: `torch.nn.functional.binary_cross_entropy`.",
        "softmax": "Give it what goes into the softmax (no `nn.Softmax` at the end), or, where the softmax shall stay "
        "in the model, take the loss of probabilities: `torch.nn.functional.nll_loss(torch.log(p + 1e-7), labels)`.",
    },
    "wrapped_integers": {
        "": "Compute this in a wider type (`x.to(torch.int64)`, or a floating-point type).",
        "cast": "Clip first (`torch.clamp`), or cast to a wider type.",
    },
    "constant_loss": {
        "": "See that the optimizer is given the parameters and a rate above zero, that the loss depends on them (no "
        "rounding, `torch.argmax`, clipping or `.detach()` between), and that outputs and labels vary.",
    },
    "cut_part": {
        "": "Compute this part of what has a slope: the probabilities in place of `(p > 0.5).float()`, a softmax in "
        "place of `argmax`, the tensor in place of `.item()` or `.data`, outside of `torch.no_grad()`. If it is only "
        "to be watched, leave it out of the loss.",
    },
    "evaluation_mode": {
        "": "Call `model.train()` at the beginning of each epoch, before the training steps, and `model.eval()` before "
        "each validation. A layer that is to stay so is known by `requires_grad_(False)`.",
    },
    "growing_values": {
        "sign": " The loss rises from the first step on: look at the sign too, an update is `p -= rate * p.grad`.",
        "training": _DIVERGES,
        "unbounded": "Look at the sign of the loss: what is to become larger (an ELBO, a log-likelihood, a reward) is "
        "negated before its gradient is taken, `(-elbo).backward()`. Else bound what grows: clip it, or add a penalty.",
    },
    "half_precision": {
        "large": "Compute this in float32 (`x.float()` within `torch.autocast(device, enabled=False)`), scale it down, "
        "or use bfloat16, whose range is that of float32.",
        "small": "Scale the loss (`torch.amp.GradScaler`), or compute this in float32 or bfloat16.",
    },
    "log_near_zero": {
        "": "Compute the loss from the logits (`torch.nn.functional.cross_entropy`, "
        "`torch.nn.functional.binary_cross_entropy_with_logits`, `torch.nn.functional.log_softmax`), or keep the input "
        "from 0: `torch.log(x.clamp(min=1e-7))`.",
    },
    "clipped_probabilities": {
        "": "Have the loss take logits, `torch.nn.functional.binary_cross_entropy_with_logits` "
        "(`nn.BCEWithLogitsLoss`), or end the model with a sigmoid, or a softmax.",
    },
    "no_log_probabilities": {
        "": "Take the logits' loss, `torch.nn.functional.cross_entropy(logits, labels)` (`nn.CrossEntropyLoss`), or "
        "put `torch.nn.functional.log_softmax(logits, dim=1)` before it (`nn.LogSoftmax`).",
        "probabilities": "Put `nn.LogSoftmax` in place of `nn.Softmax`, or drop that and take the logits' loss, "
        "`torch.nn.functional.cross_entropy(logits, labels)` (`nn.CrossEntropyLoss`).",
    },
    "no_updates": {
        "frozen": "Set `trainable = True` for what is to be trained, and compile the model again; `model.summary()` "
        "counts what is trainable.",
        "others": "Make the optimizer after the model has its final parameters (after it is replaced, copied, or a "
        "part of it is made anew), and give it `model.parameters()`.",
        "rate": "Look at the learning rate: `optimizer.param_groups[0]['lr']`, and what a scheduler makes of it "
        "(`scheduler.get_last_lr()`); call `optimizer.zero_grad()` before `loss.backward()`, not after it.",
        "rounded": "Keep the parameters in float32 and compute in half precision under `torch.autocast`, and look at "
        "the learning rate, `optimizer.param_groups[0]['lr']`.",
        "set_back": "Call `optimizer.zero_grad()` before `loss.backward()`, not between it and `optimizer.step()`.",
    },
    "outer_broadcast": {
        "": "Give both the same shape: `x.squeeze(-1)` of the column, or `y.unsqueeze(-1)` of the other.",
    },
    "rising_loss": {
        "": "Look at the sign: an optimizer makes the loss smaller, so subtract the gradient, and give it the negative "
        "of what should grow (or `maximize=True`). If the sign is right, lower the learning rate.",
    },
    "softmax_of_one": {
        "": "For two classes with one output use a sigmoid and its loss "
        "(`torch.nn.functional.binary_cross_entropy_with_logits`), or give the layer as many outputs as there are "
        "classes; else name the right `dim`.",
        "axis": "Name the `dim` over which it is meant, `torch.softmax(x, dim=1)`: a softmax that weighs positions, as "
        "attention does, is taken over them, and the last dimension has a length of 1. For two classes with one output "
        "use a sigmoid.",
    },
    "training_mode": {
        "": "Call `model.eval()` before the validation, and `model.train()` after it; `torch.no_grad()` alone changes "
        "nothing of what the layers compute.",
        "called": "Write `F.dropout(x, p, training=self.training)`, or use `nn.Dropout`: without `training` it drops "
        "after `model.eval()` too.",
    },
    "unchanged_variable": {
        "cut": "Look for what has no gradient between it and the loss: `torch.argmax`, `torch.round`, a comparison, a "
        "cast to whole numbers, `.detach()`, `.item()`, NumPy. Its `grad` is None.",
        "rounded": "Keep the parameters in float32 and compute in half precision under `torch.autocast`, or raise the "
        "learning rate, which may bring other trouble.",
        "unwritten": "Give it to the optimizer with the others, and see that the loss depends on it: its `grad` is "
        "None where it does not. If it is meant to stay as it is, set `requires_grad_(False)`.",
    },
    "without_gradient": {
        "": "Look between there and the loss for `.detach()`, `.item()`, `.numpy()`, `torch.tensor(...)`, `.data` and "
        "`torch.no_grad()`. If it is meant to stay as it is, set `requires_grad_(False)`, and don't give it to the "
        "optimizer.",
    },
    "zero_gradient": {
        "unconnected": "Connect it with the loss: look for `.detach()`, `torch.no_grad()`, rounding, comparisons or "
        "`torch.argmax` between.",
    },
    # failures
    "lost_gradient": {"": "look for `torch.no_grad()`, or parameters that don't require a gradient"},
    # comparing
    "unlike_randomness": {
        "kernels": "switch the randomness off in both runs (evaluation mode), or compare with "
        "`torch._inductor.config.fallback_random = True`: else compiled code draws other numbers by the same seed",
    },
    # replays
    "replay": {
        "race": "torch.use_deterministic_algorithms(True) rules out the first",
        "random": "draw them from a torch.Generator of your own, whose state you keep",
    },
    # alerts
    "placement": {
        "asked": "move it with `.to('cuda')`, or make it with `device='cuda'`, if the CPU is not meant",
        "unknown": "see which of its inputs lies on the CPU, and move that with `.to('cuda')`",
        "variable": "move the module that holds it, `model.to('cuda')`, before the optimizer is made",
    },
    "retracing": {
        "": "look at what differs between its calls: with TORCH_LOGS=recompiles in the environment, PyTorch prints it",
        "Python value": "pass it as a tensor, such as `torch.tensor({name})`, if the code need not depend on its value",
        "dtype": "cast it to one dtype before the call",
        "kind": "pass it the same way each time, as a tensor",
        "library": "give it data of one shape and dtype each time (`drop_last=True` for a DataLoader)",
        "made_anew": "call `torch.compile` once, outside of the loop, and use what it gives",
        "object": "pass the same object each time, or the tensors that it holds",
        "shape": "compile with `dynamic=True`, or say `torch._dynamo.mark_dynamic({name}, 0)` of the dimension that "
        "changes, or bring the tensors to one shape (`drop_last=True` for a DataLoader)",
        "structure": "pass it with the same structure each time, with tensors in place of Python numbers",
    },
    "splitting": {
        "": "take what can't be compiled out of the function; `torch.compile(fullgraph=True)` raises at each such line",
        "call": "take the call out of what is compiled, or do it every so many steps, behind the step",
        "decision": "decide by `torch.where` or `torch.cond` in place of `if`, or outside of what is compiled",
        "item": "keep the number in its tensor and read it after the call, or set "
        "`torch._dynamo.config.capture_scalar_outputs = True`",
        "size": "keep the size fixed, by a mask or `torch.where` in place of indexing by one, or set "
        "`torch._dynamo.config.capture_dynamic_output_shape_ops = True`",
    },
}
"""By what is wrong, then by what else is known of it."""

NOT_THERE: Mapping[str, str] = {
    "regrouped_operations": "PyTorch runs each operation as it is written",
}
"""What can't be wrong in PyTorch, with the reason."""
