/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoints keep every bit; what is no checkpoint of this tape is rejected, and changes nothing; what
 * cannot be written leaves the old file. Training that goes on is in test_checkpoint_resumed.c. */
#include "support/close.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "models/checkpoint/format_impl.h"
#include "models/checkpoint/load_impl.h"
#include "models/checkpoint/save_impl.h"
#include "models/scratch.h"
#include "models/small.h"
#include "support/counted_memory.h"

static small_state changed(small *s)
{
    assert_int_equal(gb_run(s->train), GB_OK);
    gb_set(s->b, gb_fill(7));
    memcpy(s->order, "\x07\x08\x09", sizeof s->order);
    return small_now(s);
}

/* ---- what is kept ---- */

TEST(checkpoints_have_the_checksum_of_xz)
{
    assert_true(gb_saved_checksum((const unsigned char *)"123456789", 9) == 0x995dc9bbdf1939fau);
}

TEST(every_bit_comes_back)
{
    const scratch dir = scratch_new();
    const uint64_t odd[] = {0x7ff0000000000001u, 0x8000000000000000u, 0x0000000000000001u,
                            0xfff8123456789abcu};
    for (int real = 0; real < 2; real++) {
        const size_t bytes = sizeof odd, count = real == GB_FLOAT ? 8 : 4;
        gb_tape *const tape = test_tape(.real = (gb_real)real), *const other =
                                                                    test_tape(.real = (gb_real)real);
        const gb_node v = gb_variable(tape, "v", gb_shape((int64_t)count), gb_fill(0)),
                      w = gb_variable(other, "v", gb_shape((int64_t)count), gb_fill(3));
        gb_variable(tape, "none", gb_shape(2, 0), gb_fill(0));
        gb_variable(other, "none", gb_shape(2, 0), gb_fill(0));
        assert_int_equal(gb_set_data(v, odd), GB_OK);
        gb_checkpoint c = {.size = sizeof c, .tape = tape, .path = dir.path};
        assert_int_equal(gb_checkpoint_save(&c), GB_OK);
        c.tape = other;
        assert_int_equal(gb_checkpoint_load(&c), GB_OK);
        assert_memory_equal(gb_variable_data(w), odd, bytes);
    }
    scratch_end(&dir);
}

TEST(the_order_of_recording_does_not_matter)
{
    size_t length[2] = {0};
    unsigned char *bytes[2];
    const char *const names[] = {"b", "a.longer", "a", "a.b", "Z", "ä"};
    for (int i = 0; i < 2; i++) {
        gb_tape *tape = test_tape(.seed = 1);
        for (size_t j = 0; j < 6; j++) {
            const size_t at = i ? 5 - j : j;
            gb_variable(tape, names[at], gb_shape(), gb_fill((double)at));
        }
        gb_checkpoint c = {.size = sizeof c, .tape = tape, .path = "x"};
        bytes[i] = gb_checkpoint_bytes(&c, &length[i]);
        assert_fine(tape);
    }
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(bytes[0], bytes[1], length[0]);
    free(bytes[0]);
    free(bytes[1]);
}

/* This file was written by the first version, and is never to be written again. */
TEST(the_first_version_can_still_be_read)
{
    small s;
    small_begin(&s, test_tape(.seed = 9), GB_TESTS "/fuzz/corpus/checkpoint/whole");
    s.c.programs = 0;
    changed(&s);
    assert_int_equal(gb_checkpoint_load(&s.c), GB_OK);
    assert_values(s.a, 1.5, -2);
    assert_values(s.b, 0.25);
    assert_memory_equal(s.order, "\x01\x02\x03", 3);
    gb_program_set_step(s.train, 5);
    s.c.programs = 1; /* and its program is the same one in every process */
    assert_int_equal(gb_checkpoint_load(&s.c), GB_OK);
    assert_int_equal(gb_program_step(s.train), 0);
}

/* ---- byte orders ---- */

enum { ORDERED = 6 };
static const double ordered[ORDERED] = {1.0 / 3, -2.5, 0x1p-1040, 0x1.fffffep+127, 0, -0x1.234568p-126};

static double number_of(gb_node variable, gb_real real, int i)
{
    const void *const at = gb_variable_data(variable);
    return real == GB_FLOAT ? (double)((const float *)at)[i] : ((const double *)at)[i];
}

static unsigned char *ordered_bytes(gb_tape *tape, gb_checkpoint_part *part, size_t *length)
{
    const gb_node v = gb_variable(tape, "v", gb_shape(2, 3), gb_values_of(ordered, ORDERED)),
                  noise = gb_normal_noise(gb_stream(tape, "n"), gb_shape(3), 0);
    gb_program *const program = gb_compile(tape, gb_roots(gb_mul(v, noise)), gb_no_update);
    gb_program_set_step(program, 0x0102030405);
    const gb_checkpoint c = {.size = sizeof c,
                             .tape = tape,
                             .path = "x",
                             .programs = 1,
                             .program = &program,
                             .parts = 1,
                             .part = part};
    unsigned char *const bytes = gb_checkpoint_bytes(&c, length);
    assert_fine(tape);
    return bytes;
}

/* These files were written where numbers have the high byte first (s390x). GB_RECORD_ORDER=FOLDER writes what
 * the machine writes, and leaves the comparison out. */
