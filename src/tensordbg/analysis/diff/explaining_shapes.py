"""Says of operations that make values of unlike shapes of equal ones what they do otherwise."""

from __future__ import annotations

from tensordbg.analysis.diff.apart import Apart, Pair
from tensordbg.analysis.diff.attributes import attribute_differences
from tensordbg.analysis.diff.broadcasts import same_shape, unlike_broadcasts
from tensordbg.analysis.diff.wording import Explained, attributes_text, settings_to_set
from tensordbg.analysis.failures.beginnings.words import shape_text


def explain_shape(a: Apart, b: Apart, pair: Pair) -> Explained:
    """Tells of two operations of one kind that make values of unlike sizes of equal ones."""
    shapes = [shape_text(each.side.shape(row)) for each, row in ((a, pair.a), (b, pair.b))]
    difference = attribute_differences(a, b, pair)
    given, broadcasts = _reshaped(a, b, pair), unlike_broadcasts(a, b, ([pair.a], [pair.b]))
    types = a.side.site(pair.a).op_type, b.side.site(pair.b).op_type
    text = f"from equal values {types[0]} of A makes {shapes[0]} and {types[1]} of B {shapes[1]}"
    if broadcasts is not None:
        run, how = broadcasts
        text += f": only {run} broadcasts, {how}"
        suggestion = same_shape(run)
    elif given:
        text += f"; what goes in is {given[0]} in A and {given[1]} in B"
        suggestion = f"give it {given[0]} in B: dimensions that are 1 or absent decide what is broadcast"
    elif difference:
        text += "; " + attributes_text(difference)
        suggestion = settings_to_set(difference)
    else:
        suggestion = "compare an axis, a padding, a stride, how many are taken, and dimensions of 1 that are broadcast"
    return Explained("shape", pair.a, pair.b, pair.distance, True, difference, text, suggestion)


def _reshaped(a: Apart, b: Apart, pair: Pair) -> tuple[str, str] | None:
    """The shapes of a value that goes into both operations and has other dimensions in B."""
    theirs = {int(b.label[row]): row for row in b.side.edges.parents[pair.b] if b.label[row] >= 0}
    for row in a.side.edges.parents[pair.a]:
        other = theirs.get(int(a.label[row]))
        if a.label[row] < 0 or other is None:
            continue
        shapes = a.side.shape(row), b.side.shape(other)
        if None not in shapes and sorted(shapes[0] or ()) != sorted(shapes[1] or ()):
            return shape_text(shapes[0]), shape_text(shapes[1])
    return None
