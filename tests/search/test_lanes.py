import functools

import numpy as np
import pytest

pytestmark = pytest.mark.jit


@functools.cache
def _compiled():
    import numba

    from frontrow.search import lanes

    @numba.njit
    def combine(first, second, out):
        a, b = lanes.load(first, 0), lanes.load(second, 0)
        lanes.store(out, 0, (a & b) | (a ^ ~b))
        lanes.store(out, 32, a - b)
        lanes.store(out, 64, lanes.smaller(a, b))
        lanes.store(out, 96, lanes.count_bits(a))
        lanes.store(out, 128, lanes.splat(first, np.uint64(77)))
        lanes.store(out, 160, lanes.lane_numbers(first))
        lanes.store(out, 192, lanes.shift_up(a, np.uint64(3)))
        lanes.store(out, 224, lanes.shift_down(a, np.uint64(3)))

    @numba.njit
    def pack(values, mask, out):
        value = lanes.load(values, 0)
        lanes.store(out, 0, lanes.compress(value, mask))
        lanes.store(out, 32, lanes.keep(value, mask))
        return lanes.size(mask)

    @numba.njit
    def compare(first, second):
        a, b = lanes.load(first, 0), lanes.load(second, 0)
        return lanes.nonzero(a), lanes.equal(a, b)

    @numba.njit
    def banked(values, out):
        bank = lanes.bank(values)
        for index in range(4):
            bank[index] = lanes.load(values, index)
        total = bank[0]
        for index in range(1, 4):
            total = total ^ bank[index]
        lanes.store(out, 0, total)

    @numba.njit
    def find(table, places, values, out):
        lanes.store(out, 0, lanes.lookup(table, 5, lanes.load(places, 0)))
        lanes.store(out, 32, lanes.pick(lanes.load(values, 0), lanes.load(places, 0)))

    return {"combine": combine, "pack": pack, "compare": compare, "banked": banked, "find": find}


def _numbers(kind, seed, high=None):
    high = np.iinfo(kind).max if high is None else high
    return np.random.default_rng(seed).integers(0, high, 64, dtype=kind, endpoint=True)


@pytest.fixture(params=[np.uint16, np.uint32])
def kind(request):
    return request.param


def _count(kind):
    return 64 // np.dtype(kind).itemsize


def test_arithmetic_is_that_of_numpy(kind):
    a, b = _numbers(kind, 1), _numbers(kind, 2)
    out = np.zeros(256, kind)
    _compiled()["combine"](a, b, out)
    n = _count(kind)
    expected = [
        (a & b) | (a ^ ~b),
        a - b,
        np.minimum(a, b),
        np.bitwise_count(a),
        np.full(64, 77),
        np.arange(64),
        a << kind(3),
        a >> kind(3),
    ]
    for index, values in enumerate(expected):
        assert out[32 * index : 32 * index + n].tolist() == values[:n].astype(kind).tolist(), index


@pytest.mark.parametrize("mask", [0, 1, 0x8000, 0xFFFF, 0xA5C3, 0xFFFFFFFF, 0x80000001])
def test_lanes_in_a_mask_are_packed_together(kind, mask):
    values, n = _numbers(kind, 3), _count(kind)
    out = np.zeros(64, kind)
    size = _compiled()["pack"](values, np.uint32(mask), out)
    chosen = [index for index in range(n) if mask >> index & 1]
    assert size == mask.bit_count()
    assert out[:n].tolist() == values[chosen].tolist() + [0] * (n - len(chosen))
    assert out[32 : 32 + n].tolist() == [values[i] if i in chosen else 0 for i in range(n)]


def test_masks_have_a_bit_for_each_lane(kind):
    a, b = _numbers(kind, 4, high=1), _numbers(kind, 5, high=1)
    some, same = _compiled()["compare"](a, b)
    assert some == sum(1 << i for i in range(_count(kind)) if a[i])
    assert same == sum(1 << i for i in range(_count(kind)) if a[i] == b[i])


def test_a_bank_keeps_values_by_number(kind):
    values, n = _numbers(kind, 6), _count(kind)
    out = np.zeros(n, kind)
    _compiled()["banked"](values, out)
    assert out.tolist() == (values[:n] ^ values[1 : n + 1] ^ values[2 : n + 2] ^ values[3 : n + 3]).tolist()


def test_tables_are_looked_up_lane_by_lane(kind):
    from frontrow.search import lanes

    if not lanes.NATIVE:
        pytest.skip("this processor has no AVX-512")
    table, values, n = _numbers(kind, 7), _numbers(kind, 8), _count(kind)
    places = _numbers(kind, 9, high=31)
    out = np.zeros(64, kind)
    _compiled()["find"](table, places, values, out)
    assert out[:n].tolist() == table[5 + places[:n]].tolist()
    assert out[32 : 32 + n].tolist() == values[places[:n] % n].tolist()


def test_other_arrays_are_refused():
    import numba

    with pytest.raises(numba.TypingError):
        _compiled()["banked"](np.zeros(64, np.float64), np.zeros(64, np.float64))
