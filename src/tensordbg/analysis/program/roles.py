"""The part that a value plays in training: whether it belongs to the backward pass, and whether it is a loss.

- A *gradient operation* was made by differentiation: it belongs to a backward pass, as the recorder says.
- A *gradient* is a result of the backward pass: the output of a gradient operation that something else than a
  gradient operation takes, or nothing at all. What stays inside the backward pass is not one yet.
- A *loss* is what the program takes gradients of for its variables, as the recorder notes. In a trace, or a function
  with a backward pass, for which nothing was noted, it is a scalar that ends a forward pass: no gradient went into it,
  and nothing in its graph makes another value of it, though it may be returned, printed or added to a metric. In a
  program that takes no gradients, or has nothing that is trained, and in a function that another graph calls, it must
  also be called a loss, by its name or that of the function around it.
"""

from __future__ import annotations

import re
from typing import Protocol

import numpy as np

from tensordbg.analysis.columns.reading import Bools, Ints
from tensordbg.analysis.columns.spread import spread
from tensordbg.analysis.program.description import Program
from tensordbg.analysis.program.events import Executions
from tensordbg.analysis.program.operations import operation_of, writes_variables
from tensordbg.analysis.program.ports import Ports
from tensordbg.model import NONE, Site, TensorRef
from tensordbg.operations.kinds import Kind
from tensordbg.operations.traits import Trait

_LOSS = re.compile(r"(^|[^a-z])loss(es)?([^a-z]|$)")


class Numbered(Protocol):
    """A program whose ports are numbered, such as `Values`."""

    @property
    def program(self) -> Program:
        """The program."""

    @property
    def ports(self) -> Ports:
        """Its ports."""


