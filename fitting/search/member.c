/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fitting/search/member_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "estimators/visit.h"
#include "fitting/density/dense_impl.h"
#include "models/elbo/elbo_impl.h"
#include "models/elbo/kept_impl.h"
#include "models/families/name_impl.h"

/* ---- which family ---- */

static gb_node variable_of(gb_tape *tape, const char *owner, const char *part)
{
    char name[GB_PART_NAME];
    if (!gb_joined_name(tape, owner, part[0] ? "." : "", part, name) || !gb_tape_has_variable(tape, name))
        return (gb_node){0};
    return gb_variable_named(tape, name);
}

static bool has_numbers(gb_node variable, size_t count)
{
    return gb_node_ok(variable) && gb_value_count(variable) == count;
}

/* Returns why not; "" if it is one. */
static const char *group_of(const gb_kept *kept, gb_tape *tape, gb_group *g)
{
    const gb_family_type *const type = kept->family.type;
    const char *const name = kept->slot.name;
    const gb_node log = variable_of(tape, name, "log_scale"), raw = variable_of(tape, name, "raw_scale");
    *g = (gb_group){.name = name, .count = (size_t)gb_slot_count(&kept->slot)};
    g->location = variable_of(tape, name, "location");
    if (type == &gb_point_family_type)
        g->form = GB_GROUP_POINT;
    else if (type == &gb_mean_field_family_type)
        g->form = GB_GROUP_DIAGONAL;
    else if (type == &gb_full_rank_family_type)
        g->form = GB_GROUP_TRIANGLE;
    else
        return "q is no normal by gb_mean_field, gb_full_rank or gb_point";
    if (g->form == GB_GROUP_POINT && !gb_node_ok(g->location))
        g->location = variable_of(tape, name, "");
    g->is_log = gb_node_ok(log);
    g->scale = g->is_log ? log : raw;
    if (g->form == GB_GROUP_TRIANGLE)
        g->lower = variable_of(tape, name, "lower");
    const bool fits = has_numbers(g->location, g->count) &&
                      (g->form == GB_GROUP_POINT || has_numbers(g->scale, g->count)) &&
                      (g->form != GB_GROUP_TRIANGLE || has_numbers(g->lower, g->count * g->count));
    return fits ? "" : "the variables of q are not there";
}

static bool is_one(gb_node x, double value)
{
    double is;
    return gb_is_uniform(x, &is) && is == value;
}

/* Everything that the loss learns must be q's. */
static const char *learned_besides(gb_elbo *e, gb_arena *arena, const gb_family_of_normals *family)
{
    const gb_node loss = gb_elbo_loss(e);
    const size_t count = gb_node_variables(loss, NULL, 0);
    gb_node *const variable = gb_arena_take(arena, (count + 1) * sizeof *variable);
    if (!variable)
        return NULL;
    gb_node_variables(loss, variable, count);
    for (size_t i = 0; i < count; i++) {
        bool is_known = false;
        for (size_t k = 0; k < family->groups && !is_known; k++) {
            const gb_group *const g = &family->group[k];
            const gb_node own[] = {g->location, g->scale, g->lower};
            for (size_t j = 0; j < 3; j++)
                is_known |= gb_node_ok(own[j]) && gb_node_same(own[j], variable[i]);
        }
        if (!is_known)
            return "the model learns variables besides q";
    }
    return "";
}

const char *gb_normals_of(gb_elbo *e, gb_arena *arena, gb_family_of_normals *family)
{
    *family = (gb_family_of_normals){0};
    for (const gb_kept *kept = e->kept; kept; kept = kept->before)
        family->groups++;
    family->group = gb_arena_take(arena, (family->groups + 1) * sizeof *family->group);
    if (!family->group)
        return NULL;
    if (e->options.bound.type != &gb_evidence_bound_type)
        return "the bound is another one than the ELBO";
    if (!is_one(e->options.kl_weight, 1))
        return "KL has a weight";
    size_t last = family->groups, parts = 0;
    for (const gb_kept *kept = e->kept; kept; kept = kept->before) {
        if (parts > 0) {
            parts--;
            continue;
        }
        const char *const words = group_of(kept, e->tape, &family->group[--last]);
        if (words[0])
            return words;
        parts = kept->parts;
    }
    family->groups -= last;
    family->group += last;
    for (size_t k = 0; k < family->groups; k++) {
        gb_group *const g = &family->group[k];
        g->first = family->n;
        g->root = family->roots;
        family->n += g->count;
        if (g->form == GB_GROUP_POINT)
            continue;
        family->scaled += g->count;
        family->roots += g->form == GB_GROUP_TRIANGLE ? g->count * g->count : g->count;
        if (g->form == GB_GROUP_TRIANGLE && g->count > family->widest)
            family->widest = g->count;
    }
    return learned_besides(e, arena, family);
}

