package capacity

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/footfall/footfall/pipeline/state"
	"github.com/footfall/footfall/sinks"
)

// packedSessions is what a table of packed sessions would take, as docs/internals/packed-sessions.md studies them: the sessions that a
// simulation has made, a number of them in each segment. A segment has columns: ids of 16 random bytes, visitors, users, states.
func packedSessions(s *simulation) string {
	rng := rand.New(rand.NewPCG(3, 4))
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1))
	must(err)
	var all []sinks.Item
	for _, pk := range slices.Sorted(maps.Keys(s.items)) {
		of := s.items[pk]
		for _, sk := range slices.Sorted(maps.Keys(of)) {
			if x := of[sk]; x.made && x.name == itemSession {
				all = append(all, x.Item)
			}
		}
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var rows strings.Builder
	for _, n := range []int{1, 3, 10, 30, 100, 300, 1000, 10_000} {
		bytes, units, sessions := 0, 0.0, 0
		for segment := range slices.Chunk(all, n) {
			if len(segment) < n || sessions > 10_000 {
				break
			}
			size := len(encoder.EncodeAll(segmentOf(segment, rng), nil)) + storedBytes
			bytes, units, sessions = bytes+size, units+math.Ceil(float64(size)/1024), sessions+n
		}
		fmt.Fprintf(&rows, "| %d | %.0f | %.3f |\n", n, float64(bytes)/float64(sessions), units/float64(sessions))
	}
	return rows.String()
}

// segmentOf is a segment before it is compressed.
func segmentOf(items []sinks.Item, rng *rand.Rand) []byte {
	id := func(b []byte) []byte {
		return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, rng.Uint64()), rng.Uint64())
	}
	var sessions, visitors, users, states []byte
	known := make(map[string][]byte)
	for _, it := range items {
		whose := state.IdentityOf(it)
		if known[whose.Visitor] == nil {
			known[whose.Visitor] = id(nil)
		}
		sessions, visitors = id(sessions), append(visitors, known[whose.Visitor]...)
		users = append(append(users, byte(len(whose.User))), whose.User...)
		states = append(states, it[sinks.AttrCur].Bytes()...)
	}
	return slices.Concat(sessions, visitors, users, states)
}