static void check_order(gb_real real, const char *file)
{
    char path[4096], note[4] = "abc";
    size_t length[2];
    gb_checkpoint_part part = {.name = "part", .data = note, .bytes = sizeof note};
    unsigned char *const bytes =
        ordered_bytes(test_tape(.seed = 0x0123456789abcdef, .real = real), &part, &length[0]);
    const char *const folder = getenv("GB_RECORD_ORDER");
    snprintf(path, sizeof path, "%s/%s", folder ? folder : GB_TESTS "/models/checkpoint", file);
    if (folder)
        file_put(path, bytes, length[0]);
    unsigned char *const recorded = file_get(path, &length[1]);
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(bytes, recorded, length[0]);
    gb_tape *const other = test_tape(.seed = 1, .real = real);
    const gb_node v = gb_variable(other, "v", gb_shape(2, 3), gb_fill(3));
    const gb_checkpoint c = {.size = sizeof c, .tape = other, .path = path, .parts = 1, .part = &part};
    memset(note, 0, sizeof note);
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    assert_string_equal(note, "abc");
    for (int i = 0; i < ORDERED; i++)
        assert_true(number_of(v, real, i) == (real == GB_FLOAT ? (double)(float)ordered[i] : ordered[i]));
    free(bytes);
    free(recorded);
}

TEST(files_do_not_depend_on_the_byte_order)
{
    check_order(GB_DOUBLE, "order-double.grebe");
    check_order(GB_FLOAT, "order-float.grebe");
}

TEST(parts_may_be_fewer_and_of_any_length, .seed = 1)
{
    const scratch dir = scratch_new();
    char first[4] = "abc", second[8] = "0123456", none = 'x';
    size_t found = 99, found_none = 99;
    const gb_checkpoint_part all[] = {{.name = "second", .data = second, .bytes = 5},
                                      {.name = "none"},
                                      {.name = "first", .data = first, .bytes = 4}};
    gb_checkpoint c = {.size = sizeof c, .tape = t, .path = dir.path, .parts = 3, .part = all};
    assert_int_equal(gb_checkpoint_save(&c), GB_OK);
    memset(second, '-', sizeof second);
    const gb_checkpoint_part some[] = {{.name = "second", .data = second, .bytes = 8, .found = &found},
                                       {.name = "none", .data = &none, .bytes = 1, .found = &found_none}};
    c.parts = 2, c.part = some;
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    assert_int_equal(found, 5);
    assert_int_equal(found_none, 0);
    assert_memory_equal(second, "01234---", 8);
    assert_int_equal(none, 'x');
    const struct {
        gb_checkpoint_part part;
        const char *words;
    } wrong[] = {{{.name = "third", .data = second, .bytes = 1}, "it has no part third"},
                 {{.name = "zzz", .data = second, .bytes = 1}, "it has no part zzz"},
                 {{.name = "", .data = second, .bytes = 1}, "part 1 has no name"},
                 {{.name = "second", .data = second, .bytes = 8},
                  "its part second has 5 bytes, and there is room for 8"},
                 {{.name = "second", .data = second, .bytes = 4, .found = &found},
                  "has 5 bytes, and there is room for 4"},
                 {{.name = "second", .bytes = 5}, "part second: a pointer to 5 bytes is NULL"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        c.parts = 1, c.part = &wrong[i].part;
        const gb_status status = gb_checkpoint_load(&c);
        assert_rejected(t, status, wrong[i].words);
    }
    const gb_checkpoint_part twice[] = {all[0], all[0]};
    c.parts = 2, c.part = twice;
    gb_checkpoint_save(&c);
    assert_rejected(t, GB_ENAME, "there are two parts of the name second");
    scratch_end(&dir);
}

/* ---- what is of something else ---- */

static void rejects(gb_tape *t, const gb_checkpoint *c, const char *words)
{
    assert_fine(t);
    assert_int_equal(gb_checkpoint_load(c), GB_EFILE);
    assert_rejected(t, GB_EFILE, words);
}

TEST(a_checkpoint_of_other_variables_is_rejected_by_name, .seed = 1)
{
    const scratch dir = scratch_new();
    gb_variable(t, "m", gb_shape(2, 3), gb_fill(1));
    gb_variable(t, "bell\a", gb_shape(), gb_fill(1));
    gb_checkpoint c = {.size = sizeof c, .tape = t, .path = dir.path};
    assert_int_equal(gb_checkpoint_save(&c), GB_OK);
    gb_variable(t, "late", gb_shape(), gb_fill(1));
    rejects(t, &c, "it has no variable late, and the tape has one");
    gb_tape_reset(t);
    rejects(t, &c, "it has a variable bell\\x07, and the tape has none");
    gb_variable(t, "bell\a", gb_shape(), gb_fill(1));
    rejects(t, &c, "it has a variable m, and the tape has none");
    gb_tape *const other = test_tape(.seed = 1);
    gb_tape *const narrow = test_tape(.seed = 1, .real = GB_FLOAT);
    gb_variable(other, "m", gb_shape(3, 2), gb_fill(1));
    gb_variable(other, "bell\a", gb_shape(), gb_fill(1));
    c.tape = other;
    rejects(other, &c, "variable m has shape (2×3) in it, and (3×2) on the tape");
    c.tape = narrow;
    rejects(narrow, &c, "its reals are double, those of the tape are float");
    scratch_end(&dir);
}

/* A file with a, b of two shapes, between variables that come before, between and after them. */
TEST(a_tape_with_some_of_the_variables_can_ask_for_these)
{
    const scratch dir = scratch_new();
    gb_tape *const part = test_tape();
    gb_tape *const none = test_tape();
    const char *const others[] = {"Z", "a.adam.first", "c"};
    for (int i = 0; i < 3; i++)
        gb_variable(t, others[i], gb_shape(3), gb_fill(9));
    gb_variable(t, "b", gb_shape(), gb_fill(2));
    gb_variable(t, "a", gb_shape(2), gb_fill(1));
    gb_checkpoint c = {.size = sizeof c, .tape = t, .path = dir.path};
    assert_int_equal(gb_checkpoint_save(&c), GB_OK);
    const gb_node a = gb_variable(part, "a", gb_shape(2), gb_fill(0)),
                  b = gb_variable(part, "b", gb_shape(), gb_fill(0));
    c.tape = part;
    rejects(part, &c, "it has a variable Z, and the tape has none (.subset = true ignores such variables");
    c.subset = true;
    assert_int_equal(gb_checkpoint_load(&c), GB_OK);
    assert_values(a, 1, 1);
    assert_values(b, 2);
    gb_program *const p = gb_compile(part, gb_roots(a), gb_no_update);
    c.programs = 1, c.program = &p;
    assert_int_equal(gb_checkpoint_load(&c), GB_EARGUMENT);
    assert_rejected(part, GB_EARGUMENT, "with .subset variables of the file are ignored");
    c.programs = 0;
    gb_set(b, gb_fill(5));
    gb_variable(part, "ab", gb_shape(), gb_fill(0));
    rejects(part, &c, "it has no variable ab, and the tape has one");
    assert_values(b, 5);
    gb_variable(none, "b", gb_shape(1), gb_fill(5));
    c.tape = none;
    rejects(none, &c, "variable b has shape () in it, and (1) on the tape");
    scratch_end(&dir);
}

static bool wants_another(void *user)
{
    const small *const s = user;
    assert_int_equal(s->order[0], 1); /* the part has been read, and variables have not */
    return s->order[1] != 2;
}

TEST(what_the_caller_does_not_accept_changes_no_variable)
{
    const scratch dir = scratch_new();
    small s;
    small_begin(&s, test_tape(), dir.path);
    assert_int_equal(gb_checkpoint_save(&s.c), GB_OK);
    small_state before = changed(&s);
    s.c.accept = wants_another;
    s.c.user = &s;
    rejects(s.t, &s.c, "it was rejected by .accept");
    memcpy(before.order, s.order, sizeof before.order);
    assert_true(small_is(&s, &before));
    scratch_end(&dir);
}

/* Roots of a program that assigns only look on: a training that is looked at in another way is the same. */
TEST(what_a_training_is_looked_at_by_does_not_matter)
{
    const gb_node a = gb_variable(t, "a", gb_shape(), gb_fill(1));
    const gb_updates more = gb_assign(a, gb_shift(a, 1));
    gb_program *const trains[] = {gb_compile(t, gb_roots(gb_square(a)), more),
                                  gb_compile(t, gb_roots(a), more)};
    gb_program *const looks[] = {gb_compile(t, gb_roots(gb_square(a)), gb_no_update),
                                 gb_compile(t, gb_roots(gb_exp(a)), gb_no_update)};
    uint64_t print[4];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gb_program_fingerprint(trains[i], &print[i]), GB_OK);
        assert_int_equal(gb_program_fingerprint(looks[i], &print[2 + i]), GB_OK);
    }
    assert_true(print[0] == print[1] && print[2] != print[3] && print[0] != print[2]);
}

