package analyze

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/command"
)

// A file is counted on as it grows, line by line, also when another takes its name and when it is emptied. Each answer has the figures of a
// file of all lines until then.
func TestAnalyzeFollowsAFile(t *testing.T) {
	lines := strings.SplitAfter(strings.TrimSpace(logOf(12, 6)), "\n") // 12
	dir := t.TempDir()
	file, all := filepath.Join(dir, "access.log"), filepath.Join(dir, "all.log")
	appendTo := func(name string, text ...string) {
		t.Helper()
		f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err == nil {
			_, err = f.WriteString(strings.Join(text, ""))
		}
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	appendTo(file, lines[:3]...)

	args := []string{"--set", "siteId=s", "--json", "--include-bots", "--visitor-hash-key", "sixteen byte key", "--top", "page"}
	ctx, interrupt := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- clitest.Execute(ctx, &command.App{Out: in, Err: io.Discard}, append([]string{"analyze", file, "--follow"}, args...))
		in.Close()
	}()
	answers := json.NewDecoder(out)
	until := func(counted int64) (answer Answer) {
		t.Helper()
		for answer.Counted < counted {
			answer = Answer{}
			if err := answers.Decode(&answer); err != nil {
				t.Fatalf("no answer of %d lines: %v", counted, err)
			}
		}
		if err := os.WriteFile(all, []byte(strings.Join(lines[:counted], "")), 0o600); err != nil {
			t.Fatal(err)
		}
		want := analyzed(t, append([]string{all}, args...)...)
		if answer.Counted != counted || answer.Refused != 0 || !reflect.DeepEqual(answer.Sites[0].Stats.Totals, want.Sites[0].Stats.Totals) ||
			!reflect.DeepEqual(answer.Sites[0].Top[0].Rows, want.Sites[0].Top[0].Rows) {
			t.Fatalf("%d lines, %d refused, %+v\nwant %d, 0, %+v", answer.Counted, answer.Refused, answer.Sites[0].Stats.Totals, counted,
				want.Sites[0].Stats.Totals)
		}
		return answer
	}
	until(3)
	appendTo(file, lines[3], lines[4][:20])
	until(4)
	appendTo(file, lines[4][20:])
	until(5)
	if err := os.Rename(file, file+".1"); err != nil {
		t.Fatal(err)
	}
	appendTo(file+".1", lines[5], strings.TrimSuffix(lines[6], "\n")) // As a server does that has the file open.
	appendTo(file, lines[7:10]...)
	until(10)
	if err := os.Truncate(file, 0); err != nil {
		t.Fatal(err)
	}
	appendTo(file, lines[10])
	until(11)
	appendTo(file, lines[11])
	interrupt()
	last := Answer{}
	for answers.Decode(&last) == nil {
	}
	if code := <-ended; code != 0 || last.Counted < 11 {
		t.Errorf("exit code %d, %d lines; want 0 and the last answer", code, last.Counted)
	}
}

// What does not grow cannot be followed.
func TestAnalyzeFollowsOneFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "access.log")
	if err := os.WriteFile(file, []byte(logOf(12, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	clitest.Refused(t, "analyze --follow", clitest.WrongUsage{Args: dir, Says: "is a folder: name the file in it that grows"},
		clitest.WrongUsage{Args: "-", Says: "name the file that is written"},
		clitest.WrongUsage{Args: "s3://bucket/logs/", Says: "leave --follow out, and count them again later"},
		clitest.WrongUsage{Args: file + ".none", Says: "access.log.none: no such file or directory: name one file that exists"},
		clitest.WrongUsage{Args: os.DevNull, Says: "is no regular file"},
		clitest.WrongUsage{Args: file + " " + file, Says: "--follow: name one file, which grows, not 2"},
		clitest.WrongUsage{Args: file + " --sort", Says: "--follow and --sort: choose one"})
}
