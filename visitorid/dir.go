package visitorid

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// suffix ends the name of a salt's file: 2026-05-12.salt, 32 bytes, mode 0600. A file under way has more behind it. The
// name begins with the day in either case, so that what a killed process leaves is forgotten with its day.
const suffix = ".salt"

// directory is a Store of one file for each day.
type directory string

// Keep puts salt into the file of its day, or returns what the file holds already. Processes that do so at the same time
// end with the same salt: the file comes into being whole, under its name, by the link of whoever is first.
func (dir directory) Keep(d time.Time, salt []byte) ([]byte, error) {
	name := filepath.Join(string(dir), dayOf(d).String()+suffix)
	if kept, err := read(name); !errors.Is(err, fs.ErrNotExist) {
		return kept, err
	}
	f, err := os.CreateTemp(string(dir), filepath.Base(name)+".*") // Of mode 0600.
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name()) // What it leaves, Forget removes.
	_, err = f.Write(salt)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return nil, err
	}
	if err := os.Link(f.Name(), name); errors.Is(err, fs.ErrExist) {
		return read(name)
	} else {
		return salt, err
	}
}

// read returns what a file holds.
func read(name string) ([]byte, error) {
	b, err := os.ReadFile(name)
	if err == nil && len(b) != saltBytes {
		err = fmt.Errorf("%s has %d bytes, not the %d of a salt: remove it; the day's visitors will count once more", name, len(b), saltBytes)
	}
	return b, err
}

// Forget removes the files of days that are over, finished or not. Files that are none of ours stay.
func (dir directory) Forget(over func(time.Time) bool) error {
	entries, err := os.ReadDir(string(dir))
	if err != nil {
		return err
	}
	var faults []error
	for _, e := range entries {
		date, _, ours := strings.Cut(e.Name(), suffix)
		t, err := time.Parse(time.DateOnly, date)
		if !ours || err != nil || !over(t) {
			continue
		}
		if err := os.Remove(filepath.Join(string(dir), e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) { // Or another process has.
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}
