package serve

import (
	"encoding/csv"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// byCountry gives each hour of the days of someDays one event from Germany and twenty from France, of as many visitors, on the pages /de
// and /fr. One of each country has a raw event. The session of the German one begins and ends in France, by raw events alone.
func (g *guarded) byCountry() {
	g.t.Helper()
	tp := sinks.TP{Topic: 1}
	for at := time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC); at.Before(time.Date(2026, 5, 11, 0, 0, 0, 0, time.UTC)); at = at.Add(time.Hour) {
		b := sketch.NewBreakdown(64)
		for i := range 21 {
			country, page := "FR", "/fr"
			if i == 0 {
				country, page = "DE", "/de"
			}
			hit := sketch.Hit{Visitor: uint64(at.Unix()+int64(i)+1) * 0x9e3779b97f4a7c15, PageView: true}
			b.Event(sketch.Country, country, int64(i), hit)
			b.Book(sketch.Country, country, int64(i), sketch.Booking{Sessions: 1})
			b.Event(sketch.Page, page, int64(i), hit)
		}
		g.raw(at, "FR", "/fr", "FR"+at.String())
		g.raw(at.Add(time.Minute), "FR", "/fr-entry", "DE"+at.String())
		g.raw(at.Add(2*time.Minute), "DE", "/de", "DE"+at.String())
		g.raw(at.Add(3*time.Minute), "FR", "/fr-exit", "DE"+at.String())
		part, err := sketch.PackBreakdown(b)
		if err != nil {
			g.t.Fatal(err)
		}
		key := sinks.Keys{}.Breakdown("shop", at.UnixMilli(), tp)
		if _, err := g.table.Put(g.t.Context(), sinks.Put{Item: sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
			sinks.AttrPart: sinks.Bytes(part)}}); err != nil {
			g.t.Fatal(err)
		}
		for _, stats := range []sinks.Key{sinks.Keys{}.HourStats("shop", at.UnixMilli()), sinks.Keys{}.DayStats("shop",
			at.Truncate(24*time.Hour).UnixMilli())} {
			if _, err := g.table.Update(g.t.Context(), sinks.Update{Key: stats, Add: []sinks.Attr{{Name: sinks.AttrEvents,
				Value: sinks.Int(20)}}}); err != nil {
				g.t.Fatal(err)
			}
		}
	}
}

// raw puts the raw event of a page view of a session.
func (g *guarded) raw(at time.Time, country, page, session string) {
	g.t.Helper()
	g.putRaw(at, country, page, session, nil)
}

// rawBot is raw of a bot.
func (g *guarded) rawBot(at time.Time, country, page, session string) {
	g.t.Helper()
	g.putRaw(at, country, page, session, sinks.Item{sinks.AttrBot: sinks.Str("agent")})
}

func (g *guarded) putRaw(at time.Time, country, page, session string, more sinks.Item) {
	g.t.Helper()
	id := ulid.ULID{15: country[0]}
	if err := id.SetTime(ulid.Timestamp(at)); err != nil {
		g.t.Fatal(err)
	}
	key := sinks.Keys{}.Event("shop", 0, id.String())
	it := sinks.Item{sinks.AttrPK: sinks.Str(key.PK), sinks.AttrSK: sinks.Str(key.SK),
		"siteId": sinks.Str("shop"), "type": sinks.Str("page_view"), "timestamp": sinks.Int(at.UnixMilli()), "source": sinks.Str("events/0/1"),
		"url": sinks.Str("https://shop.example" + page), "country": sinks.Str(country), sinks.AttrVisitorID: sinks.Str(country + at.String()),
		sinks.AttrSessionID: sinks.Str(session)}
	maps.Copy(it, more)
	if _, err := g.table.Put(g.t.Context(), sinks.Put{Item: it}); err != nil {
		g.t.Fatal(err)
	}
}

var (
	anyFigures   = regexp.MustCompile(`"(events[A-Za-z]*|botEvents|pageViews|sessions|uniqueVisitors|visitors)": ?([0-9]+)`)
	filtersAsked = regexp.MustCompile(`"where": ?\[[^]]*\]`) // Filters of the question are repeated.
)

