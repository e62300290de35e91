"""Records a program into a trace; knows no framework, only what a backend is.

**A backend** is one object, `BACKEND` in `backends/<framework>/backend.py`, with a role for each thing that users ask
for: record, check, trap, replay, step calls, debug, lines. A role is a Protocol of `backend.py`, or
`Unsupported(reason, instead)`. From these `support.py` makes the error, and the table in `docs/frameworks.md`. The
object is imported without the framework; a role imports what it needs when it is used. `ability_watch.py` starts a
role once the program imports the framework. Where the role is missing, it ends the program there, if the program's
own files import that framework and none that has the role.

Beside this package stand `checking/`, `trapping/`, `replaying/` and `stopping/`, each with its plan, its launcher,
and what needs no framework: rules, messages, snapshots, captures, bisection. A backend hands them arrays. Their names
end in `-ing` since `tensordbg.trap` is a function. The exception that ends a program carries what was found
(`carried.py`), so nobody reads its message; where TensorFlow's runtime hands on only text, the whole text that it was
given is looked for in it.

**What is kept.** Which sites have their elements kept is one byte per site in the native log, set by
`value_choice.py` when a site comes by on its way to the trace. A range of steps switches the sites of a function when
a call of it begins, so calls of one function at the same time share it. Filters of tensors (`tensor_filter.py`) mute
sites in the native log in the same way, and dtypes by a bit mask: they hold for functions that an earlier recording
instrumented too.

**A program that failed.** The error of an operation that ended the program is noted (`failure.py`). The elements of a
tensor of up to 64 bytes and five dimensions lie in its record always, where dimensions would lie that it lacks. When
a program fails, those that the operation may have been given are told (`small_values.py`), each by the time, site and
slot of its event, as which of them it was given is the reader's to find out.
"""
