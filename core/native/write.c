/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/write_impl.h"

#include <stdio.h>
#include <string.h>

#include "core/native/formulas_impl.h"

enum {
    OPERANDS = 1 + GB_MAX_BLOCK_ARGS,
    PART_MOST = 100,            /* instructions of a part of straight code */
    GROUP_MOST = 60,            /* instructions of a group */
    FILE_FUNCTIONS = 40,        /* functions of a file */
    INLINE_MOST = 2 * PART_MOST /* in longer straight code, long formulas are functions that are called */
};

/* What is known of an instruction. */
typedef struct known {
    const gb_formula *formula; /* NULL: its kernel is called */
    const char *reducer;       /* NULL: it is no reduction */
    const char *check;         /* NULL: it is no check */
    gb_array_key key[OPERANDS];
    uint32_t group;   /* instructions over several vectors that are one loop have one number */
    bool is_group;    /* it computes several vectors */
    bool starts_part; /* the first of a part */
    bool stored;      /* its result is needed in memory */
} known;

/* A value in a register: the result of an instruction, or an array of one line that was read. */
typedef struct local {
    gb_array_key key;
    size_t bytes;
    uint32_t name;
    uint32_t group; /* it can be read there alone; 0: everywhere in the part */
    bool is_temporary;
} local;

typedef struct writer {
    const gb_plan *plan;
    const gb_memory *memory;
    const gb_block *code; /* the list of which a range is written */
    known *known;         /* [count of the list] */
    gb_formulas formulas;
    gb_block_kernel *reductions[2], *checks[3];
    gb_native_text *out;
    gb_growing_text text; /* of the current function */
    GB_LIST(local) locals;
    size_t first_pointer; /* of the current part */
    size_t part_first;    /* instruction */
    uint32_t names, groups;
    size_t vectors_per_line;
    bool in_loop, calls_long;
} writer;

/* ---- which arrays ---- */

static gb_array_key follow_key(uint32_t watch, size_t offset)
{
    return (gb_array_key)1 << GB_KEY_FOLLOWS | (gb_array_key)(watch + 1) << GB_KEY_OFFSET | offset;
}

/* Pointers that move between runs have keys by what they follow. */
static bool find_followed(writer *w, bool in_loop)
{
    const gb_plan *const plan = w->plan;
    for (uint32_t i = 0; i < plan->watches.count; i++)
        for (uint32_t at = plan->watches.at[i].first; at; at = plan->fixups.at[at - 1].next) {
            const gb_fixup *const fixup = &plan->fixups.at[at - 1];
            if (fixup->offset >> GB_KEY_OFFSET || i >> 20)
                return false;
            if (fixup->instruction != GB_NONE && fixup->in_loop == in_loop)
                w->known[fixup->instruction].key[fixup->operand] = follow_key(i, fixup->offset);
        }
    return true;
}

static const void *operand(const gb_block *block, size_t which)
{
    return which == 0 ? block->out : block->in[which - 1];
}

static void find_keys(writer *w, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t a = 0; a < OPERANDS; a++) {
            const gb_block *const block = &w->code[i];
            const bool is_temporary = block->temporary >> a & 1u;
            if (w->known[i].key[a] == 0)
                w->known[i].key[a] = (uintptr_t)operand(block, a) | (gb_array_key)(is_temporary && w->in_loop)
                                                                        << 62;
        }
}

static size_t operand_bytes(const writer *w, const gb_block *block, size_t which)
{
    if (w->in_loop)
        return block->moves >> which & 1u || block->temporary >> which & 1u ? GB_BLOCK_BYTES : GB_LINE_BYTES;
    return (which == 0 || block->step[which - 1] ? block->lines : 1) * (size_t)GB_LINE_BYTES;
}

static bool overlap(gb_array_key a, size_t a_bytes, gb_array_key b, size_t b_bytes)
{
    return a && b && a < b + b_bytes && b < a + a_bytes;
}

