"""Machine code that compares arguments of a function with rows of a table, and enters them.

A row has one word for each of the places below; what else it has is up to the functions.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .object_code import DESCR, FLAGS_AT, NDIM_AT, SHAPE, ObjectCode

# words of a row; sizes are those of up to two axes
KIND, TARGET, TYPE, FLAGS, NDIM, SIZES = 0, 1, 2, 3, 4, 5
# flags of numpy's arrays
READ = 0x0101  # contiguous and aligned; object_code.WRITTEN: writeable too
MOST_RECORDS = 4


class ArgumentCode(ObjectCode):
    """Writes how arguments are read."""

    def take_by_kind(
        self, row: Any, found: Any, cases: dict[int, Callable[[Any, Any], None]]
    ) -> None:
        """Do with an argument what the kind of its row says.

        Args:
            row: address of the row.
            found: the argument.
            cases: what is written for each kind.
        """
        at, kind = self.at, self.load(row, 8 * KIND)
        done = self.function.append_basic_block("taken")
        blocks = {case: self.function.append_basic_block("kind") for case in cases}
        switch = at.switch(kind, self.otherwise)
        for case, block in blocks.items():
            switch.add_case(self.number(case), block)
            at.position_at_end(block)
            cases[case](row, found)
            at.branch(done)
        at.position_at_end(done)

    def compare_array(self, row: Any, found: Any) -> None:
        """Refuse an array of another type or shape, or one that may not be written as it has to."""
        at = self.at
        self.refuse_unless(self.is_type(found, np.ndarray))
        self.refuse_unless(at.icmp_signed("==", self.load(found, DESCR), self.load(row, 8 * TYPE)))
        flags = at.zext(self.load(found, FLAGS_AT, self.half), self.word)
        wanted = self.load(row, 8 * FLAGS)
        self.refuse_unless(at.icmp_signed("==", at.and_(flags, wanted), wanted))
        ndim = at.zext(self.load(found, NDIM_AT, self.half), self.word)
        self.refuse_unless(at.icmp_signed("==", ndim, self.load(row, 8 * NDIM)))
        shape = self.load(found, SHAPE)
        for k in range(2):
            with at.if_then(at.icmp_signed(">", ndim, self.number(k))):
                self.compare_size(row, k, self.load(shape, 8 * k))

    def compare_size(self, row: Any, k: int, found: Any) -> None:
        """Refuse another length of an axis than that of the row."""
        size = self.load(row, 8 * (SIZES + k))
        self.refuse_unless(self.at.icmp_signed("==", found, size))

    def take_real(self, row: Any, found: Any) -> None:
        """Enter a float, or an int as one."""
        self.store_real(self.load(row, 8 * TARGET), found)

    def run_kernel(self, table: Any, entry: int, unused: int, records: int, number: int) -> None:
        """Run a kernel with as many records as it takes.

        Args:
            table: address of words.
            entry: which of them is the address of the kernel.
            unused: the first of two that are for a result and an exception.
            records: the first of `MOST_RECORDS` that are addresses of records.
            number: which of them says how many records there are.
        """
        at, count = self.at, self.load(table, 8 * number)
        address = self.load(table, 8 * entry)
        places = (unused, unused + 1, *range(records, records + MOST_RECORDS))
        words = [self.load(table, 8 * place) for place in places]
        for n in range(1, MOST_RECORDS + 1):
            with at.if_then(at.icmp_signed("==", count, self.number(n))):
                kind = self.ir.FunctionType(self.half, [self.word] * (2 + n))
                self.call(address, *words[: 2 + n], kind=kind)
