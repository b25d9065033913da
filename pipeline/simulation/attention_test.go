package simulation_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/footfall/footfall/sinks"
)

// linger makes some of the records those of sessions that read pages: over some hours, mostly in order, with events of engagement that say
// what they may, more, and less.
func linger(dice *rand.Rand, records []record, start time.Time) {
	const while = 150 // records
	for i := range records {
		if dice.IntN(7) > 0 {
			continue
		}
		when := start.Add(-3*time.Hour + time.Duration(i%while)*70*time.Second + time.Duration(dice.IntN(3))*35*time.Second)
		if dice.IntN(6) == 0 {
			when = when.Add(-time.Duration(dice.IntN(90)) * time.Minute)
		}
		e := map[string]any{"siteId": fmt.Sprint("site-", dice.IntN(2)), "id": fmt.Sprint("l", i), "timestamp": when.UnixMilli(),
			"type":      []string{"page_view", "page_view", "engagement", "engagement", "click"}[dice.IntN(5)],
			"visitorId": fmt.Sprint("reader-", i/while)}
		if dice.IntN(3) > 0 {
			e["sessionId"] = fmt.Sprint("reader-", i/while, "-", dice.IntN(2))
		}
		if dice.IntN(4) > 0 {
			e["url"] = fmt.Sprint("/l", dice.IntN(3))
		}
		said := make(map[string]any)
		if dice.IntN(2) == 0 {
			said["engagementMs"] = []any{dice.IntN(90_000), 0, 1234.5, -3, "7"}[dice.IntN(5)]
		}
		if dice.IntN(2) == 0 {
			said["scroll"] = []any{dice.IntN(101), 10 * dice.IntN(11), 0, 101.5, nil}[dice.IntN(5)]
		}
		if dice.IntN(8) > 0 {
			e["properties"] = json.RawMessage(mustJSON(said))
		}
		records[i].Value = mustJSON(e)
	}
}

// lingered notes a session that a redo takes from prev, when the step that it does again has counted something of a page view that came
// before the step.
func (e *eye) lingered(it sinks.Item) {
	cur, prev, err := statesOf(it)
	if err == nil && prev.Open.Page != "" && cur.Open != prev.Open {
		e.cover.Hit(onLingeredRedone)
	}
	if err == nil && cur.Open.Page != "" && cur.Open.Hour() != cur.Hour {
		e.cover.Hit(onLingeredHour)
	}
}
