package clitest

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/sqlite"
)

// TableURL makes a table in a file, with an hour of a site in it, and names it.
func TableURL(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "footfall.db")
	table, err := sqlite.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	if _, err := sinks.EnsureSiteEntry(t.Context(), table, sinks.Keys{}, "shop"); err != nil {
		t.Fatal(err)
	}
	key := sinks.Keys{}.HourStats("shop", time.Now().Truncate(time.Hour).UnixMilli())
	if _, err := table.Put(t.Context(), sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
		sinks.AttrEvents: sinks.Int(41), sinks.AttrPageViews: sinks.Int(40)}}); err != nil {
		t.Fatal(err)
	}
	return "sqlite://" + file
}

// NewTable makes a SQLite table and returns how a configuration names it.
func NewTable(t *testing.T) (url string) {
	t.Helper()
	url = "sqlite://" + filepath.Join(t.TempDir(), "footfall.db")
	table, err := connect.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if err := table.Create(t.Context(), sinks.Shape{}); err != nil {
		t.Fatal(err)
	}
	return url
}
