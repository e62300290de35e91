from __future__ import annotations

from typing import Any

from tensordbg.analysis.query_tree import Node, arguments_of, exchange, meaning_of, name_of, nodes_in, orders_of


def column(*names: str, place: int = 0) -> Node:
    return {"class": "COLUMN_REF", "alias": "", "query_location": place, "column_names": list(names)}


def test_a_name_alone_is_one_and_not_that_of_a_tables_column() -> None:
    assert [name_of(each) for each in (column("Step"), column("t", "step"), {"class": "STAR"})] == ["step", None, None]


def test_the_same_expression_means_the_same_wherever_it_stands() -> None:
    assert meaning_of(column("Step", place=3)) == meaning_of({**column("step"), "alias": "s"})
    assert meaning_of(column("step")) != meaning_of(column("site"))


def test_arguments_with_and_without_names_around_them() -> None:
    inner = column("step")
    assert arguments_of({"arguments": [{"name": "", "expression": inner}]}) == [inner]
    assert arguments_of({"children": [inner]}) == [inner]


def test_the_outermost_is_exchanged_and_the_rest_is_copied() -> None:
    tree = {"class": "A", "inner": [{"class": "B", "inner": [{"class": "B"}]}, {"class": "C"}]}

    def other(node: Node) -> Node | None:
        return {"class": "D"} if node["class"] == "B" else None

    found: Any = exchange(tree, other)
    assert [each["class"] for each in nodes_in(found)] == ["A", "D", "C"]
    assert [each["class"] for each in nodes_in(tree)] == ["A", "B", "B", "C"]


def test_orders_are_those_of_all_modifiers() -> None:
    modifiers = [{"type": "LIMIT_MODIFIER"}, {"type": "ORDER_MODIFIER", "orders": [{"expression": column("a")}]}]
    assert orders_of({"modifiers": modifiers}) == [column("a")]
