/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers for kernels: loops over events (one draw, one datum), and the tape's threads. */
#include "core/kernel.h"

#include "core/kernels/workers_impl.h"

int gb_axis_place(gb_axes axes, gb_axes axis)
{
    return gb_axes_count(axes & (axis - 1));
}

int64_t gb_layout_stride(const gb_layout *layout, gb_axes axis)
{
    return layout->axes & axis ? layout->hidden_stride[gb_axis_place(layout->axes, axis)] : 0;
}

size_t gb_layout_count(const gb_layout *layout)
{
    size_t count = gb_shape_count(layout->shape);
    for (int i = gb_axes_count(layout->axes) - 1; i >= 0; i--)
        count *= (size_t)layout->hidden_size[i];
    return count;
}

/* Called once for each event and argument, so places are counted in passing rather than looked up. */
int64_t gb_event_offset(const gb_layout *layout, gb_axes axes, const int64_t *at)
{
    int64_t offset = 0;
    const int64_t *stride = layout->hidden_stride;
    for (gb_axes rest = axes | layout->axes; rest; rest &= rest - 1) {
        const gb_axes axis = rest & (~rest + 1);
        if (axes & layout->axes & axis)
            offset += *at * *stride;
        at += (axes & axis) != 0;
        stride += (layout->axes & axis) != 0;
    }
    return offset;
}

bool gb_next_event(const gb_layout *layout, int64_t *at)
{
    for (int i = gb_axes_count(layout->axes) - 1; i >= 0; i--) {
        if (++at[i] < layout->hidden_size[i])
            return true;
        at[i] = 0;
    }
    return false;
}

static bool has_events(const gb_layout *layout)
{
    for (int i = gb_axes_count(layout->axes) - 1; i >= 0; i--)
        if (layout->hidden_size[i] == 0)
            return false;
    return true;
}

enum { MOST_ARGS = 16 };

/* One array during a loop over events: the bytes that a step along each axis of the result adds to its
 * address. */
typedef struct walker {
    const char *at;
    int64_t step[GB_MAX_HIDDEN]; /* includes the way back from the end of the inner axes */
} walker;

static walker walk(const void *data, const gb_layout *layout, const gb_layout *out, int64_t width)
{
    walker w = {.at = data};
    const int count = gb_axes_count(out->axes);
    int64_t back = 0, stride[GB_MAX_HIDDEN];
    int place = 0;
    for (gb_axes rest = out->axes; rest; rest &= rest - 1)
        stride[place++] = gb_layout_stride(layout, rest & (~rest + 1));
    for (int i = count - 1; i >= 0; i--) {
        w.step[i] = (stride[i] - back) * width;
        back += stride[i] * (out->hidden_size[i] - 1);
    }
    return w;
}

/* Returns the outermost axis that advances to the next event; −1 if there is none. */
static int next_axis(const gb_layout *layout, int count, int64_t *at)
{
    for (int i = count - 1; i >= 0; i--) {
        if (++at[i] < layout->hidden_size[i])
            return i;
        at[i] = 0;
    }
    return -1;
}

void gb_each_event(const gb_kernel_call *call,
                   void (*each)(const gb_kernel_call *call, const void *const *in, void *out))
{
    const gb_layout *const out = &call->out_layout;
    const int64_t width = call->real == GB_FLOAT ? sizeof(float) : sizeof(double);
    const size_t args = call->count < MOST_ARGS ? call->count : MOST_ARGS;
    const int axes = gb_axes_count(out->axes);
    int64_t at[GB_MAX_HIDDEN] = {0};
    walker arg[MOST_ARGS], to = walk(call->out, out, out, width);
    const void *in[MOST_ARGS];
    if (!has_events(out))
        return;
    for (size_t a = 0; a < args; a++)
        arg[a] = walk(call->in[a], &call->arg[a], out, width);
    for (int axis = 0; axis >= 0;) {
        for (size_t a = 0; a < args; a++)
            in[a] = arg[a].at;
        each(call, in, (char *)(uintptr_t)to.at);
        axis = next_axis(out, axes, at);
        for (size_t a = 0; a < args && axis >= 0; a++)
            arg[a].at += arg[a].step[axis];
        if (axis >= 0)
            to.at += to.step[axis];
    }
}

/* ---- threads ---- */

typedef struct plain_job {
    void (*tile)(void *user, size_t index);
    void *user;
} plain_job;

static void run_plain(void *context, size_t tile, unsigned thread)
{
    (void)thread;
    const plain_job *job = context;
    job->tile(job->user, tile);
}

void gb_parallel(gb_workers *workers, size_t tiles, void (*tile)(void *user, size_t index), void *user)
{
    plain_job job = {.tile = tile, .user = user};
    gb_workers_run(workers, tiles, run_plain, &job);
}
