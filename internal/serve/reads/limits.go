package reads

import (
	"cmp"
	"time"
)

// Limits bound what an answer may read, and how many streams are open.
type Limits struct {
	ReadUnits float64       // of the table, of an answer; 0: DefaultLimits
	Items     int           // of an answer; 0: DefaultLimits
	Time      time.Duration // of an answer; a client that waits longer has gone; 0: DefaultLimits

	Streams     int // open at once; 0: DefaultLimits
	StreamsEach int // of these, with one access token, share link or holder of a JSON Web Token; 0: DefaultLimits
}

// DefaultLimits are those of a server that names none: 20,000 read units are a tenth of a cent on demand, and what the figures of yesterday
// of 5,000 sites take at most. A million items are what an answer of half a minute can read. Four credentials must come together to take
// all streams.
var DefaultLimits = Limits{ReadUnits: 20_000, Items: 1_000_000, Time: 25 * time.Second, Streams: 128, StreamsEach: 32}

// OrDefault has the limits that are not named be the default ones.
func (l Limits) OrDefault() Limits {
	d := DefaultLimits
	l = Limits{cmp.Or(l.ReadUnits, d.ReadUnits), cmp.Or(l.Items, d.Items), cmp.Or(l.Time, d.Time), cmp.Or(l.Streams, d.Streams),
		cmp.Or(l.StreamsEach, d.StreamsEach)}
	l.StreamsEach = min(l.StreamsEach, l.Streams)
	return l
}
