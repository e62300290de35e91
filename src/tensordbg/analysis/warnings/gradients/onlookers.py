"""Variables that are trained nowhere by intent: those of a network that judges, teaches, or is to be fooled.

Nobody need freeze such a network, for no optimizer is given its variables. It is told from a layer that was forgotten
by where it stands in the forward pass:

- A layer that gives what is trained its input, or takes what a trained layer has learned from data, is part of a model.
- A network that computes from the data alone, and meets what is trained only where the two are compared, gives it the
  target: a teacher, or the copy of a network that is behind. Where the result is compared with labels after that, the
  two are branches of one model.
- A network that is also given what nothing trained has made judges both, as the features of two pictures.
- A network that is given what is trained as it is, alone or together with data but multiplied with none, looks at an
  example: a picture that is optimized, or a change that is to fool it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tensordbg.analysis.columns.reading import Bools
from tensordbg.analysis.program.operations import operation_of
from tensordbg.analysis.warnings.losses.negated_error import is_error, is_of_difference
from tensordbg.analysis.warnings.study.study import Study, brings_data
from tensordbg.analysis.warnings.study.wiring import Wiring
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Operation
from tensordbg.operations.traits import Trait

_MOST_USES = 200
_CHOOSING = frozenset({Kind.MULTIPLY, Kind.MULTIPLY_NO_NAN, Kind.GATHER})
_LIKELIHOODS = frozenset({Kind.LOG, Kind.LOG_SOFTMAX})
_PASSED = (Kind.ADD, Kind.IDENTITY, Kind.RESHAPE, Kind.SQUEEZE)
_DEEPEST = 4


@dataclass(frozen=True)
class _Part:
    """Where the reads of one variable stand."""

    uses: tuple[int, ...]
    """The ports at which it meets values that are not made of it."""
    made: Bools
    """All that is made there."""


def without_onlookers(study: Study, unwritten: Collection[int], changed: Collection[int]) -> list[int]:
    """Returns those variables, of some that nothing writes, which seem to have been forgotten."""
    scene = _Scene(study, frozenset(unwritten), frozenset(changed))
    parts = {variable: scene.part(variable) for variable in unwritten}
    behind = {variable for variable, part in parts.items() if (part.made & scene.from_trained).any()}
    fed = {variable for variable in behind if any(scene.from_trained[each] for each in parts[variable].uses)}
    if fed and scene.looks_at_example([parts[variable] for variable in fed]):
        return [variable for variable in unwritten if variable not in behind]
    return [
        variable
        for variable, part in parts.items()
        if (not scene.judges(part) if variable in fed else scene.feeds_trained(part) or scene.is_branch(part))
    ]


@dataclass(frozen=True)
class _Scene:
    """The forward pass around what is trained and what is not."""

    study: Study
    still: frozenset[int]
    trained: frozenset[int]

    @cached_property
    def wiring(self) -> Wiring:
        """Edges of the forward pass alone."""
        return self.study.wiring.without(self.study.gradient | self.study.updating)

    @cached_property
    def from_trained(self) -> Bools:
        """For each port whether it is made of what is trained."""
        return self.wiring.descendants(self._reads(self.trained))

    @cached_property
    def at_trained(self) -> Bools:
        """For each port whether what is trained meets other values there."""
        marks = np.zeros(len(self.from_trained), dtype=np.bool_)
        for variable in self.trained:
            marks[list(self._uses(variable))] = True
        return marks

    def part(self, variable: int) -> _Part:
        """Where a variable stands."""
        uses = self._uses(variable)
        return _Part(uses, self.made_at(uses))

    def made_at(self, ports: Iterable[int]) -> Bools:
        """For each port whether it is one of some or made of one."""
        marks = np.zeros(len(self.from_trained), dtype=np.bool_)
        marks[list(ports)] = True
        return self.wiring.descendants(marks)

    def feeds_trained(self, part: _Part) -> bool:
        """Whether what is trained is given what is made of a variable, as by the first layers of a model."""
        return bool((part.made & self.at_trained).any())

    def judges(self, part: _Part) -> bool:
        """Whether a variable is also used on what nothing trained has made."""
        return not all(self.from_trained[each] for each in part.uses)

    def looks_at_example(self, parts: Collection[_Part]) -> bool:
        """Whether what is trained reaches some layers without having been multiplied with anything before."""
        uses = np.zeros(len(self.from_trained), dtype=np.bool_)
        uses[[each for part in parts for each in part.uses]] = True
        before = self.wiring.ancestors(uses) & self.from_trained & ~self.wiring.descendants(uses)
        return not any(map(self._multiplies, np.flatnonzero(before).tolist())) and all(
            before[[port for port, each in self.study.variable_of.items() if each == variable]].any()
            for variable in self.trained
        )

    def is_branch(self, part: _Part) -> bool:
        """Whether what is made of a variable and of what is trained is compared with something else after that.

        What has likelihoods of its own is compared with what is trained itself, such as a policy with that before it.
        """
        both = part.made & self.from_trained
        alone = np.flatnonzero(part.made & ~self.from_trained).tolist()
        judged = any(self.study.kind(port) in _LIKELIHOODS for port in alone)
        for port in np.flatnonzero(both).tolist():
            operands = self._operands(port) or ([] if judged else self._chosen_by_labels(port))
            if operands and any(both[each] for each in operands) and not all(both[each] for each in operands):
                return True
        return False

    def _operands(self, port: int) -> list[int]:
        """What an error compares; nothing where a port gives no error."""
        for k in self.study.at.get(port, []):
            if is_of_difference(self.study, k):
                return [each for parent in self.wiring.parents(port) for each in self.wiring.parents(parent)]
            if is_error(self.study, k):
                return self.study.wiring.parents(port)
        return []

    def _chosen_by_labels(self, port: int) -> list[int]:
        """Likelihoods and the labels that choose among them, as a factor or an index, in a loss that is written out."""
        site = self.study.wiring.site(port)
        kind = Kind.OTHER if site is None else operation_of(site).kind
        if site is None or kind not in _CHOOSING:
            return []
        parents = self.wiring.parents(port)
        if kind is Kind.GATHER:  # what only chooses is no part of the flow of numbers
            parents = [self.study.ports.of(ref) for ref in self.study.program.inputs_of(site.site)]
        likelihoods = [each for each in parents if each >= 0 and self._is_likelihood(each)]
        labels = [each for each in parents if each >= 0 and each not in likelihoods and self._is_data(each)]
        return [*likelihoods, *labels] if likelihoods else []

    def _is_likelihood(self, port: int, depth: int = 0) -> bool:
        """Whether it is the logarithm of probabilities, also as logits less the logarithm of their exponentials."""
        kind = self.study.kind(port)
        if kind in _LIKELIHOODS:
            return True
        through = _PASSED if depth else (Kind.SUBTRACT,)
        return (
            kind in through
            and depth < _DEEPEST
            and any(self._is_likelihood(each, depth + 1) for each in self.wiring.parents(port))
        )

    def _is_data(self, port: int) -> bool:
        """Whether it is made of data alone."""
        marks = np.zeros(len(self.from_trained), dtype=np.bool_)
        marks[port] = True
        before = np.flatnonzero(self.study.wiring.ancestors(marks) | marks).tolist()
        sites = [site for each in before if (site := self.study.wiring.site(each)) is not None]
        return not any(site.reads for site in sites) and any(map(brings_data, sites))

    def _reads(self, variables: Collection[int]) -> Bools:
        marks = np.zeros(len(self.study.ports.site), dtype=np.bool_)
        marks[[port for port, variable in self.study.variable_of.items() if variable in variables]] = True
        return marks

    def _uses(self, variable: int) -> tuple[int, ...]:
        """The ports at which a variable meets what is not made of it alone, constants left out."""
        own = {port for port, each in self.study.variable_of.items() if each == variable}
        ahead, uses = list(own), dict[int, None]()
        while ahead and len(own) < _MOST_USES:
            for child in self.wiring.children(ahead.pop()):
                if child in own:
                    continue
                others = [parent for parent in self.wiring.parents(child) if parent not in own]
                if self._multiplies(child) or not all(map(self._is_constant, others)):
                    uses[child] = None
                else:
                    own.add(child)
                    ahead.append(child)
        return tuple(uses)

    def _multiplies(self, port: int) -> bool:
        site = self.study.wiring.site(port)
        operation = Operation() if site is None else operation_of(site)
        return operation.kind is Kind.GATHER or operation.has(Trait.CONTRACTS)

    def _is_constant(self, port: int) -> bool:
        site = self.study.wiring.site(port)
        return site is not None and operation_of(site).kind is Kind.CONSTANT
