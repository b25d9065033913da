package schema

import (
	"fmt"
	"strings"

	"github.com/footfall/footfall/internal/journal"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// lateLogs says what a journal entry has: of each hour, how many events and bytes.
func lateLogs(packed []byte) (string, error) {
	logs, err := journal.Unpack(packed)
	if err != nil {
		return "", err
	}
	parts := make([]string, len(logs))
	for i, l := range logs {
		events := 0
		if err := (*sketch.Breakdown)(nil).Replay(l.Ops, func(uint64) { events++ }); err != nil {
			return "", err
		}
		parts[i] = fmt.Sprintf("%s: events %d, %d bytes", sinks.Hour(l.Hour), events, len(l.Ops))
	}
	return strings.Join(parts, "; "), nil
}
