/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that are a line in their state: s ← a s + b, for each element. GARCH is one, and the errors of ARMA,
 * smooth averages, and the way back through any step of a single number.
 *
 * A step can be written in many ways, such as y − (mu + (phi x + theta s)). It is recorded once more as
 * a s + b: then a and b are computed for all steps at once, and a product and a sum are left of the core. */
#include <string.h>

#include "ops/elementwise.h"
#include "ops/recursion/recursion_impl.h"

extern const gb_op gb_add_op, gb_chain_op, gb_mul_op, gb_neg_op, gb_sub_op, gb_total_op;

/* ---- lines as they are ---- */

static bool is_sum(gb_node node)
{
    return gb_node_op(node) == &gb_add_op ||
           (gb_node_op(node) == &gb_total_op && gb_node_arguments(node) == 2);
}

/* Reads a s, s a, or s itself. A chain is a product that is 0 where s is. */
static bool is_product(gb_node node, gb_node state, gb_node *a, bool *is_chain)
{
    const gb_op *const op = gb_node_op(node);
    *a = (gb_node){0};
    *is_chain = op == &gb_chain_op;
    if (gb_node_same(node, state))
        return true;
    if (op != &gb_mul_op && op != &gb_chain_op)
        return false;
    const gb_node first = gb_node_argument(node, 0), second = gb_node_argument(node, 1);
    const bool is_first = gb_node_same(first, state);
    *a = is_first ? second : first;
    return (is_first || (op == &gb_mul_op && gb_node_same(second, state))) && !gb_node_same(*a, state);
}

bool gb_line_read(gb_node node, gb_node state, gb_line *line)
{
    *line = (gb_line){.is_chain = false};
    if (is_product(node, state, &line->a, &line->is_chain))
        return true;
    if (!is_sum(node))
        return false;
    for (size_t i = 0; i < 2; i++) {
        line->b = gb_node_argument(node, 1 - i);
        if (is_product(gb_node_argument(node, i), state, &line->a, &line->is_chain))
            return !gb_node_same(line->b, state);
    }
    return false;
}

/* ---- lines as they may be written ---- */

typedef enum kind { NO_STATE, LINE, OTHER } kind;

typedef struct form {
    kind kind;
    size_t state;
    bool has_product, has_sum, has_chain, is_wanted;
    gb_node a, b; /* no tape: 1, and 0 */
} form;

typedef struct writing {
    gb_step *step;
    uint32_t end;
    form *of;    /* of each node of the step */
    bool *known; /* [states]: the next value depends on no state */
} writing;

static form *form_of(const writing *w, gb_node node)
{
    return node.id >= w->step->low && node.id < w->end ? &w->of[node.id - w->step->low] : NULL;
}

static bool depends(const writing *w, gb_node node)
{
    const form *const f = form_of(w, node);
    return f && f->kind != NO_STATE;
}

static bool adds(const gb_op *op)
{
    return op == &gb_add_op || op == &gb_sub_op || op == &gb_total_op;
}

/* Whether an argument x that is a line may stand there, if the result is to be one. A product with a sum or
 * with a product is none: (s + b) u as u s + b u would cancel, and (s u) v as s (u v) overflow, where the
 * step as it is written does not. Neither is a quotient, since 1 / u may be infinite where s / u is not.
 * Adjoints are chains, and their factors may be multiplied. */
static bool allows(gb_node node, size_t argument, const form *x)
{
    const gb_op *const op = gb_node_op(node);
    if (op == &gb_mul_op)
        return !x->has_sum && !x->has_product;
    return op == &gb_chain_op ? argument == 0 : adds(op) || op == &gb_neg_op;
}

static void look_at(const writing *w, gb_node node, form *f)
{
    const gb_op *const op = gb_node_op(node);
    size_t states = 0;
    for (size_t i = 0; i < gb_node_arguments(node); i++) {
        const form *const x = form_of(w, gb_node_argument(node, i));
        if (!x || x->kind == NO_STATE)
            continue;
        f->kind =
            x->kind == LINE && allows(node, i, x) && (states == 0 || f->state == x->state) && f->kind != OTHER
                ? LINE
                : OTHER;
        f->state = x->state;
        f->has_product |= x->has_product;
        f->has_sum |= x->has_sum || adds(op);
        f->has_chain |= x->has_chain;
        states++;
    }
    f->has_product |= op == &gb_mul_op;
    f->has_chain |= op == &gb_chain_op;
    if ((op == &gb_mul_op && states > 1) || (f->has_product && f->has_chain))
        f->kind = f->kind == NO_STATE ? NO_STATE : OTHER;
}

static void look_at_all(const writing *w)
{
    const gb_step *const s = w->step;
    memset(w->of, 0, (w->end - s->low) * sizeof *w->of);
    for (size_t i = 0; i < s->states; i++)
        if (!w->known[i])
            *form_of(w, s->state[i]) = (form){.kind = LINE, .state = i};
    for (uint32_t id = s->low; id < w->end; id++) {
        const gb_node node = gb_tape_node(s->tape, id);
        if (gb_node_arguments(node) > 0)
            look_at(w, node, form_of(w, node));
    }
}

