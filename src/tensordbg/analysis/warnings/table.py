"""The table of warnings: the rules, the gravest first."""

from __future__ import annotations

from tensordbg.analysis.warnings.accumulated import accumulated_gradients
from tensordbg.analysis.warnings.activation_twice import activations_twice
from tensordbg.analysis.warnings.constant_loss import constant_losses
from tensordbg.analysis.warnings.dead_units import dead_units
from tensordbg.analysis.warnings.growth import growing_values
from tensordbg.analysis.warnings.half_precision import half_precision
from tensordbg.analysis.warnings.loop_growth import growth_in_loops
from tensordbg.analysis.warnings.near_log import logs_near_zero
from tensordbg.analysis.warnings.often_zero import often_zero_gradients
from tensordbg.analysis.warnings.outer_broadcast import outer_broadcasts
from tensordbg.analysis.warnings.rising_loss import rising_losses
from tensordbg.analysis.warnings.saturation import saturated_activations, saturated_outputs
from tensordbg.analysis.warnings.shrinking import shrinking_values
from tensordbg.analysis.warnings.softmax_of_one import softmaxes_of_one
from tensordbg.analysis.warnings.study import Rule
from tensordbg.analysis.warnings.unchanged import unchanged_variables
from tensordbg.analysis.warnings.wrapping import wrapped_integers
from tensordbg.analysis.warnings.zero_gradient import zero_gradients

TABLE: dict[str, Rule] = {
    "growing_in_loop": growth_in_loops,
    "growing_values": growing_values,
    "wrapped_integers": wrapped_integers,
    "log_near_zero": logs_near_zero,
    "softmax_of_one": softmaxes_of_one,
    "activation_twice": activations_twice,
    "outer_broadcast": outer_broadcasts,
    "accumulated_gradients": accumulated_gradients,
    "rising_loss": rising_losses,
    "zero_gradient": zero_gradients,
    "often_zero_gradient": often_zero_gradients,
    "dead_units": dead_units,
    "half_precision": half_precision,
    "unchanged_variable": unchanged_variables,
    "saturated_activation": saturated_activations,
    "saturated_output": saturated_outputs,
    "constant_loss": constant_losses,
    "shrinking_values": shrinking_values,
}
"""Each rule by the kind of its findings."""
