// Package zone has the time zones of the world as one fixed table, and cuts time into the hours and days of their clocks.
//
// What day an event belongs to is a number like any other: it must not depend on the machine that counts. So zones come
// from a copy of the IANA database that is part of the program, never from the system's, and [Version] names it.
package zone

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"sync"
	"time"
)

// Version names the database that this program has. It is part of the settings that numbers depend on.
const Version = "2025c"

// zoneinfo.zip is lib/time/zoneinfo.zip of the Go distribution. Who replaces it changes Version and the sum in its test.
//
//go:embed zoneinfo.zip
var database []byte

var files = sync.OnceValue(func() map[string]*zip.File {
	r, err := zip.NewReader(bytes.NewReader(database), int64(len(database)))
	if err != nil {
		panic(err) // It is part of the program.
	}
	all := make(map[string]*zip.File, len(r.File))
	for _, f := range r.File {
		all[f.Name] = f
	}
	return all
})

var loaded sync.Map // *time.Location by name

// Load returns the zone of an IANA name, such as Europe/Berlin, spelled exactly so. The same name is always the same
// *time.Location, and UTC is time.UTC. Safe for concurrent use.
func Load(name string) (*time.Location, error) {
	if name == "UTC" {
		return time.UTC, nil
	}
	if loc, ok := loaded.Load(name); ok {
		return loc.(*time.Location), nil
	}
	f := files()[name]
	if f == nil || f.FileInfo().IsDir() {
		return nil, fmt.Errorf("%q is no time zone of the IANA database, version %s: name one as in Europe/Berlin or UTC", name, Version)
	}
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("time zone %s: %w", name, err)
	}
	defer r.Close()
	b, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("time zone %s: %w", name, err)
	}
	loc, err := time.LoadLocationFromTZData(name, b)
	if err != nil {
		return nil, fmt.Errorf("time zone %s: %w", name, err)
	}
	first, _ := loaded.LoadOrStore(name, loc)
	return first.(*time.Location), nil
}