/* ---- members ---- */

gb_member gb_member_new(const gb_family_of_normals *family, gb_arena *arena)
{
    double *const numbers = gb_arena_take(arena, (family->n + family->roots) * sizeof *numbers);
    return (gb_member){.mean = numbers, .root = numbers ? numbers + family->n : NULL};
}

void gb_member_copy(const gb_family_of_normals *family, const gb_member *from, const gb_member *to)
{
    memcpy(to->mean, from->mean, family->n * sizeof *to->mean);
    memcpy(to->root, from->root, family->roots * sizeof *to->root);
}

/* Reads element i of a variable. */
static double element(gb_node variable, size_t i)
{
    const void *const data = gb_variable_data(variable);
    if (!data)
        return NAN;
    return gb_tape_real(variable.tape) == GB_FLOAT ? (double)((const float *)data)[i]
                                                   : ((const double *)data)[i];
}

static double scale_of(const gb_group *g, double x)
{
    return g->is_log ? exp(x) : x > 30 ? x : log1p(exp(x));
}

static double from_scale(const gb_group *g, double scale)
{
    return g->is_log ? log(scale) : scale > 30 ? scale : scale + log(-expm1(-scale));
}

gb_status gb_member_read(const gb_family_of_normals *family, const gb_member *to)
{
    for (size_t k = 0; k < family->groups; k++) {
        const gb_group *const g = &family->group[k];
        const bool is_triangle = g->form == GB_GROUP_TRIANGLE;
        double *const root = to->root + g->root;
        for (size_t i = 0; i < g->count; i++) {
            to->mean[g->first + i] = element(g->location, i);
            if (g->form != GB_GROUP_POINT)
                root[is_triangle ? i * (g->count + 1) : i] = scale_of(g, element(g->scale, i));
            for (size_t j = 0; is_triangle && j < g->count; j++)
                if (i != j)
                    root[i * g->count + j] = j < i ? element(g->lower, i * g->count + j) : 0;
        }
    }
    return family->groups > 0 ? gb_error(family->group->location.tape) : GB_OK;
}

/* Diagonals of L may be negative in no member, so all that is set can be read again. */
static gb_status write_group(const gb_group *g, const gb_member *from, double *room)
{
    const bool is_triangle = g->form == GB_GROUP_TRIANGLE;
    const double *const root = from->root + g->root;
    gb_status status = gb_set(g->location, gb_values_of(from->mean + g->first, g->count));
    if (status != GB_OK || g->form == GB_GROUP_POINT)
        return status;
    for (size_t i = 0; i < g->count; i++)
        room[i] = from_scale(g, root[is_triangle ? i * (g->count + 1) : i]);
    status = gb_set(g->scale, gb_values_of(room, g->count));
    if (status != GB_OK || !is_triangle)
        return status;
    memcpy(room, root, g->count * g->count * sizeof *room);
    for (size_t i = 0; i < g->count; i++)
        room[i * (g->count + 1)] = 0;
    return gb_set(g->lower, gb_values_of(room, g->count * g->count));
}

gb_status gb_member_write(const gb_family_of_normals *family, const gb_member *from)
{
    if (family->groups == 0)
        return GB_OK;
    gb_tape *const tape = family->group->location.tape;
    const gb_memory memory = gb_tape_memory(tape);
    size_t most = 1;
    for (size_t k = 0; k < family->groups; k++) {
        const size_t count = family->group[k].count;
        const size_t needs = family->group[k].form == GB_GROUP_TRIANGLE ? count * count : count;
        most = needs > most ? needs : most;
    }
    double *const room = gb_memory_resize(&memory, NULL, most * sizeof *room);
    if (!room)
        return gb_fail(tape, GB_ENOMEM, "fit: out of memory for %zu numbers", most);
    gb_status status = GB_OK;
    for (size_t k = 0; k < family->groups && status == GB_OK; k++)
        status = write_group(&family->group[k], from, room);
    gb_memory_release(&memory, room);
    return status;
}

