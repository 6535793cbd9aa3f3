/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a formula has learned, as bytes: docs/formula.md has the layout. The terms and columns follow from the
 * formula, so only what it learned is written. Notes of a file are untrusted: all that is read is checked. */
#include <math.h>
#include <string.h>

#include "data/design/bytes_impl.h"
#include "data/design/code_impl.h"
#include "data/design/contrasts_impl.h"
#include "data/design/polynomial_impl.h"
#include "data/formula/functions_impl.h"
#include "data/standard/packed_impl.h"

static const char MAGIC[] = "GBdesign";
enum { VERSION = 1 };

/* ---- writing ---- */

static void pack_texts(gb_packing *to, const char *const *texts, size_t count)
{
    gb_pack_number(to, count, 4);
    for (size_t i = 0; i < count; i++)
        gb_pack_text(to, texts[i]);
}

static bool has_levels(const gb_formula_variable *v)
{
    return v->is_used && v->is_factor;
}

static void pack_factors(gb_packing *to, const gb_formula *f)
{
    size_t count = 0;
    for (size_t i = 0; i < f->variables.count; i++)
        count += has_levels(&f->variables.at[i]);
    gb_pack_number(to, count, 4);
    for (size_t i = 0; i < f->variables.count; i++) {
        const gb_formula_variable *const v = &f->variables.at[i];
        if (!has_levels(v))
            continue;
        gb_pack_text(to, v->text);
        gb_pack_number(to, v->levels.contrasts, 4);
        pack_texts(to, v->levels.level, v->levels.count);
    }
}

static void pack_learned(gb_packing *to, const gb_syntax *part)
{
    for (const gb_syntax *a = part->first; a; a = a->next)
        pack_learned(to, a);
    for (size_t i = 0; i < part->learned_count; i++)
        gb_pack_real(to, part->learned[i]);
}

char *gb_formula_bytes(const gb_formula *f, size_t *count)
{
    gb_packing to = {.memory = &f->memory};
    gb_pack(&to, MAGIC, 8);
    gb_pack_number(&to, VERSION, 4);
    gb_pack_text(&to, f->text.text);
    pack_texts(&to, f->dot, f->dots);
    pack_factors(&to, f);
    for (size_t i = 0; i < f->variables.count; i++)
        if (f->variables.at[i].is_used)
            pack_learned(&to, f->variables.at[i].expression);
    *count = to.length;
    if (!to.failed)
        return to.at;
    gb_memory_release(&f->memory, to.at);
    return NULL;
}

/* ---- reading ---- */

static const char *const *unpack_texts(gb_unpacked *from, gb_formula *f, size_t *count)
{
    *count = gb_unpack_count(from, 4);
    const char **const texts = from->fault ? NULL : gb_formula_keep(f, *count + 1, sizeof *texts);
    for (size_t i = 0; texts && i < *count; i++)
        if (!(texts[i] = gb_unpack_text(from, &f->arena)))
            return NULL;
    return texts;
}

static gb_formula_variable *used_variable(const gb_formula *f, const char *text)
{
    for (size_t i = 0; i < f->variables.count; i++)
        if (f->variables.at[i].is_used && strcmp(f->variables.at[i].text, text) == 0)
            return &f->variables.at[i];
    return NULL;
}

/* Only columns and comparisons can be factors. */
static bool may_be_factor(const gb_formula_variable *v)
{
    return gb_expression_column(v->expression) || gb_expression_is_logical(v->expression);
}

static bool must_be_factor(const gb_formula_variable *v)
{
    return gb_expression_makes_factor(v->expression) || gb_expression_is_logical(v->expression);
}

static bool unpack_factor(gb_unpacked *from, gb_formula *f)
{
    const char *const text = gb_unpack_text(from, &f->arena);
    gb_formula_variable *const v = text ? used_variable(f, text) : NULL;
    if (!text)
        return false;
    if (!v || v->is_factor || !may_be_factor(v))
        return gb_unpack_fault(from, "it has levels of a factor that is not in its formula");
    const uint64_t contrasts = gb_unpack_number(from, 4);
    v->levels.level = unpack_texts(from, f, &v->levels.count);
    if (!v->levels.level)
        return false;
    if (contrasts < GB_CONTRASTS_TREATMENT || contrasts > GB_CONTRASTS_POLY || v->levels.count == 0)
        return gb_unpack_fault(from, "a factor has unknown contrasts, or no levels");
    v->is_factor = true;
    v->levels.contrasts = (gb_contrasts)contrasts;
    return gb_contrasts_prepare(f, v);
}

