/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core/native/write_impl.h"

#include <stdio.h>
#include <string.h>

enum {
    PART_MOST = 100,            /* instructions of a part of straight code */
    FILE_FUNCTIONS = 40,        /* functions of a file */
    INLINE_MOST = 2 * PART_MOST /* in longer straight code, long formulas are functions that are called */
};

/* A value in a register: the result of an instruction, or an array of one line that was read. */
typedef struct local {
    gb_array_key key; /* 0: it is forgotten */
    size_t bytes;
    uint32_t name;
    uint32_t group; /* it can be read there alone; 0: everywhere in the part */
    bool is_line;   /* else it is the current vector of a loop */
    bool is_temporary;
} local;

typedef struct writer {
    gb_knowledge of; /* the list of which a range is written */
    const gb_memory *memory;
    gb_native_text *out;
    gb_growing_text text; /* of the current function */
    GB_LIST(local) locals;
    size_t first_pointer; /* of the current part */
    size_t part_first;    /* instruction */
    uint32_t part_group;  /* the first in it: rows have equal names in equal parts */
    int depth;            /* of braces */
    uint32_t names;
    bool calls_long;
    bool has_next; /* the loop stores new values of variables */
    bool is_rest;  /* what is written goes over the end of a row: vectors have `left` elements */
} writer;

/* ---- locals ---- */

/* Whether an operand is one line. The first line of an array has the key of the array. */
static bool is_line(const writer *w, size_t instruction, size_t which)
{
    const gb_known *const known = &w->of.known[instruction];
    return !known->several || (which ? !w->of.code[instruction].step[which - 1] : known->as == GB_AS_NUMBER);
}

static local *find_local(writer *w, gb_array_key key, uint32_t group, bool line)
{
    for (size_t i = w->locals.count; i-- > 0;)
        if (w->locals.at[i].key == key && w->locals.at[i].is_line == line)
            return !w->locals.at[i].group || w->locals.at[i].group == group ? &w->locals.at[i] : NULL;
    return NULL;
}

/* What an instruction writes is no more in the registers that had it. One that does not say what it writes
 * may write any array, but for temporaries. */
static void forget_locals(writer *w, size_t instruction)
{
    const gb_array_key key = w->of.known[instruction].key[0];
    const size_t bytes = gb_known_bytes(&w->of, instruction, 0);
    for (size_t i = 0; i < w->locals.count; i++) {
        local *const l = &w->locals.at[i];
        if (key ? gb_keys_overlap(l->key, l->bytes, key, bytes) : !l->is_temporary)
            l->key = 0;
    }
}

static void forget_group(writer *w, uint32_t group)
{
    for (size_t i = 0; i < w->locals.count; i++)
        if (w->locals.at[i].group == group)
            w->locals.at[i].key = 0;
}

/* Makes the local of an operand, and returns its name. */
static uint32_t new_local(writer *w, size_t instruction, size_t which)
{
    const gb_known *const known = &w->of.known[instruction];
    if (!GB_LIST_GROW(w->memory, &w->locals, 1)) {
        w->text.failed = true;
        return 0;
    }
    w->locals.at[w->locals.count++] =
        (local){.key = known->key[which],
                .bytes = which ? GB_LINE_BYTES : gb_known_bytes(&w->of, instruction, 0),
                .group = which == 0 ? known->group : 0,
                .name = w->names,
                .is_line = is_line(w, instruction, which),
                .is_temporary = w->of.code[instruction].temporary >> which & 1u};
    return w->names++;
}

/* ---- pieces of lines ---- */

/* A piece of C: an address, a vector, an argument. */
typedef struct piece {
    char text[96];
} piece;

/* Returns K of rK, where the rows of a group are. */
static uint32_t rows_of(const writer *w, size_t instruction)
{
    return w->of.known[instruction].group - w->part_group;
}

static gb_growing_text *line(writer *w)
{
    gb_text_append(&w->text, "%*s", 4 * w->depth, "");
    return &w->text;
}

static bool moves(const writer *w, size_t instruction, size_t which)
{
    return w->of.code[instruction].moves >> which & 1u;
}

/* Returns the index of an operand's address: p[K] of the table in straight code, qK in a loop. A loop may go
 * through an array of which it repeats the first row: these are two addresses. */
