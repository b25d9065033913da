package verify_test

import (
	"testing"
	"time"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/sinks"
)

// What cannot be of a token is a difference: dates that contradict each other, rights that there are none of, limits of another kind.
func TestTokensContradictNothing(t *testing.T) {
	inWorld(t, 2, func(t *testing.T, w *world) {
		w.first()
		w.pipeline()
		store := access.Store{Table: w.table, By: "ada", Now: time.Now}
		created, _, err := store.Create(t.Context(), access.Stored{Kind: access.Token, Sites: []string{plainSite}, Rights: access.Rights,
			ExpiresAt: time.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		want(t, "as created", w.verify(nil), 0)
		key := sinks.Keys{}.Token(created.ID)
		found, err := sinks.Get(t.Context(), w.table, key)
		if err != nil {
			t.Fatal(err)
		}
		day := time.Now().UTC().Truncate(24 * time.Hour)
		for what, bad := range map[string]struct {
			attr  string
			value sinks.Value
		}{
			"expired when it was created":     {sinks.AttrExpiresAt, sinks.Int(created.CreatedAt.UnixMilli())},
			"used before it was created":      {sinks.AttrLastUsedOn, sinks.Int(day.AddDate(0, 0, -2).UnixMilli())},
			"used in the future":              {sinks.AttrLastUsedOn, sinks.Int(day.AddDate(0, 0, 2).UnixMilli())},
			"used at an instant":              {sinks.AttrLastUsedOn, sinks.Int(day.UnixMilli() + 1)},
			"a right that is none":            {sinks.AttrRights, sinks.Strings([]string{"read", "write"})},
			"no rights":                       {sinks.AttrRights, sinks.Strings(nil)},
			"a site twice":                    {sinks.AttrSiteIDs, sinks.Strings([]string{plainSite, plainSite})},
			"filters of a token":              {sinks.AttrLimits, sinks.Str(`{"where":["country=DE"]}`)},
			"several values of a token":       {sinks.AttrLimits, sinks.Str(`{"where":[["country=","DE","AT"]]}`)},
			"a limit that there is not":       {sinks.AttrLimits, sinks.Str(`{"path":"/docs"}`)},
			"a hash of another size":          {sinks.AttrSecretHash, sinks.Bytes([]byte("short"))},
			"a share link with all rights":    {sinks.AttrTokenKind, sinks.Str("share")},
			"all sites, and one":              {sinks.AttrAllSites, sinks.Int(1)},
			"created in the future":           {sinks.AttrCreatedAt, sinks.Int(time.Now().AddDate(0, 0, 3).UnixMilli())},
			"a note that is longer than most": {sinks.AttrNote, sinks.Str(string(make([]byte, 300)))},
		} {
			w.set(key, with(found[key], bad.attr, bad.value))
			if !w.notices() {
				t.Errorf("%s is not noticed", what)
			}
		}
		w.set(key, found[key])
		want(t, "put back", w.verify(nil), 0)
	})
}
