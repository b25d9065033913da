package files

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"testing"
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
