"""Damages a folder in one or a few places, as a seed says."""

from __future__ import annotations

import os
import random
import shutil
import socket
from pathlib import Path

from tensordbg.opening import is_regular
from tests.fuzz import records

_SPARSE = 2**36


def damage(folder: Path, chance: random.Random) -> list[str]:
    """Damages some files; gives what was done, in words."""
    return [_one(folder, chance) for _ in range(chance.choice([1, 1, 1, 2, 4]))]


def _one(folder: Path, chance: random.Random) -> str:
    paths = sorted(path for path in folder.rglob("*") if path != folder and (path.is_file() or chance.random() < 0.2))
    regular = [path for path in paths if is_regular(path) and path.stat().st_size < _SPARSE]
    if regular and chance.random() < 0.85:
        path = chance.choice(regular)
        what = chance.choice(["form", "form", "form", "form", "bits", "bytes"])
    elif paths:
        path = chance.choice(paths)
        what = chance.choice(["replaced", "replaced", "gone"])
    else:
        return "nothing is left"
    done = {"form": _form, "bits": _bits, "bytes": _bytes, "replaced": _replaced, "gone": _gone}[what](path, chance)
    return f"{path.relative_to(folder)}: {what} {done}"


def _form(path: Path, chance: random.Random) -> str:
    """Damage that fits what the file is."""
    if path.suffix == ".parquet":
        records.parquet(path, chance)
        return "of Parquet"
    by_suffix = {
        ".bin": records.segment if path.parent.name == "segments" else records.flipped,
        ".json": records.json_value,
        ".jsonl": records.json_lines,
        ".gz": records.packed,
        ".safetensors": records.tensors,
    }
    change = by_suffix.get(path.suffix, records.framed if "tfdbg_events" in path.name else records.flipped)
    path.write_bytes(change(path.read_bytes(), chance))
    return change.__name__


def _bits(path: Path, chance: random.Random) -> str:
    path.write_bytes(records.flipped(path.read_bytes(), chance))
    return ""


def _bytes(path: Path, chance: random.Random) -> str:
    """Stretches of it are cut, doubled, swapped, or made of anything."""
    data = path.read_bytes()
    one, two = sorted(chance.randrange(len(data) + 1) for _ in range(2))
    kind = chance.choice(["cut", "doubled", "swapped", "random", "empty", "zeros", "sparse"])
    if kind == "sparse":
        os.truncate(path, _SPARSE)
        return kind
    path.write_bytes(
        {
            "cut": data[:one],
            "doubled": data[:two] + data[one:],
            "swapped": data[two:] + data[one:two] + data[:one],
            "random": data[:one] + chance.randbytes(two - one) + data[two:],
            "empty": b"",
            "zeros": data[:one] + bytes(two - one) + data[two:],
        }[kind]
    )
    return kind


def _gone(path: Path, chance: random.Random) -> str:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
    return ""


def _replaced(path: Path, chance: random.Random) -> str:
    """Something else than a file or a folder stands in its place."""
    _gone(path, chance)
    kind = chance.choice(["pipe", "folder", "link", "loop", "device", "dangling", "socket", "outside"])
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        here = Path.cwd()
        os.chdir(path.parent)
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name[:90])
        os.chdir(here)
    else:
        targets = {
            "link": "/etc/passwd",
            "loop": path.name,
            "device": "/dev/zero",
            "dangling": "none",
            "outside": "/usr",
        }
        path.symlink_to(targets[kind])
    return f"by {kind}"
