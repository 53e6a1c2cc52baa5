"""The loop of one thread: take a pack of worlds, gather, run the stages by address, scatter."""

from ..simd.kernel import kernel
from ..simd.lanes import call_stage, get_lane, ints_at, next_pack, reals_at, record_word, set_lane
from ..tables.enums import (
    COUNT_FAILED,
    COUNT_JUMP,
    COUNT_KNOWN,
    COUNT_LOOK,
    COUNT_RERUN,
    COUNT_WARNED,
    JUMP_NOWHERE,
    JUMP_OUT,
    NWARNING,
)
from .spans import differing


@kernel
def run_packs(plan, m, d):
    """Run packs until none is left, or all is to stop.

    Args:
        plan: programs and transfers, shared by all threads.
        m: model record.
        d: scratch of this thread.
    """
    pack, back = next_pack(plan.counter), plan.back[0]
    d.again_num[0], d.again_at[0] = plan.again_num[0], plan.again_at[0]
    while pack < plan.npack[0] and not plan.stop[0]:
        gather(plan, m, d, pack)
        run_operations(plan.op_start, plan.nstart, back, m, d)
        if plan.mode[0]:
            for k in range(plan.nstep[0]):
                look(plan, m, d)
                run_operations(plan.op_before, plan.nbefore, back, m, d)
                run_operations(plan.op_forward, plan.nforward, back, m, d)
                run_operations(plan.op_check, plan.ncheck, back, m, d)
                if d.count[COUNT_RERUN]:
                    # worlds were reset: their accelerations are those of the initial state
                    run_operations(plan.op_rerun, plan.nrerun, back, m, d)
                    d.count[COUNT_RERUN] = 0
                last = k == plan.nstep[0] - 1 or plan.stop[0] != 0
                if last:
                    # nothing else reads sensors, so only the last reading counts
                    run_operations(plan.op_sense, plan.nsense, back, m, d)
                if not d.count[COUNT_FAILED]:
                    # what has failed stays at the end of the step before
                    run_operations(plan.op_integrate, plan.nintegrate, back, m, d)
                if last:
                    break
            d.count[COUNT_KNOWN] = plan.keeps[0] and not d.count[COUNT_FAILED]
        else:
            look(plan, m, d)
            run_operations(plan.op_forward, plan.nforward, back, m, d)
            run_operations(plan.op_sense, plan.nsense, back, m, d)
        run_operations(plan.op_after, plan.nafter, back, m, d)
        scatter(plan, d, pack)
        pack = next_pack(plan.counter)


@kernel
def look(plan, m, d):
    """Let Python look for signals when that was asked for, see `simd/signals.py`."""
    if d.count[COUNT_LOOK]:
        call_stage(plan.look[0], m, d)


@kernel
def run_operations(operations, n, back, m, d):
    """Call n compiled stages one after the other, but where one asks to go elsewhere.

    Args:
        operations: their addresses.
        n: how many.
        back: how many to go back to start collision again.
        m: model record.
        d: scratch of this thread.
    """
    k = 0
    while k < n:
        call_stage(operations[k], m, d)
        k += 1
        if d.count[COUNT_JUMP]:
            k = n if d.count[COUNT_JUMP] == JUMP_OUT else k - back
            d.count[COUNT_JUMP] = JUMP_NOWHERE


@kernel
def gather(plan, m, d, pack):
    """Copy the rows of a pack's worlds into lanes."""
    width = plan.width
    # fields of the model and of data, integers as reals
    for t in range(plan.nin):
        n = plan.in_size[t]
        slot = plan.in_scratch[t]
        target = reals_at(record_word(m, slot) if plan.in_model[t] else record_word(d, slot))
        if plan.in_integer[t]:
            whole = ints_at(plan.in_user[t])
            for lane in range(width):
                row = world_of(plan, pack * width + lane) * n
                for i in range(n):
                    target[i * width + lane] = 1.0 * whole[row + i]
        else:
            source = reals_at(plan.in_user[t])
            for lane in range(width):
                row = world_of(plan, pack * width + lane) * n
                for i in range(n):
                    target[i * width + lane] = source[row + i]
    if d.count[COUNT_WARNED]:
        clear_warnings(plan, d)


