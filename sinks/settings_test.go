package sinks_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
)

// newTable makes a table in memory.
func newTable(t *testing.T) sinks.Table {
	t.Helper()
	table := testworld.Table(t)
	return table
}

var (
	configured = []byte("0123456789abcdef")
	another    = []byte("fedcba9876543210")
)

func TestTableSettingsAreMadeOnce(t *testing.T) {
	table := newTable(t)
	if _, ok, err := sinks.LoadTableSettings(t.Context(), table, sinks.Keys{}); ok || err != nil {
		t.Errorf("settings of a fresh table: %v, %v, want none", ok, err)
	}
	const processes = 12
	got := make([]sinks.TableSettings, processes)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			var err error
			if got[i], err = sinks.EnsureTableSettings(t.Context(), table, sinks.Keys{}, nil); err != nil {
				t.Errorf("EnsureTableSettings = %v", err)
			}
		})
	}
	wg.Wait()
	for i := range got {
		if len(got[i].HashKey) != 16 || !bytes.Equal(got[i].HashKey, got[0].HashKey) || got[i].HashKeyPrint != got[0].HashKeyPrint {
			t.Errorf("process %d has the hash key %x, process 0 %x; want the same 16 bytes", i, got[i].HashKey, got[0].HashKey)
		}
		if got[i].Schema != sinks.SchemaVersion || got[i].Precision != sinks.UniquesPrecision || got[i].SessionShards != sinks.DefaultShards {
			t.Errorf("process %d has settings %+v", i, got[i])
		}
	}
	loaded, ok, err := sinks.LoadTableSettings(t.Context(), table, sinks.Keys{})
	if !ok || err != nil || !bytes.Equal(loaded.HashKey, got[0].HashKey) || loaded.HashKeyPrint != got[0].HashKeyPrint {
		t.Errorf("LoadTableSettings = %+v, %v, %v, want the settings that were made", loaded, ok, err)
	}
}

func TestMadeHashKeysDiffer(t *testing.T) {
	a, err1 := sinks.EnsureTableSettings(t.Context(), newTable(t), sinks.Keys{}, nil)
	b, err2 := sinks.EnsureTableSettings(t.Context(), newTable(t), sinks.Keys{}, nil)
	if err1 != nil || err2 != nil || bytes.Equal(a.HashKey, b.HashKey) || a.HashKeyPrint == b.HashKeyPrint {
		t.Errorf("two tables have the hash keys %x and %x, %v, %v, want different ones", a.HashKey, b.HashKey, err1, err2)
	}
}

func TestConfiguredHashKeyIsNotKept(t *testing.T) {
	table := newTable(t)
	for range 2 {
		s, err := sinks.EnsureTableSettings(t.Context(), table, sinks.Keys{}, configured)
		if err != nil || !bytes.Equal(s.HashKey, configured) {
			t.Errorf("EnsureTableSettings = %+v, %v, want the configured key", s, err)
		}
	}
	key := sinks.Keys{}.TableSettings()
	r, err := table.BatchGet(t.Context(), sinks.BatchGet{Keys: []sinks.Key{key}, Consistent: true})
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range r.Items[key] {
		if bytes.Contains(v.Bytes(), configured) || strings.Contains(v.Str(), string(configured)) {
			t.Errorf("the table keeps the configured key in %s", name)
		}
	}
}

func TestTableOfOtherSettingsIsRefused(t *testing.T) {
	for _, c := range []struct {
		name        string
		made, asked []byte
		change      string // an attribute of the settings that another footfall wrote differently
		want        string // in the difference
	}{
		{"another configured key", configured, another, "", "visitorHashKey (FOOTFALL_VISITOR_HASH_KEY) has the fingerprint " +
			sinks.HashKeyPrint(another) +
			", and the table was made with a configured key of the fingerprint " + sinks.HashKeyPrint(configured) + ": set the same key"},
		{"a configured key where one was made", nil, configured, "",
			"visitorHashKey (FOOTFALL_VISITOR_HASH_KEY) is set, and the table was made without, and keeps a key of its own: leave it out"},
		{"no key where one was configured", configured, nil, "",
			"visitorHashKey (FOOTFALL_VISITOR_HASH_KEY) is not set, and the table was made with a configured key of the fingerprint " +
				sinks.HashKeyPrint(configured) + ": set the same key"},
		{"another precision", configured, configured, "precision",
			"precision of uniques: the table has 15, this version of footfall 14: run the version that made the table, " +
				"or one that docs/upgrading.md names"},
		{"another schema", configured, configured, "schema", "schema version: the table has "},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := newTable(t)
			if _, err := sinks.EnsureTableSettings(t.Context(), table, sinks.Keys{}, c.made); err != nil {
				t.Fatal(err)
			}
			if c.change != "" {
				u := sinks.Update{Key: sinks.Keys{}.TableSettings(), Add: []sinks.Attr{{Name: c.change, Value: sinks.Int(1)}}}
				if _, err := table.Update(t.Context(), u); err != nil {
					t.Fatal(err)
				}
			}
			_, err := sinks.EnsureTableSettings(t.Context(), table, sinks.Keys{}, c.asked)
			differ, ok := errors.AsType[*sinks.SettingsError](err)
			if !ok || len(differ.Differences) != 1 || !strings.Contains(err.Error(), c.want) {
				t.Errorf("EnsureTableSettings = %v, want a *SettingsError with one difference, about %q", err, c.want)
			}
		})
	}
}

