/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means and standard deviations of columns: found, noted, applied. */
#include "data/standard.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/team.h"
#include "data/standard/moments_impl.h"
#include "data/standard/packed_impl.h"

static const char MAGIC[] = "GBscales", *const default_name = "standard";
enum { VERSION = 1 };

struct gb_standard {
    gb_tape *tape;
    size_t columns;
    double *mean, *sd;
};

/* ---- life ---- */

/* Memory of the tape. */
static gb_standard *make(gb_tape *tape, size_t columns)
{
    const size_t most = PTRDIFF_MAX / 64;
    if (columns > most) {
        gb_fail(tape, GB_ELIMIT, "standard: %zu columns are too many", columns);
        return NULL;
    }
    gb_standard *const s = gb_tape_keep(tape, sizeof *s);
    double *const both = s ? gb_tape_keep(tape, (2 * columns + 1) * sizeof *both) : NULL;
    if (!both)
        return NULL;
    *s = (gb_standard){.tape = tape, .columns = columns, .mean = both, .sd = both + columns};
    return s;
}

static bool note(const gb_standard *s, const char *name)
{
    const gb_memory memory = gb_tape_memory(s->tape);
    gb_packing to = {.memory = &memory};
    gb_pack(&to, MAGIC, 8);
    gb_pack_number(&to, VERSION, 4);
    gb_pack_number(&to, s->columns, 8);
    for (size_t j = 0; j < s->columns; j++) {
        gb_pack_real(&to, s->mean[j]);
        gb_pack_real(&to, s->sd[j]);
    }
    const gb_status status = to.failed ? gb_fail(s->tape, GB_ENOMEM, "standard: out of memory")
                                       : gb_tape_note(s->tape, name, to.at, to.length);
    gb_memory_release(&memory, to.at);
    return status == GB_OK;
}

static gb_standard *damaged(gb_tape *tape, const char *name, const char *words)
{
    gb_fail(tape, GB_EFILE, "standard: the note %.60s %s", name, words);
    return NULL;
}

gb_standard *gb_standard_noted(gb_tape *tape, const char *name)
{
    size_t count;
    if (!tape || gb_error(tape) != GB_OK)
        return NULL;
    const unsigned char *const bytes = gb_tape_noted(tape, name, &count);
    if (!bytes) {
        gb_fail(tape, GB_ENAME, "standard_noted: the tape has no note %.60s; load the checkpoint first",
                name ? name : "of no name");
        return NULL;
    }
    if (count < 20 || memcmp(bytes, MAGIC, 8) != 0)
        return damaged(tape, name, "has no means and standard deviations");
    gb_unpacked from = {.at = bytes + 8, .left = count - 8};
    if (gb_unpack_number(&from, 4) != VERSION)
        return damaged(tape, name, "is of a later version, which this grebe does not read");
    const uint64_t columns = gb_unpack_number(&from, 8);
    if (columns == 0 || columns != from.left / 16 || from.left % 16 != 0)
        return damaged(tape, name, "is damaged: it has another number of columns than it says");
    gb_standard *const s = make(tape, (size_t)columns);
    for (size_t j = 0; s && j < s->columns; j++) {
        s->mean[j] = gb_unpack_real(&from);
        s->sd[j] = gb_unpack_real(&from);
        if (!isfinite(s->mean[j]) || !isfinite(s->sd[j]) || !(s->sd[j] > 0))
            return damaged(tape, name, "is damaged: a mean or a standard deviation is impossible");
    }
    return s;
}

/* ---- finding means and standard deviations ---- */

/* What is asked. */
typedef struct finding {
    gb_tape *tape;
    gb_standard_options o;
    gb_numbers values;
    size_t rows, columns; /* training rows */
    double *x;            /* one column of them */
} finding;

static int64_t row_of(const finding *f, size_t i)
{
    return f->o.of.row ? f->o.of.row[i] : (int64_t)i;
}

/* Writes "column 3" or "column age". */
static const char *column_name(const finding *f, size_t column, char name[80])
{
    const char *at = f->o.names ? f->o.names : "";
    for (size_t j = 0; j < column && *at; j++) {
        at += strcspn(at, ",");
        at += *at == ',';
    }
    at += strspn(at, " ");
    size_t length = strcspn(at, ",");
    while (length > 0 && at[length - 1] == ' ')
        length--;
    if (length > 0)
        snprintf(name, 80, "column %.*s", length < 60 ? (int)length : 60, at);
    else
        snprintf(name, 80, "column %zu", column + 1);
    return name;
}

