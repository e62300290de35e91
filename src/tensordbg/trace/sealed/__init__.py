"""Parquet files of a trace: how they come to be, when they count, and how they are read.

**Sealing** (`seal.py`) turns full segments into Parquet parts and deletes them; `tdbg run` does it beside the
program, so the recorded process spends no time on it. At the end the JSON lines become Parquet too, but for
`facts.jsonl`, since the end may become known after the sealing; files of values stay as they are. A part counts only
if `sealed.json` names it, and what it was made from is deleted only afterwards: a crash at any moment neither loses
nor doubles an event. A part of executions holds those that are complete with its segments, so a long call may stand
behind later ones; the last sealing puts all in order. A slot that stays empty holds its segment back for ten seconds,
then it is given up. `steps.py` finds the execution that caused each event.
"""