/* Returns whether all states that are not known without the scan are lines in themselves. */
static bool are_lines(const writing *w)
{
    const gb_step *const s = w->step;
    for (bool again = true; again;) {
        again = false;
        look_at_all(w);
        for (size_t i = 0; i < s->states; i++)
            if (!w->known[i] && !depends(w, s->next[i]))
                w->known[i] = again = true;
    }
    for (size_t i = 0; i < s->states; i++) {
        const form *const f = form_of(w, s->next[i]);
        if (!w->known[i] && (f->kind != LINE || f->state != i))
            return false;
    }
    return true;
}

/* ---- writing them as lines ---- */

static gb_node one(const writing *w)
{
    return gb_num(w->step->tape, 1);
}

static gb_node sum(gb_node a, gb_node b)
{
    return !a.tape ? b : !b.tape ? a : gb_add(a, b);
}

static gb_node negative(gb_node x)
{
    return x.tape ? gb_neg(x) : x;
}

/* Adds an argument of a sum to what is there, or takes it away. */
static void add_term(const writing *w, form *f, bool *has_state, gb_node argument, bool is_taken_away)
{
    const form *const x = form_of(w, argument);
    gb_node a = {0}, b = argument;
    if (x && x->kind == LINE) {
        a = x->a;
        b = x->b;
        a = is_taken_away ? gb_neg(a.tape ? a : one(w)) : a;
        f->a = *has_state ? gb_add(f->a.tape ? f->a : one(w), a.tape ? a : one(w)) : a;
        *has_state = true;
    }
    f->b = sum(f->b, is_taken_away ? negative(b) : b);
}

static void write_line(const writing *w, gb_node node, form *f)
{
    const gb_op *const op = gb_node_op(node);
    const size_t count = gb_node_arguments(node);
    bool has_state = false;
    if (op == &gb_add_op || op == &gb_sub_op || op == &gb_total_op || op == &gb_neg_op) {
        for (size_t i = 0; i < count; i++)
            add_term(w, f, &has_state, gb_node_argument(node, i),
                     op == &gb_neg_op || (op == &gb_sub_op && i == 1));
        return;
    }
    const size_t at = depends(w, gb_node_argument(node, 0)) ? 0 : 1;
    const form *const x = form_of(w, gb_node_argument(node, at));
    const gb_node by = gb_node_argument(node, 1 - at);
    if (op == &gb_mul_op) {
        f->a = x->a.tape ? gb_mul(x->a, by) : by;
        f->b = x->b.tape ? gb_mul(x->b, by) : x->b;
    } else {
        f->a = x->a.tape ? gb_chain(x->a, by) : by;
        f->b = x->b.tape ? gb_chain(x->b, by) : x->b;
    }
}

static void write_wanted(const writing *w)
{
    const gb_step *const s = w->step;
    for (uint32_t id = w->end; id-- > s->low;) {
        const gb_node node = gb_tape_node(s->tape, id);
        const form *const f = form_of(w, node);
        for (size_t i = 0; f->is_wanted && i < gb_node_arguments(node); i++)
            if (depends(w, gb_node_argument(node, i)))
                form_of(w, gb_node_argument(node, i))->is_wanted = true;
    }
    for (uint32_t id = s->low; id < w->end; id++) {
        const gb_node node = gb_tape_node(s->tape, id);
        if (form_of(w, node)->is_wanted && gb_node_arguments(node) > 0)
            write_line(w, node, form_of(w, node));
    }
}

static void put_lines(const writing *w)
{
    gb_step *const s = w->step;
    write_wanted(w);
    for (size_t i = 0; i < s->states; i++) {
        const form *const f = form_of(w, s->next[i]);
        if (!f || !f->is_wanted)
            continue;
        const gb_node product = !f->a.tape     ? s->state[i]
                                : f->has_chain ? gb_chain(s->state[i], f->a)
                                               : gb_mul(s->state[i], f->a);
        const gb_node next = sum(product, f->b);
        if (!gb_shape_same(gb_node_shape(next), gb_node_shape(s->next[i])))
            continue;
        s->same[i] = s->next[i];
        s->next[i] = next;
    }
}

void gb_step_write_as_lines(gb_step *step)
{
    const gb_memory memory = gb_tape_memory(step->tape);
    writing w = {.step = step, .end = (uint32_t)gb_tape_length(step->tape)};
    w.of = gb_memory_resize(&memory, NULL, (w.end - step->low + 1) * sizeof *w.of);
    w.known = gb_memory_resize(&memory, NULL, step->states + 1);
    if (!w.of || !w.known) {
        gb_fail(step->tape, GB_ENOMEM, "scan: out of memory");
    } else {
        memset(w.known, 0, step->states);
        bool all = are_lines(&w), any = false;
        for (size_t i = 0; i < step->states && all; i++) {
            gb_line line;
            if (w.known[i] || gb_line_read(step->next[i], step->state[i], &line))
                continue;
            form_of(&w, step->next[i])->is_wanted = any = true;
        }
        if (any)
            put_lines(&w);
    }
    gb_memory_release(&memory, w.of);
    gb_memory_release(&memory, w.known);
}