static bool take_column(const finding *f, size_t column)
{
    char name[80];
    for (size_t i = 0; i < f->rows; i++) {
        f->x[i] = gb_numbers_at(f->values, (size_t)row_of(f, i) * f->columns + column);
        if (!isfinite(f->x[i])) {
            gb_fail(f->tape, GB_ENONFINITE, "standard: %s is %s in row %" PRId64 " (rows count from 0)",
                    column_name(f, column, name), isnan(f->x[i]) ? "missing (NaN)" : "infinite",
                    row_of(f, i));
            return false;
        }
    }
    return true;
}

static bool settle_constant(const finding *f, size_t column, gb_standard *s)
{
    char name[80];
    s->sd[column] = 1;
    if (f->o.constant == GB_CONSTANT_COLUMNS_KEPT)
        s->mean[column] = 0;
    if (f->o.constant != GB_CONSTANT_COLUMNS_REJECTED)
        return true;
    gb_fail(
        f->tape, GB_EARGUMENT,
        "standard: %s is %.17g in all %zu training rows, so it has no standard deviation; leave it out, or "
        "say .constant = GB_CONSTANT_COLUMNS_KEPT",
        column_name(f, column, name), f->rows > 0 ? f->x[0] : s->mean[column], f->rows);
    return false;
}

static bool reject(const finding *f, const char *words)
{
    return gb_fail(f->tape, GB_EARGUMENT, "standard: %s", words) == GB_OK;
}

/* From means and squares of each member to those of all rows: means as distances from the first one's, so
 * that no digit is lost. */
static bool find_together(const finding *f, double *mean, double *sd)
{
    const double own = *mean, rows = (double)f->rows;
    double first = own;
    if (!gb_tape_tell(f->tape, &first, sizeof first))
        return false;
    double all[] = {rows, rows * (own - first)};
    if (!gb_tape_add_up(f->tape, all, 2))
        return false;
    if (all[0] == 0)
        return reject(f, "there are no rows to learn from");
    *mean = first + all[1] / all[0];
    double squares = rows * (*sd * *sd + (own - *mean) * (own - *mean));
    if (!gb_tape_add_up(f->tape, &squares, 1))
        return false;
    *sd = sqrt(squares / (f->o.population || all[0] < 2 ? all[0] : all[0] - 1));
    return true;
}

static bool find_alone(const finding *f, size_t column, gb_standard *s, bool population)
{
    const double divisor = (double)(population || f->rows == 1 ? f->rows : f->rows - 1);
    if (!take_column(f, column))
        return false;
    if (f->rows == 0)
        return true;
    s->mean[column] = gb_mean_of_numbers(f->x, f->rows);
    s->sd[column] = gb_deviation_of_numbers(f->x, f->rows, s->mean[column], divisor);
    return true;
}

static bool find(const finding *f, size_t column, gb_standard *s)
{
    char name[80];
    const bool is_found = find_alone(f, column, s, f->o.population || f->o.sharded);
    /* The error of one member is heard in the first of these. */
    if (f->o.sharded ? !find_together(f, &s->mean[column], &s->sd[column]) : !is_found)
        return false;
    if (!isfinite(s->mean[column]) || !isfinite(s->sd[column])) {
        gb_fail(f->tape, GB_ENONFINITE, "standard: the numbers of %s are too far apart",
                column_name(f, column, name));
        return false;
    }
    const bool varies = f->rows > 0 && !gb_is_by_rounding(f->x, f->rows, s->sd[column]);
    return (f->o.sharded ? gb_tape_any(f->tape, varies) : varies) || settle_constant(f, column, s);
}

static bool check_rows(const finding *f, int64_t rows)
{
    for (size_t i = 0; i < f->o.of.count; i++)
        if (f->o.of.row[i] < 0 || f->o.of.row[i] >= rows) {
            gb_fail(f->tape, GB_EARGUMENT,
                    "standard: .of names row %" PRId64 ", and rows count from 0 to %" PRId64, f->o.of.row[i],
                    rows - 1);
            return false;
        }
    return true;
}

/* A member of a team may have no row where others have some. */
static bool may_be_without(const finding *f)
{
    return f->o.sharded && gb_tape_team(f->tape);
}

/* Checks the options, and finds out how many rows there are. */
static bool check(finding *f)
{
    gb_standard_options *const o = &f->o;
    if (o->columns < 0 || o->rows < 0 || (unsigned)o->constant > GB_CONSTANT_COLUMNS_CENTRED)
        return reject(f, ".columns or .rows is negative, or .constant is none of its values");
    f->columns = o->columns > 0 ? (size_t)o->columns : 1;
    if (!f->values.at)
        return reject(f, "there are no values");
    if (f->values.count == 0 && o->rows == 0 && !may_be_without(f))
        return reject(f, "the values do not say how many they are: give .rows, or use gb_numbers_of");
    if (f->values.count % f->columns != 0)
        return gb_fail(f->tape, GB_ESHAPE, "standard: %zu values are no whole rows of %zu columns",
                       f->values.count, f->columns) == GB_OK;
    const size_t there = f->values.count / f->columns, rows = o->rows > 0 ? (size_t)o->rows : there;
    if (rows > PTRDIFF_MAX / 64 / f->columns || (f->values.count > 0 && rows > there))
        return gb_fail(f->tape, GB_ESHAPE, "standard: %zu values are too few for %zu rows of %zu columns",
                       f->values.count, rows, f->columns) == GB_OK;
    if (o->of.count > 0 && !o->of.row)
        return reject(f, ".of is a list of rows without members");
    f->rows = o->of.row ? o->of.count : rows;
    return f->rows > 0 || may_be_without(f) ? check_rows(f, (int64_t)rows)
                                            : reject(f, "there are no rows to learn from");
}