/* ---- arithmetic ---- */

void gb_member_place(const gb_family_of_normals *family, const gb_member *m, size_t count,
                     const double *draws, double *z)
{
    for (size_t s = 0; s < count; s++, draws += family->n, z += family->n) {
        memcpy(z, m->mean, family->n * sizeof *z);
        for (size_t k = 0; k < family->groups; k++) {
            const gb_group *const g = &family->group[k];
            const double *const root = m->root + g->root, *const from = draws + g->first;
            for (size_t i = 0; i < g->count && g->form == GB_GROUP_DIAGONAL; i++)
                z[g->first + i] += root[i] * from[i];
            for (size_t i = 0; i < g->count && g->form == GB_GROUP_TRIANGLE; i++)
                z[g->first + i] += gb_dense_dot(i + 1, root + i * g->count, from);
        }
    }
}

double gb_member_log_volume(const gb_family_of_normals *family, const gb_member *m)
{
    double sum = 0;
    for (size_t k = 0; k < family->groups; k++) {
        const gb_group *const g = &family->group[k];
        const size_t by = g->form == GB_GROUP_TRIANGLE ? g->count + 1 : 1;
        for (size_t i = 0; i < g->count && g->form != GB_GROUP_POINT; i++)
            sum += log(m->root[g->root + i * by]);
    }
    return sum;
}

double gb_member_sd(const gb_family_of_normals *family, const gb_member *m, size_t i)
{
    const gb_group *g = family->group;
    while (i >= g->first + g->count)
        g++;
    const double *const root = m->root + g->root;
    const size_t at = i - g->first;
    switch (g->form) {
    case GB_GROUP_POINT: break;
    case GB_GROUP_DIAGONAL: return root[at];
    case GB_GROUP_TRIANGLE: return sqrt(gb_dense_dot(at + 1, root + at * g->count, root + at * g->count));
    }
    return 0;
}

/* What is no number is larger than all numbers. */
static double larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

gb_move gb_member_move(const gb_family_of_normals *family, const gb_member *from, const gb_member *to,
                       const double *width, double *room)
{
    gb_move move = {0};
    for (size_t k = 0; k < family->groups; k++) {
        const gb_group *const g = &family->group[k];
        const size_t c = g->count;
        const double *const root = to->root + g->root, *const before = from->root + g->root;
        for (size_t i = 0; i < c; i++) {
            const size_t at = g->first + i;
            const double sd = gb_member_sd(family, to, at), by = sd > 0 ? sd : width[at];
            move.mean = larger(move.mean, fabs(to->mean[at] - from->mean[at]) / by);
            if (g->form == GB_GROUP_DIAGONAL)
                move.scale = larger(move.scale, fabs(root[i] / before[i] - 1));
        }
        for (size_t j = 0; j < c && g->form == GB_GROUP_TRIANGLE; j++) { /* column j */
            for (size_t i = 0; i < c; i++)
                room[i] = root[i * c + j];
            gb_dense_solve(c, before, room);
            room[j] -= 1;
            move.scale = larger(move.scale, gb_dense_largest(c, room));
        }
    }
    return move;
}

static bool project_triangle(const gb_group *g, size_t n, const double *precision, double *room, double *root)
{
    const size_t c = g->count;
    double *const block = room, *const rest = room + c * c;
    for (size_t i = 0; i < c; i++)
        memcpy(block + i * c, precision + (g->first + i) * n + g->first, c * sizeof *block);
    if (!gb_dense_factor(c, block, block))
        return false;
    gb_dense_inverse(c, block, block, rest);
    return gb_dense_factor(c, block, root);
}

bool gb_member_project(const gb_family_of_normals *family, const double *precision, double *room,
                       const gb_member *to)
{
    bool good = true;
    for (size_t k = 0; k < family->groups && good; k++) {
        const gb_group *const g = &family->group[k];
        double *const root = to->root + g->root;
        for (size_t i = 0; i < g->count && g->form == GB_GROUP_DIAGONAL && good; i++) {
            const double own = precision[(g->first + i) * (family->n + 1)];
            good = own > 0 && isfinite(own);
            root[i] = 1 / sqrt(own);
        }
        if (g->form == GB_GROUP_TRIANGLE)
            good = project_triangle(g, family->n, precision, room, root);
    }
    return good;
}
