"""Elementary functions of reals, with the same bits in every width.

Each one is a polynomial on a reduced argument, evaluated with `fma` and without branches, so that a lane never waits
for another and no library decides the last bit. Polynomials are minimax fits in the relative error of the result; their
coefficients were rounded one after the other, lowest power first, refitting those that remained.
"""

from .kernel import kernel
from .lanes import absolute, floor, fma, rint, select

TWO_OVER_PI = 0.6366197723675814
# pi/2 in three parts, together exact to 160 bits
HALF_PI_1, HALF_PI_2, HALF_PI_3 = 1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33


# ---------------------------------------------------------------- sine and cosine


@kernel
def sincos(x):
    """Sine and cosine of an angle in radians, to 1.5 ulp.

    The nearest multiple k of pi/2 is taken off (Cody and Waite): the first `fma` is exact, the third only matters
    where the second cancels. Accurate while k is exact and its product with the dropped parts of pi/2 is negligible:
    |x| up to 1e10 loses nothing but relative accuracy next to a zero. NaN and infinity give NaN.

    Returns:
        (sin x, cos x).
    """
    k = rint(x * TWO_OVER_PI)
    r = fma(-k, HALF_PI_3, fma(-k, HALF_PI_2, fma(-k, HALF_PI_1, x)))
    z = r * r
    p = fma(z, 1.5895433289096513e-10, -2.5050734389255455e-08)
    p = fma(z, p, 2.755731353851423e-06)
    p = fma(z, p, -0.00019841269829358528)
    p = fma(z, p, 0.00833333333332184)
    p = fma(z, p, -0.1666666666666663)
    s = fma(r * z, p, r)
    q = fma(z, -1.135873277660272e-11, 2.0875705115000334e-09)
    q = fma(z, q, -2.7557314215299134e-07)
    q = fma(z, q, 2.480158728899748e-05)
    q = fma(z, q, -0.0013888888888873338)
    q = fma(z, q, 0.041666666666666595)
    c = fma(z, fma(z, q, -0.5), 1.0)
    # quarter turns: 0, 1/4, 1/2 or 3/4 of a turn
    turn = k * 0.25
    turn = turn - floor(turn)
    swapped = absolute(turn - 0.5) == 0.25
    sine = select(swapped, c, s)
    cosine = select(swapped, s, c)
    return (
        select(turn >= 0.5, -sine, sine),
        select(absolute(turn - 0.375) < 0.25, -cosine, cosine),
    )


@kernel
def sin(x):
    """Sine of an angle in radians; see `sincos`."""
    return sincos(x)[0]


@kernel
def cos(x):
    """Cosine of an angle in radians; see `sincos`."""
    return sincos(x)[1]
