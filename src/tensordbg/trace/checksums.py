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

_POLYNOMIAL = 0x82F63B78
_BLOCK = 256
_MASK_DELTA = 0xA282EAD8
_ALL = 0xFFFFFFFF


def masked_checksum(data: bytes) -> int:
    """The checksum of some bytes, as TFRecord files store it."""
    return int(masked_checksums([data])[0])


def masked_checksums(records: Sequence[bytes]) -> Words:
    """The checksums of several records, as TFRecord files store them."""
    blocks = [-(-max(len(record), 4) // _BLOCK) for record in records]
    if not records:
        return np.empty(0, np.uint32)
    filled = b"".join(_filled(record, count) for record, count in zip(records, blocks, strict=True))
    parts = _of_blocks(np.frombuffer(filled, np.uint8).reshape(-1, _BLOCK))
    checksums = np.empty(len(records), np.uint32)
    begin = 0
    for number, (record, count) in enumerate(zip(records, blocks, strict=True)):
        checksums[number] = _joined(parts[begin : begin + count].tolist()) ^ _correction(len(record))
        begin += count
    rotated = (checksums >> np.uint32(15)) | (checksums << np.uint32(17))
    masked: Words = (rotated.astype(np.uint64) + _MASK_DELTA).astype(np.uint32)
    return masked


def _filled(record: bytes, blocks: int) -> bytes:
    """A record behind zeros; beginning with ones is the same as flipping the first four bytes."""
    if len(record) >= 4:
        record = bytes(byte ^ 0xFF for byte in record[:4]) + record[4:]
    return record.rjust(blocks * _BLOCK, b"\0")


@cache
def _correction(length: int) -> int:
    """What must be added at the end: the final flip, and the beginning of a record that is too short for four bytes."""
    if length >= 4:
        return _ALL
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


def _of_blocks(blocks: npt.NDArray[np.uint8]) -> Words:
    state: Words = np.zeros(len(blocks), np.uint32)
    for column in blocks.T:
        state = _step(state, column)
    return state


def _step(state: Words, column: npt.NDArray[np.uint8] | int) -> Words:
    stepped: Words = _table()[(state ^ column) & np.uint32(0xFF)] ^ (state >> np.uint32(8))
    return stepped


@cache
def _past_block() -> list[list[int]]:
    """For each byte of a state, what a block of zeros makes of it."""
    tables = []
    for shift in (0, 8, 16, 24):
        state = np.arange(256, dtype=np.uint32) << np.uint32(shift)
        for _ in range(_BLOCK):
            state = _step(state, 0)
        tables.append(state.tolist())
    return tables


def _joined(parts: list[int]) -> int:
    first, second, third, fourth = _past_block()
    state = 0
    for part in parts:
        moved = first[state & 0xFF] ^ second[state >> 8 & 0xFF] ^ third[state >> 16 & 0xFF] ^ fourth[state >> 24]
        state = moved ^ part
    return state