func TestTopicsAreNumberedOnce(t *testing.T) {
	table := newTable(t)
	if _, err := sinks.EnsureTopic(t.Context(), table, sinks.Keys{}, "early"); err == nil {
		t.Error("a topic got a number in a table without settings, want an error")
	}
	if _, err := sinks.EnsureTableSettings(t.Context(), table, sinks.Keys{}, nil); err != nil {
		t.Fatal(err)
	}
	if n, ok, err := sinks.LoadTopic(t.Context(), table, sinks.Keys{}, "topic-0"); ok || err != nil {
		t.Errorf("a topic nobody asked for has the number %d, %v, %v, want none", n, ok, err)
	}
	if name, ok, err := sinks.TopicNamed(t.Context(), table, sinks.Keys{}, 1); ok || err != nil {
		t.Errorf("a number that no topic has is that of %q, %v, %v, want none", name, ok, err)
	}
	const topics, processes = 3, 8
	var got [topics][processes]int64
	var wg sync.WaitGroup
	for i := range topics {
		for j := range processes {
			wg.Go(func() {
				var err error
				if got[i][j], err = sinks.EnsureTopic(t.Context(), table, sinks.Keys{}, fmt.Sprint("topic-", i)); err != nil {
					t.Errorf("EnsureTopic = %v", err)
				}
			})
		}
	}
	wg.Wait()
	owner := make(map[int64]int)
	for i := range topics {
		for j := range processes {
			if got[i][j] < 1 || got[i][j] != got[i][0] {
				t.Errorf("topic %d has the numbers %v, want one above 0", i, got[i])
				break
			}
		}
		if other, taken := owner[got[i][0]]; taken {
			t.Errorf("topics %d and %d have the same number %d", other, i, got[i][0])
		}
		owner[got[i][0]] = i
		n, ok, err := sinks.LoadTopic(t.Context(), table, sinks.Keys{}, fmt.Sprint("topic-", i))
		if !ok || err != nil || n != got[i][0] {
			t.Errorf("LoadTopic = %d, %v, %v, want %d", n, ok, err, got[i][0])
		}
		name, ok, err := sinks.TopicNamed(t.Context(), table, sinks.Keys{}, n)
		if !ok || err != nil || name != fmt.Sprint("topic-", i) {
			t.Errorf("TopicNamed(%d) = %q, %v, %v, want topic-%d", n, name, ok, err, i)
		}
	}
}

func TestSiteEntryIsPutOnce(t *testing.T) {
	table := newTable(t)
	first := make([]bool, 10)
	var wg sync.WaitGroup
	for i := range first {
		wg.Go(func() {
			var err error
			if first[i], err = sinks.EnsureSiteEntry(t.Context(), table, sinks.Keys{}, "shop#1"); err != nil {
				t.Errorf("EnsureSiteEntry = %v", err)
			}
		})
	}
	wg.Wait()
	n := 0
	for _, f := range first {
		if f {
			n++
		}
	}
	if n != 1 {
		t.Errorf("%d of %d workers were the first to list a site, want one", n, len(first))
	}
}

// TestTableOfALaterFormat: a table that was finalized for a later release is refused, with the release to run, and is left as it is.
func TestTableOfALaterFormat(t *testing.T) {
	table, keys := newTable(t), sinks.Keys{}
	if format, _, err := sinks.CheckFormat(t.Context(), table); format != sinks.FirstFormat || err != nil {
		t.Errorf("CheckFormat of an empty table = %d, %v, want %d", format, err, sinks.FirstFormat)
	}
	made, err := sinks.EnsureTableSettings(t.Context(), table, keys, nil)
	if made.Format != sinks.LastFormat || err != nil {
		t.Fatalf("EnsureTableSettings = %+v, %v", made, err)
	}
	set := func(format sinks.Value) {
		t.Helper()
		_, err := table.Update(t.Context(), sinks.Update{Key: keys.TableSettings(), Set: []sinks.Attr{
			{Name: sinks.AttrFormat, Value: format}, {Name: sinks.AttrRelease, Value: sinks.Str("7.8.9")}}})
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, ok func(error) bool) {
		t.Helper()
		_, ensured := sinks.EnsureTableSettings(t.Context(), table, keys, nil)
		_, _, loaded := sinks.LoadTableSettings(t.Context(), table, keys)
		_, _, checked := sinks.CheckFormat(t.Context(), table)
		for name, err := range map[string]error{"EnsureTableSettings": ensured, "LoadTableSettings": loaded, "CheckFormat": checked} {
			if !ok(err) {
				t.Errorf("%s = %v, want %s", name, err, what)
			}
		}
	}
	set(sinks.Int(sinks.LastFormat + 1))
	check("a *FormatError that names the release", func(err error) bool {
		later, ok := errors.AsType[*sinks.FormatError](err)
		return ok && later.Format == sinks.LastFormat+1 && strings.Contains(err.Error(), "run 7.8.9 or a later release")
	})
	for _, damaged := range []sinks.Value{sinks.Str("1"), sinks.Int(0)} {
		set(damaged)
		check("what is damaged, and what to do", func(err error) bool {
			_, ok := errors.AsType[*sinks.SettingsError](err)
			return ok && strings.Contains(err.Error(), "format: the table has ") && strings.Contains(err.Error(), "put the number back")
		})
	}
	set(sinks.Int(sinks.LastFormat))
	check("none", func(err error) bool { return err == nil })
}