static bool unpack_factors(gb_unpacked *from, gb_formula *f)
{
    const uint64_t count = gb_unpack_number(from, 4);
    for (uint64_t i = 0; i < count; i++)
        if (!unpack_factor(from, f))
            return false;
    for (size_t i = 0; i < f->variables.count && !from->fault; i++) {
        const gb_formula_variable *const v = &f->variables.at[i];
        if (v->is_used && !v->is_factor && must_be_factor(v))
            return gb_unpack_fault(from, "the levels of a factor are missing");
    }
    return !from->fault;
}

/* What divides must be positive: the deviation, half the range, the root, all of the last. */
static bool is_possible(const gb_syntax *call, size_t i, double x)
{
    const bool is_poly = gb_function_find(call->text)->kind == GB_FUNCTION_POLY;
    const size_t degree = (call->learned_count - 3) / 2;
    const bool divides = is_poly ? i == 1 || i == 2 || i >= 3 + degree : i == 1;
    return isfinite(x) && (!divides || x > 0);
}

static size_t learned_length(const gb_syntax *part)
{
    const gb_function *const function = part->kind == GB_SYNTAX_CALL ? gb_function_find(part->text) : NULL;
    if (function && function->kind == GB_FUNCTION_SCALE)
        return 2;
    if (!function || function->kind != GB_FUNCTION_POLY || gb_poly_call_of(part).raw)
        return 0;
    return gb_polynomials_length(gb_poly_call_of(part).degree);
}

static bool unpack_learned(gb_unpacked *from, gb_formula *f, gb_syntax *part)
{
    for (gb_syntax *a = part->first; a; a = a->next)
        if (!unpack_learned(from, f, a))
            return false;
    part->learned_count = learned_length(part);
    if (part->learned_count == 0)
        return true;
    part->learned = gb_formula_keep(f, part->learned_count, sizeof *part->learned);
    for (size_t i = 0; part->learned && i < part->learned_count; i++) {
        part->learned[i] = gb_unpack_real(from);
        if (!is_possible(part, i, part->learned[i]))
            return gb_unpack_fault(from, "a mean, a deviation or a polynomial is impossible");
    }
    return part->learned && !from->fault;
}

static bool unpack_all(gb_unpacked *from, gb_formula *f)
{
    size_t dots;
    const char *const text = gb_unpack_text(from, &f->arena);
    const char *const *const dot = text ? unpack_texts(from, f, &dots) : NULL;
    if (!dot || !gb_formula_read(f, text, dot, dots, NULL) || !unpack_factors(from, f))
        return false;
    for (size_t i = 0; i < f->variables.count; i++)
        if (f->variables.at[i].is_used && !unpack_learned(from, f, f->variables.at[i].expression))
            return false;
    return (from->left == 0 || gb_unpack_fault(from, "bytes are left over")) && gb_formula_code(f);
}

bool gb_formula_read_bytes(gb_formula *f, const char *name, const void *bytes, size_t count)
{
    gb_tape *const tape = f->text.tape;
    if (count < 12 || memcmp(bytes, MAGIC, 8) != 0)
        return gb_fail(tape, GB_EFILE, "design: the note %.60s is no design", name) == GB_OK;
    gb_unpacked from = {.at = (const unsigned char *)bytes + 8, .left = count - 8};
    const unsigned version = (unsigned)gb_unpack_number(&from, 4);
    if (version != VERSION)
        return gb_fail(tape, GB_EFILE,
                       "design: the note %.60s is of version %u, and this grebe reads version %d", name,
                       version, VERSION) == GB_OK;
    if (unpack_all(&from, f))
        return true;
    if (from.fault)
        gb_fail(tape, GB_EFILE, "design: the note %.60s is damaged: %s", name, from.fault);
    return gb_formula_out_of_memory(f); /* unless there is another error */
}