class Roles:
    """Which sites and ports play which part."""

    def __init__(self, values: Numbered, executions: Executions | None = None) -> None:
        """Without `executions` eager code is looked at site by site alone."""
        self._values = values
        self._executions = executions
        program = values.program
        sites = len(values.ports.first)
        self.gradient_site: Bools = np.zeros(sites, dtype=np.bool_)
        for site in program.sites.values():
            self.gradient_site[site.site] = bool(site.backward)

    def gradient_ports(self) -> Bools:
        """For each port whether it is a result of the backward pass."""
        ports = self._values.ports
        consumer = np.repeat(np.arange(len(ports.first)), np.diff(ports.inputs.starts))
        taken_inside = np.zeros(len(ports.site), dtype=np.bool_)
        taken_outside = taken_inside.copy()
        inner = self.gradient_site[consumer] & makes_values(self._values)[consumer]
        taken_inside[ports.inputs.ports[inner]] = True
        taken_outside[ports.inputs.ports[~self.gradient_site[consumer]]] = True
        if self._executions is not None:
            taker, taken = _taken_eagerly(self._executions, ports)
            by_gradient = self.gradient_site[taker]
            taken_inside[taken[by_gradient]] = True
            taken_outside[taken[~by_gradient]] = True
        mine = self.gradient_site & (ports.argument == NONE)
        result: Bools = mine[ports.site] & (taken_outside | ~taken_inside)
        return result

    def loss_ports(self) -> Bools:
        """For each port whether it is a loss, provided that it is a scalar."""
        ports = self._values.ports
        taken = self._taken()
        behind = self._behind_gradients()
        result: Bools = ~taken & ~behind[ports.site] & ports.may_be_bad & (ports.argument[ports.site] == NONE)
        for port in np.flatnonzero(result & ~self._plainly_last()[ports.site]).tolist():
            site = self._values.program.sites.get(int(ports.site[port]))
            result[port] = site is not None and self._named_loss(site)
        return result

    def differentiated_ports(self) -> Bools:
        """For each port whether the program takes gradients of it, by what it did; none where that was not noted.

        What a call gives was made in the function that it calls, and what an identity gives by what it takes.
        """
        program = self._values.program
        noted = [TensorRef(site.site, slot) for site in program.sites.values() for slot in site.differentiated]
        found: set[TensorRef] = set()
        while noted:
            ref = noted.pop()
            if ref not in found:
                found.add(ref)
                noted.extend(_passed_on(program, ref))
        ports = [port for port in map(self._values.ports.of, found) if port != NONE]
        result = np.zeros(len(self._values.ports.site), dtype=np.bool_)
        result[ports] = True
        return result

    def _taken(self) -> Bools:
        """For each port whether its graph makes another value of it, seen through identities."""
        ports = self._values.ports
        consumer = np.repeat(np.arange(len(ports.first)), np.diff(ports.inputs.starts))
        passing = np.zeros(len(ports.first), dtype=np.bool_)
        writing = passing.copy()
        for site in self._values.program.sites.values():
            passing[site.site] = operation_of(site).kind in (Kind.IDENTITY, Kind.STOP_GRADIENT)
            writing[site.site] = writes_variables(site)
        taking = makes_values(self._values) & ~self.gradient_site & ~passing & ~writing
        taken = np.zeros(len(ports.site), dtype=np.bool_)
        taken[ports.inputs.ports[taking[consumer]]] = True
        through = np.flatnonzero(passing[consumer])
        while True:
            fresh = through[taken[ports.first[consumer[through]]] & ~taken[ports.inputs.ports[through]]]
            if not len(fresh):
                return taken
            taken[ports.inputs.ports[fresh]] = True

    def _behind_gradients(self) -> Bools:
        """For each site whether a gradient of its own graph went into it."""
        ports = self._values.ports
        sites = np.arange(len(ports.first))
        consumer = np.repeat(sites, np.diff(ports.carrying.starts))
        source = ports.site[ports.carrying.ports]
        marks = np.asarray(self.gradient_site, dtype=np.int64)
        for site in self._values.program.sites.values():
            # The lists in which a forward loop keeps what its gradient needs hold nothing of it yet.
            if operation_of(site).has(Trait.SHAPE_ONLY):
                marks[site.site] = 0
        marks = spread(marks, source, consumer, sites)
        behind: Bools = marks > 0
        return behind

    def _plainly_last(self) -> Bools:
        """For each site whether what ends its graph is a loss without being called so."""
        program = self._values.program
        called = {function.graph for site in program.sites.values() for function in program.called_by(site) if function}
        result = np.zeros(len(self._values.ports.first), dtype=np.bool_)
        for site in program.sites.values():
            result[site.site] = site.function not in called
        return result & (self.gradient_site.any() and self._may_train())

    def _may_train(self) -> bool:
        """Whether gradients may be for something that is trained; without any, they solve an equation."""
        program = self._values.program
        unknown = any(writes_variables(site) and not site.writes for site in program.sites.values())
        return unknown or any(variable.trainable is not False for variable in program.variables.values())

    def _named_loss(self, site: Site) -> bool:
        program = self._values.program
        names = [site.name]
        if site.function in program.functions:
            names.append(program.functions[site.function].name)
        names += [frame.function for frame in program.stacks.get(site.stack, ()) if frame.user][-1:]
        return any(_LOSS.search(name.lower()) for name in names)


def makes_values(values: Numbered) -> Bools:
    """For each site whether it makes a value that could be bad of its inputs; a comparison or a print does not."""
    ports = values.ports
    result: Bools = np.bincount(ports.site, weights=ports.may_be_bad, minlength=len(ports.first)) > 0
    for site in values.program.sites.values():
        if not site.dtypes and not site.writes:
            result[site.site] = False
    return result


def _passed_on(program: Program, ref: TensorRef) -> list[TensorRef]:
    """What an output is, under another name: a result of a function that is called, or the input of an identity."""
    site = program.sites.get(ref.site)
    if site is None:
        return []
    if operation_of(site).kind is Kind.IDENTITY:
        return list(program.inputs_of(ref.site)[:1])
    outputs = [function.outputs for function in program.called_by(site) if function is not None]
    return [each[ref.slot] for each in outputs if ref.slot < len(each)]


def _taken_eagerly(executions: Executions, ports: Ports) -> tuple[Ints, Ints]:
    """The sites of eager operations, each with a port of one that it took something of."""
    eager = (executions.function == NONE) & (executions.site >= 0)
    consumer = np.repeat(np.arange(len(executions)), np.diff(executions.input_starts))
    row, slot = executions.input_row, executions.input_slot
    told = eager[consumer] & (row >= 0) & eager[row]
    consumer, row, slot = consumer[told], row[told], slot[told]
    maker = executions.site[row]
    known = slot < ports.count[maker]
    return executions.site[consumer[known]], ports.first[maker[known]] + slot[known]
