"""The checksum of TensorFlow's record files, CRC-32C, of many records at once.

A checksum is linear: zeros before the data change nothing if one begins with zero. So each record is filled up in front
to whole blocks, the blocks of all records are worked off side by side, and a record's blocks are then put together.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.int64]

_POLYNOMIAL = 0x82F63B78
_BLOCK = 256
_AT_ONCE = 4
_MASK_DELTA = 0xA282EAD8
_ALL = 0xFFFFFFFF


def masked_checksum(data: bytes) -> int:
    """The checksum of some bytes, as TFRecord files store it."""
    return int(masked_checksums([data])[0])


def masked_checksums(records: Sequence[bytes]) -> Words:
    """The checksums of several records, as TFRecord files store them."""
    if not records:
        return np.empty(0, np.uint32)
    lengths = np.fromiter(map(len, records), np.int64, len(records))
    size = _size_of_blocks(int(lengths.max()))
    blocks = -(-np.maximum(lengths, _AT_ONCE) // size)
    ends = np.cumsum(blocks)
    parts = _of_blocks(_filled(records, lengths, blocks, size).reshape(-1, size))
    checksums: Words = parts[ends - 1]
    for number in np.flatnonzero(blocks > 1).tolist():
        checksums[number] = _joined(parts[ends[number] - blocks[number] : ends[number]].tolist())
    checksums ^= _corrections(lengths)
    rotated = (checksums >> np.uint32(15)) | (checksums << np.uint32(17))
    masked: Words = (rotated.astype(np.uint64) + _MASK_DELTA).astype(np.uint32)
    return masked


def _size_of_blocks(longest: int) -> int:
    """As long as the longest record, so that short ones are not filled up to many times their length."""
    return min(_BLOCK, -(-max(longest, _AT_ONCE) // _AT_ONCE) * _AT_ONCE)


def _filled(records: Sequence[bytes], lengths: Numbers, blocks: Numbers, size: int) -> npt.NDArray[np.uint8]:
    """The records, each behind zeros; beginning with ones is the same as flipping the first four bytes."""
    widths = blocks * size
    rows = bytearray().join(record.rjust(width, b"\0") for record, width in zip(records, widths.tolist(), strict=True))
    filled = np.frombuffer(rows, np.uint8)
    begins = (np.cumsum(widths) - lengths)[lengths >= _AT_ONCE]
    filled[begins[:, None] + np.arange(_AT_ONCE)] ^= 0xFF
    return filled


def _corrections(lengths: Numbers) -> Words:
    """What must be added at the end: the final flip, and the beginning of records that are too short for four bytes."""
    of_short: Words = np.array([_correction(length) for length in range(_AT_ONCE)] + [_ALL], np.uint32)
    return of_short[np.minimum(lengths, _AT_ONCE)]


@cache
def _correction(length: int) -> int:
    state, table = _ALL, _table().tolist()
    for _ in range(length):
        state = table[state & 0xFF] ^ (state >> 8)
    return state ^ _ALL


@cache
def _table() -> Words:
    state = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        state = np.where(state & 1, np.uint32(_POLYNOMIAL), np.uint32(0)) ^ (state >> np.uint32(1))
    return state


@cache
def _past_word() -> tuple[Words, Words]:
    """For either half of a state, what four bytes of zeros make of it."""
    low = np.arange(2**16, dtype=np.uint32)
    return _past_zeros(low, _AT_ONCE), _past_zeros(low << np.uint32(16), _AT_ONCE)


def _of_blocks(blocks: npt.NDArray[np.uint8]) -> Words:
    low, high = _past_word()
    state: Words = np.zeros(len(blocks), np.uint32)
    for word in np.ascontiguousarray(blocks.view("<u4").T):
        state ^= word
        state = low[state & np.uint32(0xFFFF)] ^ high[state >> np.uint32(16)]
    return state


def _past_zeros(state: Words, count: int) -> Words:
    """What a number of zeros make of states."""
    for _ in range(count):
        state = _table()[state & np.uint32(0xFF)] ^ (state >> np.uint32(8))
    return state


@cache
def _past_block() -> list[list[int]]:
    """For each byte of a state, what a block of zeros makes of it."""
    byte = np.arange(256, dtype=np.uint32)
    return [_past_zeros(byte << np.uint32(shift), _BLOCK).tolist() for shift in (0, 8, 16, 24)]


def _joined(parts: list[int]) -> int:
    first, second, third, fourth = _past_block()
    state = 0
    for part in parts:
        moved = first[state & 0xFF] ^ second[state >> 8 & 0xFF] ^ third[state >> 16 & 0xFF] ^ fourth[state >> 24]
        state = moved ^ part
    return state
