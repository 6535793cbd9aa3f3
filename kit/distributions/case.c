/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "kit/distributions/case_impl.h"

#include <string.h>

#include "kit/shell/values_impl.h"

bool gb_dist_case_fine(gb_dist_case *c)
{
    return c->tape && gb_kit_recorded(c->kit, GB_ON_RECORDED, c->tape);
}

/* ---- instances ---- */

size_t gb_dist_case_count(gb_dist_check *check, bool alternative)
{
    if (check->make)
        return check->count;
    if (check->points)
        return alternative ? 0 : check->count;
    return gb_dist_grid_count(&check->grid, (gb_case_number){.alternative = alternative}, check->cases);
}

static gb_dist at_point(gb_tape *tape, const gb_dist_type *type, const double *point)
{
    gb_dist d = {.type = type, .tape = tape};
    size_t count;
    const gb_option *const params = gb_dist_params(&d, &count);
    for (size_t i = 0; i < count; i++)
        d.param[i] = gb_dist_grid_leaf(tape, gb_shape(), &point[i], params[i].name, !params[i].domain->whole);
    return gb_dist_checked(d);
}

static gb_dist instance(gb_dist_case *c)
{
    gb_dist_check *const check = c->check;
    if (check->make)
        return check->make(c->tape, c->which.number, check->user);
    if (check->points)
        return at_point(c->tape, check->grid.type, check->points[c->which.number]);
    return gb_dist_grid_instance(&check->grid, c->tape, c->which, "", true);
}

/* ---- a case ---- */

void gb_dist_case_find_variables(gb_dist_case *c, size_t from)
{
    const gb_node any = gb_num(c->tape, 0);
    const size_t length = gb_tape_length(c->tape);
    for (uint32_t id = (uint32_t)from; id < length && c->variables < GB_CASE_VARIABLES; id++) {
        const gb_node node = {.tape = c->tape, .id = id, .generation = any.generation};
        if (strcmp(gb_node_op_name(node), "variable") == 0)
            c->variable[c->variables++] = node;
    }
}

size_t gb_case_elements(const gb_dist_case *c)
{
    size_t count = 0;
    for (size_t i = 0; i < c->variables; i++)
        count += gb_shape_count(gb_node_shape(c->variable[i]));
    return count;
}

/* Appends the values of the parameters to the label. */
static void label_parameters(gb_dist_case *c)
{
    char *const label = c->kit->label;
    size_t count, used = strlen(label), elements;
    const gb_option *const params = gb_dist_params(&c->d, &count);
    for (size_t i = 0; i < count && used + 1 < GB_KIT_LABEL; i++) {
        const double *const values = gb_kit_read(c->tape, c->d.param[i], &elements);
        used +=
            (size_t)snprintf(label + used, GB_KIT_LABEL - used, "%s%s", i ? ", " : " with ", params[i].name);
        for (size_t j = 0; values && j < elements && used + 1 < GB_KIT_LABEL; j++)
            used += (size_t)snprintf(label + used, GB_KIT_LABEL - used, " %.6g", values[j]);
    }
}

bool gb_dist_case_tape(gb_dist_case *c, gb_dist_check *check, gb_real real)
{
    gb_kit *const kit = &check->kit;
    *c = (gb_dist_case){.check = check, .kit = kit};
    c->tape = gb_tape_new(.seed = kit->seed + 1, .real = real, .threads = 1, .memory = kit->memory);
    return gb_kit_verdict(kit, GB_ON_RECORDED, c->tape != NULL, "out of memory");
}

static void describe(gb_dist_case *c)
{
    c->shape = gb_dist_shape(c->d);
    c->size = gb_shape_count(c->shape);
    c->discrete = gb_dist_discrete(c->d);
    c->circle = c->check->grid.type->support == &gb_circle_domain;
    gb_dist_case_find_variables(c, 0);
}

bool gb_dist_case_begin(gb_dist_case *c, gb_dist_check *check, gb_case_number which)
{
    gb_kit_label(&check->kit, "%sinstance %zu%s", which.extreme ? "extreme " : "", which.number,
                 which.alternative ? " (other parameters)" : "");
    if (!gb_dist_case_tape(c, check, GB_DOUBLE))
        return false;
    c->which = which;
    c->d = instance(c);
    if (!gb_dist_case_fine(c))
        return false;
    if (!gb_kit_verdict(c->kit, GB_ON_CASES, gb_dist_ok(c->d) && c->d.type == check->grid.type,
                        "there is no instance, or it is of another type") ||
        !gb_kit_verdict(c->kit, GB_ON_CASES, gb_dist_batch_shape(c->d).rank == 0,
                        "instances of the kit have no batch"))
        return false;
    describe(c);
    if (!gb_kit_verdict(c->kit, GB_ON_CASES, c->size > 0,
                        "its draws have no elements; if it needs more than parameters (.count), use .make"))
        return false;
    label_parameters(c);
    return gb_dist_case_fine(c);
}

bool gb_dist_case_narrow(gb_dist_case *narrow, const gb_dist_case *c)
{
    if (!gb_dist_case_tape(narrow, c->check, GB_FLOAT))
        return false;
    narrow->which = c->which;
    narrow->d = instance(narrow);
    if (!gb_dist_ok(narrow->d))
        return false;
    describe(narrow);
    return true;
}

void gb_dist_case_end(gb_dist_case *c)
{
    gb_tape_free(c->tape);
    c->tape = NULL;
}

void gb_dist_case_judge(gb_dist_check *check, gb_case_number which, void (*judge)(gb_dist_case *c))
{
    gb_dist_case c;
    if (gb_dist_case_begin(&c, check, which)) {
        judge(&c);
        gb_dist_case_fine(&c);
    }
    gb_dist_case_end(&c);
}
