"""Elementary functions of reals, with the same bits in every width.

Each one is a polynomial on a reduced argument, evaluated with `fma` and without branches, so that a
lane never waits for another and no library decides the last bit. Polynomials are minimax fits in
the relative error of the result; their coefficients were rounded one after the other, lowest power
first, refitting those that remained.
"""

from .kernel import kernel
from .lanes import absolute, exponent, floor, fma, rint, scale2, select, sqrt

TWO_OVER_PI = 0.6366197723675814
# pi/2 in three parts, together exact to 160 bits
HALF_PI_1, HALF_PI_2, HALF_PI_3 = 1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33


@kernel
def larger(a, b):
    """The larger of two reals."""
    return select(a > b, a, b)


@kernel
def smaller(a, b):
    """The smaller of two reals."""
    return select(a < b, a, b)


# ---------------------------------------------------------------- sine and cosine


@kernel
def sincos(x):
    """Sine and cosine of an angle in radians, to 1.5 ulp.

    The nearest multiple k of pi/2 is taken off (Cody and Waite): the first `fma` is exact, the
    third only matters where the second cancels. Accurate while k is exact and its product with the
    dropped parts of pi/2 is negligible: |x| up to 1e10 loses nothing but relative accuracy next to
    a zero. NaN and infinity give NaN.

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


# ---------------------------------------------------------------- arcus functions

PI, HALF_PI, QUARTER_PI = 3.141592653589793, 1.5707963267948966, 0.7853981633974483
HALF_PI_LOW = 6.123233995736766e-17
# atan(x) = x + x^3 P(x^2) / Q(x^2) on 0..0.66 (Cephes, Moshier)
ATAN_P = (
    -8.750608600031904122785e-1, -1.615753718733365076637e1, -7.500855792314704667340e1,
    -1.228866684490136173410e2, -6.485021904942025371773e1,
)  # fmt: skip
ATAN_Q = (
    1.0, 2.485846490142306297962e1, 1.650270098316988542046e2, 4.328810604912902668951e2,
    4.853903996359136964868e2, 1.945506571482613964425e2,
)  # fmt: skip


@kernel
def atan2(y, x):
    """Angle of the point (x, y), -pi..pi, to about 2 ulp; 0 at the origin."""
    ax, ay = absolute(x), absolute(y)
    steep = ay > ax
    small, large = select(steep, ax, ay), select(steep, ay, ax)
    large = select(large == 0.0, 1.0, large)
    # second reduction, about pi/4
    far = small > 0.66 * large
    t = select(far, small - large, small) / select(far, small + large, large)
    z = t * t
    p, q = ATAN_P[0] + 0.0 * z, ATAN_Q[0] + 0.0 * z
    for k in range(1, 5):
        p = fma(p, z, ATAN_P[k])
    for k in range(1, 6):
        q = fma(q, z, ATAN_Q[k])
    angle = fma(t, z * p / q, t)
    angle = select(far, QUARTER_PI + (angle + 0.5 * HALF_PI_LOW), angle)
    angle = select(steep, HALF_PI - (angle - HALF_PI_LOW), angle)
    angle = select(x < 0.0, PI - (angle - 2.0 * HALF_PI_LOW), angle)
    return select(y < 0.0, -angle, angle)


@kernel
def asin(x):
    """Angle whose sine is x, for |x| <= 1."""
    return atan2(x, sqrt((1.0 - x) * (1.0 + x)))


@kernel
def acos(x):
    """Angle whose cosine is x, for |x| <= 1."""
    return atan2(sqrt((1.0 - x) * (1.0 + x)), x)


# ---------------------------------------------------------------- exponential and logarithm

LOG2_E = 1.4426950408889634
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
SQRT_HALF = 0.7071067811865476
# exp(r) = 1 + 2 r / (R - r) with R = r - r^2 polynomial, log(1 + f) in s = f / (2 + f) (FDLIBM, Sun
# Microsystems)
EXP_P = (
    4.13813679705723846039e-08, -1.65339022054652515390e-06, 6.61375632143793436117e-05,
    -2.77777777770155933842e-03, 1.66666666666666019037e-01,
)  # fmt: skip
LOG_P = (
    1.479819860511658591e-01, 1.531383769920937332e-01, 1.818357216161805012e-01,
    2.222219843214978396e-01, 2.857142874366239149e-01, 3.999999999940941908e-01,
    6.666666666666735130e-01,
)  # fmt: skip


@kernel
def exp(x):
    """e to the x, to about 1 ulp; 0 below -745.2, infinite above 709.78."""
    bounded = select(x < -746.0, -746.0, select(x > 710.0, 710.0, x))
    k = rint(bounded * LOG2_E)
    high, low = fma(-k, LN2_HIGH, bounded), k * LN2_LOW
    r = high - low
    z = r * r
    p = EXP_P[0] + 0.0 * z
    for i in range(1, 5):
        p = fma(p, z, EXP_P[i])
    c = r - z * p
    value = 1.0 - ((low - r * c / (2.0 - c)) - high)
    # in two factors, so that results near the ends of the range are reached
    half = floor(0.5 * k)
    return scale2(scale2(value, half), k - half)


@kernel
def log(x):
    """Natural logarithm of a positive normal number, to about 1 ulp."""
    e = exponent(x)
    mantissa = scale2(x, -e)
    large = mantissa > 2.0 * SQRT_HALF
    e = select(large, e + 1.0, e)
    f = select(large, 0.5 * mantissa, mantissa) - 1.0
    s = f / (2.0 + f)
    z = s * s
    p = LOG_P[0] + 0.0 * z
    for i in range(1, 7):
        p = fma(p, z, LOG_P[i])
    half = 0.5 * f * f
    return e * LN2_HIGH - ((half - (s * (half + z * p) + e * LN2_LOW)) - f)


@kernel
def power(x, y):
    """x to the y for x >= 0, with 0 to the 0 equal to 1; relative error about |y log x| ulp."""
    positive = x > 1e-300
    value = exp(y * log(select(positive, x, 1.0)))
    return select(positive, value, select(y == 0.0, 1.0, 0.0))
