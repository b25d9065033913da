package judge

import (
	"strings"

	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// An item of new sessions is both: a list of recent sessions, of each minute in which one of them was opened, and a list by visitor, of an
// hour. It is compared with each of these subjects. As a list by visitor its attributes are compared, as one of recent sessions only what
// it names.

const (
	maxNew  = 31                  // how many sessions an item names at most
	newSpan = 10 * count.MinuteMs // from the beginning of the first minute to the end of the last one, which the key names
)

// inSpanOf reports whether an item of new sessions whose key names a minute may name sessions of another one.
func inSpanOf(last, minute int64) bool { return last-newSpan < minute && minute <= last }

func ofNew(it sinks.Item) bool { return strings.HasPrefix(it.Key().SK, Kinds[finding.KindNew].Prefix) }
