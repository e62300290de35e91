"""The table of warnings: the rules, the gravest first."""

from __future__ import annotations

from tensordbg.analysis.warnings.gradients.accumulated import accumulated_gradients
from tensordbg.analysis.warnings.gradients.clipped_scaled import clipped_while_scaled
from tensordbg.analysis.warnings.gradients.cut_parts import cut_parts
from tensordbg.analysis.warnings.gradients.no_updates import no_updates
from tensordbg.analysis.warnings.gradients.often_zero import often_zero_gradients
from tensordbg.analysis.warnings.gradients.unchanged import unchanged_variables
from tensordbg.analysis.warnings.gradients.without_gradient import without_gradient
from tensordbg.analysis.warnings.gradients.zero_gradient import zero_gradients
from tensordbg.analysis.warnings.layers.dead_units import dead_units
from tensordbg.analysis.warnings.layers.layer_modes import evaluated_in_training_mode, trained_in_evaluation_mode
from tensordbg.analysis.warnings.layers.saturation import saturated_activations, saturated_outputs
from tensordbg.analysis.warnings.layers.softmax_of_one import softmaxes_of_one
from tensordbg.analysis.warnings.losses.activation_twice import activations_twice
from tensordbg.analysis.warnings.losses.clipped_probabilities import clipped_probabilities
from tensordbg.analysis.warnings.losses.constant_loss import constant_losses
from tensordbg.analysis.warnings.losses.label_loss import no_log_probabilities
from tensordbg.analysis.warnings.losses.outer_broadcast import outer_broadcasts
from tensordbg.analysis.warnings.losses.rising_loss import negated_losses, rising_losses
from tensordbg.analysis.warnings.magnitudes.growth import growing_values
from tensordbg.analysis.warnings.magnitudes.half_precision import half_precision
from tensordbg.analysis.warnings.magnitudes.loop_growth import growth_in_loops
from tensordbg.analysis.warnings.magnitudes.near_log import logs_near_zero
from tensordbg.analysis.warnings.magnitudes.shrinking import shrinking_values
from tensordbg.analysis.warnings.magnitudes.wrapping import wrapped_integers
from tensordbg.analysis.warnings.study.study import Rule

TABLE: dict[str, Rule] = {
    "negated_loss": negated_losses,
    "growing_in_loop": growth_in_loops,
    "growing_values": growing_values,
    "wrapped_integers": wrapped_integers,
    "log_near_zero": logs_near_zero,
    "softmax_of_one": softmaxes_of_one,
    "activation_twice": activations_twice,
    "clipped_probabilities": clipped_probabilities,
    "no_log_probabilities": no_log_probabilities,
    "outer_broadcast": outer_broadcasts,
    "accumulated_gradients": accumulated_gradients,
    "clipped_while_scaled": clipped_while_scaled,
    "no_updates": no_updates,
    "without_gradient": without_gradient,
    "cut_part": cut_parts,
    "evaluation_mode": trained_in_evaluation_mode,
    "training_mode": evaluated_in_training_mode,
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