TEST(a_checkpoint_of_another_program_is_rejected)
{
    const scratch dir = scratch_new();
    small s, same, seed;
    small_begin(&s, test_tape(.seed = 9), dir.path);
    small_begin(&same, test_tape(.seed = 9), dir.path);
    small_begin(&seed, test_tape(.seed = 8), dir.path);
    assert_int_equal(gb_checkpoint_save(&s.c), GB_OK);
    assert_int_equal(gb_checkpoint_load(&same.c), GB_OK);
    rejects(seed.t, &seed.c, "its seed is 9, that of the tape is 8");
    gb_program *const two[] = {same.train, same.train};
    same.c.programs = 2, same.c.program = two;
    rejects(same.t, &same.c, "it was saved with 1 programs, and is to be loaded with 2");
    const gb_noise other = gb_stream(same.t, "other");
    const gb_node by[] = {gb_add(same.a, gb_normal_noise(other, gb_shape(2), 0)),
                          gb_sub(same.a, gb_normal_noise(other, gb_shape(2), 0)), gb_add(same.a, same.b)};
    for (size_t i = 0; i < 3; i++) {
        gb_program *const p = gb_compile(same.t, (gb_node_list){0}, gb_assign(same.a, by[i]));
        same.c.programs = 1, same.c.program = &p;
        rejects(same.t, &same.c, "program 1 of 1 differs from the one that was saved");
    }
    gb_program *const looks = gb_compile(same.t, gb_roots(same.a), gb_no_update);
    same.c.program = &looks;
    rejects(same.t, &same.c, "program 1 of 1 differs");
    same.c.program = &s.train;
    gb_checkpoint_load(&same.c);
    assert_rejected(same.t, GB_EPROGRAM, "program 1 is another tape's");
    gb_tape_reset(same.t);
    gb_variable(same.t, "a", gb_shape(2), gb_fill(0));
    gb_variable(same.t, "b", gb_shape(), gb_fill(0));
    same.c.program = &same.train;
    gb_checkpoint_load(&same.c);
    assert_rejected(same.t, GB_EPROGRAM, "compiled before gb_tape_reset");
    scratch_end(&dir);
}

