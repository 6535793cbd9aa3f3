/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bad input of `grebe fit`, `predict`, `graph` and `check model`: exit code, words, and nothing written. */
#include "command.h"

static void put(const char *path, const char *text)
{
    file_put_text(path, text);
}

/* Files of which each has one fault. */
static const struct {
    const char *path, *text;
} files[] = {{"good.csv", "g,a,y\nu,1,2\nv,2,3\nu,3,5\nv,4,4\nu,5,6\n"},
             {"empty.csv", ""},
             {"header.csv", "a,y\n"},
             {"ragged.csv", "a,y\n1,2\n3\n"},
             {"nan.csv", "a,y\n1,2\n2,nan\n3,4\n5,5\n"},
             {"inf.csv", "a,y\n1,2\n2,inf\n3,4\n5,6\n"},
             {"text.csv", "a,y\n1,2\n2,x\n3,4\n"},
             {"label.csv", "a,y\n1,0\n2,1\n3,2\n4,1\n"},
             {"comma.csv", "a;y\n1,5;0,5\n2,5;1\n3;2,1\n5;6,3\n"},
             {"hole.csv", "a,y\n1,2\n,3\n3,5\n4,4\n"},
             {"twice.csv", "a,a,y\n1,2,3\n2,3,4\n"},
             {"far.csv", "a,y\n1e308,2\n-1e308,3\n3,5\n4,4\n"},
             {"flat.csv", "a,y\n1,5\n2,5\n3,5\n4,5\n"},
             {"named.csv", "mom_iq,y\n1,2\n2,3\n3,5\n4,4\n"},
             {"other.csv", "g,a\nw,1\n"},
             {"lacks.csv", "g\nu\n"},
             {"gap.csv", "g,a\nu,\nv,2\n"},
             {"new.csv", "g,a\nu,1\n"},
             {"foreign.grebe", "something else"}};

typedef struct bad_case {
    const char *name, *arguments;
    int code;
    const char *words;
} bad_case;

