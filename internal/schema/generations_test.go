package schema_test

import (
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/schema"
	"github.com/footfall/footfall/sinks"
)

// TestKeysOfGenerationsAreExplained: a key names the generation of its item, except of items that all generations have in common.
func TestKeysOfGenerationsAreExplained(t *testing.T) {
	for _, c := range []struct {
		key        sinks.Key
		item       string
		generation int
		elsewhere  string // where footfall writes that
	}{
		{sinks.Key{PK: "G2#SITE#shop", SK: "STATS#day#2026-05-12"}, "day stats", 2, ""},
		{sinks.Key{PK: "G12#SITE#shop#SHARD#07", SK: "SESSION#s-1#2_3"}, "session", 12, ""},
		{sinks.Key{PK: "G2#CHAIN#2", SK: "P#0#stats"}, "checkpoint", 2, ""},
		{sinks.Key{PK: "G2#PIPELINE", SK: "TOPIC#events"}, "topic", 2, ""},
		{sinks.Key{PK: "G2#SITE#shop", SK: "METADATA"}, "site", 2, `"SITE#shop"`},
		{sinks.Key{PK: "G2#SITE#shop#SHARD#07", SK: "EVENT#01F8MECHZX3TBDSZ7XRADM79XE"}, "event", 2, `"SITE#shop#SHARD#07"`},
		{sinks.Key{PK: "G2#PIPELINE", SK: "ERASE#000000000001"}, "erasure", 2, `"PIPELINE"`},
		{sinks.Key{PK: "G2#CHAIN#1", SK: "REPLAY#events.failed#0"}, "replay", 2, `"CHAIN#1"`},
	} {
		it := sinks.Item{sinks.AttrPK: sinks.Str(c.key.PK), sinks.AttrSK: sinks.Str(c.key.SK)}
		if x := schema.Explain(it, nil, sinks.DefaultShards, time.Now()); x.Item != c.item || x.Generation != c.generation {
			t.Errorf("%v is explained as %q of generation %d, want %q of %d", c.key, x.Item, x.Generation, c.item, c.generation)
		}
		text := schema.ExplainKey(c.key, sinks.DefaultShards)
		if moved := strings.Contains(text, "footfall writes that to "+c.elsewhere); moved != (c.elsewhere != "") {
			t.Errorf("%v: %q, want it to name %q", c.key, text, c.elsewhere)
		}
	}
}