/* Returns whether one instruction writes what the other reads or writes, but not vector by vector in step. */
static bool clash(const writer *w, size_t writing, size_t other)
{
    const gb_block *const a = &w->code[writing], *const b = &w->code[other];
    const gb_array_key written = w->known[writing].key[0];
    for (size_t i = 0; i < OPERANDS; i++) {
        const gb_array_key key = w->known[other].key[i];
        const bool repeats = i > 0 && !b->step[i - 1];
        if (overlap(written, operand_bytes(w, a, 0), key, operand_bytes(w, b, i)) &&
            (key != written || repeats))
            return true;
    }
    return false;
}

/* Returns whether C takes the place of its kernel. */
static bool is_written(const known *k)
{
    return k->formula || k->check;
}

static bool joins_group(const writer *w, size_t first, size_t next)
{
    const known *const k = &w->known[next];
    if (!is_written(k) || !k->is_group || k->starts_part || next - first >= GROUP_MOST ||
        w->code[next].lines != w->code[first].lines)
        return false;
    for (size_t i = first; i < next; i++)
        if (clash(w, next, i) || clash(w, i, next))
            return false;
    return true;
}

/* ---- groups, parts, and what must be stored ---- */

static void find_formulas(writer *w, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        const gb_block *const block = &w->code[i];
        w->known[i].formula = gb_formula_of(&w->formulas, block->kernel);
        w->known[i].reducer = block->kernel == w->reductions[GB_REDUCE_SUM]   ? "sum_reducer"
                              : block->kernel == w->reductions[GB_REDUCE_MAX] ? "max_reducer"
                                                                              : NULL;
        for (int check = 0; check < 3; check++)
            if (block->kernel == w->checks[check])
                w->known[i].check = ((const char *const[]){"finite", "none_above", "none_nan"})[check];
        w->known[i].is_group =
            w->in_loop || !(block->single || (block->lines == 1 && w->vectors_per_line == 1));
    }
}

/* A part of straight code ends once it has PART_MOST instructions, but not inside a group. */
static void find_groups(writer *w, size_t first, size_t count)
{
    size_t in_part = 0;
    for (size_t i = first, next; i < first + count; i = next) {
        known *const k = &w->known[i];
        k->starts_part = i == first || (!w->in_loop && in_part >= PART_MOST);
        in_part = k->starts_part ? 0 : in_part;
        next = i + 1;
        if (is_written(k) && k->is_group) {
            k->group = ++w->groups;
            for (; next < first + count && joins_group(w, i, next); next++)
                w->known[next].group = k->group;
        }
        in_part += next - i;
    }
}

/* The latest temporaries, by key. */
typedef struct writers_table {
    struct {
        gb_array_key key;
        uint32_t instruction, part;
    } * at;
    size_t mask;
} writers_table;

static size_t slot_of(const writers_table *table, gb_array_key key)
{
    size_t at = (size_t)gb_noise_mix(key) & table->mask;
    while (table->at[at].key && table->at[at].key != key)
        at = (at + 1) & table->mask;
    return at;
}

/* A temporary must be stored if it is read by a kernel, in another part, or in another group. Everything
 * else has a home in memory. */
static bool find_stored(writer *w, size_t first, size_t count)
{
    writers_table table = {.mask = 15};
    while (table.mask < 2 * count)
        table.mask = 2 * table.mask + 1;
    table.at = gb_memory_resize(w->memory, NULL, (table.mask + 1) * sizeof *table.at);
    if (!table.at)
        return false;
    memset(table.at, 0, (table.mask + 1) * sizeof *table.at);
    uint32_t part = 0;
    for (size_t i = first; i < first + count; i++) {
        known *const k = &w->known[i];
        part += k->starts_part;
        for (size_t a = 1; a < OPERANDS; a++) {
            const size_t at = k->key[a] ? slot_of(&table, k->key[a]) : 0;
            if (!k->key[a] || !table.at[at].key)
                continue;
            known *const from = &w->known[table.at[at].instruction];
            from->stored |=
                !k->formula || table.at[at].part != part || from->group != (from->is_group ? k->group : 0);
        }
        k->stored |= !(w->code[i].temporary & 1u);
        if (!k->key[0])
            continue;
        const size_t at = slot_of(&table, k->key[0]);
        table.at[at].key = k->key[0];
        table.at[at].instruction = (uint32_t)i;
        table.at[at].part = part;
    }
    gb_memory_release(w->memory, table.at);
    return true;
}

