package sketch

import "github.com/footfall/footfall/sinks/int128"

// Hit is what an event adds to the rows of its values.
type Hit struct {
	Visitor  uint64 // the visitor's hash, by a Hasher
	PageView bool
	HasValue bool
	Value    int64 // in millionths, where HasValue; EventName alone keeps it
}

// Booking is what a session adds to the rows of its values, or takes back: negative numbers do. Each number is a sum
// over sessions, DurationMs in milliseconds. Entries and Exits are of pages.
type Booking struct {
	Sessions, Bounces, DurationMs, Entries, Exits int64
}

// Counts is what a row of a breakdown, or the other of a dimension, has counted. Values is how many of the Events had a
// value; Sum, Min and Max are of those, in millionths, and 0 without any. Visitors is of NewRow's kind, exact to 64 and
// then with a standard error of 1.63 %, and never nil; a visitor of several rows is in each.
type Counts struct {
	Events, PageViews int64
	Booking
	Attention
	Conversions Conversions
	Values      int64
	Sum         int128.Int
	Min, Max    int64
	Visitors    *Uniques
}

// plus returns k + o, and whether none of it is below 0 or above maxCount.
func (k Booking) plus(o Booking) (Booking, bool) {
	k.Sessions += o.Sessions
	k.Bounces += o.Bounces
	k.DurationMs += o.DurationMs
	k.Entries += o.Entries
	k.Exits += o.Exits
	// k's are from 0 to maxCount, so no sum can wrap around into that range.
	return k, max(uint64(k.Sessions), uint64(k.Bounces), uint64(k.DurationMs), uint64(k.Entries), uint64(k.Exits)) <= maxCount
}

func (k *Booking) fields() [5]*int64 {
	return [...]*int64{&k.Sessions, &k.Bounces, &k.DurationMs, &k.Entries, &k.Exits}
}

// values are the values of named events.
type values struct {
	n        int64
	sum      int128.Int
	min, max int64
}

func (v *values) add(o values) {
	if v.n == 0 {
		*v = o
		return
	}
	v.n += o.n
	v.sum = v.sum.Plus(o.sum)
	v.min, v.max = min(v.min, o.min), max(v.max, o.max)
}

// bytes returns how many bytes they take. Without any they take none.
func (v *values) bytes() int {
	if v == nil {
		return 0
	}
	hi, lo := v.sum.Zigzag()
	return uvarintBytes(uint64(v.n)) + uvarintBytes(hi) + uvarintBytes(lo) + varintBytes(v.min) + varintBytes(v.max)
}

// tally is what a row or other counts besides events, which are the Top's. Most rows have no attention, no conversions and no values:
// they are nil.
type tally struct {
	pageViews int64
	Booking
	attention   *Attention
	conversions *Conversions
	values      *values
	visitors    rowVisitors
}

func newTally() tally { return tally{visitors: newRowVisitors()} }

// hit counts what the event does besides being one, and returns how many bytes more the tally takes now. Tables of visitors are of from,
// which may be nil.
func (t *tally) hit(d Dimension, h Hit, from *sets) (more int) {
	return t.events(d, h) + t.visitors.add(h.Visitor, from)
}

// events is hit for a visitor who is there already.
func (t *tally) events(d Dimension, h Hit) (more int) {
	if h.PageView {
		t.pageViews++
		more += growth(t.pageViews)
	}
	if h.HasValue && d == EventName {
		more -= t.moreBytes()
		t.addValues(values{n: 1, sum: int128.From(h.Value), min: h.Value, max: h.Value})
		more += t.moreBytes()
	}
	return more
}

func (t *tally) addValues(v values) {
	if t.values == nil {
		t.values = new(values)
	}
	t.values.add(v)
}

// merge adds all that o has counted. o stays as it is.
func (t *tally) merge(o *tally) {
	t.pageViews += o.pageViews
	for i, n := range t.fields() {
		*n += *o.fields()[i]
	}
	if o.attention != nil {
		sum, _ := t.paid().plus(*o.attention)
		if t.attention == nil {
			t.attention = new(Attention)
		}
		*t.attention = sum
	}
	if o.conversions != nil {
		sum := t.converted().Plus(*o.conversions)
		if t.conversions == nil {
			t.conversions = new(Conversions)
		}
		*t.conversions = sum
	}
	if o.values != nil {
		t.addValues(*o.values)
	}
	t.visitors.merge(&o.visitors)
}

func (t *tally) clone() tally {
	c := *t
	if t.attention != nil {
		a := *t.attention
		c.attention = &a
	}
	if t.conversions != nil {
		n := *t.conversions
		c.conversions = &n
	}
	if t.values != nil {
		v := *t.values
		c.values = &v
	}
	c.visitors.u = *t.visitors.u.Clone()
	return c
}

// counts returns the tally as readers see it. Its visitors are those of the tally, not copies.
func (t *tally) counts(events uint64) Counts {
	c := Counts{Events: int64(events), PageViews: t.pageViews, Booking: t.Booking, Attention: t.paid(), Conversions: t.converted(),
		Visitors: &t.visitors.u}
	if v := t.values; v != nil {
		c.Values, c.Sum, c.Min, c.Max = v.n, v.sum, v.min, v.max
	}
	return c
}

func (t *tally) converted() Conversions {
	if t.conversions == nil {
		return Conversions{}
	}
	return *t.conversions
}

func (t *tally) paid() Attention {
	if t.attention == nil {
		return Attention{}
	}
	return *t.attention
}

// empty reports whether nothing has been counted.
func (t *tally) empty() bool {
	return t.pageViews == 0 && t.Booking == Booking{} && t.moreBytes() == 0 && t.visitors.u.Entries() == 0
}

// bytes returns how many bytes the tally takes. Numbers that are 0 take none.
func (t *tally) bytes() int {
	return 1 + optionalBytes(t.pageViews) + t.Booking.bytes() + t.moreBytes() + t.visitors.bytes()
}

// moreBytes returns how many bytes what few rows have takes: none, or a byte that says which numbers follow, and these.
func (t *tally) moreBytes() int {
	n := t.attention.bytes() + t.conversions.bytes() + t.values.bytes()
	if n > 0 {
		n++
	}
	return n
}

func (k *Booking) bytes() int {
	return optionalBytes(k.Sessions) + optionalBytes(k.Bounces) + optionalBytes(k.DurationMs) +
		optionalBytes(k.Entries) + optionalBytes(k.Exits)
}
