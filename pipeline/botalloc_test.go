package pipeline

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/pipeline/aggregate"
)

func TestBotsAllocateNothingPerEvent(t *testing.T) {
	w := ownedPartition(t)
	for _, l := range w.lanes {
		l.Settings.Bots.Rate = 20
	}
	records := chunkOf(5, 40, time.UnixMilli(1_749_999_960_000))
	for i, r := range records {
		text := string(r.Value)
		if i%5 == 0 {
			text = strings.Replace(text, "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/128.0", "curl/8.5.0", 1)
		}
		if i%7 == 0 {
			text = strings.Replace(text, "https://search.example/", "https://semalt.com/", 1)
		}
		r.Value = []byte(text)
	}
	fold := func() {
		if err := w.foldChunk(t.Context(), records); err != nil {
			t.Fatal(err)
		}
		again(records)
	}
	for range 7 {
		fold()
	}
	if n := testing.AllocsPerRun(20, fold); n != 0 {
		t.Errorf("%v allocations in a chunk of %d records, want 0", n, len(records))
	}
	found := make(map[aggregate.Bot]bool)
	for i := range w.chunk.Records {
		found[w.chunk.Records[i].Bot] = true
	}
	if fmt.Sprint(found) != fmt.Sprint(map[aggregate.Bot]bool{aggregate.BotAgent: true, aggregate.BotReferrer: true,
		aggregate.BotRate: true}) {
		t.Errorf("the chunk has events of %v; want all ways to recognise a bot, and no person after that", found)
	}
}