static size_t pointer_of(writer *w, size_t instruction, size_t which)
{
    const gb_array_key key = w->of.known[instruction].key[which];
    gb_native_text *const out = w->out;
    for (size_t i = w->first_pointer; i < out->pointers.count; i++) {
        const gb_native_pointer p = out->pointers.at[i];
        if (p.key == key && moves(w, p.instruction, p.operand) == moves(w, instruction, which))
            return i - w->first_pointer;
    }
    if (!GB_LIST_GROW(w->memory, &out->pointers, 1)) {
        w->text.failed = true;
        return 0;
    }
    out->pointers.at[out->pointers.count++] =
        (gb_native_pointer){.key = key, .instruction = (uint32_t)instruction, .operand = (uint8_t)which};
    return out->pointers.count - 1 - w->first_pointer;
}

/* In a loop, the address in the current block. */
static piece address_of(writer *w, size_t instruction, size_t which)
{
    piece at;
    const size_t pointer = pointer_of(w, instruction, which);
    snprintf(at.text, sizeof at.text,
             !w->of.in_loop                 ? "p[%zu]"
             : moves(w, instruction, which) ? "q%zu + at"
                                            : "q%zu",
             pointer);
    return at;
}

/* The vector of an operand in memory. */
static piece vector_of(writer *w, size_t instruction, size_t which, const char *index)
{
    piece vector;
    snprintf(vector.text, sizeof vector.text, w->is_rest ? "part_at(%s, %s, left)" : "AT(%s, %s)",
             address_of(w, instruction, which).text, index);
    return vector;
}

static piece argument_of(writer *w, size_t instruction, size_t which)
{
    const gb_known *const known = &w->of.known[instruction];
    const gb_array_key key = known->key[which];
    const bool has_line = key && is_line(w, instruction, which);
    const local *const in = key ? find_local(w, key, known->group, has_line) : NULL;
    piece argument = {"none"};
    if (in)
        snprintf(argument.text, sizeof argument.text, "t%u", in->name);
    else if (has_line) /* it was read, but may have been written since */
        snprintf(argument.text, sizeof argument.text, "AT(%.80s, 0)", address_of(w, instruction, which).text);
    return in || !key || has_line ? argument : vector_of(w, instruction, which, "i");
}

/* ---- instructions ---- */

/* Reads arguments that are one line into registers. In a loop, those in temporaries are read in each block,
 * the others before the blocks. */
static void read_lines(writer *w, size_t i, bool before_blocks)
{
    const gb_block *const block = &w->of.code[i];
    const gb_known *const known = &w->of.known[i];
    for (size_t a = 1; a < GB_OPERANDS && known->as != GB_AS_ROW; a++) {
        const bool is_temporary = block->temporary >> a & 1u;
        if (known->key[a] && is_line(w, i, a) && (!w->of.in_loop || is_temporary != before_blocks) &&
            !find_local(w, known->key[a], known->group, true))
            gb_text_append(line(w), "const V t%u = AT(%s, 0);\n", new_local(w, i, a),
                           address_of(w, i, a).text);
    }
}

/* Whether what is stored is the new value of a variable, which is read in the next run. */
static bool is_next(const writer *w, size_t i)
{
    const uint32_t watch = gb_key_watch(w->of.known[i].key[0]);
    return watch != GB_NONE && w->of.plan->watches.at[watch].kind == GB_IN_NEXT;
}

/* Stores a value if it has to be in memory. A number fills its line. */
static void put_store(writer *w, size_t i, uint32_t name)
{
    const gb_known *const known = &w->of.known[i];
    if (!known->stored || known->as == GB_AS_NUMBER)
        return;
    const piece to = address_of(w, i, 0);
    if (!known->several)
        gb_text_append(line(w), "put_line(%s, t%u);\n", to.text, name);
    else if (w->is_rest)
        gb_text_append(line(w), "put_part(%s, i, left, t%u);\n", to.text, name);
    else if (w->of.in_loop && is_next(w, i)) {
        w->has_next = true;
        gb_text_append(line(w), "put_next(%s, i, t%u, far);\n", to.text, name);
    } else
        gb_text_append(line(w), "AT(%s, i) = t%u;\n", to.text, name);
}

static void put_value(writer *w, size_t i)
{
    const gb_known *const known = &w->of.known[i];
    const gb_formula *const formula = known->formula;
    gb_text_append(line(w), "const V t%u = ", w->names);
    if (known->as == GB_AS_NUMBER)
        gb_text_append(&w->text, "reduce_to_number(c + %zu, &%s);\n", i - w->part_first, known->name);
    else if (known->as == GB_AS_ROW) {
        char index[32];
        snprintf(index, sizeof index, "i + r%u.shift", rows_of(w, i));
        gb_text_append(&w->text, "%s;\n", vector_of(w, i, 1, index).text);
    } else {
        const piece x = argument_of(w, i, 1), y = argument_of(w, i, 2), z = argument_of(w, i, 3);
        gb_text_append(&w->text, "%s_%s(%s, %s, %s);\n",
                       formula->is_long && w->calls_long       ? "call"
                       : formula->has_chain && !known->several ? "alone"
                                                               : "f",
                       formula->name, x.text, y.text, z.text);
    }
    forget_locals(w, i);
    put_store(w, i, new_local(w, i, 0));
}