/* ---- locals ---- */

static local *find_local(writer *w, gb_array_key key, uint32_t group)
{
    for (size_t i = w->locals.count; i-- > 0;)
        if (w->locals.at[i].key == key)
            return !w->locals.at[i].group || w->locals.at[i].group == group ? &w->locals.at[i] : NULL;
    return NULL;
}

enum { BY_KERNEL = 0 };

/* What is written is no more in the registers that had it. A kernel may write any array of straight code. In
 * a loop it writes none that the loop reads line by line. */
static void forget_locals(writer *w, gb_array_key key, size_t bytes)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->locals.count; i++) {
        const local l = w->locals.at[i];
        const bool is_gone = bytes == BY_KERNEL ? l.key == key || !(l.is_temporary || w->in_loop)
                                                : overlap(l.key, l.bytes, key, bytes);
        if (!is_gone)
            w->locals.at[kept++] = l;
    }
    w->locals.count = kept;
}

static uint32_t new_local(writer *w, gb_array_key key, size_t bytes, uint32_t group, bool is_temporary)
{
    if (!GB_LIST_GROW(w->memory, &w->locals, 1)) {
        w->out->failed = true;
        return 0;
    }
    w->locals.at[w->locals.count++] =
        (local){.key = key, .bytes = bytes, .group = group, .name = w->names, .is_temporary = is_temporary};
    return w->names++;
}

/* ---- pointers ---- */

/* Returns the name of an operand's address: p[K] of the table in straight code, qK in a loop. */
static size_t pointer_of(writer *w, size_t instruction, size_t which)
{
    const gb_array_key key = w->known[instruction].key[which];
    gb_native_text *const out = w->out;
    for (size_t i = w->first_pointer; i < out->pointers.count; i++)
        if (out->pointers.at[i].key == key)
            return i - w->first_pointer;
    if (!GB_LIST_GROW(w->memory, &out->pointers, 1)) {
        out->failed = true;
        return 0;
    }
    out->pointers.at[out->pointers.count++] =
        (gb_native_pointer){.key = key, .instruction = (uint32_t)instruction, .operand = (uint8_t)which};
    return out->pointers.count - 1 - w->first_pointer;
}

/* Appends an address. In a loop, that of the current block. */
static void put_address(writer *w, size_t instruction, size_t which)
{
    const size_t pointer = pointer_of(w, instruction, which);
    if (!w->in_loop)
        gb_text_append(&w->text, "p[%zu]", pointer);
    else
        gb_text_append(&w->text, w->code[instruction].moves >> which & 1u ? "q%zu + at" : "q%zu", pointer);
}

/* ---- instructions ---- */

/* Reads arguments that are one line into registers: those in temporaries, and others. */
static void read_lines(writer *w, size_t i, bool temporaries, bool others, const char *indent)
{
    const gb_block *const block = &w->code[i];
    const known *const k = &w->known[i];
    for (size_t a = 1; a < OPERANDS; a++) {
        const bool is_line = !k->is_group || !block->step[a - 1], is_temporary = block->temporary >> a & 1u;
        if (!k->key[a] || !is_line || !(is_temporary ? temporaries : others) ||
            find_local(w, k->key[a], k->group))
            continue;
        const uint32_t name = new_local(w, k->key[a], GB_LINE_BYTES, 0, is_temporary);
        gb_text_append(&w->text, "%sconst V t%u = AT(", indent, name);
        put_address(w, i, a);
        gb_text_append(&w->text, ", 0);\n");
    }
}

