package simulation_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/footfall/footfall/sinks"
)

// precede makes some of the records those of sessions whose events come out of order, each from somewhere else: over two hours, often at
// the same time. Every session is there for a while, and its items have long been written when an earlier event moves it.
func precede(dice *rand.Rand, records []record, start time.Time) {
	const while = 120 // records
	for i := range records {
		if dice.IntN(7) > 0 {
			continue
		}
		e := map[string]any{
			"siteId": fmt.Sprint("site-", dice.IntN(2)), "type": []string{"page_view", "click"}[dice.IntN(2)], "id": fmt.Sprint("e", i),
			"timestamp": start.Add(-time.Duration(dice.IntN(7)) * 20 * time.Minute).UnixMilli(),
			"visitorId": fmt.Sprint("early-", dice.IntN(2)), "sessionId": fmt.Sprint("early-", i/while, "-", dice.IntN(2)),
			"url": fmt.Sprint("/e", dice.IntN(3)),
		}
		switch dice.IntN(4) {
		case 0:
			e["url"] = fmt.Sprintf("https://h0.example/e?utm_source=e%d&utm_medium=email&utm_campaign=e%d", dice.IntN(3), dice.IntN(3))
		case 1:
			e["referrer"] = fmt.Sprintf("https://e%d.example/", dice.IntN(3))
		case 2:
			e["country"], e["browser"] = fmt.Sprint("E", dice.IntN(3)), "browser e"
		}
		records[i].Value = mustJSON(e)
	}
}

// preceded notes a session that a redo takes from prev, when the step that it does again has found an earlier event of it.
func (e *eye) preceded(it sinks.Item) {
	cur, prev, err := statesOf(it)
	if err == nil && cur.First != nil && prev.First != nil && *cur.First != *prev.First {
		e.cover.Hit(onPrecededRedone)
	}
}
