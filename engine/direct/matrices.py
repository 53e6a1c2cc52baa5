"""Products of small matrices, added up in the order of the index as those of `products.py`.

numpy's `@` adds in an order that depends on the processor. See `function.py` for the record.
"""

from ..simd.kernel import kernel


@kernel
def multiply_into(res, a, b, rows, inner, columns, steps):
    """Product of two matrices; `steps` are those of rows and columns of the first and second."""
    a_row, a_column, b_row, b_column = steps
    for i in range(rows):
        for j in range(columns):
            res[i * columns + j] = 0.0
            if inner > 0:
                res[i * columns + j] = a[i * a_row] * b[j * b_column]
        for k in range(1, inner):
            factor = a[i * a_row + k * a_column]
            for j in range(columns):
                term = factor * b[k * b_row + j * b_column]
                res[i * columns + j] = res[i * columns + j] + term


@kernel
def product(c):
    """The product mat1 mat2."""
    rows, inner, columns = c.mat1_rows, c.mat1_columns, c.mat2_columns
    multiply_into(c.res, c.mat1, c.mat2, rows, inner, columns, (inner, 1, columns, 1))


@kernel
def product_second_transposed(c):
    """The product mat1 mat2'."""
    rows, inner, columns = c.mat1_rows, c.mat1_columns, c.mat2_rows
    multiply_into(c.res, c.mat1, c.mat2, rows, inner, columns, (inner, 1, 1, inner))


@kernel
def product_first_transposed(c):
    """The product mat1' mat2."""
    rows, inner, columns = c.mat1_columns, c.mat1_rows, c.mat2_columns
    multiply_into(c.res, c.mat1, c.mat2, rows, inner, columns, (1, rows, columns, 1))


@kernel
def times_vector(c):
    """The product mat vec."""
    rows, inner = c.mat_rows, c.mat_columns
    multiply_into(c.res, c.mat, c.vec, rows, inner, 1, (inner, 1, 1, 1))


@kernel
def transposed_times_vector(c):
    """The product mat' vec."""
    rows, inner = c.mat_columns, c.mat_rows
    multiply_into(c.res, c.mat, c.vec, rows, inner, 1, (1, rows, 1, 1))


@kernel
def times_vector3(c):
    """The product mat vec, of three dimensions."""
    multiply_into(c.res, c.mat, c.vec, 3, 3, 1, (3, 1, 1, 1))


@kernel
def transposed_times_vector3(c):
    """The product mat' vec, of three dimensions."""
    multiply_into(c.res, c.mat, c.vec, 3, 3, 1, (1, 3, 1, 1))


@kernel
def bilinear(c):
    """The product vec1' mat vec2."""
    n = c.vec1_size
    c.result[0] = 0.0
    for i in range(n):
        image = 0.0
        for k in range(n):
            image = image + c.mat[i * n + k] * c.vec2[k]
        c.result[0] = c.result[0] + c.vec1[i] * image


@kernel
def transpose(c):
    """The transposed matrix."""
    rows, columns = c.mat_rows, c.mat_columns
    for i in range(rows):
        for j in range(columns):
            c.res[j * rows + i] = c.mat[i * columns + j]


@kernel
def symmetrize(c):
    """The mean of a matrix and its transposed one."""
    n = c.mat_rows
    for i in range(n):
        for j in range(n):
            c.res[i * n + j] = 0.5 * (c.mat[i * n + j] + c.mat[j * n + i])


@kernel
def fill_identity(c):
    """1 on the diagonal, else 0."""
    n = c.mat_rows
    for k in range(n * n):
        c.mat[k] = 0.0
    for i in range(n):
        c.mat[i * n + i] = 1.0