static void put_argument(writer *w, size_t i, size_t a)
{
    const known *const k = &w->known[i];
    const local *const in = k->key[a] ? find_local(w, k->key[a], k->group) : NULL;
    gb_text_append(&w->text, a > 1 ? ", " : "");
    if (!k->key[a])
        gb_text_append(&w->text, "none");
    else if (in)
        gb_text_append(&w->text, "t%u", in->name);
    else {
        gb_text_append(&w->text, "AT(");
        put_address(w, i, a);
        gb_text_append(&w->text, ", i)");
    }
}

static void put_formula(writer *w, size_t i, const char *indent)
{
    const known *const k = &w->known[i];
    const gb_block *const block = &w->code[i];
    const bool is_temporary = block->temporary & 1u;
    gb_growing_text *const text = &w->text;
    const uint32_t name = w->names++;
    const bool is_called = k->formula->is_long && w->calls_long;
    gb_text_append(text, "%sconst V t%u = %s_%s(", indent, name, is_called ? "call" : "f", k->formula->name);
    for (size_t a = 1; a < OPERANDS; a++)
        put_argument(w, i, a);
    gb_text_append(text, ");\n");
    const size_t bytes = operand_bytes(w, block, 0);
    forget_locals(w, k->key[0], bytes);
    if (k->stored) {
        gb_text_append(text, k->is_group ? "%sAT(" : "%sput_line(", indent);
        put_address(w, i, 0);
        gb_text_append(text, k->is_group ? ", i) = t%u;\n" : ", t%u);\n", name);
    }
    const uint32_t next = w->names;
    w->names = name;
    new_local(w, k->key[0], bytes, k->is_group ? k->group : 0, is_temporary);
    w->names = next;
}

static void put_kernel(writer *w, size_t i)
{
    const size_t within = i - w->part_first;
    if (w->in_loop)
        gb_text_append(&w->text,
                       "        g%zu.kernel(&g%zu, lines, first);\n"
                       "        gb_advance(&g%zu, GB_BLOCK_BYTES);\n",
                       within, within, within);
    else
        gb_text_append(&w->text, w->known[i].reducer ? "    reduce(c + %zu, &%s);\n" : "    call(c + %zu);\n",
                       within, w->known[i].reducer);
    forget_locals(w, w->known[i].key[0], BY_KERNEL);
}

/* Returns the instruction after the group that begins at i. */
static size_t group_end(const writer *w, size_t i, size_t end)
{
    size_t next = i + 1;
    while (next < end && is_written(&w->known[next]) && w->known[next].group == w->known[i].group)
        next++;
    return next;
}

/* A check that finds something calls its kernel, which leaves out what is beyond the last element. */
static void put_check(writer *w, size_t i, const char *indent)
{
    gb_text_append(&w->text, "%sm%zu &= is_%s(", indent, i - w->part_first, w->known[i].check);
    put_argument(w, i, 1);
    gb_text_append(&w->text, ");\n");
}

static void put_check_begin(writer *w, size_t i, const char *indent)
{
    gb_text_append(&w->text, "%sM m%zu = ~(M){0};\n", indent, i - w->part_first);
}

static void put_check_end(writer *w, size_t i, const char *indent)
{
    const size_t within = i - w->part_first;
    gb_text_append(&w->text, "%sif (v_any(~m%zu))\n%s    ", indent, within, indent);
    if (w->in_loop)
        gb_text_append(&w->text, "g%zu.kernel(&g%zu, lines, first);\n%sgb_advance(&g%zu, GB_BLOCK_BYTES);\n",
                       within, within, indent, within);
    else
        gb_text_append(&w->text, "call(c + %zu);\n", within);
}

