package sinks

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/sinks/internal/ids"
)

// What may stand in a key: the ids of the event, and the rest.
type keyArgs struct {
	site, id, id2 string // siteId; a session, visitor, user, owner or topic; the session in an index
	ms            int64
	tp            TP
	n             int64
	generation    int
}

// templates are all keys that hold an id. uses names the arguments that make two keys of a template different.
var templates = []struct {
	name   string
	scoped bool // the partition key belongs to the site
	uses   string
	spell  func(k Keys, a keyArgs) Key
}{
	{"topic", false, "ig", func(k Keys, a keyArgs) Key { return k.Topic(a.id) }},
	{"site entry", false, "s", func(k Keys, a keyArgs) Key { return k.SiteEntry(a.site) }},
	{"owner", false, "si", func(k Keys, a keyArgs) Key { return Key{k.Owner(a.id), Decided(a.site)} }},
	{"checkpoint", false, "pg", func(k Keys, a keyArgs) Key { return k.Checkpoint(a.tp, "stats") }},
	{"history", false, "png", func(k Keys, a keyArgs) Key { return k.History(a.tp, "stats", a.n) }},
	{"replay", false, "ip", func(k Keys, a keyArgs) Key { return k.Replay(a.tp, a.id) }},
	{"site", true, "s", func(k Keys, a keyArgs) Key { return k.Metadata(a.site) }},
	{"funnel", true, "si", func(k Keys, a keyArgs) Key { return k.Funnel(a.site, a.id) }},
	{"segment", true, "si", func(_ Keys, a keyArgs) Key { return SegmentKey(a.site, a.id) }},
	{"event", true, "sn", func(k Keys, a keyArgs) Key { return k.Event(a.site, int(a.n%MaxShards), fmt.Sprintf("%026d", a.n)) }},
	{"session", true, "sipg", func(k Keys, a keyArgs) Key { return k.Session(a.site, a.id, a.tp, DefaultShards) }},
	{"session by user", true, "sijmpg", func(k Keys, a keyArgs) Key { return Key{k.User(a.site, a.id), SessionOrder(a.ms, a.id2, a.tp)} }},
	{"recent", true, "smpng", func(k Keys, a keyArgs) Key { return k.Recent(a.site, a.ms, a.tp, a.n, int(a.n%3)) }},
	{"hour stats", true, "smg", func(k Keys, a keyArgs) Key { return k.HourStats(a.site, a.ms) }},
	{"day stats", true, "smg", func(k Keys, a keyArgs) Key { return k.DayStats(a.site, a.ms) }},
	{"realtime", true, "smpg", func(k Keys, a keyArgs) Key { return k.Realtime(a.site, a.ms, a.tp) }},
	{"uniques", true, "smpg", func(k Keys, a keyArgs) Key { return k.Uniques(a.site, a.ms, a.tp) }},
}

// identity appends what a key of a template stands for, each part behind its length.
func identity(b []byte, template int, a keyArgs) []byte {
	b = append(b, byte(template))
	text := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	for _, c := range templates[template].uses {
		switch c {
		case 's':
			text(a.site)
		case 'i':
			text(a.id)
		case 'j':
			text(a.id2)
		case 'm':
			b = binary.AppendVarint(b, a.ms)
		case 'p':
			b = binary.AppendVarint(binary.AppendVarint(b, a.tp.Topic), int64(a.tp.Partition))
		case 'n':
			b = binary.AppendVarint(b, a.n)
		case 'g':
			b = binary.AppendVarint(b, int64(a.generation))
		}
	}
	return b
}

// fragments are what ids are made of to be mistaken for one another: separators, escapes, parts of our own keys,
// cuts, invisible and full-width look-alikes.
var fragments = []string{
	"#", "%", "%23", "%25", "%2523", "%~", "~", "%00", "\x00", "\n", "\x7f", "\u0080", "\u200b", " ", "_", "1_1", "1_17", "/", "\\", "\"",
	"a", "b", "A", "0", "1", "10", "ａ", "＃", "％", "１", "é", "e\u0301", "日本", "😀", "\ufffd", "\U0010ffff",
	"SITE#", "SITES#", "SHARD", "#SHARD#00", "#SHARD#1", "#USER#", "#VISITOR#", "#RECENT", "#UNIQUES", "OWNER#", "TOPIC#", "EVENT#",
	"SESSION#",
	"STATS#hour#", "REALTIME#", "METADATA", "G2#", "PIPELINE", "2026-05-12", "T14", "undefined",
	strings.Repeat("a", 100), strings.Repeat("#", 40), strings.Repeat("é", 60), strings.Repeat("日", 73), strings.Repeat("%~", 70),
	"%~e8d95cc2b4bc198c54b40bd214df958a", "%u", "%x",
}

