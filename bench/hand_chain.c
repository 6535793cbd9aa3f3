/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chain of scalars, as one would write it: the forward pass keeps the values, the backward pass reads
 * them. */
#include "hand.h"

void gb_hand_chain_run(void *chain)
{
    gb_hand_chain *c = chain;
    const double w = c->w, b = c->b;
    double *kept = c->kept, y = c->x;
    for (size_t i = 0; i < c->length; i += 2) {
        kept[i] = y;
        y = y * w;
        y = y + b;
    }
    double g = 1, dw = 0, db = 0;
    for (size_t i = c->length; i > 0; i -= 2) {
        db += g;
        dw += g * kept[i - 2];
        g *= w;
    }
    c->value = y;
    c->gradient[0] = g;
    c->gradient[1] = dw;
    c->gradient[2] = db;
}
