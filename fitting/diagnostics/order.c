/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/diagnostics/order_impl.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static bool is_less(const gb_ranked *a, const gb_ranked *b)
{
    return a->value < b->value || (a->value == b->value && a->place < b->place);
}

static int compare(const void *a, const void *b)
{
    return is_less(a, b) ? -1 : 1;
}

void gb_ranked_sort(gb_ranked *ranked, size_t count)
{
    qsort(ranked, count, sizeof *ranked, compare);
}

/* A heap with the smallest at its root: restores the order below `at`. */
static void sift(gb_ranked *heap, size_t count, size_t at)
{
    const gb_ranked moving = heap[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_less(&heap[child + 1], &heap[child]))
            child++;
        if (!is_less(&heap[child], &moving))
            break;
        heap[at] = heap[child];
    }
    heap[at] = moving;
}

double gb_ranked_largest(gb_ranked *ranked, size_t count, size_t most)
{
    for (size_t i = most / 2; i-- > 0;)
        sift(ranked, most, i);
    for (size_t i = most; i < count; i++)
        if (is_less(ranked, &ranked[i])) {
            const gb_ranked smallest = ranked[0];
            ranked[0] = ranked[i];
            ranked[i] = smallest;
            sift(ranked, most, 0);
        }
    gb_ranked_sort(ranked, most);
    double largest = -INFINITY;
    for (size_t i = most; i < count; i++)
        largest = fmax(largest, ranked[i].value);
    return largest;
}

double gb_ranked_quantile(const gb_ranked *ranked, size_t count, double probability)
{
    const double at = (double)(count - 1) * probability, part = at - floor(at);
    const double low = ranked[(size_t)at].value, high = ranked[(size_t)ceil(at)].value;
    return part > 0 && low != high ? (1 - part) * low + part * high : low;
}