/* The vectors of an array are a loop. */
static size_t put_group(writer *w, size_t i, size_t end)
{
    const size_t next = group_end(w, i, end);
    const char *const indent = w->in_loop ? "        " : "    ", *const inner =
                                                                     w->in_loop ? "            " : "        ";
    for (size_t k = i; k < next; k++) {
        read_lines(w, k, true, !w->in_loop, indent);
        if (w->known[k].check)
            put_check_begin(w, k, indent);
    }
    if (w->in_loop)
        gb_text_append(&w->text, "%sfor (size_t i = 0; i < n; i++) {\n", indent);
    else
        gb_text_append(&w->text,
                       "%sfor (size_t i = 0, n = c[%zu].lines * GB_VECTORS_PER_LINE; i < n; i++) {\n", indent,
                       i - w->part_first);
    for (size_t k = i; k < next; k++)
        (w->known[k].check ? put_check : put_formula)(w, k, inner);
    gb_text_append(&w->text, "%s}\n", indent);
    for (size_t k = i; k < next; k++)
        if (w->known[k].check)
            put_check_end(w, k, indent);
    return next;
}

static size_t put_straight(writer *w, size_t i, size_t end)
{
    if (!is_written(&w->known[i])) {
        put_kernel(w, i);
        return i + 1;
    }
    if (w->known[i].is_group)
        return put_group(w, i, end);
    read_lines(w, i, true, true, "    ");
    if (w->known[i].check) {
        put_check_begin(w, i, "    ");
        put_check(w, i, "    ");
        put_check_end(w, i, "    ");
    } else
        put_formula(w, i, "    ");
    return i + 1;
}

/* ---- functions ---- */

static void begin_part(writer *w, size_t first)
{
    w->part_first = first;
    w->first_pointer = w->out->pointers.count;
    w->locals.count = 0;
    w->names = 0;
    w->text = (gb_growing_text){.memory = w->memory};
}

/* Equal functions are one. */
static bool end_part(writer *w, size_t first, size_t count, gb_loop *loop)
{
    gb_native_text *const out = w->out;
    if (w->text.failed || !GB_LIST_GROW(w->memory, &out->parts, 1) ||
        !GB_LIST_GROW(w->memory, &out->functions, 1)) {
        gb_text_free(&w->text);
        return false;
    }
    size_t function = 0;
    while (function < out->functions.count &&
           (out->functions.at[function].text.count != w->text.text.count ||
            memcmp(out->functions.at[function].text.at, w->text.text.at, w->text.text.count) != 0))
        function++;
    if (function < out->functions.count)
        gb_text_free(&w->text);
    else
        out->functions.at[out->functions.count++] = w->text;
    out->parts.at[out->parts.count++] = (gb_native_part){
        .first = first, .count = count, .function = function, .pointers = w->first_pointer, .loop = loop};
    return true;
}

static bool write_straight(writer *w, size_t first, size_t count)
{
    const size_t end = first + count;
    for (size_t i = first; i < end;) {
        size_t stop = i + 1;
        while (stop < end && !w->known[stop].starts_part)
            stop++;
        begin_part(w, i);
        gb_text_append(&w->text, "(const instruction *c, char *const *p)\n{\n");
        const size_t from = i;
        while (i < stop)
            i = put_straight(w, i, stop);
        gb_text_append(&w->text, "}\n");
        if (!end_part(w, from, stop - from, NULL))
            return false;
    }
    return true;
}

/* Returns whether all is one group, without a temporary in memory, which has room for a block. */
static bool is_one_group(const writer *w, size_t first, size_t end)
{
    bool is_one = is_written(&w->known[first]) && group_end(w, first, end) == end;
    for (size_t i = first; i < end; i++)
        is_one &= !(w->known[i].stored && w->code[i].temporary & 1u);
    return is_one;
}

/* The arrays of a chunk, and copies of the instructions whose kernels are called. */
static void put_addresses(writer *w, size_t first, size_t end)
{
    gb_growing_text *const text = &w->text;
    for (size_t i = w->first_pointer; i < w->out->pointers.count; i++) {
        const gb_native_pointer *const p = &w->out->pointers.at[i];
        const size_t at = p->instruction - first;
        char in[24];
        snprintf(in, sizeof in, p->operand ? "in[%d]" : "out", p->operand - 1);
        gb_text_append(
            text, "    char *const q%zu = aimed(b[%zu].%s, &b[%zu], %d, begin * sizeof(real), scratch);\n",
            i - w->first_pointer, at, in, at, p->operand);
    }
    for (size_t i = first; i < end; i++)
        if (!w->known[i].formula)
            gb_text_append(text,
                           "    gb_block g%zu;\n    gb_aim(&g%zu, &b[%zu], scratch, begin * sizeof(real));\n",
                           i - first, i - first, i - first);
}

