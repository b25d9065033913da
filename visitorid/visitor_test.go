package visitorid

import (
	"strings"
	"sync"
	"testing"
	"time"
)

var visitor = Visitor{Site: "shop.example", Address: "203.0.113.9", UserAgent: "Mozilla/5.0"}

// at reads an instant.
func at(t testing.TB, s string) time.Time {
	t.Helper()
	x, err := time.Parse(time.RFC3339Nano, s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func newDerived(t testing.TB, secret string) *Derived {
	t.Helper()
	d, err := NewDerived([]byte(secret))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func derivedID(t testing.TB, d *Derived, v Visitor, when string) string {
	t.Helper()
	id, err := d.ID(v, at(t, when))
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestIDsAreWhatTheDocumentationSays has ids that a script in another language made with its own HMAC-SHA-256, from the
// package comment and RFC 5869: whoever writes a collector elsewhere can make the same.
func TestIDsAreWhatTheDocumentationSays(t *testing.T) {
	tests := []struct {
		name, when string
		visitor    Visitor
		want       string
	}{
		{"a visitor", "2026-05-12T14:03:07Z", visitor, "81d9163661568c249d808f95f3665745"},
		{"the day's first instant", "2026-05-12T00:00:00Z", visitor, "81d9163661568c249d808f95f3665745"},
		{"the day's last instant", "2026-05-12T23:59:59.999999999Z", visitor, "81d9163661568c249d808f95f3665745"},
		{"a day is UTC's", "2026-05-13T01:30:00+02:00", visitor, "81d9163661568c249d808f95f3665745"},
		{"the next day", "2026-05-13T00:00:00Z", visitor, "2d5feeae6dde02297695f98b12f9b976"},
		{"another site", "2026-05-12T14:03:07Z", Visitor{"news.example", "203.0.113.9", "Mozilla/5.0"}, "29997f4b7b6a745602e4c8b0e44d4047"},
		{"IPv6 without a user agent", "2026-05-12T14:03:07Z", Visitor{"shop.example", "2001:db8::1", ""}, "888fe3fa2ecd680b0fb9b2956982a0ed"},
		{"a host name", "2026-05-12T14:03:07Z", Visitor{"shop.example", "crawl-7.search.example", "Mozilla/5.0"},
			"4b9537e06524b618473d1290557edac4"},
		{"before 1970", "1969-12-31T23:59:59.5Z", visitor, "e5747fe819f8901ba7e7a07279f528f1"},
	}
	d := newDerived(t, "sixteen byte key")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := derivedID(t, d, test.visitor, test.when); got != test.want {
				t.Errorf("id = %s, want %s", got, test.want)
			}
		})
	}
}

func TestAddressIsHashedInOneSpelling(t *testing.T) {
	tests := []struct{ name, spelling, want string }{
		{"IPv4", "203.0.113.9", "203.0.113.9"},
		{"IPv4 in IPv6", "::ffff:203.0.113.9", "203.0.113.9"},
		{"IPv4 in IPv6 in hexadecimal", "::ffff:cb00:7109", "203.0.113.9"},
		{"IPv4 with a port", "203.0.113.9:51234", "203.0.113.9"},
		{"IPv6 written out", "2001:0DB8:0:0:0:0:0:1", "2001:db8::1"},
		{"IPv6 with a port", "[2001:db8::1]:443", "2001:db8::1"},
		{"IPv6 with a zone", "fe80::1%eth0", "fe80::1"},
		{"IPv6 with a zone and a port", "[fe80::1%eth0]:443", "fe80::1"},
		{"a host name", "crawl-7.search.example", "crawl-7.search.example"},
		{"a number too large for IPv4", "203.0.113.900", "203.0.113.900"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := canonical(test.spelling); got != test.want {
				t.Errorf("%q is hashed as %q, want %q", test.spelling, got, test.want)
			}
		})
	}
}

func FuzzAddressIsHashedInOneSpelling(f *testing.F) {
	for _, s := range []string{"::ffff:203.0.113.9", "[fe80::1%eth0]:443", "203.0.113.9:1", "host", "[::1]", "::1%1.2.3.4:5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := canonical(s)
		if twice := canonical(once); twice != once {
			t.Errorf("%q is hashed as %q, and that as %q", s, once, twice)
		}
	})
}