// drawID makes an id of at most limit bytes: often a short one of few fragments, so that ids meet again, sometimes
// one of the greatest length, sometimes one that nobody else has.
func drawID(r *rand.Rand, b []byte, limit int) []byte {
	parts := 1 + r.IntN(4)
	if r.IntN(8) == 0 {
		parts = 40
	}
	for range parts {
		b = append(b, fragments[r.IntN(len(fragments))]...)
	}
	if r.IntN(3) == 0 {
		b = strconv.AppendUint(b, r.Uint64(), 36)
	}
	if len(b) > limit {
		for limit > 0 && !utf8.RuneStart(b[limit]) {
			limit--
		}
		b = b[:limit]
	}
	return b
}

// few are ids that every kind of key is spelled with, so that two kinds that agree in all but their names would
// meet; among them one that must be cut, and what it is cut to.
var few = []string{"a", "a#", "a%23", strings.Repeat("#", 100), cutID, ids.Escape(cutID), aUUID, aHash,
	ids.EscapeID(aUUID), ids.EscapeID(aHash)}

const (
	aUUID = "c0a8017e-3d2f-4f0e-8a4c-7b1d9e5f2a60"
	aHash = "c0a8017e3d2f4f0e8a4c7b1d9e5f2a60"
)

var cutID = strings.Repeat("a", 222) + strings.Repeat("#", 20)

func drawArgs(r *rand.Rand, b []byte) keyArgs {
	id := func(limit int) string { return string(drawID(r, b, limit)) }
	if r.IntN(16) == 0 {
		draw := func(n int) string { return few[r.IntN(n)] }
		return keyArgs{site: draw(4), id: draw(len(few)), id2: draw(len(few)), ms: someHour / 86_400_000 * 86_400_000, tp: TP{1, 1},
			n: int64(r.IntN(3)), generation: 1 + r.IntN(2)}
	}
	return keyArgs{
		site: id(128), id: id(256), id2: id(256),
		ms:         1_778_544_000_000 + 86_400_000*int64(r.IntN(20)),
		tp:         TP{1 + int64(r.IntN(12)), int32(r.IntN(120))},
		n:          int64(r.IntN(1000)),
		generation: 1 + r.IntN(2),
	}
}

// fact says that a text, by its hash, stands for something, by its hash. Two different texts among the 10 million
// have the same hash of 64 bits with a probability of 10^-5; the seed is fixed, so it is once and for all.
type fact struct{ text, meaning uint64 }

// factShards are sorted on their own.
const factShards = 64

type facts [factShards][]fact

func (f *facts) add(text, meaning uint64) {
	s := &f[text%factShards]
	*s = append(*s, fact{text, meaning})
}

// contradictions counts the texts in all of several collections that have two meanings.
func contradictions(collections []facts) int {
	var wg sync.WaitGroup
	var found [factShards]int
	next := make(chan int)
	for range len(collections) {
		wg.Go(func() {
			for shard := range next {
				var all []fact
				for i := range collections {
					all = append(all, collections[i][shard]...)
				}
				slices.SortFunc(all, func(a, b fact) int {
					switch {
					case a.text < b.text:
						return -1
					case a.text > b.text:
						return 1
					}
					return 0
				})
				for i := 1; i < len(all); i++ {
					if all[i].text == all[i-1].text && all[i].meaning != all[i-1].meaning {
						found[shard]++
					}
				}
			}
		})
	}
	for shard := range factShards {
		next <- shard
	}
	close(next)
	wg.Wait()
	n := 0
	for _, f := range found {
		n += f
	}
	return n
}

// TestKeysNeverCollide draws 10 million sets of ids (200,000 in make test) and spells a key of each. No key stands
// for two things, and no partition key belongs to two sites, nor to a site and to the table.
func TestKeysNeverCollide(t *testing.T) {
	slow.Unraced(t)
	const workers, seed = 2, 20260512
	draws := slow.Of(t, 200_000, 10_000_000)
	keys, owners := make([]facts, workers), make([]facts, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(w)))
			var scratch, b []byte
			for range draws / workers {
				a := drawArgs(r, scratch[:0])
				template := r.IntN(len(templates))
				key := templates[template].spell(Keys{Generation: a.generation}, a)
				if problem := fault(key); problem != "" {
					t.Errorf("%s of %+v: %q: %s", templates[template].name, a, key, problem)
					return
				}
				b = append(binary.AppendUvarint(b[:0], uint64(len(key.PK))), key.PK...)
				spelled := xxhash.Sum64(append(b, key.SK...))
				b = identity(b[:0], template, a)
				keys[w].add(spelled, xxhash.Sum64(b))
				owner := xxhash.Sum64String("the table")
				if templates[template].scoped {
					b = append(append(b[:0], "the site "...), a.site...)
					owner = xxhash.Sum64(b)
				}
				owners[w].add(xxhash.Sum64String(key.PK), owner)
			}
		})
	}
	wg.Wait()
	if n := contradictions(keys); n > 0 {
		t.Errorf("%d keys stand for two different things", n)
	}
	if n := contradictions(owners); n > 0 {
		t.Errorf("%d partition keys belong to two different sites", n)
	}
}

