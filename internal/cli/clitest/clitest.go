// Package clitest runs command lines in tests, in the process of the test or as a child of it, and makes the tables, brokers and
// directories that they work on.
package clitest

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/testenv"
)

// AsFootfall is set in a child process of these tests, which then is the command itself.
const AsFootfall = "FOOTFALL_TEST_AS_FOOTFALL"

// program is the command: it runs a command line.
var program func(ctx context.Context, a *command.App, args []string) (code int)

// Main runs the tests of a package, which run command lines with execute, and then what they leave to do. A child process of theirs is
// the command itself: it runs main, which ends the process.
func Main(m *testing.M, execute func(ctx context.Context, a *command.App, args []string) (code int), main func(), then ...func()) {
	if os.Getenv(AsFootfall) != "" {
		main()
	}
	program = execute
	code := testenv.Run(m)
	for _, f := range then {
		f()
	}
	os.RemoveAll(devCounted.dir)
	os.Exit(code)
}

// Execute runs a command line with streams of its own and returns its exit code.
func Execute(ctx context.Context, a *command.App, args []string) (code int) {
	return program(ctx, a, args)
}

// Footfall runs a command line in this process.
func Footfall(t testing.TB, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	a := &command.App{In: strings.NewReader(""), Out: &stdout, Err: &stderr}
	code = program(t.Context(), a, args)
	return code, stdout.String(), stderr.String()
}

// Watcher is an output that closes Seen when a text has been written to it.
type Watcher struct {
	mu   sync.Mutex // covers all below
	text strings.Builder
	want string
	Seen chan struct{}
}

// Write keeps what a command prints, and closes Seen once it has what is waited for.
func (w *Watcher) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text.Write(p)
	if w.want != "" && strings.Contains(w.text.String(), w.want) {
		w.want = ""
		close(w.Seen)
	}
	return len(p), nil
}

// String is all that was printed so far.
func (w *Watcher) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

// WatchFor returns an output that closes Seen once the text has been written to it.
func WatchFor(text string) *Watcher { return &Watcher{want: text, Seen: make(chan struct{})} }

// WrongUsage is a command line that is refused, and what is said of it.
type WrongUsage struct {
	Args, Says string
}

// Refused runs command lines that begin with the same words. Each must be an error of usage that says so.
func Refused(t *testing.T, words string, lines ...WrongUsage) {
	t.Helper()
	for _, c := range lines {
		code, out, errs := Footfall(t, strings.Fields(words+" "+c.Args)...)
		if code != command.CodeUsage || out != "" || !strings.Contains(errs, c.Says) {
			t.Errorf("%s %s: exit code %d, stdout %q, stderr %q; want %d and %q", words, c.Args, code, out, errs, command.CodeUsage, c.Says)
		}
	}
}

// NoDevDirectory runs a command on a directory that footfall dev has not made.
func NoDevDirectory(t *testing.T, command string) {
	t.Helper()
	args := append(strings.Fields(command), "--data", t.TempDir())
	if code, out, errs := Footfall(t, args...); code != 1 || out != "" || !strings.Contains(errs, "footfall dev --data") {
		t.Errorf("%q: exit code %d, stdout %q, stderr %q; want 1 and how to make it", args, code, out, errs)
	}
}

// Must returns v, and panics if there is an error.
func Must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// AskedJSON has the command line answer in JSON.
func AskedJSON(t *testing.T, answer any, args ...string) {
	t.Helper()
	code, out, errs := Footfall(t, append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), answer); err != nil || code != 0 {
		t.Fatalf("%v: exit %d, %v: out %s, err %s", args, code, err, out, errs)
	}
}

// JSONFields lists the fields of a type as JSON has them: a.b is b in a, a[] an element of a list, a{} a value of an object with
// free keys. A type within itself is listed once.
func JSONFields(t reflect.Type, prefix string, within []reflect.Type) []string {
	switch {
	case t.Kind() == reflect.Pointer:
		return JSONFields(t.Elem(), prefix, within)
	case t.Implements(jsonMarshaler) || t.Implements(textMarshaler) || slices.Contains(within, t):
		return []string{prefix}
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		return JSONFields(t.Elem(), prefix+"[]", within)
	case t.Kind() == reflect.Map:
		return JSONFields(t.Elem(), prefix+"{}", within)
	case t.Kind() != reflect.Struct:
		return []string{prefix}
	}
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "":
			names = append(names, JSONFields(f.Type, prefix, append(within, t))...)
		default:
			if name == "" {
				name = f.Name // Without a tag: seen in the list, and worth one.
			}
			if prefix != "" {
				name = prefix + "." + name
			}
			names = append(names, JSONFields(f.Type, name, append(within, t))...)
		}
	}
	return slices.Compact(names)
}

// Eventually waits until something is so.
func Eventually(t *testing.T, what string, so func() bool) {
	t.Helper()
	deadline := time.NewTimer(5 * time.Minute)
	defer deadline.Stop()
	tick := time.NewTicker(100 * time.Millisecond) // What it looks at may be a table that is opened each time.
	defer tick.Stop()
	for !so() {
		select {
		case <-tick.C:
		case <-deadline.C:
			t.Fatalf("after five minutes it is not so that %s", what)
		}
	}
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)