/* A loop that is one group goes through the vectors of a chunk; another goes from block to block. */
static void put_loop(writer *w, size_t first, size_t count)
{
    const size_t end = first + count;
    gb_growing_text body = {.memory = w->memory};
    for (size_t i = first; i < end; i++)
        if (is_written(&w->known[i]))
            read_lines(w, i, false, true, "    ");
    const gb_growing_text lines = w->text;
    w->text = body;
    const bool is_one = is_one_group(w, first, end);
    for (size_t i = first; i < end;)
        if (is_written(&w->known[i]))
            i = put_group(w, i, end);
        else
            put_kernel(w, i++);
    body = w->text;
    w->text = (gb_growing_text){.memory = w->memory};
    gb_growing_text *const text = &w->text;
    gb_text_append(text,
                   "(const gb_loop *loop, char *scratch, size_t tile)\n{\n"
                   "    const gb_block *const b = *loop->bodies + loop->first;\n"
                   "    const size_t chunk = GB_CHUNK_BLOCKS * loop->block, begin = tile * chunk;\n"
                   "    const size_t end = begin + chunk < loop->domain ? begin + chunk : loop->domain;\n");
    put_addresses(w, first, end);
    gb_text_append_bytes(text, lines.text.at ? lines.text.at : "", lines.text.count);
    gb_text_append(
        text,
        "    const size_t step = %s;\n"
        "    for (size_t first = begin; first < end; first += step) {\n"
        "        const size_t left = end - first, at = (first - begin) * sizeof(real);\n"
        "        const size_t lines = gb_lines_of_bytes((left < step ? left : step) * sizeof(real));\n"
        "        const size_t n = lines * GB_VECTORS_PER_LINE;\n"
        "        (void)at, (void)n;\n",
        is_one ? "chunk" : "loop->block");
    gb_text_append_bytes(text, body.text.at ? body.text.at : "", body.text.count);
    gb_text_append(text, "    }\n}\n");
    text->failed |= body.failed || lines.failed;
    gb_growing_text used[] = {body, lines};
    gb_text_free(&used[0]);
    gb_text_free(&used[1]);
}

static bool write_loop(writer *w, gb_loop *loop)
{
    begin_part(w, loop->first);
    put_loop(w, loop->first, loop->count);
    const bool done = end_part(w, loop->first, loop->count, loop);
    w->out->pointers.count = w->first_pointer; /* its text finds its own */
    return done;
}

/* ---- files ---- */

static void put_formulas(const writer *w, gb_growing_text *text)
{
    gb_text_append(text, "#include \"native_prelude.h\"\n#define none ((V){0})\n");
    for (size_t i = 0; i < w->formulas.list.count; i++) {
        const gb_formula *const f = &w->formulas.list.at[i];
        gb_text_append(
            text,
            "GB_INLINE V f_%s(V x, V y, V z)\n{\n    (void)x, (void)y, (void)z;\n    return (V)(%s);\n}\n",
            f->name, f->text);
        if (f->is_long && w->calls_long)
            gb_text_append(text,
                           "static __attribute__((noinline, unused)) V call_%s(V x, V y, V z)\n{\n"
                           "    return f_%s(x, y, z);\n}\n",
                           f->name, f->name);
    }
}

static bool write_files(writer *w)
{
    gb_native_text *const out = w->out;
    for (size_t i = 0; i < out->functions.count; i += FILE_FUNCTIONS) {
        gb_growing_text text = {.memory = w->memory};
        put_formulas(w, &text);
        for (size_t k = i; k < out->functions.count && k < i + FILE_FUNCTIONS; k++) {
            gb_text_append(&text, "GB_NATIVE void part_%zu", k);
            gb_text_append_bytes(&text, out->functions.at[k].text.at, out->functions.at[k].text.count);
        }
        if (text.failed || !GB_LIST_GROW(w->memory, &out->files, 1)) {
            gb_text_free(&text);
            return false;
        }
        out->files.at[out->files.count++] = text.text.at;
    }
    return true;
}

