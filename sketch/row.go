package sketch

import (
	"cmp"
	"strings"
)

// MaxRows is the largest capacity of a Top.
const MaxRows = 1 << 16

// Row is a value and how often it was seen: at least Count times and at most Count+Error times.
type Row struct {
	Value        string
	Count, Error uint64
}

// Rank returns Count+Error, the most that the value can have been seen. Rows are ordered and evicted by it.
func (r Row) Rank() uint64 { return r.Count + r.Error }

func byRank(a, b Row) int {
	return cmp.Or(cmp.Compare(b.Rank(), a.Rank()), cmp.Compare(a.Value, b.Value))
}

func byValue(a, b Row) int { return strings.Compare(a.Value, b.Value) }
