package serving

import (
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/footfall/footfall/footfalltest"
	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/internal/cli/connect"
	"github.com/footfall/footfall/internal/serve"
)

// strangeSite is an id with what addresses and keys give a meaning to.
const strangeSite = `a/b?c#d%2F "é`

// firstServed is a copy of the first table of servedTable.
var firstServed struct {
	sync.Mutex // covers the rest
	file       []byte
	day        time.Time
}

// servedTable has a pipeline count the visits of two sites over three days, and returns the table's URL and the first of the days. The
// site shop has a goal and a funnel. SQLite tables are counted once and copied.
func servedTable(t testing.TB, o footfalltest.Options) (tableURL string, day time.Time) {
	t.Helper()
	if !reflect.ValueOf(o).IsZero() {
		return countServed(t, o)
	}
	firstServed.Lock()
	defer firstServed.Unlock()
	if firstServed.file == nil {
		tableURL, day = countServed(t, o)
		firstServed.file, firstServed.day = vacuumed(t, tableURL), day
	}
	file := filepath.Join(t.TempDir(), "footfall.db")
	if err := os.WriteFile(file, firstServed.file, 0o600); err != nil {
		t.Fatal(err)
	}
	return "sqlite://" + file, firstServed.day
}

// vacuumed returns the file of a SQLite table that is in use, as one without a log.
func vacuumed(t testing.TB, tableURL string) []byte {
	t.Helper()
	db, err := sql.Open("sqlite", strings.TrimPrefix(tableURL, "sqlite://"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	file := filepath.Join(t.TempDir(), "copy.db")
	if _, err := db.ExecContext(t.Context(), "VACUUM INTO ?", file); err != nil {
		t.Fatal(err)
	}
	return clitest.Must(os.ReadFile(file))
}

// countServed is servedTable on a table of its own.
func countServed(t testing.TB, o footfalltest.Options) (tableURL string, day time.Time) {
	t.Helper()
	f := footfalltest.Start(t, o)
	for _, args := range [][]string{{"site", "create", "shop"}, {"site", "update", "shop", "--new-visitors", "on"},
		{"goal", "create", "shop", "bought", "--on", "page:/thanks", "--value", "2.5"},
		{"funnel", "create", "shop", "checkout", "--step", "page:/", "--step", "page:/thanks"},
		{"site", "create", strangeSite, "--zone", "Asia/Kolkata"}} {
		if code, out, errs := clitest.Footfall(t, append(args, "--table", f.TableURL())...); code != 0 {
			t.Fatalf("%v: exit %d, out %s, err %s", args, code, out, errs)
		}
	}
	day = time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -4)
	var events []footfalltest.Event
	for i := range 90 {
		site := "shop"
		if i%7 == 0 {
			site = strangeSite
		}
		at := day.Add(time.Duration(i) * 47 * time.Minute)
		for j, page := range []string{"/", "/kettles", "/thanks"}[:1+i%3] {
			events = append(events, footfalltest.Event{SiteID: site, Time: at.Add(time.Duration(j*(i%5)) * time.Second),
				VisitorID: fmt.Sprint("v-", i%20), SessionID: fmt.Sprint("s-", i), URL: "https://shop.example" + page,
				Referrer: []string{"", "https://news.example/", "https://www.google.com/"}[i%3], Country: []string{"DE", "IN", ""}[i%3]})
		}
	}
	value := -1.25
	events = append(events, footfalltest.Event{SiteID: "shop", Time: day.Add(time.Hour), Type: "custom", Name: "=order", Value: &value,
		VisitorID: "v-1", SessionID: "s-2"})
	f.Publish(t, events...)
	f.Settle(t)
	return f.TableURL(), day
}

// served returns the handler of a table as footfall serve has it.
func served(t testing.TB, url string) http.Handler {
	t.Helper()
	return servedAt(t, url, time.Now())
}

// servedAt returns the handler of a table at an instant, which it stays: a session that expires would be in one page of a test, and not in
// the next.
func servedAt(t testing.TB, url string, now time.Time) http.Handler {
	t.Helper()
	table, err := connect.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { table.Close() })
	return serve.New(serve.Options{Table: table.Table, Now: func() time.Time { return now },
		Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
}
