"""The language of kernels: lanes, vectors, records, and the compiler to machine code."""
