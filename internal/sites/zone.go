package sites

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"sync"
	"time"
)

// ZoneVersion names the database that this program has. It is part of the settings that numbers depend on.
const ZoneVersion = "2025c"

// zoneinfo.zip has the files of lib/time/zoneinfo.zip of the Go distribution, each compressed (zip -9 -X -D). Who replaces it changes
// ZoneVersion and the sum in its test.
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

// LoadZone returns the zone of an IANA name, such as Europe/Berlin, spelled exactly so. The same name is always the same
// *time.Location, and UTC is time.UTC. Safe for concurrent use.
func LoadZone(name string) (*time.Location, error) {
	if name == "UTC" {
		return time.UTC, nil
	}
	if loc, ok := loaded.Load(name); ok {
		return loc.(*time.Location), nil
	}
	f := files()[name]
	if f == nil || f.FileInfo().IsDir() {
		return nil, fmt.Errorf("%q is no time zone of the IANA database, version %s: name one as in Europe/Berlin or UTC", name, ZoneVersion)
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