TEST(what_is_asked_wrongly_is_rejected)
{
    small s;
    small_begin(&s, test_tape(.seed = 9), "nowhere/at/all");
    assert_int_equal(gb_checkpoint_save(NULL), GB_EARGUMENT);
    assert_int_equal(gb_checkpoint_load(&(gb_checkpoint){.size = sizeof s.c}), GB_ENOMEM);
    const struct {
        gb_checkpoint c;
        gb_status status;
        const char *words;
    } wrong[] = {
        {{.tape = s.t, .path = "x"}, GB_EARGUMENT, "its size is not set"},
        {{.size = sizeof s.c, .tape = s.t}, GB_EARGUMENT, "a path is required"},
        {{.size = sizeof s.c, .tape = s.t, .path = ""}, GB_EARGUMENT, "a path is required"},
        {{.size = sizeof s.c, .tape = s.t, .path = "x", .parts = 2}, GB_EARGUMENT, "no list of them"},
        {{.size = sizeof s.c, .tape = s.t, .path = "x", .programs = 1, .program = &(gb_program *){NULL}},
         GB_EPROGRAM,
         "program 1 is NULL"},
        {s.c, GB_ESYSTEM, "nowhere/at/all: it cannot be"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(gb_checkpoint_save(&wrong[i].c), wrong[i].status);
        assert_rejected(s.t, wrong[i].status, wrong[i].words);
        assert_int_equal(gb_checkpoint_load(&wrong[i].c), wrong[i].status);
        assert_rejected(s.t, wrong[i].status, wrong[i].words);
    }
    gb_fail(s.t, GB_ELIMIT, "an error before");
    assert_int_equal(gb_checkpoint_save(&s.c), GB_ELIMIT);
    assert_int_equal(gb_checkpoint_load(&s.c), GB_ELIMIT);
}

/* ---- what is damaged ---- */

TEST(every_changed_byte_is_seen)
{
    size_t length;
    small s;
    small_begin(&s, test_tape(.seed = 9), "x");
    unsigned char *const bytes = gb_checkpoint_bytes(&s.c, &length);
    const small_state now = changed(&s);
    for (size_t i = 0; i < length; i++)
        for (int by = 1; by < 256; by++) {
            bytes[i] ^= (unsigned char)by;
            assert_int_equal(gb_checkpoint_take(&s.c, bytes, length), GB_EFILE);
            assert_rejected(s.t, GB_EFILE, "checkpoint x: it is ");
            assert_true(small_is(&s, &now));
            bytes[i] ^= (unsigned char)by;
        }
    assert_int_equal(gb_checkpoint_take(&s.c, bytes, length), GB_OK);
    free(bytes);
}

/* As it is, and with length and checksum made right, so that the rest has to be looked at. */
TEST(every_truncation_is_seen)
{
    const scratch dir = scratch_new();
    size_t length;
    small s;
    small_begin(&s, test_tape(.seed = 9), dir.path);
    unsigned char *const bytes = gb_checkpoint_bytes(&s.c, &length), *const copy = malloc(length + 1);
    const small_state now = changed(&s);
    for (size_t left = 0; left < length; left++) {
        file_put(dir.path, bytes, left);
        rejects(s.t, &s.c,
                left == 0  ? "it is empty"
                : left < 8 ? "it is not a checkpoint of grebe"
                           : "it is cut short");
        memcpy(copy, bytes, left);
        if (left >= GB_SAVED_HEAD + GB_SAVED_TAIL) {
            gb_saved_seal(copy, left);
            file_put(dir.path, copy, left);
            rejects(s.t, &s.c, "it is damaged");
        }
        assert_true(small_is(&s, &now));
    }
    memcpy(copy, bytes, length);
    copy[length] = 0;
    file_put(dir.path, copy, length + 1);
    rejects(s.t, &s.c, "it is longer than it was");
    gb_saved_seal(copy, length + 1);
    file_put(dir.path, copy, length + 1);
    rejects(s.t, &s.c, "1 bytes are left over");
    free(bytes);
    free(copy);
    scratch_end(&dir);
}

/* Where things are in the file of a small training. */
enum {
    VERSION = 8,
    MARK = 12,
    REAL = 32,
    PROGRAMS = 36,
    VARIABLES = 40,
    PARTS = 44,
    STEP = 48,
    A = 64, /* length, rank, size, name, 2 doubles */
    B = 97, /* length, rank, name, a double */
    ORDER = 114,
    WHOLE = 146
};

static const struct hostile {
    const char *name;
    size_t at;
    uint64_t number;
    size_t bytes;
    const char *words;
} hostile[] = {
    {"magic", 0, 'G', 1, "it is not a checkpoint of grebe"},
    {"text", 6, '\n', 1, "it is not a checkpoint of grebe"},
    {"version-3", VERSION, 3, 4,
     "version 3 of the format, and this grebe reads versions 1 to 2: a later grebe wrote it"},
    {"version-2", VERSION, 2, 4, "it is damaged"},
    {"version-0", VERSION, 0, 4, "version 0 of the format"},
    {"other-order", MARK, 0x04030201, 4, "its byte order is reversed"},
    {"no-order", MARK, 0, 4, "its byte order mark is 00000000"},
    {"real-of-2", REAL, 2, 4, "its type of reals is 2"},
    {"float", REAL, 1, 4, "it is damaged"},
    {"many-programs", PROGRAMS, UINT32_MAX, 4, "4294967295 programs do not fit the file"},
    {"one-program-more", PROGRAMS, 2, 4, "it is damaged"},
    {"no-program", PROGRAMS, 0, 4, "it is damaged"},
    {"many-variables", VARIABLES, UINT32_MAX, 4, "its variable 3 of 4294967295 does not fit"},
    {"one-variable-less", VARIABLES, 1, 4, "it is damaged"},
    {"many-parts", PARTS, UINT32_MAX, 4, "its part 2 of 4294967295 does not fit"},
    {"no-part", PARTS, 0, 4, "24 bytes are left over"},
    {"step-of-2^63", STEP, (uint64_t)1 << 63, 8, "the step of program 1 is invalid"},
    {"no-name", A, 0, 4, "its variable 1 of 2 does not fit"},
    {"long-name", A, UINT32_MAX, 4, "its variable 1 of 2 does not fit"},
    {"name-to-the-end", A, WHOLE - 8 - A - 16, 4, "its variable 1 of 2 does not fit"},
    {"name-beyond", A, WHOLE - 8 - A - 15, 4, "its variable 1 of 2 does not fit"},
    {"rank-7", A + 4, 7, 4, "its variable 1 of 2 does not fit"},
    {"rank-many", A + 4, UINT32_MAX, 4, "its variable 1 of 2 does not fit"},
    {"rank-6", A + 4, 6, 4, "its variable 1 of 2 does not fit"},
    {"size-negative", A + 8, UINT64_MAX, 8, "its variable 1 of 2 does not fit"},
    {"size-large", A + 8, INT64_MAX / 8, 8, "its variable 1 of 2 does not fit"},
    {"size-overflows", A + 8, (uint64_t)1 << 61, 8, "its variable 1 of 2 does not fit"},
    {"size-into-the-next", A + 8, 3, 8, "it is damaged"},
    {"size-over-the-next", A + 8, 4, 8, "it is damaged"},
    {"size-short", A + 8, 1, 8, "it is damaged"},
    {"name-of-zero", A + 16, 0, 1, "its variable 1 of 2 does not fit"},
    {"twice", A + 16, 'b', 1, "its variable b comes twice, or is out of order"},
    {"out-of-order", A + 16, 'c', 1, "its variable b comes twice, or is out of order"},
    {"other-name", A + 16, 'A', 1, "it has a variable A, and the tape has none"},
    {"longer-name", B, 2, 4, "it is damaged"},
    {"other-shape", B + 4, 1, 4, "it is damaged"},
    {"part-of-rank-0", ORDER + 4, 0, 4, "it is damaged"},
    {"part-large", ORDER + 8, (uint64_t)1 << 40, 8, "its part 1 of 1 does not fit"},
    {"part-short", ORDER + 8, 2, 8, "1 bytes are left over"},
};

static void write_to_corpus(const char *corpus, const char *name, const unsigned char *bytes)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", corpus, name);
    file_put(path, bytes, WHOLE);
}

