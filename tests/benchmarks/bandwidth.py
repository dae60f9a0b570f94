"""How fast this machine reads its memory: what bounds the decoding of one sequence."""

import os
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter

import numpy as np

BYTES = 1 << 30
"""Larger than the last cache of any processor that this is likely to run on."""


class ReadBandwidth:
    """Reads one large array with every core."""

    def __init__(self) -> None:
        whole = np.ones(BYTES // 8, np.uint64)
        self._pieces = np.array_split(whole, os.cpu_count() or 1)
        self._pool = ThreadPoolExecutor(len(self._pieces))

    def measure(self) -> float:
        """Bytes per second of one pass; numpy gives the interpreter up while it reads."""
        started = perf_counter()
        list(self._pool.map(np.bitwise_or.reduce, self._pieces))
        return BYTES / (perf_counter() - started)