// unfiltered says what an answer has of events that are not from Germany; "": nothing. There are 168 from there, and 3,360 others.
func unfiltered(t *testing.T, r http.Header, format, text string) string {
	t.Helper()
	if !strings.Contains(r.Get("Footfall-Filtered"), url.Values{"where": {"country=DE"}}.Encode()) {
		return "no header that says the filter, but " + r.Get("Footfall-Filtered")
	}
	if units := r.Get("Footfall-Read-Units"); units != "" {
		return "the read units of all events"
	}
	for _, m := range anyFigures.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(m[2]); err != nil || n > 7*24 {
			return m[0]
		}
	}
	text = filtersAsked.ReplaceAllString(text, "")
	for _, secret := range []string{"FR", "/fr", "3360", "3528"} {
		if strings.Contains(text, secret) {
			return secret
		}
	}
	if format != "csv" {
		return ""
	}
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, name := range []string{"events", "pageViews", "uniqueVisitors"} {
		column, sum := slices.Index(rows[0], name), 0
		for _, row := range rows[1:] {
			if column >= 0 && row[column] != "" {
				n, err := strconv.Atoi(row[column])
				if sum += n; err != nil || sum > 7*24 {
					return "the column " + name
				}
			}
		}
	}
	return ""
}

// No parameter of any operation gets figures of what does not pass the filters of a share link or of a JSON Web Token.
func TestNothingWidensLockedFilters(t *testing.T) {
	slow.Unraced(t)
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	g.byCountry()
	g.funnel()
	queries := append(widenings(), nil)
	few := fewWidenings(t, queries)
	several := "/embed/" + s.product(map[string]any{"where": [][]string{{"country=", "XX", "DE"}}})
	for _, base := range append(g.lockedBases(s), several) {
		for _, path := range []string{"/api/v1/sites/shop/stats", "/api/v1/sites/shop/uniques"} {
			r, text := ask(t, g.Handler, base+path+"?from=2026-05-04&to=2026-05-11")
			wants(t, path, r, text, http.StatusOK, `"events": 168`)
			if !strings.Contains(text, `"locked": [`) || !strings.Contains(text, `"cost": null`) {
				t.Errorf("%s does not say that it is filtered: %s", path, text)
			}
		}
		answered := 0
		addresses := addressesOf(t, "shop")
		for _, dimension := range []string{"entry", "exit"} {
			addresses[dimension] = "/api/v1/sites/shop/top/" + dimension
		}
		for k, id := range inOrder(addresses) {
			path := addresses[id]
			for _, q := range spread(queries, few, k) {
				r, text := ask(t, g.Handler, base+path+"?"+q.Encode())
				if r.Code != http.StatusOK {
					if r.Code != http.StatusForbidden && r.Code != http.StatusUnprocessableEntity && r.Code != http.StatusNotFound {
						t.Errorf("%s %s: %d: %s", id, q.Encode(), r.Code, text)
					}
					if strings.Contains(text, "3528") || strings.Contains(text, "3,528") {
						t.Errorf("%s %s: the refusal says how many events there are: %s", id, q.Encode(), text)
					}
					continue
				}
				answered++
				if wrong := unfiltered(t, r.Header(), q.Get("format"), text); wrong != "" {
					t.Fatalf("%s %s: the answer has %s: %s", id, q.Encode(), wrong, text)
				}
			}
		}
		t.Logf("%d answers under the filter", answered)
		if answered < 100 {
			t.Errorf("%d answers: the questions are all refused", answered)
		}
	}
}

// Filters that cannot be read allow nothing.
func TestFiltersThatCannotBeReadAllowNothing(t *testing.T) {
	s := newSigner(t)
	g := newGuarded(t, Options{}, s.keys())
	for _, filter := range []string{"land=DE", "country", "country=", "country<DE"} {
		r, text := g.bearer("/api/v1/sites/shop/stats", s.product(map[string]any{"where": []string{filter}}))
		wants(t, filter, r, text, http.StatusForbidden, "cannot be read")
	}
	for _, list := range [][]string{{"land=", "DE"}, {"country", "DE"}, {"country=DE", "AT"}, {"country<=", "DE"}, {"DE", "AT"}} {
		r, text := g.bearer("/api/v1/sites/shop/stats", s.product(map[string]any{"where": [][]string{list}}))
		wants(t, list[0], r, text, http.StatusForbidden, "cannot be read")
	}
}

// A range of a link that has no data does not say where the site has some.
func TestEmptyRangesOfLinksSayNothingOfOthers(t *testing.T) {
	g, base := sharedServer(t, access.Limits{From: "2026-03-01", To: "2026-03-08"})
	for _, path := range []string{"/stats", "/uniques"} {
		r, text := ask(t, g.Handler, base+"/api/v1/sites/shop"+path)
		wants(t, path, r, text, http.StatusOK, `"from": "2026-03-01`)
		if strings.Contains(text, `"stored"`) {
			t.Errorf("%s: %s", path, text)
		}
	}
}