/* ---- all ---- */

static bool know(writer *w, const gb_block *code, size_t count, bool in_loop)
{
    w->code = code;
    w->in_loop = in_loop;
    known *const all = gb_memory_resize(w->memory, w->known, (count + 1) * sizeof *w->known);
    if (!all)
        return false;
    w->known = all;
    memset(w->known, 0, (count + 1) * sizeof *w->known);
    if (!find_followed(w, in_loop))
        return false;
    find_keys(w, count);
    return true;
}

static bool write_loops(writer *w)
{
    const gb_plan *const plan = w->plan;
    if (!know(w, plan->bodies.at, plan->bodies.count, true))
        return false;
    for (size_t i = plan->once; i < plan->code.count; i++) {
        if (plan->code.at[i].kernel != gb_loop_kernel)
            continue;
        gb_loop *const loop = (gb_loop *)(uintptr_t)plan->code.at[i].extra;
        if (loop->inner)
            continue;
        find_formulas(w, loop->first, loop->count);
        find_groups(w, loop->first, loop->count);
        if (!find_stored(w, loop->first, loop->count) || !write_loop(w, loop))
            return false;
    }
    return true;
}

static bool write_code(writer *w)
{
    const gb_plan *const plan = w->plan;
    const size_t count = plan->code.count - plan->once;
    if (!know(w, plan->code.at, plan->code.count, false))
        return false;
    find_formulas(w, plan->once, count);
    find_groups(w, plan->once, count);
    w->calls_long = count > INLINE_MOST;
    return find_stored(w, plan->once, count) && write_straight(w, plan->once, count);
}

bool gb_native_write(const gb_plan *plan, gb_native_text *out)
{
    const gb_tape *const tape = gb_plan_tape(plan);
    static const size_t bytes[GB_ISA_COUNT] = {16, 32, 64};
    writer w = {.plan = plan,
                .memory = &tape->memory,
                .out = out,
                .vectors_per_line = GB_LINE_BYTES / bytes[tape->isa]};
    static const gb_block_kernels reductions[] = {GB_KERNELS(reduce_sum), GB_KERNELS(reduce_max)},
                                  checks[] = {GB_KERNELS(all_finite), GB_KERNELS(none_above),
                                              GB_KERNELS(none_nan)};
    const bool is_float = tape->options.real == GB_FLOAT;
    for (int by = GB_REDUCE_SUM; by <= GB_REDUCE_MAX; by++)
        w.reductions[by] = reductions[by].of[tape->isa][is_float];
    for (int check = 0; check < 3; check++)
        w.checks[check] = checks[check].of[tape->isa][is_float];
    *out = (gb_native_text){.memory = &tape->memory};
    const bool done = gb_formulas_find(&w.formulas, plan) && write_loops(&w) && write_code(&w) &&
                      !out->failed && write_files(&w);
    gb_memory_release(w.memory, w.known);
    gb_memory_release(w.memory, w.locals.at);
    gb_memory_release(w.memory, w.formulas.list.at);
    if (!done)
        gb_native_text_free(out);
    return done;
}

void gb_native_text_free(gb_native_text *text)
{
    for (size_t i = 0; i < text->functions.count; i++)
        gb_text_free(&text->functions.at[i]);
    for (size_t i = 0; i < text->files.count; i++)
        gb_memory_release(text->memory, text->files.at[i]);
    gb_memory_release(text->memory, text->functions.at);
    gb_memory_release(text->memory, text->files.at);
    gb_memory_release(text->memory, text->parts.at);
    gb_memory_release(text->memory, text->pointers.at);
    *text = (gb_native_text){.memory = text->memory};
}