static const bad_case cases[] = {
    /* files of data */
    {"empty", "fit linear --data empty.csv --target y", 3, "empty.csv is empty"},
    {"header only", "fit linear --data header.csv --target y", 3, "no rows"},
    {"ragged", "fit linear --data ragged.csv --target y", 3, "ragged.csv, line 3 has 1 cell"},
    {"nan", "fit linear --data nan.csv --target y", 3, "\"nan\" in nan.csv, line 3 is no number"},
    {"inf", "fit linear --data inf.csv --target y", 3, "\"inf\" in inf.csv, line 3"},
    {"text", "fit linear --data text.csv --target y", 3, "name the word in --missing"},
    {"zero byte", "fit linear --data zero.csv --target y", 3, "a zero byte"},
    {"a long line", "fit linear --data long.csv --target y", 3, "has 1 cell"},
    {"label", "fit logistic --data label.csv --target y", 3, "must be 0 and 1"},
    {"decimal comma", "fit linear --data comma.csv --target y", 3,
     "\"0,5\" in comma.csv, line 2 is no number"},
    {"missing cell", "fit linear --data hole.csv --target y", 3, "--drop-missing"},
    {"a name twice", "fit linear --data twice.csv --target y", 3, "are both named a"},
    {"far apart", "fit linear --data far.csv --target y", 3, "deviation overflows"},
    {"constant outcome", "fit linear --data flat.csv --target y", 3, "sigma has no posterior"},
    {"its own group", "fit linear --data good.csv --target y --group y", 2,
     "--group is y, which is the outcome"},
    {"its own error", "fit linear --data good.csv --formula 'y ~ a' --error y", 2,
     "--error is y, which is the outcome"},
    {"missing column", "fit linear --data named.csv --formula 'y ~ mom_qi'", 2, "did you mean mom_iq?"},
    {"missing target", "fit linear --data good.csv --target yy", 2, "no column yy (is it y?)"},
    {"no target", "fit linear --data good.csv", 2, "--target COLUMN"},
    {"unseen level", "predict --load good.grebe --data other.csv --out o.csv --json j.json", 3,
     "g is \"w\" in other.csv, line 2"},
    {"missing predictor", "predict --load good.grebe --data lacks.csv --out o.csv", 2, "no column a"},
    {"missing cell of a new row", "predict --load good.grebe --data gap.csv", 3,
     "--drop-missing leaves such rows out"},
    {"unreadable", "fit linear --data nowhere.csv --target y", 5, "nowhere.csv cannot be read"},
    {"a folder", "fit linear --data . --target y", 3, "is a directory"},
    /* formulas: a caret under the place */
    {"formula", "fit linear --data good.csv --formula 'y ~ a +* 2'", 2, "    y ~ a +* 2\n           ^"},
    {"function", "fit linear --data good.csv --formula 'y ~ lgo(a)'", 2,
     "did you mean log?\n    y ~ lgo(a)\n        ^"},
    {"outcome twice", "fit linear --data good.csv --formula 'y ~ a + y'", 2, "^"},
    {"both", "fit linear --data good.csv --formula 'y ~ a' --target y", 2, "give one of them"},
    /* plug-ins */
    {"model", "fit linaer --data good.csv --target y", 2, "there is no model linaer; did you mean linear?"},
    {"prior", "fit linear --data good.csv --target y --prior horsshoe", 2, "did you mean horseshoe?"},
    {"no prior", "fit network --data good.csv --target y --prior horseshoe", 2,
     "no option of network called prior"},
    {"scale", "fit linear --data good.csv --target y --prior normal:scale=-1", 2, "scale is -1"},
    {"estimator", "fit linear --data good.csv --target y --estimator pathwize", 2, "did you mean pathwise?"},
    {"estimator fits", "fit linear --data good.csv --target y --estimator arm", 2, "These fit: pathwise"},
    {"posterior", "fit linear --data good.csv --target y --posterior mean_feild", 2,
     "did you mean mean_field?"},
    {"optimiser", "fit linear --data good.csv --target y --optimiser adm", 2, "did you mean adam?"},
    {"rate", "fit linear --data good.csv --target y --optimiser adam:lr=-1", 2, "lr is -1"},
    {"likelihood", "fit linear --data good.csv --target y --likelihood poison", 2, "did you mean poisson?"},
    {"its option", "fit linear --data good.csv --target y --likelihood poisson:rate=1", 2,
     "takes no options"},
    {"method", "fit linear --data good.csv --target y --method vb", 2, "no --method vb"},
    {"method beside", "fit linear --data good.csv --target y --method laplace --steps 3", 2,
     "--steps is for a training"},
    {"estimator of no gradients", "fit linear --data good.csv --target y --method laplace --estimator score",
     2, "--estimator is for gradients"},
    {"samples of no gradients", "fit linear --data good.csv --target y --method fixed_draws --samples 4", 2,
     "--samples is for gradients"},
    {"q of draws", "fit linear --data good.csv --target y --method nuts --posterior mean_field", 2,
     "leave --posterior out"},
    {"layers of none", "fit linear --data good.csv --target y --hidden 5", 2, "linear has none"},
    {"dropout of none", "fit logistic --data good.csv --target y --dropout 0.1", 2, "logistic has none"},
    {"samples", "fit linear --data good.csv --target y --samples 0", 2, "--samples is \"0\""},
    {"dropout", "fit network --data good.csv --target y --dropout 1", 2, "--dropout is \"1\""},
    {"layers", "fit network --data good.csv --target y --hidden 5,6,7,8,9", 2, "from the fifth on"},
    {"a rate of 0", "fit network --data good.csv --target y --hidden 5,5 --dropout 0.1,0", 2,
     "a layer without dropout comes before"},
    {"units of no layer", "fit network:units_2=3 --data good.csv --target y", 2, ".layers is 1"},
    {"rates", "fit network --data good.csv --target y --hidden 5,5 --dropout 0.1,0.1,0.1", 2, "3 rates"},
    {"validate", "fit linear --data good.csv --target y --validate 1", 2, "--validate is \"1\""},
    {"validate series", "fit local_level --data good.csv --target y --validate 0.2", 2, "series"},
    {"option", "fit linear --data good.csv --traget y", 2, "did you mean target?"},
    {"no data", "fit linear --target y", 2, "--data FILE is missing"},
    /* files of results */
    {"unwritable", "fit linear --data good.csv --target y --json nowhere/j.json", 5,
     "cannot write nowhere/j.json"},
    {"unwritable save", "fit linear --data good.csv --target y --save nowhere/s", 5,
     "cannot write nowhere/s"},
    {"full disk", "fit linear --data good.csv --target y --json /dev/full >/dev/null", 5, "No space left"},
    {"one file", "fit linear --data good.csv --target y --save a --json a", 2, "both write to a"},
    {"its input", "fit linear --data good.csv --target y --out good.csv", 2, "would replace good.csv"},
    {"input of a graph", "graph linear --data good.csv --target y --out good.csv", 2,
     "would replace good.csv"},
    {"fit of a graph", "graph linear --data good.csv --target y --load good.grebe --out ./good.grebe", 2,
     "would replace"},
    {"input of predict", "predict --load good.grebe --data good.csv --json good.grebe", 2,
     "would replace good.grebe"},
    {"no file", "fit linear --data good.csv --target y --save -", 2, "--save takes a file"},
    {"picture of predict", "predict --load good.grebe --data good.csv --plot p.png", 2, "must end in .svg"},
    {"picture without outcomes", "predict --load good.grebe --data new.csv --plot p.svg", 3, "no outcomes"},
    {"picture", "fit linear --data good.csv --target y --plot p.pdf", 2, ".svg or .png"},
    {"every", "fit network --data good.csv --target y --steps 9 --checkpoint-every 3", 2, "needs --save"},
    {"saved draws", "fit linear --data good.csv --target y --method nuts --save s.grebe", 2,
     "take what you need of them now"},
    {"other samples", "fit linear --data good.csv --target y --samples 3 --steps 9 --resume good.grebe", 3,
     "other --samples"},
    /* files of fits */
    {"truncated", "predict --load cut.grebe --data good.csv --out o.csv", 3, "cut short"},
    {"spoilt", "predict --load spoilt.grebe --data good.csv --out o.csv", 3, "spoilt.grebe"},
    {"foreign", "predict --load foreign.grebe --data good.csv --out o.csv", 3, "not a checkpoint of grebe"},
    {"nowhere", "predict --load nowhere.grebe --data good.csv --out o.csv", 5, "nowhere.grebe"},
    {"another model", "fit network --data good.csv --target y --steps 9 --resume good.grebe", 3,
     "of the model linear"},
    {"another q",
     "fit linear --data good.csv --target y --posterior mean_field --steps 9 --resume good.grebe", 3,
     "has the posterior"},
    {"graph of another", "graph robust --data good.csv --target y --load good.grebe", 3,
     "of the model linear"},
    {"no load", "predict --data good.csv", 2, "--load FILE is required"},
    {"graph form", "graph linear --data good.csv --target y --format dit", 2, "no --format dit"},
    {"check series", "check model local_level --data good.csv --target y", 2, "of a model of rows"},
    {"check calculation", "check model linear --data good.csv --formula 'log(y) ~ a'", 2, "of a column"},
    {"check options", "check ops abs --data good.csv", 2, "for `grebe check model`"},
};