static void put_kernel(writer *w, size_t i)
{
    const size_t within = i - w->part_first;
    const char *const name = w->of.known[i].name;
    if (w->of.in_loop)
        gb_text_append(line(w), "run_and_advance(&g%zu, lines, first);\n", within);
    else if (name)
        gb_text_append(line(w), "reduce(c + %zu, &%s);\n", within, name);
    else
        gb_text_append(line(w), "call(c + %zu);\n", within);
    forget_locals(w, i);
}

/* A check and a sum only read; what they need is around them. */
static void put_reader(writer *w, size_t i)
{
    const gb_known *const known = &w->of.known[i];
    const size_t within = i - w->part_first;
    const piece x = argument_of(w, i, 1);
    if (known->as == GB_AS_CHECK)
        gb_text_append(line(w), "m%zu &= is_%s(%s);\n", within, known->name, x.text);
    else
        gb_text_append(line(w), w->is_rest ? "add_part(&s%zu, %s, left);\n" : "add_vector(&s%zu, %s);\n",
                       within, x.text);
}

static void put_instructions(writer *w, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (w->of.known[i].as == GB_AS_CHECK || w->of.known[i].as == GB_AS_SUMS)
            put_reader(w, i);
        else
            put_value(w, i);
}

static void put_before(writer *w, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++) {
        read_lines(w, i, false);
        if (w->of.known[i].as == GB_AS_CHECK)
            gb_text_append(line(w), "M m%zu = ~(M){0};\n", i - w->part_first);
    }
}

/* A check that finds something calls its kernel, which leaves out what is beyond the last element. */
static void put_after(writer *w, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (w->of.known[i].as == GB_AS_CHECK)
            gb_text_append(line(w),
                           w->of.in_loop ? "run_if(v_any(~m%zu), &g%zu, lines, first);\n"
                                         : "call_if(v_any(~m%zu), c + %zu);\n",
                           i - w->part_first, i - w->part_first);
}

/* ---- groups ---- */

static bool knows_rows(const writer *w, size_t first, size_t end)
{
    bool knows = false;
    for (size_t i = first; i < end; i++)
        knows |= gb_known_row(&w->of, i) > 0;
    return knows;
}

/* The rest of a loop over vectors, after its brace. */
static void put_vectors(writer *w, size_t first, size_t end, bool is_rest)
{
    const uint32_t group = w->of.known[first].group;
    w->depth++;
    w->is_rest = is_rest;
    if (is_rest)
        gb_text_append(line(w), "const size_t left = r%u.to - i;\n", rows_of(w, first));
    put_instructions(w, first, end);
    w->is_rest = false;
    w->depth--;
    gb_text_append(line(w), "}\n");
    forget_group(w, group);
}

/* Goes from row to row within a block. */
static void put_rows(writer *w, size_t first, size_t end)
{
    const uint32_t rows = rows_of(w, first);
    gb_text_append(line(w), "for (r%u.to = 0; next_row(&r%u, count);) {\n", rows, rows);
    w->depth++;
    for (size_t i = first; i < end; i++)
        if (w->of.known[i].as == GB_AS_SUMS)
            gb_text_append(line(w), "sums s%zu = {0};\n", i - w->part_first);
    gb_text_append(line(w), "size_t i = r%u.from;\n", rows);
    gb_text_append(line(w), "for (const size_t end = whole_end(&r%u); i < end; i += LANES) {\n", rows);
    put_vectors(w, first, end, false);
    gb_text_append(line(w), "for (; i < r%u.to; i += LANES) {\n", rows);
    put_vectors(w, first, end, true);
    for (size_t i = first; i < end; i++)
        if (w->of.known[i].as == GB_AS_SUMS)
            gb_text_append(line(w), "p%zu[r%u.row] += total_of(&s%zu);\n", i - w->part_first, rows,
                           i - w->part_first);
    w->depth--;
    gb_text_append(line(w), "}\n");
}

