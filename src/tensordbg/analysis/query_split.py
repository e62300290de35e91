"""A query divided: one part that is asked of each process by itself, and one of what all of them answered.

DuckDB takes the query apart into a tree, and puts the two queries together again, so that each is in its dialect and
computes what it computes. A row of a process comes from that process alone as long as the query has one table, or
joins by `process`. Then conditions and expressions are computed where the rows are, groups are summed up there too, and
what is left is to put the sums of the same group together. What can't be divided so is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tensordbg.analysis.query_tree import Node, arguments_of, exchange, meaning_of, name_of, nodes_in, orders_of
from tensordbg.errors import UsageError
from tensordbg.trace.schema import TABLES

PARTS = "parts"
"""The table of all answers of the processes, of which the second query asks."""

_TOTAL = "CAST(coalesce(sum({0}), 0) AS BIGINT)"

_COMBINED = {
    "arg_max": (("arg_max({all})", "max(CASE WHEN ({0}) IS NOT NULL THEN {1} END)"), "arg_max({0}, {1})"),
    "arg_min": (("arg_min({all})", "min(CASE WHEN ({0}) IS NOT NULL THEN {1} END)"), "arg_min({0}, {1})"),
    "avg": (("sum({all})", "count({all})"), "sum({0}) / sum({1})"),
    "bool_and": (("bool_and({all})",), "bool_and({0})"),
    "bool_or": (("bool_or({all})",), "bool_or({0})"),
    "count": (("count({all})",), _TOTAL),
    "count_if": (("count_if({all})",), _TOTAL),
    "count_star": (("count_star()",), _TOTAL),
    "max": (("max({all})",), "max({0})"),
    "min": (("min({all})",), "min({0})"),
    "sum": (("sum({all})",), "sum({0})"),
}
"""By the name of an aggregate what is asked of each process, and how that is put together.

`{all}` are its arguments, `{0}` and `{1}` the first and the second; in the other query they are the answers.
"""

_COMBINED |= {"mean": _COMBINED["avg"]}
_COMBINED |= dict.fromkeys(("argmax", "max_by"), _COMBINED["arg_max"])
_COMBINED |= dict.fromkeys(("argmin", "min_by"), _COMBINED["arg_min"])

_TAKEN = {**dict.fromkeys(("arg_max", "argmax", "max_by", "arg_min", "argmin", "min_by"), 2), "count_star": 0}
"""How many arguments are known of an aggregate that takes not just one."""

_DISTINCT = {
    "count": (("list(DISTINCT {all})",), "coalesce(len(list_distinct(flatten(list({0})))), 0)"),
    "max": _COMBINED["max"],
    "min": _COMBINED["min"],
}
_KNOWN = {"ORDER_MODIFIER", "LIMIT_MODIFIER", "DISTINCT_MODIFIER"}
_EVENTS = (*TABLES["tensors"].names, "name", "op_type", "tensor", "function", "path_name", "file", "line")
"""The columns of `events`, see `query.py`."""

_NEVER = {"SUBQUERY": "a query inside of it", "WINDOW": "a window", "PARAMETER": "a parameter"}


class UndividedError(UsageError):
    """A query that asks of all processes at once."""


@dataclass(frozen=True)
class Split:
    """The two queries."""

    part: str
    """Asked of the tables of each process."""
    whole: str
    """Asked of the table `PARTS`, which holds the answers of the processes one after the other."""


@dataclass(frozen=True)
class Grammar:
    """DuckDB's, as asked of it."""

    taken_apart: Callable[[str], Node]
    """The tree of one SELECT."""
    put_together: Callable[[Node], str]
    aggregates: frozenset[str]
    """The names of functions that sum up rows."""


def split(query: str, grammar: Grammar) -> Split:
    """Divides a SELECT over the tables of a run of several processes.

    Raises:
        UndividedError: If it can't be divided, with what stands against it.
    """
    statement = grammar.taken_apart(query)
    node = statement["node"]
    _check(node)
    splitting = _Splitting(grammar, statement, _columns(node["from_table"]))
    return splitting.of_groups() if splitting.has_groups() else splitting.of_rows()


def _refuse(what: str) -> UndividedError:
    return UndividedError(
        f"{what} can't be divided among workers; ask without --engine, or of one process by --process"
    )


def _check(node: Node) -> None:
    if node["type"] != "SELECT_NODE":
        raise _refuse("a query that puts several together")
    if node["cte_map"]["map"]:
        raise _refuse("a query with WITH")
    if node["sample"] is not None or node["qualify"] is not None:
        raise _refuse("a query with SAMPLE or QUALIFY")
    if len(node["group_sets"]) > 1:
        raise _refuse("a query with several sets of groups")
    for each in nodes_in(node):
        if (what := _NEVER.get(each.get("class", ""))) is not None:
            raise _refuse(f"a query with {what}")
    for modifier in node["modifiers"]:
        _check_modifier(modifier)