TEST(hostile_files_are_rejected_in_words)
{
    const scratch dir = scratch_new();
    const char *const corpus = getenv("GB_WRITE_CORPUS"); /* a folder, for tests/fuzz */
    size_t length;
    small s;
    small_begin(&s, test_tape(.seed = 9), dir.path);
    unsigned char *const bytes = gb_checkpoint_bytes(&s.c, &length), copy[WHOLE];
    assert_int_equal(length, WHOLE);
    if (corpus)
        write_to_corpus(corpus, "whole", bytes);
    const small_state now = changed(&s);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        const struct hostile *const h = &hostile[i];
        memcpy(copy, bytes, length);
        for (size_t j = 0; j < h->bytes; j++)
            copy[h->at + j] = (unsigned char)(h->number >> 8 * j);
        gb_saved_seal(copy, length);
        file_put(dir.path, copy, length);
        rejects(s.t, &s.c, h->words);
        assert_true(small_is(&s, &now));
        if (corpus)
            write_to_corpus(corpus, h->name, copy);
    }
    free(bytes);
    scratch_end(&dir);
}

TEST(sizes_whose_product_overflows_are_rejected)
{
    const int64_t large = (int64_t)1 << 32;
    /* The first product is 2^66, of which 64 bits hold 4. */
    const gb_shape shapes[] = {{6, {2048, 2048, 2048, 2048, 2048, 2048}},
                               {2, {large, large}},
                               {3, {large, large, 0}},
                               {2, {large, large / 2}},
                               {1, {INT64_MAX}},
                               {2, {-1, -1}},
                               {1, {INT64_MIN}}};
    unsigned char bytes[128];
    small s;
    small_begin(&s, test_tape(.seed = 9), "x");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const gb_saved_entry entry = {.name = "a", .length = 1, .shape = shapes[i]};
        gb_saving w = {.to = bytes};
        gb_saving_head(&w, &(gb_saved){.variables = 1}, 0);
        gb_saving_entry(&w, &entry, 8);
        gb_saving_tail(&w);
        gb_saved_seal(bytes, w.used);
        gb_checkpoint_take(&s.c, bytes, w.used);
        assert_rejected(s.t, GB_EFILE, "its variable 1 of 1 does not fit the file");
    }
}