/* The vectors of an array are a loop. */
static size_t put_group(writer *w, size_t first, size_t end)
{
    const size_t next = gb_known_group_end(&w->of, first, end);
    put_before(w, first, next);
    if (knows_rows(w, first, next))
        put_rows(w, first, next);
    else {
        if (w->of.in_loop)
            gb_text_append(line(w), "for (size_t i = 0; i < n; i += LANES) {\n");
        else
            gb_text_append(line(w),
                           "for (size_t i = 0, n = c[%zu].lines * LINE_ELEMENTS; i < n; i += LANES) {\n",
                           first - w->part_first);
        put_vectors(w, first, next, false);
    }
    put_after(w, first, next);
    return next;
}

/* Writes a group, or an instruction of none. Returns the instruction after it. */
static size_t put_item(writer *w, size_t i, size_t end)
{
    if (w->of.known[i].group)
        return put_group(w, i, end);
    if (w->of.known[i].as == GB_BY_KERNEL)
        put_kernel(w, i);
    else if (w->of.known[i].as == GB_AS_NUMBER)
        put_value(w, i);
    else {
        put_before(w, i, i + 1);
        put_instructions(w, i, i + 1);
        put_after(w, i, i + 1);
    }
    return i + 1;
}

/* ---- functions ---- */

/* Returns whether all is one group that may go from vector to vector: without rows, and without a temporary
 * in memory, which has room for a block. */
static bool is_one_group(const writer *w, size_t first, size_t end)
{
    bool is_one = w->of.known[first].group && gb_known_group_end(&w->of, first, end) == end &&
                  !knows_rows(w, first, end);
    for (size_t i = first; i < end; i++)
        is_one &= !(w->of.known[i].stored && w->of.code[i].temporary & 1u);
    return is_one;
}

/* The arrays of a chunk, copies of the instructions whose kernels are called, and where rows begin. */
static void put_addresses(writer *w, size_t first, size_t end)
{
    for (size_t i = w->first_pointer; i < w->out->pointers.count; i++) {
        const gb_native_pointer *const p = &w->out->pointers.at[i];
        gb_text_append(line(w), "char *const q%zu = aimed(&b[%zu], %d, begin * sizeof(real), scratch);\n",
                       i - w->first_pointer, p->instruction - first, p->operand);
    }
    for (size_t i = first, group = 0; i < end; i++) {
        const gb_known *const known = &w->of.known[i];
        const size_t at = i - first;
        if (known->as == GB_BY_KERNEL || known->as == GB_AS_CHECK) {
            gb_text_append(line(w), "gb_block g%zu;\n", at);
            gb_text_append(line(w), "gb_aim(&g%zu, &b[%zu], scratch, begin * sizeof(real));\n", at, at);
        }
        if (known->as == GB_AS_SUMS)
            gb_text_append(line(w), "double *const p%zu = begin_sums(b[%zu].extra, tile);\n", at, at);
        if (gb_known_row(&w->of, i) && known->group != group) {
            gb_text_append(line(w), "rows r%u = begin_rows(%s(b[%zu].extra), begin);\n", rows_of(w, i),
                           known->as == GB_AS_SUMS ? "row_of_sums" : "row_of_load", at);
            group = known->group;
        }
    }
}

/* A loop that is one group goes through the vectors of a chunk; another goes from block to block. What is
 * before the blocks is written after them, when it is known what they need. */
static void put_loop(writer *w, size_t first, size_t end)
{
    w->has_next = false;
    for (size_t i = first; i < end; i++)
        if (w->of.known[i].group)
            read_lines(w, i, true);
    gb_text_append(
        &w->text,
        "    const size_t step = %s;\n"
        "    for (size_t first = begin; first < end; first += step) {\n"
        "        const size_t count = smaller(end - first, step), at = (first - begin) * sizeof(real);\n"
        "        const size_t lines = gb_lines_of_bytes(count * sizeof(real)), n = lines * LINE_ELEMENTS;\n"
        "        (void)at, (void)n;\n",
        is_one_group(w, first, end) ? "chunk" : "loop->block");
    w->depth = 2;
    for (size_t i = first; i < end;)
        i = put_item(w, i, end);
    w->depth = 1;
    gb_text_append(&w->text, w->has_next ? "    }\n    end_next(far);\n" : "    }\n");
    gb_growing_text blocks = w->text;
    w->text = (gb_growing_text){.memory = w->memory};
    gb_text_append(&w->text,
                   "(const gb_loop *loop, char *scratch, size_t tile)\n{\n"
                   "    const gb_block *const b = *loop->bodies + loop->first;\n"
                   "    const size_t chunk = GB_CHUNK_BLOCKS * loop->block, begin = tile * chunk;\n"
                   "    const size_t end = begin + chunk < loop->domain ? begin + chunk : loop->domain;\n");
    put_addresses(w, first, end);
    if (w->has_next)
        gb_text_append(line(w), "const bool far = loop->is_far;\n");
    w->text.failed |= blocks.failed;
    gb_text_append_bytes(&w->text, blocks.at, blocks.count);
    gb_text_free(&blocks);
}