static void prepare(void)
{
    enum { LONG = 1 << 20 };
    static bool is_done;
    if (is_done)
        return;
    is_done = true;
    enter_folder("bad_input");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        put(files[i].path, files[i].text);
    FILE *const zero = fopen("zero.csv", "w"), *const line = fopen("long.csv", "w");
    fwrite("a,y\n1,2\n2,\0\n", 1, 13, zero);
    fputs("a,y\n", line);
    for (int i = 0; i < 100; i++) { /* 100 MB without an end of a line */
        static char block[LONG];
        memset(block, '1', sizeof block);
        fwrite(block, 1, sizeof block, line);
    }
    fclose(zero);
    fclose(line);
    assert_int_equal(grebe("fit linear --data good.csv --target y --save good.grebe").code, 0);
    assert_int_equal(
        system(
            "head -c 300 good.grebe >cut.grebe; sed 's/GB_//; s/latents/letants/' good.grebe >spoilt.grebe"),
        0);
}

TEST_EACH(bad_input_is_rejected_and_nothing_is_written, cases)
{
    (void)t;
    const bad_case *const c = row;
    prepare();
    const int before = files_here();
    const answer a = grebe(c->arguments);
    if (a.code != c->code || !strstr(a.err, c->words) || *a.out)
        fail_msg("grebe %s: code %d, \"%s\", \"%s\"; %d and \"%s\" were expected", c->arguments, a.code,
                 a.err, a.out, c->code, c->words);
    assert_int_equal(files_here(), before);
}

TEST(what_may_look_wrong_is_only_said)
{
    (void)t;
    prepare();
    put("constant.csv", "a,y\n1,0.5\n1,1\n1,2\n1,1.7\n");
    assert_non_null(
        strstr(grebe("fit linear --data constant.csv --target y").out, "column a is 1 in all rows"));
    put("odd.csv", "a,y\n1e400,2\n2,3\n3,5\n4,4\n");
    assert_non_null(strstr(grebe("fit linear --data odd.csv --target y").out, "name the word in --missing"));
    assert_int_equal(grebe("fit linear --data comma.csv --target y --decimal-comma").code, 0);
    assert_int_equal(grebe("fit linear --data hole.csv --target y --drop-missing").code, 0);
    assert_int_equal(grebe("fit linear --data text.csv --target y --missing x").code, 0);
}

TEST(a_full_disk_keeps_the_old_file)
{
    (void)t;
    prepare();
    put("old.grebe", "old");
    const answer a =
        grebe_with("ulimit -f 0;", "fit linear --data good.csv --target y --save old.grebe >/dev/null");
    assert_int_equal(a.code, 5);
    assert_string_equal(file("old.grebe"), "old");
}