def _check_modifier(modifier: Node) -> None:
    if modifier.get("distinct_on_targets"):
        raise _refuse("DISTINCT ON")
    if modifier["type"] not in _KNOWN or modifier.get("limit_type", "ROW_COUNT") != "ROW_COUNT":
        raise _refuse("a limit or a group that is no plain number")
    if modifier["type"] == "LIMIT_MODIFIER":
        _number(modifier["limit"])
        _number(modifier["offset"])


def _columns(table: Node) -> frozenset[str]:
    """The columns of what a query is over.

    Raises:
        UsageError: If a row of it may come from two processes.
    """
    if table["type"] == "BASE_TABLE" and table["sample"] is None:
        known = TABLES.get(table["table_name"].lower())
        return frozenset({"process", *(known.names if known is not None else _EVENTS)})
    if table["type"] != "JOIN":
        raise _refuse("a query over something other than tables")
    if table["ref_type"] != "REGULAR" or table["join_type"] not in {"INNER", "LEFT"}:
        raise _refuse(f"a join that is neither an inner one nor a LEFT JOIN ({table['join_type']})")
    if "process" not in (name.lower() for name in table["using_columns"]):
        raise _refuse("a join without `process`, as in `join sites using (process, site)`,")
    return _columns(table["left"]) | _columns(table["right"])


