package files

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"
)

// A pause comes after the lines that were read have been taken, also where the file does not end for long.
func TestPausesComeAfterTheLines(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte("1\n2\n3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	taken, pauses := 0, 0
	f, err := Follow(ctx, name, time.Nanosecond, func() error {
		if pauses++; taken != pauses+2 {
			t.Errorf("pause %d after %d lines, want %d", pauses, taken, pauses+2)
			cancel()
		}
		if pauses == 3 {
			cancel()
		}
		log, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return err
		}
		defer log.Close()
		_, err = log.WriteString("4\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		taken++
	}
	if err := lines.Err(); err != nil || pauses != 3 || f.Close() != nil {
		t.Errorf("%d pauses, %v; want 3", pauses, err)
	}
}

// A log that is rotated is read to its end: its server writes on, also half a line, after another file has its name.
func TestRotatedLogIsReadToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		name := filepath.Join(t.TempDir(), "log")
		write := func(name, text string) error {
			file, err := os.OpenFile(name, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
			if err == nil {
				_, err = file.WriteString(text)
				err = errors.Join(err, file.Close())
			}
			return err
		}
		old := name + ".1"
		steps := []func() error{
			func() error { return errors.Join(os.Rename(name, old), write(name, ""), write(old, "2\n")) },
			func() error { return errors.Join(write(name, "5\n"), write(old, "3")) },
			func() error { return write(old, "3\n4\n") },
			func() error { return nil },
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		if err := write(name, "1\n"); err != nil {
			t.Fatal(err)
		}
		f, err := Follow(ctx, name, time.Hour, func() error {
			if len(steps) == 0 {
				cancel()
				return nil
			}
			step := steps[0]
			steps = steps[1:]
			return step()
		})
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(f)
		if want := "1\n2\n33\n4\n5\n"; err != nil || string(text) != want || f.Close() != nil {
			t.Errorf("%q, %v; want %q", text, err, want)
		}
	})
}
