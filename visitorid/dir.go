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

// keep puts s into the file of its day, or sets s to what the file holds already. Processes that do so at the same time
// end with the same salt: the file comes into being whole, under its name, by the link of whoever is first.
func keep(dir string, d day, s *salt) error {
	name := filepath.Join(dir, d.String()+suffix)
	if err := read(name, s); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := os.CreateTemp(dir, d.String()+suffix+".*") // Of mode 0600.
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // What it leaves, sweep removes.
	_, err = f.Write(s[:])
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), name); errors.Is(err, fs.ErrExist) {
		return read(name, s)
	} else {
		return err
	}
}

// read sets s to what a file holds. On error s is unchanged.
func read(name string, s *salt) error {
	b, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if len(b) != saltBytes {
		return fmt.Errorf("%s has %d bytes, not the %d of a salt: remove it; the day's visitors will count once more", name, len(b), saltBytes)
	}
	copy(s[:], b)
	return nil
}

// sweep removes the files of days that are over, finished or not. Files that are none of ours stay.
func sweep(dir string, over func(day) bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var faults []error
	for _, e := range entries {
		date, _, ours := strings.Cut(e.Name(), suffix)
		t, err := time.Parse(time.DateOnly, date)
		if !ours || err != nil || !over(dayOf(t)) {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) { // Or another process has.
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}