@kernel
def world_of(plan, place):
    """World at a place among those to run; the last one fills up its pack."""
    return plan.world[min(place, plan.nactive[0] - 1)]


@kernel
def clear_warnings(plan, d):
    """Start counting warnings anew."""
    d.count[COUNT_WARNED] = 0
    for lane in range(plan.width):
        set_lane(d.warning_reset, 0, lane, 0.0)
        for k in range(NWARNING):
            set_lane(d.warning_number, k, lane, 0.0)
            set_lane(d.warning_lastinfo, k, lane, 0.0)


@kernel
def scatter(plan, d, pack):
    """Copy lanes into the rows of a pack's worlds; lanes that fill up the pack are left out."""
    width = plan.width
    nlane = min(width, plan.nactive[0] - pack * width)
    # a reset clears inputs too, which otherwise only the user changes
    for t in range(plan.nout + (plan.nback if d.count[COUNT_WARNED] else 0)):
        source = reals_at(record_word(d, plan.out_scratch[t]))
        if plan.out_integer[t]:
            whole = ints_at(plan.out_user[t])
            for lane in range(nlane):
                world = plan.world[pack * width + lane]
                row = world * plan.out_size[t]
                for i in range(length(plan, d, t, lane, world)):
                    whole[row + i] = int(source[i * width + lane])
        else:
            target = reals_at(plan.out_user[t])
            for lane in range(nlane):
                world = plan.world[pack * width + lane]
                row = world * plan.out_size[t]
                for i in range(length(plan, d, t, lane, world)):
                    target[row + i] = source[i * width + lane]
    if d.count[COUNT_WARNED]:
        scatter_warnings(plan, d, pack, nlane)


@kernel
def length(plan, d, t, lane, world):
    """How many numbers of a field to copy to a world: all, or of a list what is or was in it.

    There is room for far more contacts and rows than a world has, and zeros lie behind them.
    """
    if plan.out_list[t] < 0:
        return plan.out_size[t]
    ends = ints_at(plan.out_end[t])
    before = ends[world]
    # a list for which there is no room is made again by a call that has it
    now = int(get_lane(d.listed, plan.out_list[t], lane)) * plan.out_each[t]
    now = min(now, plan.out_size[t])
    ends[world] = now
    return max(now, before)


@kernel
def scatter_warnings(plan, d, pack, nlane):
    """Add the warnings of this call to the users' counters; a reset world has lost earlier ones."""
    number, info = ints_at(plan.warn_number[0]), ints_at(plan.warn_info[0])
    plan.warned[0] = 1
    for lane in range(nlane):
        row = plan.world[pack * plan.width + lane] * NWARNING
        reset = get_lane(d.warning_reset, 0, lane) > 0.0
        for k in range(NWARNING):
            count = int(get_lane(d.warning_number, k, lane))
            if reset:
                number[row + k] = 0
                info[row + k] = 0
            if count > 0:
                number[row + k] = number[row + k] + count
                info[row + k] = int(get_lane(d.warning_lastinfo, k, lane))


@kernel
def run_prepared(plan, m, d, c):
    """Run the only pack, if memory is as it was when the call was prepared.

    Args:
        plan: program and transfers.
        m: model record.
        d: scratch.
        c: pieces of memory, see `spans.py`; told is 1 if nothing was done.
    """
    c.told[0] = differing(c)
    if c.told[0] == 0 and c.runs != 0:
        plan.counter[0] = 0
        run_packs(plan, m, d)
        if not plan.mode[0]:
            d.count[COUNT_KNOWN] = 0
