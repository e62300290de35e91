from __future__ import annotations

import pytest

from tensordbg.trace.graphs.checksums import masked_checksum, masked_checksums


def plain(masked: int) -> int:
    rotated = (masked - 0xA282EAD8) & 0xFFFFFFFF
    return (rotated >> 17 | rotated << 15) & 0xFFFFFFFF


def slow(data: bytes) -> int:
    state = 0xFFFFFFFF
    for byte in data:
        state ^= byte
        for _ in range(8):
            state = (state >> 1) ^ (0x82F63B78 if state & 1 else 0)
    return state ^ 0xFFFFFFFF


@pytest.mark.parametrize(
    ("data", "checksum"),
    [(b"", 0), (b"a", 0xC1D04330), (b"123456789", 0xE3069283), (bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43)],
)
def test_known_checksums(data: bytes, checksum: int) -> None:
    assert plain(masked_checksum(data)) == checksum


def test_any_length_also_around_whole_blocks() -> None:
    records = [bytes(k * 37 % 251 for k in range(length)) for length in (1, 2, 3, 4, 5, 255, 256, 257, 512, 700)]
    assert [plain(int(each)) for each in masked_checksums(records)] == [slow(record) for record in records]


@pytest.mark.parametrize("longest", [0, 3, 4, 8, 9, 255])
def test_records_that_are_all_short(longest: int) -> None:
    records = [bytes(k * 29 % 251 + 1 for k in range(length)) for length in range(longest + 1)]
    assert [plain(int(each)) for each in masked_checksums(records)] == [slow(record) for record in records]


def test_no_records() -> None:
    assert len(masked_checksums([])) == 0
