package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/testworld"
	"github.com/footfall/footfall/sinks"
)

// counting is a table that counts requests.
type counting struct {
	sinks.Table
	reads, writes int
	deny          bool // writes are denied
}

func (c *counting) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	c.reads++
	return c.Table.BatchGet(ctx, g)
}

func (c *counting) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	c.writes++
	if c.deny {
		return sinks.Result{}, sinks.ErrDenied
	}
	return c.Table.Update(ctx, u)
}

// keeping is a keeper of a table with a token, at a time that the test sets.
type keeping struct {
	*Keeper
	t     *testing.T
	table *counting
	store Store
	now   time.Time
	id    string
	token string
}

func newKeeping(t *testing.T) *keeping {
	t.Helper()
	k := &keeping{t: t, table: &counting{Table: testworld.Table(t)}, now: time.Date(2026, 5, 12, 23, 0, 0, 0, time.UTC)}
	clock := func() time.Time { return k.now }
	k.store = Store{Table: k.table, By: "a test", Now: clock}
	k.Keeper = NewKeeper(KeeperOptions{Table: k.table, Now: clock, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	created, token, err := k.store.Create(t.Context(), Stored{Kind: Token, Sites: []string{"shop"}, Rights: []Right{Read}})
	if err != nil {
		t.Fatal(err)
	}
	k.id, k.token = created.ID, token
	return k
}

func (k *keeping) want(token string, err error) {
	k.t.Helper()
	if _, got := k.Grant(k.t.Context(), token); !errors.Is(got, err) {
		k.t.Errorf("at %v: %v, want %v", k.now, got, err)
	}
}

func (k *keeping) lastUsed() string {
	k.t.Helper()
	all, err := k.store.List(k.t.Context(), Token)
	if err != nil || len(all) != 1 {
		k.t.Fatalf("%v: %v", all, err)
	}
	return all[0].LastUsed.Format(time.DateOnly)
}

// The table is read once in Memory and written once a day, however many requests there are.
func TestTokensAreReadSeldomAndWrittenOnceADay(t *testing.T) {
	k := newKeeping(t)
	for range 100 {
		k.want(k.token, nil)
	}
	if k.table.reads != 1 || k.table.writes != 1 || k.lastUsed() != "2026-05-12" {
		t.Errorf("%d reads, %d writes, last used on %s; want 1, 1, 2026-05-12", k.table.reads, k.table.writes, k.lastUsed())
	}
	for range 30 { // Past midnight.
		k.now = k.now.Add(4 * time.Minute)
		k.want(k.token, nil)
	}
	if k.table.reads != 31 || k.table.writes != 2 || k.lastUsed() != "2026-05-13" {
		t.Errorf("%d reads, %d writes, last used on %s; want 31, 2, 2026-05-13", k.table.reads, k.table.writes, k.lastUsed())
	}
	other := NewKeeper(KeeperOptions{Table: k.table, Now: func() time.Time { return k.now }})
	if _, err := other.Grant(t.Context(), k.token); err != nil || k.table.writes != 2 {
		t.Errorf("another process: %v, %d writes; want none more on the same day", err, k.table.writes)
	}
}

// A role that may not write, or a table that is full, does not keep a token from working.
func TestLastUseIsBestEffort(t *testing.T) {
	k := newKeeping(t)
	k.table.deny = true
	for range 3 {
		k.want(k.token, nil)
	}
	if k.table.writes != 1 || k.lastUsed() != "0001-01-01" {
		t.Errorf("%d writes, last used on %s; want one try", k.table.writes, k.lastUsed())
	}
}

// A token that is revoked while it is used does not come back with the day of its last use.
func TestRevokedTokensStayRevoked(t *testing.T) {
	k := newKeeping(t)
	k.want(k.token, nil)
	if err := k.store.Revoke(t.Context(), Token, k.id); err != nil {
		t.Fatal(err)
	}
	k.now = k.now.Add(Memory - time.Second)
	k.want(k.token, nil) // As documented: within Memory.
	k.now = k.now.Add(time.Second)
	k.want(k.token, ErrUnknown)
	k.use(t.Context(), seen{Stored: Stored{ID: k.id}})
	if all, err := k.store.List(t.Context(), Token); err != nil || len(all) != 0 {
		t.Errorf("tokens after the revocation: %v, %v", all, err)
	}
}

// Tokens that are made up cost a bounded number of reads, and do not keep those in use out.
func TestMadeUpTokensAreBounded(t *testing.T) {
	k := newKeeping(t)
	k.want(k.token, nil)
	busy := 0
	for range 10_000 {
		_, made := newSecret(Token)
		switch _, err := k.Grant(t.Context(), made); {
		case errors.Is(err, ErrBusy):
			busy++
		case !errors.Is(err, ErrUnknown):
			t.Fatal(err)
		}
	}
	if k.table.reads > newAtOnce+1 || busy < 10_000-newAtOnce {
		t.Errorf("%d reads, %d refused without one; want at most %d reads", k.table.reads, busy, newAtOnce+1)
	}
	k.now = k.now.Add(time.Millisecond)
	k.want(k.token, nil)
	for _, malformed := range []string{"", "fft_", "x", strings.Repeat("a", 1<<20)} {
		k.want(malformed, ErrUnknown)
	}
}

// A token of a release with limits that are unknown here is refused, not taken for one without.
func TestUnknownLimitsAreRefused(t *testing.T) {
	k := newKeeping(t)
	key := sinks.Keys{}.Token(k.id)
	for _, c := range []struct {
		attr  string
		value sinks.Value
	}{
		{sinks.AttrLimits, sinks.Str(`{"hours":"9-17"}`)}, {sinks.AttrLimits, sinks.Str(`{"from":"-30d"}`)}, {sinks.AttrLimits, sinks.Str(`{} {}`)},
		{sinks.AttrRights, sinks.Strings([]string{"read", "write"})}, {sinks.AttrTokenKind, sinks.Str("master")},
		{sinks.AttrAllSites, sinks.Int(1)}, {sinks.AttrSecretHash, sinks.Bytes(nil)},
	} {
		found, err := sinks.Get(t.Context(), k.table.Table, key)
		if err != nil {
			t.Fatal(err)
		}
		before := found[key][c.attr]
		set := func(v sinks.Value) {
			u := sinks.Update{Key: key, Set: []sinks.Attr{{Name: c.attr, Value: v}}}
			if v.Kind() == sinks.None {
				u.Set, u.Remove = nil, []string{c.attr}
			}
			if _, err := k.table.Table.Update(t.Context(), u); err != nil {
				t.Fatal(err)
			}
			k.now = k.now.Add(Memory)
		}
		set(c.value)
		k.want(k.token, ErrUnknown)
		set(before)
		k.want(k.token, nil)
	}
}

// The memory of holders is bounded; forgetting one does not raise a limit that is in force.
func TestLimiterForgetsTheIdle(t *testing.T) {
	l, now := NewLimiter(4), time.Date(2026, 5, 12, 0, 0, 0, 0, time.UTC)
	for i := range maxHolders + 50 {
		now = now.Add(time.Minute)
		if wait := l.Take(fmt.Sprint(i), now); wait != 0 {
			t.Fatalf("the first request of %d waits %v", i, wait)
		}
	}
	if len(l.holders) > maxHolders {
		t.Errorf("%d holders are remembered, want at most %d", len(l.holders), maxHolders)
	}
	if wait := l.Take(fmt.Sprint(maxHolders+49), now); Seconds(wait) != 15 {
		t.Errorf("the second request at once waits %v, want 15 s", wait)
	}
	if wait := NewLimiter(0).Take("anyone", now); wait != 0 {
		t.Errorf("without a limit one waits %v", wait)
	}
}

func TestGrantsDenyWhatTheyDoNotInclude(t *testing.T) {
	one := Grant{Kind: Token, Sites: []string{"shop"}, Rights: []Right{Read}}
	share := Grant{Kind: Share, Sites: []string{"shop"}, Rights: []Right{Read}}
	filtered := one
	filtered.Limits.Where = []Filter{{"country=DE"}}
	for _, c := range []struct {
		what    string
		grant   Grant
		need    Need
		allowed bool
	}{
		{"its site", one, Need{Right: Read, Site: "shop"}, true},
		{"a list", one, Need{Right: Read, Listed: true}, true},
		{"another site", one, Need{Right: Read, Site: "blog"}, false},
		{"a site with another case", one, Need{Right: Read, Site: "Shop"}, false},
		{"another right", one, Need{Right: Sessions, Site: "shop"}, false},
		{"no site", one, Need{Right: Read}, false},
		{"a site and a list", one, Need{Right: Read, Site: "shop", Listed: true}, false},
		{"nothing", Grant{}, Need{Right: Read, Site: "shop"}, false},
		{"a need without a right", one, Need{Site: "shop"}, false},
		{"everything", Everything(), Need{Right: Annotate, Site: "shop"}, true},
		{"figures of a link", share, Need{Right: Read, Site: "shop", Bounded: true}, true},
		{"settings of a link", share, Need{Right: Read, Site: "shop"}, false},
		{"the list of a link", share, Need{Right: Read, Listed: true}, false},
		{"figures without the filters", filtered, Need{Right: Read, Site: "shop", Bounded: true}, false},
		{"settings under the filters", filtered, Need{Right: Read, Site: "shop", Filtered: true}, false},
		{"figures under the filters", filtered, Need{Right: Read, Site: "shop", Bounded: true, Filtered: true}, true},
	} {
		if err := c.grant.Check(c.need); (err == nil) != c.allowed {
			t.Errorf("%s: %v, want allowed: %v", c.what, err, c.allowed)
		}
	}
	if err := share.Check(Need{Right: Sessions, Site: "shop"}); err == nil ||
		!strings.Contains(err.Error(), "share link is limited to figures") {
		t.Errorf("sessions of a share link: %v, want no remedy that a share link does not have", err)
	}
	err := filtered.Check(Need{Right: Read, Site: "shop", Bounded: true})
	if err == nil || !strings.Contains(err.Error(), "goals, paths, reports of funnels") {
		t.Errorf("realtime under filters: %v, want all that can be put under them", err)
	}
}

func TestKeyFilesAreRefusedByName(t *testing.T) {
	const secret = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0LXNlY3JldA=="
	for text, says := range map[string]string{
		"":         "there are 0",
		"keys: []": "there are 0",
		"keys: [{id: a, algorithm: HS256, secret: c2hvcnQ=, allSites: true}]":                                 "5 bytes, which can be guessed",
		"keys: [{id: a, algorithm: HS256, secret: '***', allSites: true}]":                                    "not base64",
		"keys: [{id: a, algorithm: none, allSites: true}]":                                                    "choose HS256 or EdDSA",
		"keys: [{id: a, algorithm: RS256, allSites: true}]":                                                   "choose HS256 or EdDSA",
		"keys: [{id: a, algorithm: EdDSA, secret: " + secret + ", allSites: true}]":                           "has a publicKey instead",
		"keys: [{id: a, algorithm: HS256, publicKey: x, allSites: true}]":                                     "has a secret instead",
		"keys: [{id: a, algorithm: EdDSA, publicKey: x, allSites: true}]":                                     "not a public key in PEM",
		"keys: [{id: a, algorithm: HS256, secret: " + secret + "}]":                                           "allSites: true",
		"keys: [{id: a, algorithm: HS256, secret: " + secret + ", sites: [x], allSites: true}]":               "allSites: true",
		"keys: [{id: a b, algorithm: HS256, secret: " + secret + ", allSites: true}]":                         "1 to 64",
		"keys: [{id: a, algorithm: HS256, secret: " + secret + ", allSites: true, rights: [write]}]":          "not a right",
		"keys: [{id: a, algorithm: HS256, secret: " + secret + ", allSites: true, origins: ['*']}]":           "as in https://app.example",
		"keys: [{id: a, algorithm: HS256, secret: " + secret + ", allSite: true}]":                            "allSite",
		"keys: [" + strings.Repeat("{id: a, algorithm: HS256, secret: "+secret+", allSites: true},", 2) + "]": "that of another key",
		"keys: [" + strings.Repeat("{id: a},", 3) + "]":                                                       "there are 3",
	} {
		path := filepath.Join(t.TempDir(), "keys.yml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadEmbedKeys(path, slog.Default()); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(),
			secret) {
			t.Errorf("%s: %v, want %s", text, err, says)
		}
	}
}

// A filter of one text is a string, as releases before 0.2.0 write and read it. One of several values is a list, which they refuse.
func TestFiltersOfOlderReleasesAndListsAreRead(t *testing.T) {
	const text = `{"where":["country=DE,AT",["country!=","FR","a,b"]]}`
	var l Limits
	if err := decodeStrict([]byte(text), &l); err != nil {
		t.Fatal(err)
	}
	if want := []Filter{{"country=DE,AT"}, {"country!=", "FR", "a,b"}}; !reflect.DeepEqual(l.Where, want) {
		t.Errorf("%q, want %q", l.Where, want)
	}
	if again, err := json.Marshal(l); err != nil || string(again) != text {
		t.Errorf("%s, %v, want %s", again, err, text)
	}
	var older struct {
		Where []string `json:"where"`
	}
	if err := decodeStrict([]byte(text), &older); err == nil {
		t.Errorf("an older release reads %q", older.Where)
	}
	for _, wrong := range []string{`{"where":[["country=DE"]]}`, `{"where":[[]]}`, `{"where":[{}]}`, `{"where":[1]}`, `{"where":"country=DE"}`,
		`{"where":{"country":"DE"}}`, `{"where":[["country=",["DE"]]]}`, `{"anyOf":[["country=","DE","AT"]]}`} {
		if err := decodeStrict([]byte(wrong), new(Limits)); err == nil {
			t.Errorf("%s is read", wrong)
		}
	}
}

// A filter has values that a question may have: not too many, too long or empty ones.
func TestListsOfValuesAreBounded(t *testing.T) {
	values := func(n, bytes int) Filter {
		f := Filter{"country="}
		for i := range n {
			f = append(f, fmt.Sprintf("%0*d", bytes, i))
		}
		return f
	}
	for _, c := range []struct {
		where Filter
		fits  bool
	}{
		{values(maxValues, 3), true}, {values(maxValues+1, 3), false}, {values(9, maxText-32), true}, {values(9, maxText), false},
		{Filter{"country=", "DE", ""}, false}, {append(values(1, 3), strings.Repeat("a", maxText+1)), false},
	} {
		if err := (Limits{Where: []Filter{c.where}}).Validate(); (err == nil) != c.fits {
			t.Errorf("%.40q with %d texts: %v, want that it fits: %v", c.where, len(c.where), err, c.fits)
		}
	}
}

// A token, whose rights are for more than figures, has no limits that figures alone can be under.
func TestTokensHaveNoLimits(t *testing.T) {
	k := newKeeping(t)
	for _, l := range []Limits{{Where: []Filter{{"country=DE"}}}, {Period: "30d"}, {From: "-30d"},
		{Origins: []string{"https://app.example"}}} {
		if _, _, err := k.store.Create(t.Context(), Stored{Kind: Token, Sites: []string{"shop"}, Rights: []Right{Read}, Limits: l}); err == nil {
			t.Errorf("a token with %+v was created", l)
		}
	}
}

// A table that a former release may return to gets no share links that it cannot read.
func TestListsOfValuesWaitForTheFormat(t *testing.T) {
	k := newKeeping(t)
	if _, err := sinks.EnsureTableSettings(t.Context(), k.table, sinks.Keys{}, nil); err != nil {
		t.Fatal(err)
	}
	create := func(format int64, where ...Filter) error {
		t.Helper()
		_, err := k.table.Update(t.Context(), sinks.Update{Key: sinks.Keys{}.TableSettings(),
			Set: []sinks.Attr{{Name: sinks.AttrFormat, Value: sinks.Int(format)}}})
		if err == nil {
			_, _, err = k.store.Create(t.Context(), Stored{Kind: Share, Sites: []string{"shop"}, Rights: []Right{Read},
				Limits: Limits{Where: where}})
		}
		return err
	}
	err := create(sinks.FormatOfLists-1, Filter{"country=", "DE", "AT"})
	if _, early := errors.AsType[*sinks.EarlyError](err); !early || !strings.Contains(err.Error(), `"DE, AT"`) {
		t.Errorf("%v", err)
	}
	for _, list := range []Filter{{"country=", "DE"}, {"country=", "DE", "AT"}} {
		if _, early := errors.AsType[*sinks.EarlyError](create(sinks.FormatOfLists-1, Filter{"device=mobile"}, list)); !early {
			t.Errorf("%q after another filter is kept", list)
		}
	}
	if err := create(sinks.FormatOfLists-1, Filter{"country=DE,AT"}); err != nil {
		t.Errorf("one value with a comma: %v", err)
	}
	if err := create(sinks.FormatOfLists, Filter{"country=", "DE", "AT"}); err != nil {
		t.Error(err)
	}
}
