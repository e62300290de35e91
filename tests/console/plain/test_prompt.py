from __future__ import annotations

from pathlib import Path

from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document

from tensordbg.console.console import Console, StateFiles
from tensordbg.console.plain.prompt import ConsoleCompleter, ConsoleHistory


def test_completions_take_the_place_of_the_word(standing: Console) -> None:
    completer = ConsoleCompleter(standing)
    found = list(completer.get_completions(Document("pt Soft"), CompleteEvent(completion_requested=True)))
    assert [(each.text, each.start_position) for each in found] == [("Softmax:0", -4)]


def test_the_lines_of_earlier_sessions_are_there_the_newest_first(sample: Path, tmp_path: Path) -> None:
    files = StateFiles(tmp_path / "lines", None)
    Console(sample, files=files).answer("ver")
    console = Console(sample, files=files)
    console.answer("help")
    assert list(ConsoleHistory(console).load_history_strings()) == ["help", "ver"]