TEST(what_is_no_file_is_rejected)
{
    const scratch dir = scratch_new();
    char below[256];
    small s;
    small_begin(&s, test_tape(.seed = 9), dir.folder);
    rejects(s.t, &s.c, "it is a directory");
    gb_checkpoint_save(&s.c);
    assert_rejected(s.t, GB_ESYSTEM, "it cannot be written: it is a directory");
    s.c.path = "/dev/null";
    rejects(s.t, &s.c, "it is no regular file");
    gb_checkpoint_save(&s.c);
    assert_rejected(s.t, GB_ESYSTEM, "it cannot be written: it is no regular file");
    assert_int_equal(mkfifo(dir.path, 0600), 0);
    s.c.path = dir.path;
    rejects(s.t, &s.c, "it is no regular file"); /* and does not wait */
    assert_int_equal(remove(dir.path), 0);
    gb_checkpoint_load(&s.c);
    assert_rejected(s.t, GB_ESYSTEM, "it cannot be read: No such file or directory");
    file_put(dir.path, "", 0);
    snprintf(below, sizeof below, "%s/below", dir.path);
    s.c.path = below;
    gb_checkpoint_save(&s.c);
    assert_rejected(s.t, GB_ESYSTEM, "it cannot be written: Not a directory");
    scratch_end(&dir);
}

TEST(a_file_of_absurd_length_is_not_read)
{
    const scratch dir = scratch_new();
    small s;
    small_begin(&s, test_tape(.seed = 9), dir.path);
    file_put(dir.path, "", 0);
    if (truncate(dir.path, (off_t)1 << 40) == 0) /* no disk is needed for what nobody wrote */
        rejects(s.t, &s.c, "it is 1099511627776 bytes long, far more than a checkpoint of this tape needs");
    scratch_end(&dir);
}

/* ---- what cannot be written ---- */

/* The file is the old one, and nothing else is in its folder. */
static void assert_old(small *s, const scratch *dir, const small_state *old)
{
    assert_int_equal(scratch_files(dir, false), 1);
    assert_int_equal(gb_checkpoint_load(&s->c), GB_OK);
    assert_true(small_is(s, old));
}

TEST(a_full_disk_leaves_the_old_file)
{
    const scratch dir = scratch_new();
    small s;
    struct rlimit before, little;
    small_begin(&s, test_tape(.seed = 9), dir.path);
    const small_state old = small_now(&s);
    assert_int_equal(gb_checkpoint_save(&s.c), GB_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (rlim_t room = 0; room < WHOLE; room += 29) {
        changed(&s);
        little = before;
        little.rlim_cur = room;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
        const gb_status status = gb_checkpoint_save(&s.c);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, GB_ESYSTEM);
        assert_rejected(s.t, GB_ESYSTEM, "run: it cannot be written: File too large");
        assert_old(&s, &dir, &old);
    }
    scratch_end(&dir);
}

static volatile sig_atomic_t limits_met;

static void count_limit(int number)
{
    limits_met += number == SIGXFSZ;
}

/* The host's own handling stays: its handler is not called, its mask is as before, and a signal that waits
 * goes on waiting. */
TEST(the_limit_of_a_file_raises_no_signal)
{
    const scratch dir = scratch_new();
    small s;
    struct rlimit before, little;
    sigset_t limit, none, mask, pending;
    int number;
    small_begin(&s, test_tape(.seed = 9), dir.path);
    sigemptyset(&none);
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    signal(SIGXFSZ, count_limit);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little = before;
    little.rlim_cur = 50;
    for (int waits = 0; waits < 2; waits++) {
        assert_int_equal(pthread_sigmask(SIG_SETMASK, waits ? &limit : &none, NULL), 0);
        if (waits)
            raise(SIGXFSZ);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
        gb_checkpoint_save(&s.c);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_rejected(s.t, GB_ESYSTEM, "run: it cannot be written: File too large");
        assert_int_equal(pthread_sigmask(SIG_SETMASK, NULL, &mask), 0);
        assert_int_equal(sigismember(&mask, SIGXFSZ), waits);
        assert_int_equal(sigpending(&pending), 0);
        assert_int_equal(sigismember(&pending, SIGXFSZ), waits);
        assert_int_equal(limits_met, 0);
        assert_int_equal(scratch_files(&dir, false), 0);
    }
    assert_int_equal(sigwait(&limit, &number), 0);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    signal(SIGXFSZ, SIG_DFL);
    scratch_end(&dir);
}

