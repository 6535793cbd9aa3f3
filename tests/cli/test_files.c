/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files of `grebe compare`: replaced when the work is done, all or none; what is never replaced; and what
 * remains after signals and errors. */
#include "command.h"

#include <errno.h>
#include <sys/stat.h>
#include <time.h>

#define SMALL "compare gauss-square --estimators pathwise,score --draws 200 "
#define LONG "compare gauss-square --estimators pathwise --draws 10000000000 --threads 1 "

static void put_old(const char *path)
{
    file_put_text(path, "old");
}

static void assert_old(const char *path)
{
    assert_string_equal(file(path), "old");
    assert_int_equal(unlink(path), 0);
}

static void pause_for(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

/* ---- what is replaced ---- */

TEST(nothing_is_replaced_if_nothing_was_measured)
{
    put_old("j.json");
    put_old("raw.csv");
    assert_says("compare gauss-square --estimators arm --json j.json --csv c.csv --draws-out raw.csv", 2,
                "arm");
    assert_says("compare gauss-square --estimators arm --sweep k=0:1:2 --json j.json --draws-out raw.csv", 2,
                "arm");
    assert_old("j.json");
    assert_old("raw.csv");
    assert_int_equal(files_here(), 0);
}

TEST(one_that_was_measured_suffices)
{
    put_old("j.json");
    assert_says("compare gauss-square --estimators arm,pathwise --draws 100 --json j.json", 2, "arm");
    assert_non_null(strstr(file("j.json"), "pathwise"));
    assert_int_equal(unlink("j.json"), 0);
    assert_says("compare gauss-square --estimators arm,pathwise --draws 100 --json /dev/full", 5,
                "cannot write /dev/full: No space left on device");
}

/* gnuplot itself does not notice. */
TEST(a_picture_that_does_not_fit_is_an_error)
{
    if (system("gnuplot --version >/dev/null 2>&1") != 0)
        skip();
    assert_int_equal(symlink("/dev/full", "p.svg"), 0);
    assert_says("compare gauss-square --estimators pathwise --draws 100 --plot p.svg", 5,
                "cannot write p.svg: No space left on device");
    assert_int_equal(unlink("p.svg"), 0);
}

/* While the command waits for a reader of the pipe, a folder takes the place of its second file. */
TEST(all_files_are_replaced_or_none)
{
    put_old("a.json");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    for (int is_there = 0; is_there < 2; is_there++) {
        if (is_there)
            put_old("b.csv");
        const pid_t child = start_command("", SMALL "--json a.json --csv b.csv --draws-out pipe");
        for (int i = 0; i < 1000 && files_here() < 4 + is_there; i++)
            pause_for(10);
        if (is_there)
            unlink("b.csv");
        assert_int_equal(mkdir("b.csv", 0700), 0);
        assert_int_equal(system("cat pipe >command.pipe"), 0);
        assert_int_equal(code_of(child), 5);
        assert_non_null(strstr(file("command.err"), "cannot write b.csv"));
        assert_string_equal(file("a.json"), "old");
        assert_int_equal(rmdir("b.csv"), 0);
        assert_int_equal(files_here(), 2);
    }
    unlink("a.json");
    const pid_t child = start_command("", SMALL "--json a.json --csv b.csv --draws-out pipe");
    for (int i = 0; i < 1000 && files_here() < 3; i++)
        pause_for(10);
    assert_int_equal(mkdir("b.csv", 0700), 0);
    assert_int_equal(system("cat pipe >command.pipe"), 0);
    assert_int_equal(code_of(child), 5);
    rmdir("b.csv");
    unlink("pipe");
    assert_int_equal(files_here(), 0); /* not even a.json, which was not there before */
}

TEST(a_picture_that_cannot_be_drawn_leaves_all_as_it_was)
{
    assert_int_equal(mkdir("bin", 0700), 0);
    file_put_text("bin/gnuplot", "#!/bin/sh\ntest \"$1\" = --version && echo gnuplot 0\n");
    assert_int_equal(chmod("bin/gnuplot", 0700), 0);
    put_old("j.json");
    const answer a = grebe_with("PATH=$PWD/bin:$PATH", SMALL "--json j.json --plot p.svg");
    assert_int_equal(a.code, 5);
    assert_non_null(strstr(a.err, "gnuplot could not draw p.svg; no file is written"));
    assert_old("j.json");
    assert_int_equal(system("rm -r bin"), 0);
    assert_int_equal(files_here(), 0);
}

/* ---- what is not replaced ---- */

TEST(an_output_is_no_input)
{
    file_put_text("d.csv", "x,y\n1,0\n-1,1\n");
    assert_int_equal(symlink("d.csv", "link"), 0);
    assert_int_equal(link("d.csv", "same"), 0);
    static const char *const wrong[] = {"--data d.csv --csv d.csv",      "--data d.csv --json ./d.csv",
                                        "--data d.csv --draws-out link", "--data link --csv d.csv",
                                        "--data same --csv d.csv",       "--data - --csv d.csv <d.csv",
                                        "--data d.csv --csv - >>d.csv"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char line[256];
        snprintf(line, sizeof line, "compare logistic --estimators pathwise --draws 100 --target y %s",
                 wrong[i]);
        assert_says(line, 2, "which --data reads");
    }
    assert_string_equal(file("d.csv"), "x,y\n1,0\n-1,1\n");
    assert_int_equal(system("rm d.csv link same"), 0);
    assert_int_equal(files_here(), 0);
}

TEST(a_protected_file_is_not_replaced)
{
    put_old("j.json");
    assert_int_equal(chmod("j.json", 0444), 0);
    assert_int_equal(symlink("j.json", "link"), 0);
    assert_says(LONG "--json j.json", 5, "cannot write j.json: it is write-protected");
    assert_says(LONG "--json link", 5, "cannot write link: it is write-protected");
    unlink("link");
    assert_old("j.json");
}

TEST(a_link_to_no_file_yet_is_followed)
{
    assert_int_equal(mkdir("folder", 0700), 0);
    assert_int_equal(symlink("new.json", "folder/second"), 0);
    assert_int_equal(symlink("folder/second", "first"), 0);
    assert_int_equal(grebe(SMALL "--json first").code, 0);
    struct stat found;
    assert_true(lstat("first", &found) == 0 && S_ISLNK(found.st_mode));
    assert_true(lstat("folder/second", &found) == 0 && S_ISLNK(found.st_mode));
    assert_true(lstat("folder/new.json", &found) == 0 && S_ISREG(found.st_mode));
    assert_non_null(strstr(file("folder/new.json"), "pathwise"));
    assert_int_equal(system("rm -r first folder"), 0);
    assert_int_equal(symlink("round", "round"), 0);
    assert_says(SMALL "--json round", 5, "cannot write round: ");
    unlink("round");
    assert_int_equal(files_here(), 0);
}

TEST(standard_output_by_another_name_is_standard_output)
{
    file_put_text("command.out", "");
    assert_int_equal(link("command.out", "command.same"), 0); /* it is not replaced */
    assert_int_equal(grebe(SMALL "--json /dev/stdout").code, 0);
    assert_int_equal(file("command.same")[0], '{');
    unlink("command.same");
}

TEST(rights_of_a_replaced_file_stay)
{
    struct stat found;
    put_old("j.json");
    assert_int_equal(chmod("j.json", 0666), 0);
    assert_int_equal(grebe_with("umask 077;", SMALL "--json j.json").code, 0);
    assert_int_equal(stat("j.json", &found), 0);
    assert_int_equal(found.st_mode & 0777, 0666);
    unlink("j.json");
}

/* Root may give files away; who may not replaces no other's. */
TEST(owner_and_setuid_of_a_replaced_file_stay)
{
    const bool is_root = geteuid() == 0;
    struct stat found;
    put_old("j.json");
    assert_int_equal(chown("j.json", is_root ? 1 : geteuid(), is_root ? 2 : getegid()), 0);
    assert_int_equal(chmod("j.json", 06755), 0);
    assert_int_equal(grebe(SMALL "--json j.json").code, 0);
    assert_int_equal(stat("j.json", &found), 0);
    assert_int_equal(found.st_mode & 07777, 06755);
    assert_int_equal(found.st_uid, is_root ? 1 : geteuid());
    assert_int_equal(found.st_gid, is_root ? 2 : getegid());
    unlink("j.json");
}

TEST(a_folder_that_is_not_writable_is_the_reason)
{
    if (access("/sys", F_OK) != 0)
        skip();
    assert_says(SMALL "--json /sys/grebe.json", 5, "its folder must be writable, since a new file takes the");
}

/* ---- standard files ---- */

TEST(a_closed_standard_file_is_no_output)
{
    static const char *const options[] = {"json", "csv", "draws-out", "plot"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        char line[256];
        const bool draws = strcmp(options[i], "plot") == 0;
        snprintf(line, sizeof line, SMALL "--%s o.svg >&-", options[i]);
        put_old("o.svg");
        assert_says(line, 5, "cannot write: Bad file descriptor");
        assert_null(strstr(file("o.svg"), "gauss-square  ")); /* the table */
        assert_true(draws || strcmp(file("o.svg"), "old") != 0);
        unlink("o.svg");
    }
    put_old("j.json");
    assert_int_equal(grebe(SMALL "--json j.json 2>&- >/dev/null").code, 0);
    const answer a = grebe("compare gauss-square --estimators pathwise,arm --draws 50 --json j.json 2>&-");
    assert_int_equal(a.code, 2);
    assert_int_equal(file("j.json")[0], '{');
    assert_non_null(strstr(file("command.out"), "pathwise"));
    unlink("j.json");
    assert_says("compare logistic --estimators pathwise --data - --target y --json j.json <&-", 5,
                "Bad file descriptor");
    assert_int_equal(grebe("list estimators >&-").code, 5);
    assert_int_equal(files_here(), 0);
}

/* ---- limits and signals ---- */

TEST(the_limit_of_a_file_is_an_error_like_others)
{
    put_old("raw.csv");
    const answer a = grebe_with("ulimit -f 8;", SMALL "--draws-out raw.csv --json j.json");
    assert_int_equal(a.code, 5);
    assert_non_null(strstr(a.err, "cannot write raw.csv: File too large"));
    assert_old("raw.csv");
    assert_int_equal(files_here(), 0);
}

#ifndef __SANITIZE_THREAD__ /* which takes this signal itself */
TEST(the_limit_of_time_leaves_no_half_file)
{
    assert_int_equal(grebe_with("ulimit -S -t 1;", LONG "--json j.json --draws-out /dev/null").code,
                     128 + SIGXCPU);
    assert_int_equal(files_here(), 0);
}
#endif

static void await_words(const char *path, const char *words)
{
    for (int i = 0; i < 1000; i++, pause_for(10))
        if (access(path, R_OK) == 0 && strstr(file(path), words))
            return;
    fail_msg("%s never had \"%s\"", path, words);
}

TEST(a_pipe_without_a_reader_does_not_keep_a_signal_off)
{
    unlink("command.err");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    const pid_t child = start_command("", SMALL "--json j.json --draws-out pipe");
    for (int i = 0; i < 1000 && files_here() < 2; i++)
        pause_for(10);
    await_words("command.err", "pipe is a pipe that nothing reads: waiting for a reader");
    assert_int_equal(kill(child, SIGTERM), 0);
    alarm(20); /* ends the test if the command does not end */
    assert_int_equal(code_of(child), 128 + SIGTERM);
    alarm(0);
    unlink("pipe");
    assert_int_equal(files_here(), 0);
}

TEST(a_signal_ends_gnuplot_too)
{
    assert_int_equal(mkdir("bin", 0700), 0);
    file_put_text("bin/gnuplot", "#!/bin/sh\n"
                                 "test \"$1\" = --version && echo gnuplot 0 && exit 0\n"
                                 "echo draws >command.drawn\n"
                                 "sleep 1\n"
                                 "echo lives >command.drawn\n");
    assert_int_equal(chmod("bin/gnuplot", 0700), 0);
    const pid_t child = start_command("PATH=$PWD/bin:$PATH", SMALL "--plot p.svg --json j.json");
    await_words("command.drawn", "draws");
    assert_int_equal(kill(child, SIGTERM), 0);
    assert_int_equal(code_of(child), 128 + SIGTERM);
    pause_for(1500);
    assert_string_equal(file("command.drawn"), "draws\n");
    assert_int_equal(system("rm -r bin"), 0);
    assert_int_equal(files_here(), 0);
}

TEST(lack_of_gnuplot_is_said_before_the_work)
{
    unlink("command.err");
    const pid_t child = start_command("PATH=/nowhere", LONG "--plot p.svg");
    await_words("command.err", "there is no gnuplot here, so p.svg will not be drawn");
    assert_int_equal(kill(child, SIGTERM), 0);
    assert_int_equal(code_of(child), 128 + SIGTERM);
}

void test_begin(int argc, char **argv)
{
    (void)argc, (void)argv;
    enter_folder("files");
}
