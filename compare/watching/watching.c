/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/watching/watching_impl.h"

#include <stdio.h>

#include "core/op.h"

void gb_watch_forgive(gb_watch_work *w, const char *who)
{
    if (w->it.status == GB_OK) {
        w->it.status = gb_error(w->tape);
        snprintf(w->error, sizeof w->error, "%.80s: %.500s", who, gb_error_text(w->tape));
    }
    gb_forgive(w->tape);
}
