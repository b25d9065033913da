package plan

import (
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// Expiry is when an item is to be deleted: days after an instant in milliseconds, in seconds since the epoch.
// Never has none.
type Expiry struct {
	At    int64
	Never bool
}

// Expires returns the expiry of an item that is kept for days after end, in milliseconds since the epoch.
func Expires(end int64, days int64) Expiry {
	return Expiry{At: end/1000 + days*86_400, Never: days == checkpoint.Never}
}

// Passed reports whether nothing may be written to the item any more at now, in seconds: no reader sees it, and a
// redo may find it gone. Beside it, the clock decides only up to when record timestamps are believed.
func (x Expiry) Passed(now int64) bool { return !x.Never && x.At <= now }

// Is reports whether two items expire at the same time.
func (x Expiry) Is(o Expiry) bool { return x.Never && o.Never || x == o }

// ExpiryOf reads the expiry of an item.
func ExpiryOf(it sinks.Item) Expiry {
	ttl := it[sinks.AttrTTL]
	return Expiry{At: ttl.Int(), Never: ttl.Kind() != sinks.Number}
}

// Attr appends the ttl attribute, if there is one.
func (x Expiry) Attr(set []sinks.Attr) []sinks.Attr {
	if x.Never {
		return set
	}
	return append(set, sinks.Attr{Name: sinks.AttrTTL, Value: sinks.Int(x.At)})
}