// fault says what is wrong with a key by itself.
func fault(k Key) string {
	switch {
	case k.PK == "" || len(k.PK) > MaxPartitionKey:
		return fmt.Sprintf("the partition key has %d bytes", len(k.PK))
	case k.SK == "" || len(k.SK) > MaxSortKey:
		return fmt.Sprintf("the sort key has %d bytes", len(k.SK))
	case !utf8.ValidString(k.PK) || !utf8.ValidString(k.SK):
		return "it is not valid UTF-8"
	case strings.ContainsFunc(k.PK+k.SK, func(r rune) bool { return r < 0x20 || r == 0x7f }):
		return "it has control characters"
	}
	return ""
}

// FuzzKeysTellIdsApart spells every key with two sets of ids. The keys are equal only where what they stand for is,
// and from a site's partition key the site can be read, so it can be no other's.
func FuzzKeysTellIdsApart(f *testing.F) {
	f.Add("a", "b", "a", "b")
	f.Add("a", "b", "a", "b#")
	f.Add("a#SHARD#00", "x", "a", "#SHARD#00x")
	f.Add("a%23", "%", "a#", "%25")
	f.Add("a\x00", "\x00", "a", "")
	f.Add("ａ", strings.Repeat("é", 128), "a", strings.Repeat("é", 127)+"e\u0301")
	f.Add(strings.Repeat("#", 128), strings.Repeat("%~", 128), strings.Repeat("#", 127)+"%", strings.Repeat("%~", 127)+"~%")
	f.Fuzz(func(t *testing.T, site1, id1, site2, id2 string) {
		for _, s := range []string{site1, id1, site2, id2} {
			if !utf8.ValidString(s) || s == "" {
				return // The decoder lets no such id through.
			}
		}
		a1 := keyArgs{site: site1[:runeEnd(site1, 128)], id: id1[:runeEnd(id1, 256)], ms: someHour, tp: TP{1, 17}, n: 5, generation: 1}
		a2 := a1
		a2.site, a2.id = site2[:runeEnd(site2, 128)], id2[:runeEnd(id2, 256)]
		a1.id2, a2.id2 = a1.id, a2.id
		for i, t1 := range templates {
			k1 := t1.spell(Keys{}, a1)
			if problem := fault(k1); problem != "" {
				t.Errorf("%s of %+v: %q: %s", t1.name, a1, k1, problem)
			}
			if t1.scoped {
				wantSite(t, k1.PK, a1.site)
			}
			for j, t2 := range templates {
				k2 := t2.spell(Keys{}, a2)
				same := string(identity(nil, i, a1)) == string(identity(nil, j, a2))
				if (k1 == k2) != same {
					t.Errorf("%s of %+v and %s of %+v: keys %q and %q", t1.name, a1, t2.name, a2, k1, k2)
				}
				if k1.PK == k2.PK && (t1.scoped != t2.scoped || t1.scoped && a1.site != a2.site) {
					t.Errorf("%s of %+v and %s of %+v share the partition key %q", t1.name, a1, t2.name, a2, k1.PK)
				}
			}
		}
	})
}

// runeEnd returns the greatest end of a rune in s up to limit.
func runeEnd(s string, limit int) int {
	if len(s) <= limit {
		return len(s)
	}
	for !utf8.RuneStart(s[limit]) {
		limit--
	}
	return limit
}

// wantSite checks that the site of a partition key can be read from it.
func wantSite(t *testing.T, pk, site string) {
	t.Helper()
	rest, ok := strings.CutPrefix(pk, "SITE#")
	segment, _, _ := strings.Cut(rest, "#")
	if strings.Contains(ids.Escape(site), "%~") {
		ok = ok && segment == ids.Escape(site)
	} else {
		ok = ok && unescape(t, segment) == site
	}
	if !ok {
		t.Errorf("partition key %q does not name the site %q", pk, site)
	}
}

// unescape takes percent-encoding back.
func unescape(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		n, err := strconv.ParseUint(s[i+1:min(i+3, len(s))], 16, 8)
		if err != nil {
			t.Fatalf("%q is no escaped text at byte %d: %v", s, i, err)
		}
		b.WriteByte(byte(n))
		i += 2
	}
	return b.String()
}
