package verify_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// damage replaces an item, and says where that is reported.
type damage struct {
	text string
	it   sinks.Item // undamaged
	bad  sinks.Item // nil: deleted
	key  sinks.Key  // of the differences
	attr string     // of one of them
}

// damaged is an item with another value of an attribute.
func damaged(text string, it sinks.Item, name string, value sinks.Value) damage {
	return damage{text, it, with(it, name, value), it.Key(), name}
}

// eachIsNamed wants each damage reported and nothing else. Several items are damaged at a time; in make test-all, one.
func (w *world) eachIsNamed(all []damage) {
	w.t.Helper()
	together := 1
	if slow.Fewer(w.t) {
		together = len(all)
	}
	for len(all) > 0 {
		var now, later []damage
		for _, d := range all {
			same := func(o damage) bool { return o.it.Key() == d.it.Key() || o.key == d.key }
			if len(now) == together || slices.ContainsFunc(now, same) {
				later = append(later, d)
				continue
			}
			now = append(now, d)
			w.set(d.it.Key(), d.bad)
		}
		only(w.t, w.verify(nil), now...)
		for _, d := range now {
			w.set(d.it.Key(), d.it)
		}
		all = later
	}
}

// onlyAt wants differences at this key alone, one of them of this attribute.
func onlyAt(t *testing.T, text string, r finding.Report, key sinks.Key, attr string) {
	t.Helper()
	only(t, r, damage{text: text, key: key, attr: attr})
}

// only wants differences of these damages alone, and each damage named by one.
func only(t *testing.T, r finding.Report, damages ...damage) {
	t.Helper()
	want(t, damages[0].text, r, finding.ExitDifferent)
	named := make(map[int]bool)
	for _, d := range r.Differences {
		explained := false
		for i, of := range damages {
			if newOf(d, of.key) {
				explained = true
			} else if isAt(d, of.key) {
				explained, named[i] = true, named[i] || d.Attribute == of.attr
			}
		}
		if !explained {
			t.Errorf("%s: a difference at %s / %s, want them at %s / %s only", damages[0].text, d.PK, d.SK, damages[0].key.PK, damages[0].key.SK)
		}
		if d.Table == d.Recount {
			t.Errorf("%s: the difference of %s says %q on both sides", damages[0].text, d.Attribute, d.Table)
		}
	}
	for i, of := range damages {
		if !named[i] {
			t.Errorf("%s: no difference of %s among %v", of.text, of.attr, r.Differences)
		}
	}
}

// newOf reports whether a difference is that of recent sessions where a list by visitor is damaged: new sessions are of both lists.
func newOf(d finding.Difference, key sinks.Key) bool {
	site, ok := strings.CutSuffix(key.PK, "#VISITORS")
	return ok && d.PK == site+"#RECENT" && d.Attribute == sinks.AttrSessionIDs
}

// isAt reports whether a difference is of the item at key, or of lists that have it.
func isAt(d finding.Difference, key sinks.Key) bool {
	sk := key.SK
	if rest, ok := strings.CutPrefix(d.SK, "{bucket}#"); ok { // Of lists by visitor: an hour.
		_, sk, _ = strings.Cut(sk, "#")
		d.SK = rest
		if strings.HasPrefix(key.SK, sinks.NewSessionsPrefix) { // A minute of that hour.
			d.SK = rest[:len("2026-05-12T14")]
		}
	}
	return d.PK == key.PK && strings.HasPrefix(sk, d.SK) // Of recent sessions: a minute, or an item of it.
}
