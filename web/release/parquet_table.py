"""Columns as a Parquet file; without Django, for the child process that computes."""

from typing import Any


def parquet_table(columns: dict[str, list[Any]]) -> bytes:
    """Write columns of texts and numbers, (rows,) each, as a Parquet file."""
    import pyarrow
    from pyarrow.parquet import write_table

    out = pyarrow.BufferOutputStream()
    write_table(pyarrow.table(columns), out)
    return out.getvalue().to_pybytes()