@dataclass
class _Splitting:
    """One query, and what was found of it so far."""

    grammar: Grammar
    statement: Node
    columns: frozenset[str]
    parts: list[Node] = field(default_factory=list)
    """What is asked of each process for the aggregates, in order."""

    def __post_init__(self) -> None:
        self.node: Node = self.statement["node"]
        self.items: list[Node] = self.node["select_list"]
        self.aliases = {each["alias"].lower(): each for each in self.items if each["alias"]}

    def has_groups(self) -> bool:
        """Whether the query sums rows up."""
        return bool(
            self.node["group_expressions"]
            or self.node["having"]
            or self.node["aggregate_handling"] == "FORCE_AGGREGATES"
            or any(self._aggregates(each) for each in [*self.items, *orders_of(self.node)])
        )

    def of_rows(self) -> Split:
        """Divides a query whose rows are rows of the tables: each process may leave out those beyond the limit."""
        orders: list[Node] = []
        hidden: list[Node] = []
        distinct = any(each["type"] == "DISTINCT_MODIFIER" for each in self.node["modifiers"])
        for order in orders_of(self.node):
            known = order["class"] in {"CONSTANT", "STAR"} or name_of(order) in self.aliases
            if distinct and not known:
                raise _refuse("DISTINCT in the order of something that has no name of its own")
            if known:
                orders.append(order)
            else:
                name = f"order_{len(hidden)}_of_rows"
                hidden.append({**self._without_aliases(order), "alias": name})
                orders.append(self._parsed(name))
        part = {**self.node, "select_list": [*self.items, *hidden], "modifiers": self._modifiers(self._part_orders())}
        excluded = f"* EXCLUDE ({', '.join(each['alias'] for each in hidden)})" if hidden else "*"
        whole = self._tree(f"SELECT {excluded} FROM {PARTS}")
        whole["node"]["modifiers"] = self._modifiers(orders)
        return Split(self._text(_with_room(part)), self.grammar.put_together(whole))

    def _part_orders(self) -> list[Node]:
        """In a part the order matters only for the rows that a limit leaves."""
        limited = any(each["type"] == "LIMIT_MODIFIER" for each in self.node["modifiers"])
        return orders_of(self.node) if limited else []

    def of_groups(self) -> Split:
        """Divides a query of groups: each process sums up its own, then those of all processes are put together."""
        groups = self._groups()
        names = {meaning_of(each): f"group_{number}" for number, each in enumerate(groups)}
        orders = [order if self._is_of_result(order) else self._joined(order, names) for order in orders_of(self.node)]
        by = f" GROUP BY {', '.join(names.values())}" if names else ""
        whole = {
            **self._tree(f"SELECT * FROM {PARTS}{by}")["node"],
            "select_list": [self._joined(each, names) for each in self.items],
            "having": self.node["having"] and self._joined(self.node["having"], names),
            "modifiers": self._modifiers(orders),
        }
        keys = [{**each, "alias": names[meaning_of(each)]} for each in groups]
        if not keys and not self.parts:
            raise _refuse("a query of one group without a sum")
        part = {**self.node, "select_list": [*keys, *self.parts], "having": None, "modifiers": []}
        if part["where_clause"] is not None:
            part["where_clause"] = self._without_aliases(part["where_clause"])
        part |= {"group_expressions": groups, "group_sets": [[*range(len(groups))]] if groups else []}
        part["aggregate_handling"] = "STANDARD_HANDLING"
        return Split(self._text(part), self._text(whole))

    def _groups(self) -> list[Node]:
        """The expressions by which rows are grouped, each once and in full."""
        if self.node["aggregate_handling"] == "FORCE_AGGREGATES":
            found = [each for each in self.items if not self._aggregates(each)]
        else:
            found = [self._group(each) for each in self.node["group_expressions"]]
        if any(each["class"] in {"CONSTANT", "STAR"} for each in found):
            raise _refuse("a group by something other than columns and expressions")
        return list({meaning_of(each): {**each, "alias": ""} for each in found}.values())

    def _group(self, group: Node) -> Node:
        if group["class"] == "CONSTANT":
            place = _number(group) or 0
            if not 1 <= place <= len(self.items):
                raise _refuse(f"a group by the {place}th column")
            return self.items[place - 1]
        return self._without_aliases(group)

    def _is_of_result(self, order: Node) -> bool:
        """Whether rows are ordered by a column of the answer: its number, ALL, or its name alone."""
        return order["class"] in {"CONSTANT", "STAR"} or name_of(order) in self.aliases

    def _joined(self, expression: Node, names: Mapping[str, str]) -> Node:
        """An expression of the query over what the processes answered."""
        alias = expression["alias"]

        def exchanged(node: Node) -> Node | None:
            if (name := names.get(meaning_of(node))) is not None:
                return self._parsed(name)
            if self._is_aggregate(node):
                return self._combined(node)
            if node.get("class") in {"COLUMN_REF", "STAR"}:
                raise _refuse(f"{'.'.join(node.get('column_names', ['*']))} outside of groups and sums")
            return None

        return {**exchange(self._without_aliases(expression), exchanged), "alias": alias}

    def _combined(self, aggregate: Node) -> Node:
        """Adds to the parts what an aggregate needs of each process; how that is put together is returned."""
        name, arguments = aggregate["function_name"].lower(), arguments_of(aggregate)
        known = (_DISTINCT if aggregate["distinct"] else _COMBINED).get(name)
        if known is None or aggregate["order_bys"]["orders"] or len(arguments) != _TAKEN.get(name, 1):
            raise _refuse(f"{'DISTINCT in ' if aggregate['distinct'] else ''}{name}()")
        asked, combined = known
        texts = [self._expression_text(each) for each in arguments]
        columns = []
        for each in asked:
            part = self._parsed(each.format(*texts, all=", ".join(texts)))
            part["filter"] = aggregate["filter"]
            columns.append(self._asked(part))
        return self._parsed(combined.format(*columns))

    def _asked(self, part: Node) -> str:
        """The name under which each process answers an expression."""
        for known in self.parts:
            if meaning_of(known) == meaning_of(part):
                return str(known["alias"])
        self.parts.append({**part, "alias": f"part_{len(self.parts)}"})
        return str(self.parts[-1]["alias"])

    def _without_aliases(self, expression: Node) -> Node:
        """An expression in which no name is that of another one."""

        def exchanged(node: Node) -> Node | None:
            named = self.aliases.get(name_of(node) or "")
            if named is None or named is expression or meaning_of(named) == meaning_of(node):
                return None
            if name_of(node) in self.columns:
                raise _refuse(f"{name_of(node)}, the name of a column and of something else in the answer,")
            return {**named, "alias": node["alias"]}

        found: Node = exchange(expression, exchanged)
        return found

    def _aggregates(self, expression: Node) -> bool:
        return any(self._is_aggregate(each) for each in nodes_in(self._without_aliases(expression)))

    def _is_aggregate(self, node: Node) -> bool:
        return node.get("class") == "FUNCTION" and node["function_name"].lower() in self.grammar.aggregates

    def _modifiers(self, orders: Sequence[Node]) -> list[Node]:
        """Those of the query, ordered by other expressions, or not where there are none."""
        left = iter(orders)
        return [
            {**each, "orders": [{**one, "expression": next(left)} for one in each["orders"]]}
            if each["type"] == "ORDER_MODIFIER"
            else each
            for each in self.node["modifiers"]
            if orders or each["type"] != "ORDER_MODIFIER"
        ]

    def _tree(self, query: str) -> Node:
        return self.grammar.taken_apart(query)

    def _parsed(self, expression: str) -> Node:
        node: Node = self._tree(f"SELECT {expression}")["node"]["select_list"][0]
        return node

    def _expression_text(self, expression: Node) -> str:
        tree = self._tree("SELECT 1")
        tree["node"]["select_list"] = [{**expression, "alias": ""}]
        return self.grammar.put_together(tree).removeprefix("SELECT ")

    def _text(self, node: Node) -> str:
        return self.grammar.put_together({**self.statement, "node": node})


def _with_room(part: Node) -> Node:
    """A part that leaves so many rows as the answer has, those before its offset included."""
    modifiers = []
    for each in part["modifiers"]:
        if each["type"] == "LIMIT_MODIFIER":
            if each["limit"] is None:
                continue
            rows = (_number(each["limit"]) or 0) + (_number(each["offset"]) or 0)
            limit = {**each["limit"], "literal": {"kind": "INTEGER", "text": str(rows)}}
            modifiers.append({**each, "limit": limit, "offset": None})
        else:
            modifiers.append(each)
    return {**part, "modifiers": modifiers}


def _number(node: Node | None) -> int | None:
    """The number that a limit, an offset or a group is.

    Raises:
        UsageError: If it is something else.
    """
    if node is None:
        return None
    literal = node.get("literal") or {}
    if literal.get("kind") != "INTEGER":
        raise _refuse("a limit or a group that is no plain number")
    return int(literal["text"])
