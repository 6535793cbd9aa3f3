/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For kernels: one event (one draw, one datum) after the other. */
#include "plan_impl.h"

/* Once for each event and argument: places are counted along, not looked up. */
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

void gb_each_event(const gb_kernel_call *call,
                   void (*each)(const gb_kernel_call *call, const void *const *in, void *out))
{
    enum { MOST_ARGS = 16 };
    const gb_layout *out = &call->out_layout;
    const int64_t width = call->real == GB_FLOAT ? sizeof(float) : sizeof(double);
    int64_t at[GB_MAX_HIDDEN] = {0};
    const void *in[MOST_ARGS];
    if (!has_events(out))
        return;
    do {
        for (size_t a = 0; a < call->count && a < MOST_ARGS; a++)
            in[a] = (const char *)call->in[a] + gb_event_offset(&call->arg[a], out->axes, at) * width;
        each(call, in, (char *)call->out + gb_event_offset(out, out->axes, at) * width);
    } while (gb_next_event(out, at));
}
