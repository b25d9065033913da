package visitorid

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// names lists a directory.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func put(t *testing.T, dir, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestSaltsOutliveARestart(t *testing.T) {
	dir, now := filepath.Join(t.TempDir(), "var", "salts"), at(t, "2026-05-12T14:00:00Z")
	id := open(t, dir, now).mustID(t, visitor, now, now)
	tomorrow := now.Add(24 * time.Hour)
	if again := open(t, dir, tomorrow).mustID(t, visitor, now, tomorrow); again != id {
		t.Errorf("after a restart the id is %s, was %s", again, id)
	}
	if got, want := names(t, dir), []string{"2026-05-12.salt"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
	for name, want := range map[string]os.FileMode{"": os.ModeDir | 0o700, "2026-05-12.salt": 0o600} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != want {
			t.Errorf("%q has mode %v, want %v", name, info.Mode(), want)
		}
	}
}

func TestExpiredSaltsNeverComeBack(t *testing.T) {
	dir, day := t.TempDir(), at(t, "2026-05-12T00:00:00Z")
	h := open(t, dir, day)
	id := h.mustID(t, visitor, day, day)
	copied, err := os.ReadFile(filepath.Join(dir, "2026-05-12.salt"))
	if err != nil {
		t.Fatal(err)
	}
	over := day.Add(Kept)
	h.mustID(t, visitor, over, over)
	left := []string{"2026-05-14.salt"}
	if got := names(t, dir); !slices.Equal(got, left) {
		t.Fatalf("files %v after %v, want %v", got, Kept, left)
	}

	put(t, dir, "2026-05-12.salt", copied) // From a backup.
	if _, err := open(t, dir, over).ID(visitor, day, over); !errors.Is(err, ErrForgotten) {
		t.Errorf("with the salt that a backup brought back, ID = %v, want ErrForgotten", err)
	}
	if got := names(t, dir); !slices.Equal(got, left) {
		t.Errorf("files %v once opened, want %v", got, left)
	}
	if again := h.mustID(t, visitor, day, over.Add(-1)); again == id {
		t.Errorf("the clock went back, and with it came the forgotten id %s", id)
	}
}

// A process that is killed leaves a file under way; a clock that was wrong, salts of other years. Both go, and what
// is none of ours stays.
func TestLeftoversAreForgottenWithTheirDay(t *testing.T) {
	dir, now := t.TempDir(), at(t, "2026-05-12T14:00:00Z")
	for _, name := range []string{"2026-05-10.salt.123", "2026-05-11.salt.4", "2026-05-14.salt", "1999-01-01.salt", "README", "2026-05-01",
		"x.salt"} {
		put(t, dir, name, make([]byte, saltBytes))
	}
	open(t, dir, now)
	want := []string{"2026-05-01", "2026-05-11.salt.4", "README", "x.salt"}
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
}

func TestProcessesThatShareADirectoryAgree(t *testing.T) {
	const processes = 16
	dir, now := t.TempDir(), at(t, "2026-05-12T14:00:00Z")
	ids := make([]string, processes)
	var wg sync.WaitGroup
	for i := range processes {
		h := open(t, dir, now)
		wg.Go(func() {
			var err error
			if ids[i], err = h.ID(visitor, now, now); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if distinct := slices.Compact(slices.Sorted(slices.Values(ids))); len(distinct) != 1 || distinct[0] == "" {
		t.Errorf("%d processes have the ids %q, want one", processes, distinct)
	}
	if got, want := names(t, dir), []string{"2026-05-12.salt"}; !slices.Equal(got, want) {
		t.Errorf("files %v, want %v", got, want)
	}
}

func TestDamagedSaltIsNamed(t *testing.T) {
	dir, now := t.TempDir(), at(t, "2026-05-12T14:00:00Z")
	put(t, dir, "2026-05-12.salt", []byte("short"))
	h := open(t, dir, now)
	if id, err := h.ID(visitor, now, now); err == nil || id != "" || !strings.Contains(err.Error(), "2026-05-12.salt has 5 bytes") {
		t.Fatalf("id = %q, %v, want an error that names the file", id, err)
	}
	if err := os.Remove(filepath.Join(dir, "2026-05-12.salt")); err != nil {
		t.Fatal(err)
	}
	h.mustID(t, visitor, now, now)
}

// No ids are made while an expired salt stays on the disk: someone has to know.
func TestSaltThatCannotBeRemovedIsNamed(t *testing.T) {
	dir, day := t.TempDir(), at(t, "2026-05-12T00:00:00Z")
	h := open(t, dir, day)
	stuck := filepath.Join(dir, "2026-05-11.salt")
	if err := os.MkdirAll(filepath.Join(stuck, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	next := day.Add(24 * time.Hour)
	for range 2 {
		if id, err := h.ID(visitor, next, next); err == nil || id != "" || !strings.Contains(err.Error(), stuck) {
			t.Fatalf("id = %q, %v, want an error that names %s", id, err, stuck)
		}
	}
	if err := os.RemoveAll(stuck); err != nil {
		t.Fatal(err)
	}
	h.mustID(t, visitor, next, next)
}

func TestDirectoryThatCannotBeIsNamed(t *testing.T) {
	now := at(t, "2026-05-12T00:00:00Z")
	if _, err := Open("", now); err == nil || !strings.Contains(err.Error(), `directory of salts ""`) {
		t.Errorf("Open of nothing = %v, want an error that says so", err)
	}
	file := filepath.Join(t.TempDir(), "file")
	put(t, filepath.Dir(file), "file", nil)
	if _, err := Open(file, now); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("Open of a file = %v, want an error that names it", err)
	}
}
