"""The table of one framework: what each of its types is, by the whole name, its beginning or a word in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tensordbg.operations.collective import Collective
from tensordbg.operations.kinds import Kind
from tensordbg.operations.operation import Domain, Operation, Role
from tensordbg.operations.traits import Trait, with_implied


@dataclass(frozen=True)
class Table:
    """The columns of a table; of beginnings that give a kind, the longest counts."""

    kinds: Mapping[Kind, tuple[str, ...]]
    traits: Mapping[Trait, frozenset[str]]
    operands: Mapping[Role, Mapping[str, int]] = field(default_factory=dict)
    indices: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    domains: Mapping[str, tuple[Domain, ...]] = field(default_factory=dict)
    degrees: Mapping[str, int] = field(default_factory=dict)
    of_nothing: Mapping[str, str] = field(default_factory=dict)
    of_matrix: Mapping[str, str] = field(default_factory=dict)
    puts: Mapping[str, str] = field(default_factory=dict)
    takes: Mapping[str, str] = field(default_factory=dict)
    engines: Mapping[str, str] = field(default_factory=dict)
    collectives: Mapping[str, Collective] = field(default_factory=dict)
    gradient_of: Mapping[str, Kind] = field(default_factory=dict)
    kind_beginnings: Mapping[str, Kind] = field(default_factory=dict)
    trait_beginnings: Mapping[Trait, tuple[str, ...]] = field(default_factory=dict)
    trait_words: Mapping[Trait, tuple[str, ...]] = field(default_factory=dict)
    plain: Callable[[str], str] = str
    """Gives the type under which another one stands here that computes the same."""

    def find(self, op_type: str) -> Operation:
        """Return what is known of a type; of one that stands nowhere an operation of kind `OTHER`."""
        op_type = self.plain(op_type)
        kind, gradient_of = self._kind(op_type), self.gradient_of.get(op_type)
        return Operation(
            kind=Kind.GRADIENT if kind is Kind.OTHER and gradient_of is not None else kind,
            operands={role: positions[op_type] for role, positions in self.operands.items() if op_type in positions},
            indices=self.indices.get(op_type, ()),
            traits=with_implied(self._traits(op_type)),
            domains=self.domains.get(op_type, ()),
            degree=self.degrees.get(op_type, 0),
            of_nothing=self.of_nothing.get(op_type, ""),
            of_matrix=self.of_matrix.get(op_type, ""),
            puts_into=self.puts.get(op_type, ""),
            takes_out_of=self.takes.get(op_type, ""),
            engine=self.engines.get(op_type, ""),
            collective=self.collectives.get(op_type),
            gradient_of=gradient_of,
        )

    def types(self) -> frozenset[str]:
        """Return all types that stand in the table by their whole name."""
        return frozenset(name for names in self._columns() for name in names)

    def beginnings(self) -> frozenset[str]:
        """Return all beginnings of types that stand in the table."""
        return frozenset(
            (*self.kind_beginnings, *(each for several in self.trait_beginnings.values() for each in several))
        )

    def _columns(self) -> Iterator[Iterable[str]]:
        yield from self.kinds.values()
        yield from self.traits.values()
        yield from self.operands.values()
        yield from (self.indices, self.domains, self.degrees, self.of_nothing, self.of_matrix)
        yield from (self.puts, self.takes, self.engines, self.collectives, self.gradient_of)

    def _kind(self, op_type: str) -> Kind:
        for kind, names in self.kinds.items():
            if op_type in names:
                return kind
        beginnings = [beginning for beginning in self.kind_beginnings if op_type.startswith(beginning)]
        return self.kind_beginnings[max(beginnings, key=len)] if beginnings else Kind.OTHER

    def _traits(self, op_type: str) -> Iterator[Trait]:
        yield from (trait for trait, names in self.traits.items() if op_type in names)
        yield from (trait for trait, begin in self.trait_beginnings.items() if op_type.startswith(begin))
        yield from (trait for trait, words in self.trait_words.items() if any(word in op_type for word in words))
