"""Every module has its tests where one looks for them: src/tensordbg/x/y.py in tests/x/test_y.py."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "tensordbg"
TESTS = ROOT / "tests"

NOT_MIRRORED = {
    "analysis/warnings/gradients/read_numbers.py": "analysis/warnings/gradients/test_cut_parts.py",
    "analysis/warnings/gradients/clipped_scaled.py": "e2e/test_torch_scaled_clipping.py",
    "analysis/program/without_gradients.py": "e2e/test_torch_no_grad_parts.py",
    "analysis/origins/set_weights.py": "e2e/test_round_trips.py",
    "analysis/flow/tables.py": "e2e/test_tables_looked_up.py",
    "analysis/flow/put_in_part.py": "e2e/test_torch_tables.py",
    "mcp/server.py": "e2e/test_mcp.py",
    "backends/torch/failures/stated.py": "e2e/test_torch_errors.py",
    "backends/tensorflow/trap/tables.py": "e2e/test_capture_calls.py",
    "analysis/tensors/nested_iterations.py": "e2e/test_nested_iterations.py",
    "analysis/view/records/iterations.py": "e2e/test_nested_iterations.py",
    "backends/tensorflow/failures/python_calls.py": "e2e/test_failed_calls.py",
    "backends/tensorflow/functions/failed_tracings.py": "e2e/test_capture_calls.py",
    "backends/tensorflow/trap/beginnings.py": "e2e/test_capture_calls.py",
    "backends/tensorflow/replay/tables.py": "e2e/test_capture_calls.py",
    "cli/running/uploads.py": "e2e/test_object_storage.py",
    "accelerate.py": "e2e/test_callbacks.py",
    "keras.py": "e2e/test_callbacks.py",
    "lightning.py": "e2e/test_callbacks.py",
    "transformers.py": "e2e/test_callbacks.py",
    "testing/recorded_tests.py": "e2e/test_pytest.py",
    "analysis/diff/agreement.py": "e2e/test_diff.py",
    "analysis/diff/anchors.py": "e2e/test_diff_names.py",
    "analysis/diff/attentions.py": "e2e/test_diff_attentions.py",
    "analysis/diff/attributes.py": "e2e/test_diff.py",
    "analysis/diff/beginnings.py": "e2e/test_diff.py",
    "analysis/diff/begun_later.py": "e2e/test_diff_apart.py",
    "analysis/diff/broadcasts.py": "e2e/test_diff_reduced.py",
    "analysis/diff/compare.py": "e2e/test_diff.py",
    "analysis/diff/edges.py": "e2e/test_diff.py",
    "analysis/diff/explaining.py": "e2e/test_diff.py",
    "analysis/diff/explaining_missing.py": "e2e/test_diff_settings.py",
    "analysis/diff/explaining_order.py": "e2e/test_diff_exchanged.py",
    "analysis/diff/moving_averages.py": "e2e/test_diff_normalizations.py",
    "analysis/diff/scheduled_rates.py": "e2e/test_diff_optimizers.py",
    "analysis/diff/normalizations_apart.py": "e2e/test_diff_models.py",
    "analysis/diff/operands.py": "e2e/test_diff_exchanged.py",
    "analysis/diff/attention_shapes.py": "e2e/test_diff_attentions.py",
    "analysis/diff/unlike_shapes.py": "e2e/test_diff_settings.py",
    "analysis/diff/weighed_logarithms.py": "e2e/test_diff_exchanged.py",
    "analysis/diff/zeros_around.py": "e2e/test_diff_settings.py",
    "analysis/diff/explaining_shapes.py": "e2e/test_diff_reduced.py",
    "analysis/diff/loss_settings.py": "e2e/test_diff_reduced.py",
    "analysis/diff/first_difference.py": "e2e/test_diff.py",
    "analysis/diff/formulas.py": "e2e/test_diff_formulas.py",
    "analysis/diff/last_values.py": "e2e/test_diff_formulas.py",
    "analysis/diff/passes.py": "e2e/test_diff_formulas.py",
    "analysis/diff/rule_forms.py": "e2e/test_diff_formulas.py",
    "analysis/diff/behind_forks.py": "e2e/test_diff_strangers.py",
    "analysis/diff/further_results.py": "e2e/test_diff_strangers.py",
    "analysis/diff/gone_on_from.py": "e2e/test_diff_gone_on.py",
    "analysis/diff/uncompared_ends.py": "e2e/test_diff_gone_on.py",
    "analysis/diff/shifted.py": "e2e/test_diff_unnamed.py",
    "analysis/diff/unnamed_parameters.py": "e2e/test_diff_unnamed.py",
    "analysis/diff/label_smoothing.py": "e2e/test_diff_strangers.py",
    "analysis/diff/marks.py": "e2e/test_diff_strangers.py",
    "analysis/diff/views.py": "e2e/test_diff_strangers.py",
    "analysis/diff/mixtures.py": "e2e/test_diff_strangers.py",
    "analysis/diff/rescaled.py": "e2e/test_diff_strangers.py",
    "analysis/diff/scattered.py": "e2e/test_diff_ports.py",
    "analysis/diff/lengths.py": "e2e/test_diff_updates.py",
    "analysis/diff/losses.py": "e2e/test_diff_losses.py",
    "analysis/diff/losses_apart.py": "e2e/test_diff_apart.py",
    "analysis/diff/explaining_losses.py": "e2e/test_diff_losses.py",
    "analysis/diff/factors.py": "e2e/test_diff_updates.py",
    "analysis/diff/fused.py": "e2e/test_diff_kernels.py",
    "analysis/diff/gates.py": "e2e/test_diff_written_out.py",
    "analysis/diff/kernel_normalizations.py": "e2e/test_diff_kernels.py",
    "analysis/diff/kernels.py": "e2e/test_diff_kernels.py",
    "analysis/diff/normalization.py": "e2e/test_diff_normalizations.py",
    "analysis/diff/pieces.py": "e2e/test_diff_written_out.py",
    "analysis/diff/scaled_losses.py": "e2e/test_diff_losses.py",
    "analysis/diff/softmaxes.py": "e2e/test_diff_kernels.py",
    "analysis/diff/sums.py": "e2e/test_diff_written_out.py",
    "analysis/diff/whole_inputs.py": "e2e/test_diff_losses.py",
    "analysis/diff/lookups.py": "e2e/test_diff_lookups.py",
    "analysis/diff/cancelled.py": "e2e/test_diff_losses.py",
    "analysis/diff/unlike_gradients.py": "e2e/test_diff_losses.py",
    "analysis/diff/loose.py": "e2e/test_diff_names.py",
    "analysis/diff/normalizations.py": "e2e/test_diff_normalizations.py",
    "analysis/diff/numbers.py": "e2e/test_diff.py",
    "analysis/diff/optimizers.py": "e2e/test_diff_updates.py",
    "analysis/diff/parameters.py": "e2e/test_diff.py",
    "analysis/diff/earlier.py": "e2e/test_diff_training.py",
    "analysis/diff/ends.py": "e2e/test_diff_training.py",
    "analysis/diff/exchanged.py": "e2e/test_diff_training.py",
    "analysis/diff/accumulated.py": "e2e/test_diff_updates.py",
    "analysis/diff/apart.py": "e2e/test_diff.py",
    "analysis/diff/arrangement.py": "e2e/test_diff_written_out.py",
    "analysis/diff/composed.py": "e2e/test_diff_written_out.py",
    "analysis/diff/doubtful.py": "e2e/test_diff_ports.py",
    "analysis/diff/explaining_updates.py": "e2e/test_diff_updates.py",
    "analysis/diff/learning_rate.py": "e2e/test_diff_updates.py",
    "analysis/diff/unlike_results.py": "e2e/test_diff_written_out.py",
    "analysis/diff/wording.py": "e2e/test_diff.py",
    "analysis/diff/written_out.py": "e2e/test_diff_written_out.py",
    "analysis/diff/reproduced.py": "e2e/test_diff_training.py",
    "analysis/diff/damped.py": "e2e/test_diff_pairs.py",
    "analysis/diff/in_parts.py": "e2e/test_diff_pairs.py",
    "analysis/diff/clipping_forms.py": "e2e/test_diff_updates.py",
    "analysis/diff/clipped.py": "e2e/test_diff_training.py",
    "analysis/diff/rerun.py": "e2e/test_diff_elements.py",
    "analysis/diff/noise.py": "e2e/test_diff_noise.py",
    "analysis/diff/reordered.py": "e2e/test_diff_order.py",
    "analysis/diff/result.py": "e2e/test_diff.py",
    "analysis/diff/side.py": "e2e/test_diff.py",
    "analysis/diff/statistics.py": "e2e/test_diff_ports.py",
    "analysis/diff/summarizing.py": "e2e/test_diff_summary.py",
    "analysis/diff/unlike_sources.py": "e2e/test_diff.py",
    "analysis/diff/updates.py": "e2e/test_diff_updates.py",
    "analysis/diff/evaluations.py": "e2e/test_diff_lines.py",
    "analysis/diff/unlike_parameters.py": "e2e/test_diff_lines.py",
    "analysis/diff/untrained.py": "e2e/test_diff_lines.py",
    "analysis/diff/writes.py": "e2e/test_diff_lines.py",
    "backends/tensorflow/lite.py": "e2e/test_litert.py",
    "operations/kinds.py": "operations/test_lookup.py",
    "operations/operation.py": "operations/test_lookup.py",
    "operations/tensorflow/arithmetic.py": "operations/tensorflow/test_kinds.py",
    "operations/tensorflow/collectives.py": "operations/test_collective.py",
    "operations/tensorflow/domains.py": "operations/tensorflow/test_kinds.py",
    "operations/tensorflow/effects.py": "operations/tensorflow/test_kinds.py",
    "operations/tensorflow/engines.py": "operations/tensorflow/test_kinds.py",
    "operations/tensorflow/lite_types.py": "e2e/test_litert.py",
    "operations/tensorflow/moving.py": "operations/tensorflow/test_kinds.py",
    "operations/tensorflow/operands.py": "operations/tensorflow/test_kinds.py",
    "operations/tensorflow/stores.py": "analysis/flow/test_stores.py",
    "operations/tensorflow/words.py": "operations/tensorflow/test_kinds.py",
    "operations/torch/arithmetic.py": "operations/torch/test_kinds.py",
    "operations/torch/collectives.py": "operations/torch/test_kinds.py",
    "operations/torch/domains.py": "operations/torch/test_kinds.py",
    "operations/torch/effects.py": "operations/torch/test_kinds.py",
    "operations/torch/gradients.py": "operations/torch/test_kinds.py",
    "operations/torch/moving.py": "operations/torch/test_kinds.py",
    "operations/torch/operands.py": "operations/torch/test_kinds.py",
    "analysis/causes/disguises.py": "e2e/test_mends.py",
    "analysis/origins/makers.py": "e2e/test_mends.py",
    "analysis/decisions/loop_ends.py": "e2e/test_loop_ends.py",
    "analysis/decisions/choosing.py": "e2e/test_decisions.py",
    "analysis/origins/tell_decided.py": "e2e/test_decisions.py",
    "analysis/flow/ancestry.py": "e2e/test_jumps.py",
    "analysis/program/optimizers.py": "e2e/test_updates.py",
    "analysis/origins/jumps.py": "e2e/test_jumps.py",
    "__main__.py": "cli/test_main.py",
    "analysis/view/requests.py": "wire/view/test_answers.py",
    "backends/tensorflow/functions/debug_info.py": "e2e/undisturbed/test_tracebacks.py",
    "backends/tensorflow/functions/node_names.py": "backends/tensorflow/functions/test_instrument.py",
    "backends/tensorflow/own_frames.py": "e2e/undisturbed/test_tracebacks.py",
    "backends/tensorflow/eager/tape_frames.py": "backends/tensorflow/check/test_taped_lines.py",
    "analysis/failures/batching.py": "e2e/test_first_hour.py",
    "analysis/failures/pipeline.py": "e2e/test_failure_beginnings.py",
    "analysis/failures/failed_calls.py": "e2e/test_failed_calls.py",
    "analysis/failures/generators.py": "e2e/test_python_functions.py",
    "analysis/failures/made_variables.py": "e2e/test_failure_beginnings.py",
    "analysis/failures/beginnings/asserted.py": "e2e/test_failure_beginnings.py",
    "analysis/failures/beginnings/made.py": "analysis/failures/beginnings/test_shapes.py",
    "backends/tensorflow/failures/failed_operation.py": "e2e/test_failures.py",
    "report/findings/failure_text.py": "e2e/test_failures.py",
    "backends/tensorflow/backend.py": "recording/test_backend.py",
    "backends/torch/backend.py": "recording/test_backend.py",
    "checking/finding.py": "checking/test_message.py",
    "trapping/capture.py": "backends/tensorflow/trap/test_capture.py",
    "trapping/targets.py": "trapping/test_message.py",
    "backends/tensorflow/hooks.py": "backends/tensorflow/test_recording.py",
    "backends/tensorflow/functions/graphs.py": "backends/tensorflow/functions/test_instrument.py",
    "wire/view/errors.py": "wire/view/test_answers.py",
    "backends/tensorflow/replay/functions.py": "backends/tensorflow/replay/test_replayer.py",
    "backends/tensorflow/data_origins/notes.py": "backends/tensorflow/data_origins/test_dataset.py",
    "backends/tensorflow/data_origins/sources.py": "backends/tensorflow/data_origins/test_dataset.py",
    "backends/tensorflow/replay/call.py": "e2e/test_replay_program.py",
    "backends/tensorflow/replay/recapture.py": "e2e/test_replay_program.py",
    "backends/tensorflow/replay/variables.py": "e2e/test_replay_program.py",
    "backends/tensorflow/replay/outputs.py": "backends/tensorflow/replay/test_replayer.py",
    "console/fullscreen/answering.py": "console/fullscreen/test_application.py",
    "console/fullscreen/driver.py": "e2e/test_console_screen.py",
    "console/fullscreen/keys.py": "console/fullscreen/test_application.py",
    "console/fullscreen/layout.py": "console/fullscreen/test_application.py",
    "console/fullscreen/line_view.py": "console/fullscreen/test_application.py",
    "console/fullscreen/looks.py": "console/fullscreen/test_drawing.py",
    "console/fullscreen/mouse.py": "e2e/test_console_screen.py",
    "console/fullscreen/page_view.py": "console/fullscreen/test_application.py",
    "console/fullscreen/pane.py": "console/fullscreen/test_application.py",
    "console/fullscreen/panes.py": "console/fullscreen/test_application.py",
    "console/fullscreen/status.py": "console/fullscreen/test_application.py",
    "analysis/origins/fusion.py": "e2e/undisturbed/test_fused_away.py",
    "backends/tensorflow/trap/cluster.py": "e2e/test_trap_replicas.py",
    "backends/tensorflow/functions/collective_nodes.py": "e2e/test_trap_replicas.py",
    "backends/tensorflow/handles.py": "e2e/test_trap_replicas.py",
    "backends/tensorflow/replay/exchanges.py": "e2e/test_trap_replicas.py",
    "backends/tensorflow/trap/exchanges.py": "e2e/test_trap_replicas.py",
    "backends/tensorflow/trap/asked.py": "debug/test_step_capture.py",
    "console/node_command.py": "console/commands/test_list_inputs.py",
    "console/options.py": "console/test_command_table.py",
    "console/looked_at.py": "console/test_completion.py",
    "console/run_texts.py": "console/commands/test_run_info.py",
    "console/running.py": "console/commands/test_run.py",
    "capture/header.py": "capture/test_reader.py",
    "backends/tensorflow/eager/runs.py": "debug/test_debugger.py",
    "backends/tensorflow/sessions/wrapped.py": "tensorflow/v1/test_local_sessions.py",
    "cli/running/debugging.py": "cli/commands/test_debug.py",
    "debug/calls.py": "debug/test_debugger.py",
    "tensorflow/v1/chosen_runs.py": "tensorflow/v1/test_dumping_sessions.py",
    "backends/tensorflow/eager/at_hand.py": "e2e/test_debug_lines.py",
    "backends/tensorflow/stops/line_gate_nodes.py": "e2e/test_debug_lines.py",
    "backends/tensorflow/stops/line_copies.py": "e2e/test_debug_lines.py",
    "backends/tensorflow/stops/names_at_hand.py": "e2e/test_debug_lines.py",
    "debug/lines/eager.py": "e2e/test_debug_lines.py",
    "debug/lines/end_of_line.py": "e2e/test_debug_lines.py",
    "debug/lines/loop_iterations.py": "e2e/test_debug_lines.py",
    "debug/lines/stops.py": "e2e/test_debug_lines.py",
    "recording/lines.py": "e2e/test_debug_lines.py",
    "debug/reasons/conditions.py": "debug/test_debugger.py",
    "debug/failures.py": "debug/test_debugger.py",
    "debug/launch.py": "e2e/test_debug.py",
    "debug/reasons/newest.py": "debug/test_debugger.py",
    "debug/program.py": "debug/test_debugger.py",
    "tensorflow/v1/session_debugger.py": "tensorflow/v1/test_local_sessions.py",
    "importers/new_trace.py": "importers/tfdbg2/test_importing.py",
    "importers/tfdbg1/messages.py": "importers/tfdbg1/test_importing.py",
    "recording/runs.py": "debug/test_debugger.py",
    "backends/torch/replay/changes.py": "backends/torch/replay/test_replayer.py",
    "backends/torch/replay/captured_inputs.py": "backends/torch/replay/test_program_step.py",
    "backends/torch/replay/captured_step.py": "backends/torch/replay/test_program_step.py",
    "backends/torch/replay/captured_variables.py": "backends/torch/replay/test_program_step.py",
    "backends/torch/replay/recapture.py": "e2e/test_torch_replay_program.py",
    "backends/torch/replay/memory.py": "backends/torch/replay/test_replayer.py",
    "backends/torch/replay/optimizer.py": "backends/torch/replay/test_replayer.py",
    "backends/torch/replay/running.py": "backends/torch/replay/test_replayer.py",
    "backends/torch/captured/places.py": "backends/torch/replay/test_replayer.py",
    "replaying/reading.py": "backends/torch/replay/test_replayer.py",
}
"""Modules without a file of tests of their own, and the tests that go through them."""

OTHER_TESTS = {"conformance", "contracts", "e2e", "fuzz", "harness"}
"""Folders of tests that check more than one module."""


def modules() -> list[str]:
    return sorted(
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if path.name != "__init__.py" and path.read_text().strip()
    )


def test_file_of(module: str) -> Path:
    path = Path(module)
    return TESTS / path.parent / f"test_{path.name}"


test_file_of.__test__ = False  # type: ignore[attr-defined]


def test_every_module_has_its_tests() -> None:
    missing = [
        f"{module}: {test_file_of(module).relative_to(ROOT)}"
        for module in modules()
        if module not in NOT_MIRRORED and not test_file_of(module).exists()
    ]
    assert not missing, "write the tests, or name the module in NOT_MIRRORED with where it is tested"


def test_exceptions_are_still_needed() -> None:
    stale = [module for module in NOT_MIRRORED if module not in modules() or test_file_of(module).exists()]
    assert not stale, "take these out of NOT_MIRRORED"
    gone = [tests for tests in NOT_MIRRORED.values() if not (TESTS / tests).exists()]
    assert not gone, "these tests are no longer there"


def test_every_test_file_has_its_module() -> None:
    orphans = []
    for path in sorted(TESTS.rglob("test_*.py")):
        relative = path.relative_to(TESTS)
        if relative.parts[0] in OTHER_TESTS:
            continue
        module = PACKAGE / relative.parent / path.name.removeprefix("test_")
        package = PACKAGE / relative.parent / "__init__.py"
        if not module.exists() and not (path.name in {"test_main.py", "test_public_names.py"} and package.exists()):
            orphans.append(relative.as_posix())
    assert not orphans, "these test no module of their name"
