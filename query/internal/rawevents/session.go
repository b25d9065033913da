package rawevents

import (
	"slices"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/sinks"
)

// Skips returns what says that a pack has no event of a session, a visit or any (""); nil: that has to be found out by its events.
func Skips(session string) func(sinks.Item) bool {
	if _, visit := sinks.ParseVisitID(session); visit || session == "" {
		return nil
	}
	return func(it sinks.Item) bool { return !pack.MayHaveSession(it, session) }
}

// ShardsOf are the partition keys that hold the events of a session, "" for all, given each number of shards that holds in the range.
func ShardsOf(keys sinks.Keys, site, session string, shards []int) (pks []string) {
	if session != "" {
		for _, n := range shards {
			if pk := sinks.RawShard(site, sinks.ShardOf(session, n)); !slices.Contains(pks, pk) {
				pks = append(pks, pk)
			}
		}
		return pks
	}
	return Shards(keys, site, shards)
}