/* A host that has closed them prints into whatever file gets their numbers. Here no other number is left. */
TEST(files_do_not_become_standard_output)
{
    enum { COPY = 100 };
    const scratch dir = scratch_new();
    small s;
    struct rlimit before, three;
    small_begin(&s, test_tape(.seed = 9), dir.path);
    assert_int_equal(gb_checkpoint_save(&s.c), GB_OK);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    three = before;
    three.rlim_cur = 3;
    fflush(NULL);
    for (int i = 0; i < 3; i++)
        fcntl(i, F_DUPFD, COPY + i);
    setrlimit(RLIMIT_NOFILE, &three);
    for (int i = 0; i < 3; i++)
        close(i);
    const gb_status saved = gb_checkpoint_save(&s.c);
    gb_forgive(s.t);
    const gb_status loaded = gb_checkpoint_load(&s.c);
    setrlimit(RLIMIT_NOFILE, &before);
    gb_tape *const other = test_tape(.seed = 9);
    small again;
    small_begin(&again, other, dir.path);
    const gb_status with_others = gb_checkpoint_save(&again.c);
    for (int i = 0; i < 3; i++) {
        dup2(COPY + i, i);
        close(COPY + i);
    }
    assert_int_equal(saved, GB_ESYSTEM);
    assert_int_equal(loaded, GB_ESYSTEM);
    assert_int_equal(with_others, GB_OK);
    assert_rejected(s.t, GB_ESYSTEM, "it cannot be read: Too many open files");
    assert_int_equal(scratch_files(&dir, false), 1);
    scratch_end(&dir);
}

TEST(owner_and_setuid_of_a_replaced_file_stay)
{
    const bool is_root = geteuid() == 0;
    const scratch dir = scratch_new();
    struct stat found;
    small s;
    small_begin(&s, test_tape(.seed = 9), dir.path);
    assert_int_equal(gb_checkpoint_save(&s.c), GB_OK);
    assert_int_equal(chown(dir.path, is_root ? 1 : geteuid(), is_root ? 2 : getegid()), 0);
    assert_int_equal(chmod(dir.path, 06750), 0);
    assert_int_equal(gb_checkpoint_save(&s.c), GB_OK);
    assert_int_equal(stat(dir.path, &found), 0);
    assert_int_equal(found.st_mode & 07777, 06750);
    assert_int_equal(found.st_uid, is_root ? 1 : geteuid());
    assert_int_equal(found.st_gid, is_root ? 2 : getegid());
    scratch_end(&dir);
}

/* In a process of its own, which may not do everything even if this one may. */
static bool is_not_permitted(small *s)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        if (geteuid() == 0 && seteuid(65534) != 0)
            _exit(2);
        static const char words[] = "it cannot be written: Permission denied: its folder must be writable, "
                                    "since a new file takes the place";
        const bool rejected = gb_checkpoint_save(&s->c) == GB_ESYSTEM && strstr(gb_error_text(s->t), words);
        _exit(!rejected);
    }
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(a_folder_that_is_not_writable_leaves_the_old_file)
{
    const scratch dir = scratch_new();
    small s;
    small_begin(&s, test_tape(.seed = 9), dir.path);
    const small_state old = small_now(&s);
    assert_int_equal(gb_checkpoint_save(&s.c), GB_OK);
    changed(&s);
    assert_int_equal(chmod(dir.folder, 0555), 0);
    const bool rejected = is_not_permitted(&s);
    assert_int_equal(chmod(dir.folder, 0700), 0);
    assert_true(rejected);
    assert_old(&s, &dir, &old);
    scratch_end(&dir);
}