static void put_straight(writer *w, size_t first, size_t end)
{
    gb_text_append(&w->text, "(const instruction *c, char *const *p)\n{\n");
    for (size_t i = first; i < end;)
        i = put_item(w, i, end);
}

/* Keeps the function of a part. Equal functions are one. */
static bool end_part(writer *w, size_t first, gb_loop *loop)
{
    gb_native_text *const out = w->out;
    if (w->text.failed || !GB_LIST_GROW(w->memory, &out->parts, 1) ||
        !GB_LIST_GROW(w->memory, &out->functions, 1)) {
        gb_text_free(&w->text);
        return false;
    }
    size_t function = 0;
    while (function < out->functions.count &&
           (out->functions.at[function].count != w->text.count ||
            memcmp(out->functions.at[function].at, w->text.at, w->text.count) != 0))
        function++;
    if (function < out->functions.count)
        gb_text_free(&w->text);
    else
        out->functions.at[out->functions.count++] = w->text;
    out->parts.at[out->parts.count++] = (gb_native_part){first, function, w->first_pointer, loop};
    if (loop)
        out->pointers.count = w->first_pointer; /* its text finds its own */
    return true;
}

/* Writes a range of the list: a loop, or straight code (NULL). */
static bool write_range(writer *w, size_t first, size_t count, gb_loop *loop)
{
    const size_t end = first + count;
    gb_know_range(&w->of, first, count, loop ? SIZE_MAX : PART_MOST);
    for (size_t i = first, next; i < end; i = next) {
        w->part_group = 0;
        for (next = i; next < end && w->of.known[next].part == i; next++)
            if (w->part_group == 0)
                w->part_group = w->of.known[next].group;
        w->text = (gb_growing_text){.memory = w->memory};
        w->part_first = i;
        w->first_pointer = w->out->pointers.count;
        w->locals.count = 0;
        w->names = 0;
        w->depth = 1;
        if (loop)
            put_loop(w, i, next);
        else
            put_straight(w, i, next);
        gb_text_append(&w->text, "}\n");
        if (!end_part(w, i, loop))
            return false;
    }
    return true;
}

/* ---- files ---- */

static bool write_files(writer *w)
{
    gb_native_text *const out = w->out;
    for (size_t i = 0; i < out->functions.count; i += FILE_FUNCTIONS) {
        gb_growing_text text = {.memory = w->memory};
        gb_text_append(&text, "#include \"native_prelude.h\"\n#define none ((V){0})\n");
        gb_formulas_put(&w->of.formulas, &text, w->calls_long);
        for (size_t k = i; k < out->functions.count && k < i + FILE_FUNCTIONS; k++) {
            gb_text_append(&text, "GB_NATIVE void part_%zu", k);
            gb_text_append_bytes(&text, out->functions.at[k].at, out->functions.at[k].count);
        }
        if (text.failed || !GB_LIST_GROW(w->memory, &out->files, 1)) {
            gb_text_free(&text);
            return false;
        }
        out->files.at[out->files.count++] = text.at;
    }
    return true;
}

/* ---- all ---- */

static bool write_loops(writer *w)
{
    const gb_plan *const plan = w->of.plan;
    bool good = gb_know(&w->of, true);
    for (size_t i = plan->once; good && i < plan->code.count; i++) {
        gb_loop *const loop = (gb_loop *)(uintptr_t)plan->code.at[i].extra;
        if (plan->code.at[i].kernel == gb_loop_kernel && !loop->inner)
            good = write_range(w, loop->first, loop->count, loop);
    }
    return good;
}

static bool write_code(writer *w)
{
    const gb_plan *const plan = w->of.plan;
    const size_t count = plan->code.count - plan->once;
    w->calls_long = count > INLINE_MOST;
    return gb_know(&w->of, false) && write_range(w, plan->once, count, NULL);
}

bool gb_native_write(const gb_plan *plan, gb_native_text *out)
{
    const gb_memory *const memory = &gb_plan_tape(plan)->memory;
    writer w = {.of = {.plan = plan, .arena = {.memory = memory}}, .memory = memory, .out = out};
    *out = (gb_native_text){.memory = memory};
    const bool done =
        gb_formulas_find(&w.of.formulas, plan) && write_loops(&w) && write_code(&w) && write_files(&w);
    gb_memory_release(memory, w.of.formulas.at);
    gb_memory_release(memory, w.locals.at);
    gb_arena_free(&w.of.arena);
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