gb_standard *gb_standard_new_with(gb_tape *tape, gb_numbers values, const gb_standard_options *options)
{
    finding f = {.tape = tape, .values = values};
    if (!gb_options_take(tape, "standard", &f.o, sizeof f.o, options) || !tape || gb_error(tape) != GB_OK ||
        !check(&f) || (f.o.sharded && gb_tape_any(tape, false))) {
        if (tape && f.o.sharded)
            gb_tape_any(tape, true);
        return NULL;
    }
    const gb_memory memory = gb_tape_memory(tape);
    gb_standard *const s = make(tape, f.columns);
    f.x = s ? gb_memory_resize(&memory, NULL, (f.rows + 1) * sizeof *f.x) : NULL;
    if (s && !f.x)
        gb_fail(tape, GB_ENOMEM, "standard: out of memory for %zu rows", f.rows);
    bool is_fine = f.x != NULL;
    for (size_t j = 0; is_fine && j < f.columns; j++)
        is_fine = find(&f, j, s);
    gb_memory_release(&memory, f.x);
    return is_fine && note(s, f.o.name ? f.o.name : default_name) ? s : NULL;
}

/* ---- what it has, and does ---- */

int64_t gb_standard_columns(const gb_standard *s)
{
    return s ? (int64_t)s->columns : 0;
}

const double *gb_standard_means(const gb_standard *s)
{
    return s ? s->mean : NULL;
}

const double *gb_standard_sds(const gb_standard *s)
{
    return s ? s->sd : NULL;
}

/* Checks what is applied or inverted. */
static gb_status usable(const gb_standard *s, const char *who, const void *from, size_t count, int64_t rows,
                        const void *to)
{
    if (!s || gb_error(s->tape) != GB_OK)
        return s ? gb_error(s->tape) : GB_EARGUMENT;
    if (rows < 0 || (rows > 0 && (!from || !to)))
        return gb_fail(s->tape, GB_EARGUMENT, "%s: %s", who,
                       rows < 0 ? "the number of rows is negative" : "an array is NULL");
    if (count > 0 && (uint64_t)rows > count / s->columns)
        return gb_fail(s->tape, GB_ESHAPE, "%s: %zu values are too few for %" PRId64 " rows of %zu columns",
                       who, count, rows, s->columns);
    return GB_OK;
}

gb_status gb_standard_apply(const gb_standard *s, gb_numbers values, int64_t rows, double *standardised)
{
    const gb_status status = usable(s, "standard_apply", values.at, values.count, rows, standardised);
    for (size_t i = 0; status == GB_OK && i < (size_t)rows * s->columns; i++)
        standardised[i] = (gb_numbers_at(values, i) - s->mean[i % s->columns]) / s->sd[i % s->columns];
    return status;
}

gb_status gb_standard_invert(const gb_standard *s, const double *standardised, int64_t rows, double *values)
{
    const gb_status status = usable(s, "standard_invert", standardised, 0, rows, values);
    for (size_t i = 0; status == GB_OK && i < (size_t)rows * s->columns; i++)
        values[i] = s->mean[i % s->columns] + s->sd[i % s->columns] * standardised[i];
    return status;
}

gb_numbers gb_standard_numbers(const gb_standard *s, gb_numbers values)
{
    if (!s || gb_error(s->tape) != GB_OK)
        return (gb_numbers){0};
    if (values.count == 0)
        gb_fail(s->tape, GB_ESHAPE,
                "standard_numbers: the values do not say how many they are: use gb_numbers_of");
    else if (values.count % s->columns != 0)
        gb_fail(s->tape, GB_ESHAPE, "standard_numbers: %zu values are no whole rows of %zu columns",
                values.count, s->columns);
    else if (values.columns > 0)
        gb_fail(s->tape, GB_EARGUMENT, "standard_numbers: the values are standardised already");
    if (gb_error(s->tape) != GB_OK)
        return (gb_numbers){0};
    values.columns = s->columns;
    values.mean = s->mean;
    values.sd = s->sd;
    return values;
}