func TestOnlyTheSameVisitorHasTheSameID(t *testing.T) {
	const day = "2026-05-12T14:03:07Z"
	d := newDerived(t, "sixteen byte key")
	seen := map[string]string{derivedID(t, d, visitor, day): "the visitor"}
	others := map[string]string{
		"another day":    derivedID(t, d, visitor, "2026-05-13T14:03:07Z"),
		"another secret": derivedID(t, newDerived(t, "another byte key"), visitor, day),
	}
	for name, v := range map[string]Visitor{
		"another site":                         {"shop.example2", "203.0.113.9", "Mozilla/5.0"},
		"another address":                      {"shop.example", "203.0.113.8", "Mozilla/5.0"},
		"another user agent":                   {"shop.example", "203.0.113.9", "Mozilla/5.1"},
		"the same bytes, site and address":     {"shop.example2", "03.0.113.9", "Mozilla/5.0"},
		"the same bytes, address and agent":    {"shop.example", "203.0.113.9M", "ozilla/5.0"},
		"no agent, and the bytes in the other": {"shop.example", "203.0.113.9Mozilla/5.0", ""},
	} {
		others[name] = derivedID(t, d, v, day)
	}
	for name, id := range others {
		if same, ok := seen[id]; ok {
			t.Errorf("%s has the id of %s", name, same)
		}
		seen[id] = name
	}
}

func TestFaultsOfAVisitorAreNamed(t *testing.T) {
	when := at(t, "2026-05-12T14:03:07Z")
	for want, v := range map[string]Visitor{
		"Site":    {Address: "203.0.113.9"},
		"Address": {Site: "shop.example"},
	} {
		id, err := newDerived(t, "sixteen byte key").ID(v, when)
		if err == nil || id != "" || !strings.Contains(err.Error(), want+` "": it is empty; set the`) {
			t.Errorf("derived id = %q, %v, want an error about %s", id, err, want)
		}
		var h Hasher
		id, err = h.ID(v, when, when)
		if err == nil || id != "" || !strings.Contains(err.Error(), want+` "": it is empty; set the`) {
			t.Errorf("id = %q, %v, want an error about %s", id, err, want)
		}
	}
}

func TestShortSecretIsRefusedAndNotShown(t *testing.T) {
	_, err := NewDerived([]byte("fifteen bytes.."))
	if err == nil || !strings.Contains(err.Error(), "15 bytes") || !strings.Contains(err.Error(), "openssl rand -hex 16") ||
		strings.Contains(err.Error(), "fifteen") {
		t.Errorf("error = %v, want the secret's length and a remedy, not the secret", err)
	}
}

func TestSecretIsCopied(t *testing.T) {
	secret := []byte("sixteen byte key")
	d, err := NewDerived(secret)
	if err != nil {
		t.Fatal(err)
	}
	before := derivedID(t, d, visitor, "2026-05-12T14:03:07Z")
	clear(secret)
	if after := derivedID(t, d, visitor, "2026-05-12T14:03:07Z"); after != before {
		t.Errorf("clearing the caller's secret has changed the id %s to %s", before, after)
	}
}

// Goroutines that hash events of different days get each day's ids.
func TestDerivedIsSafeForConcurrentUse(t *testing.T) {
	d := newDerived(t, "sixteen byte key")
	noon := at(t, "2026-05-12T12:00:00Z")
	want := []string{"81d9163661568c249d808f95f3665745", "2d5feeae6dde02297695f98b12f9b976"}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for i := range 200 {
				day := (g + i) % 2
				if id, err := d.ID(visitor, noon.AddDate(0, 0, day)); err != nil || id != want[day] {
					t.Errorf("id of day %d = %s, %v, want %s", day, id, err, want[day])
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkID(b *testing.B) {
	when := at(b, "2026-05-12T14:03:07Z")
	b.Run("random", func(b *testing.B) {
		b.ReportAllocs()
		var h Hasher
		for b.Loop() {
			if _, err := h.ID(visitor, when, when); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("derived", func(b *testing.B) {
		b.ReportAllocs()
		d := newDerived(b, "sixteen byte key")
		for b.Loop() {
			if _, err := d.ID(visitor, when); err != nil {
				b.Fatal(err)
			}
		}
	})
}