TEST(links_are_followed_and_temporaries_of_others_left_alone)
{
    const scratch dir = scratch_new();
    char link[256], other[256];
    struct stat about;
    small s;
    small_begin(&s, test_tape(.seed = 9), link);
    snprintf(link, sizeof link, "%s/link", dir.folder);
    snprintf(other, sizeof other, "%s/run.%ld-0.part", dir.folder, (long)getpid());
    file_put(dir.path, "old", 3);
    file_put(other, "another's", 9);
    assert_int_equal(chmod(dir.path, 0640), 0);
    assert_int_equal(symlink("run", link), 0);
    assert_int_equal(gb_checkpoint_save(&s.c), GB_OK);
    assert_int_equal(lstat(link, &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(stat(dir.path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0640);
    assert_int_equal(stat(other, &about), 0);
    assert_int_equal(about.st_size, 9);
    assert_int_equal(scratch_files(&dir, false), 3);
    assert_int_equal(gb_checkpoint_load(&s.c), GB_OK);
    scratch_end(&dir);
}

/* A link may lead to a file that is not there yet, by another link, and relative to the link's own folder. */
TEST(links_that_lead_to_no_file_yet_are_followed)
{
    const scratch dir = scratch_new();
    char first[256], second[256], below[256];
    struct stat about;
    small s;
    small_begin(&s, test_tape(.seed = 9), first);
    snprintf(first, sizeof first, "%s/first", dir.folder);
    snprintf(second, sizeof second, "%s/second", dir.folder);
    snprintf(below, sizeof below, "%s/nowhere", dir.folder);
    assert_int_equal(symlink("second", first), 0);
    assert_int_equal(symlink("run", second), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(gb_checkpoint_save(&s.c), GB_OK);
        assert_int_equal(lstat(dir.path, &about), 0);
        assert_true(S_ISREG(about.st_mode));
        assert_int_equal(lstat(first, &about), 0);
        assert_true(S_ISLNK(about.st_mode));
        assert_int_equal(lstat(second, &about), 0);
        assert_true(S_ISLNK(about.st_mode));
        assert_int_equal(scratch_files(&dir, false), 3);
        assert_int_equal(gb_checkpoint_load(&s.c), GB_OK);
    }
    assert_int_equal(symlink("gone/run", below), 0);
    s.c.path = below;
    gb_checkpoint_save(&s.c);
    assert_rejected(s.t, GB_ESYSTEM, "its folder does not exist; create it first");
    assert_int_equal(unlink(below), 0);
    assert_int_equal(symlink("nowhere", below), 0);
    gb_checkpoint_save(&s.c);
    assert_rejected(s.t, GB_ESYSTEM, "it cannot be written: Too many levels of symbolic links");
    scratch_end(&dir);
}

TEST(a_file_that_is_write_protected_is_not_replaced)
{
    const scratch dir = scratch_new();
    small s;
    small_begin(&s, test_tape(.seed = 9), dir.path);
    const small_state old = small_now(&s);
    assert_int_equal(gb_checkpoint_save(&s.c), GB_OK);
    changed(&s);
    assert_int_equal(chmod(dir.path, 0444), 0);
    gb_checkpoint_save(&s.c);
    assert_rejected(s.t, GB_ESYSTEM, "the file that is there is write-protected (mode 0444)");
    gb_checkpoint_try(&s.c);
    assert_rejected(s.t, GB_ESYSTEM, "the file that is there is write-protected (mode 0444)");
    assert_old(&s, &dir, &old);
    scratch_end(&dir);
}

/* Every allocation of a save and of a load fails in turn, once and for good. */
TEST(without_memory_nothing_changes)
{
    const scratch dir = scratch_new();
    for (int for_good = 0; for_good < 2; for_good++) {
        counted_memory memory = {0};
        small s;
        small_begin(&s, gb_tape_new(.seed = 9, .threads = 1, .memory = counted(&memory)), dir.path);
        const small_state old = small_now(&s);
        assert_int_equal(gb_checkpoint_save(&s.c), GB_OK);
        const small_state now = changed(&s);
        const size_t outstanding = memory.outstanding;
        memory.fail_after = for_good;
        int saves = 0, loads = 0;
        for (size_t i = 1;; i++, saves++) {
            memory.fail_at = memory.asked + i;
            const gb_status status = gb_checkpoint_save(&s.c);
            memory.fail_at = 0;
            assert_int_equal(memory.outstanding, outstanding);
            if (status == GB_OK)
                break;
            assert_rejected(s.t, GB_ENOMEM, "out of memory");
            assert_old(&s, &dir, &old);
            gb_program_set_step(s.train, 0);
            changed(&s);
        }
        for (size_t i = 1;; i++, loads++) {
            gb_set(s.b, gb_fill(-1));
            const small_state before = small_now(&s);
            memory.fail_at = memory.asked + i;
            const gb_status status = gb_checkpoint_load(&s.c);
            memory.fail_at = 0;
            assert_int_equal(memory.outstanding, outstanding);
            if (status == GB_OK)
                break;
            assert_rejected(s.t, GB_ENOMEM, "out of memory");
            assert_true(small_is(&s, &before));
        }
        assert_true(small_is(&s, &now));
        assert_true(saves >= 9 && loads >= 9);
        gb_tape_free(s.t);
        assert_int_equal(memory.outstanding, 0);
    }
    scratch_end(&dir);
}

/* ---- what core offers for it ---- */

TEST(variables_are_listed_and_moved_bit_for_bit, .seed = 77)
{
    const double two[] = {3, -0.0};
    gb_node found[3];
    const gb_node x = gb_variable(t, "x", gb_shape(2), gb_fill(0)),
                  y = gb_variable(t, "y", gb_shape(), gb_fill(4));
    gb_named(x, "shown");
    assert_true(gb_tape_seed(t) == 77);
    assert_int_equal(gb_tape_variables(t, found, 1), 2);
    assert_true(gb_node_same(found[0], x));
    assert_string_equal(gb_variable_name(x), "x");
    assert_string_equal(gb_variable_name(gb_exp(x)), "");
    gb_variable_named(t, "nobody"); /* an error takes no names away */
    assert_string_equal(gb_variable_name(x), "x");
    assert_rejected(t, GB_ENAME, "nobody");
    assert_string_equal(gb_variable_name((gb_node){0}), "");
    assert_int_equal(gb_set_data(x, two), GB_OK);
    assert_memory_equal(gb_variable_data(x), two, sizeof two);
    assert_int_equal(gb_set_data(y, two), GB_OK);
    assert_values(gb_add(gb_broadcast_to(y, gb_shape(2)), x), 6, 3);
    assert_int_equal(gb_set_data((gb_node){0}, two), GB_ENODE);
    gb_set_data(x, NULL);
    assert_rejected(t, GB_EARGUMENT, "set_data x: a pointer to 2 values is NULL");
    assert_null(gb_variable_data(gb_exp(x)));
    assert_rejected(t, GB_EARGUMENT, "variable_data: exp is not a variable");
    gb_tape_reset(t);
    assert_int_equal(gb_tape_variables(t, found, 3), 0);
    const gb_node again = gb_variable(t, "y", gb_shape(), gb_fill(0));
    assert_int_equal(gb_tape_variables(t, found, 3), 1);
    assert_true(gb_node_same(found[0], again));
    assert_int_equal(gb_tape_variables(NULL, found, 3), 0);
}
