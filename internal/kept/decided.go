package kept

import (
	"strconv"
	"strings"

	"github.com/footfall/footfall/sinks"
)

// DecidedBy returns until when what was decided about sites holds for all that a generation has, ms since the epoch: a rebuild under the
// settings of today began then. 0: it holds from when it was decided on.
func DecidedBy(has sinks.Generations, generation int) (at int64) {
	for _, entry := range strings.Fields(has.Today) {
		if of, ms, _ := strings.Cut(entry, ":"); of == strconv.Itoa(generation) {
			at, _ = strconv.ParseInt(ms, 10, 64)
		}
	}
	return at
}

// ZonesDecidedBy is as DecidedBy for the zones of sites. A generation that has only some dates has the days of the one that has the earlier
// ones, and so its zones.
func ZonesDecidedBy(has sinks.Generations, generation int) (at int64) {
	if before, ok := has.KeptBefore(generation); ok {
		return ZonesDecidedBy(has, before.From)
	}
	if generation == has.Building && has.KeepBefore > 0 {
		return ZonesDecidedBy(has, has.Live)
	}
	return DecidedBy(has, generation)
}

// Since returns from when on what was decided at an instant holds in what readers see, ms since the epoch. That is from the first date of
// what was counted under the settings of a later time; 0: from the beginning.
func Since(has sinks.Generations, decided int64) int64 {
	since := decided
	for generation := has.Live; decided > 0 && decided <= DecidedBy(has, generation); {
		before, ok := has.KeptBefore(generation)
		if !ok {
			return 0
		}
		since, generation = min(since, before.Date), before.From
	}
	return since
}
