/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "compare/watching/watching_impl.h"

#include <stdio.h>

#include "core/op.h"

void gb_watch_note(gb_watch_work *w, gb_status status, const char *who, const char *words)
{
    if (w->it.status != GB_OK)
        return;
    w->it.status = status;
    snprintf(w->error, sizeof w->error, "%.80s: %.500s", who, words);
}

void gb_watch_forgive(gb_watch_work *w, const char *who)
{
    gb_watch_note(w, gb_error(w->tape), who, gb_error_text(w->tape));
    gb_forgive(w->tape);
}
