package sinks

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/footfall/footfall/sinks/internal/ids"
)

const someHour = 1_778_594_400_000 // 2026-05-12T14:00:00Z

func TestKeysAreSpelledAsDocumented(t *testing.T) {
	k, tp := Keys{}, TP{Topic: 1, Partition: 17}
	for _, c := range []struct {
		name string
		got  Key
		want Key
	}{
		{"table settings", k.TableSettings(), Key{"PIPELINE", "TABLE"}},
		{"topic", k.Topic("web#events"), Key{"PIPELINE", "TOPIC#web%23events"}},
		{"checkpoint", k.Checkpoint(tp, "stats"), Key{"CHAIN#1", "P#17#stats"}},
		{"chain history", k.History(tp, "stats", 42), Key{"CHAIN#1", "P#17#stats#0000000000000042"}},
		{"replay", k.Replay(tp, "web#events.failed"), Key{"CHAIN#1", "REPLAY#web%23events.failed#17"}},
		{"site list entry", k.SiteEntry("shop"), Key{"SITES#15", "shop"}},
		{"site", k.Metadata("shop"), Key{"SITE#shop", "METADATA"}},
		{"funnel", k.Funnel("shop", "check#out"), Key{"SITE#shop", "FUNNEL#check%23out"}},
		{"segment", SegmentKey("shop", "de"), Key{"SITE#shop", "SEGMENT#de"}},
		{"event", k.Event("shop", 7, "01KRE3M8R0ABCDEFGHJKMNPQRS"), Key{"SITE#shop#SHARD#07", "EVENT#01KRE3M8R0ABCDEFGHJKMNPQRS"}},
		{"event in a high shard", k.Event("shop", 63, "01KRE3M8R0ABCDEFGHJKMNPQRS"),
			Key{"SITE#shop#SHARD#63", "EVENT#01KRE3M8R0ABCDEFGHJKMNPQRS"}},
		{"session", k.Session("shop", "s-1", tp, 16), Key{"SITE#shop#SHARD#07", "SESSION#s-1#1_17"}},
		{"session of a UUID", k.Session("shop", "c0a8017e-3d2f-4f0e-8a4c-7b1d9e5f2a60", tp, 1),
			Key{"SITE#shop#SHARD#00", "SESSION#%uwKgBfj0vTw6KTHsdnl8qYA#1_17"}},
		{"visitor of a hash", k.VisitorState("shop", "5f2b9c1e8a414c7d9a550c2a44d1b6f3", tp, 1),
			Key{"SITE#shop#SHARD#00", "VISITOR#%xXyucHopBTH2aVQwqRNG28w#1_17"}},
		{"a site of a UUID", k.Metadata("c0a8017e-3d2f-4f0e-8a4c-7b1d9e5f2a60"), Key{"SITE#c0a8017e-3d2f-4f0e-8a4c-7b1d9e5f2a60", "METADATA"}},
		{"session by user", Key{k.User("shop", "u"), SessionOrder(someHour+1, "s-1", tp)},
			Key{"SITE#shop#USER#u", "01KRE7SHR1#NhJJycJE"}},
		{"sessions of visitors", k.VisitorSessions("shop", VisitorBucket{Depth: 3, Bits: 5}, someHour, tp, 42, 1),
			Key{"SITE#shop#VISITORS", "3-5#2026-05-12T14#1_17#42#1"}},
		{"new sessions", k.NewSessions("shop", someHour+3*60_000, tp, 42), Key{"SITE#shop#VISITORS", "NEW#2026-05-12T14:03#1_17#42"}},
		{"owner", Key{k.Owner("o"), k.Site("shop")}, Key{"OWNER#o", "SITE#shop"}},
		{"recent sessions", k.Recent("shop", someHour+3*60_000, tp, 42, 1), Key{"SITE#shop#RECENT", "2026-05-12T14:03#1_17#42#1"}},
		{"hour stats", k.HourStats("shop", someHour), Key{"SITE#shop", "STATS#hour#2026-05-12T14"}},
		{"hour stats at half past", k.HourStats("shop", someHour+30*60_000), Key{"SITE#shop", "STATS#hour#2026-05-12T14:30"}},
		{"day stats", k.DayStats("shop", someHour), Key{"SITE#shop", "STATS#day#2026-05-12"}},
		{"realtime", k.Realtime("shop", someHour+3*60_000, tp), Key{"SITE#shop", "REALTIME#2026-05-12T14:03#1_17"}},
		{"uniques", k.Uniques("shop", someHour, tp), Key{"SITE#shop#UNIQUES#2026-05-12", "hour#2026-05-12T14#1_17"}},
		{"the second generation", Keys{Generation: 2}.DayStats("shop", someHour), Key{"G2#SITE#shop", "STATS#day#2026-05-12"}},
		{"the first generation", Keys{Generation: 1}.DayStats("shop", someHour), Key{"SITE#shop", "STATS#day#2026-05-12"}},
		{"table settings of any generation", Keys{Generation: 2}.TableSettings(), Key{"PIPELINE", "TABLE"}},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestIdsBecomeSegments(t *testing.T) {
	long := strings.Repeat("a", 256)
	for _, c := range []struct{ name, id, want string }{
		{"a plain id as it is", "shop.example-1_A", "shop.example-1_A"},
		{"the separator", "a#b", "a%23b"},
		{"the escape", "100%", "100%25"},
		{"what looks like an escape", "a%23b", "a%2523b"},
		{"control characters", "a\x00b\nc\x7f", "a%00b%0Ac%7F"},
		{"other scripts as they are", "日本ａｂ 😀", "日本ａｂ 😀"},
		{"256 bytes as they are", long, long},
		{"257 bytes cut", long + "a", strings.Repeat("a", 222) + "%~e8d95cc2b4bc198c54b40bd214df958a"},
		{"cut before a rune", strings.Repeat("a", 221) + strings.Repeat("é", 50), strings.Repeat("a", 221) + "%~"},
		{"cut before an escape", strings.Repeat("a", 221) + strings.Repeat("#", 50), strings.Repeat("a", 221) + "%~"},
		{"cut inside an escape", strings.Repeat("a", 220) + strings.Repeat("#", 50), strings.Repeat("a", 220) + "%~"},
		{"cut behind an escape", strings.Repeat("a", 219) + strings.Repeat("#", 50), strings.Repeat("a", 219) + "%23%~"},
	} {
		got := ids.Escape(c.id)
		if len(got) > ids.MaxBytes {
			t.Errorf("%s: %d bytes", c.name, len(got))
		}
		if strings.HasSuffix(c.want, "%~") { // The hash is not this case's matter.
			got = got[:len(got)-32]
		}
		if got != c.want {
			t.Errorf("%s: %q became\n%q, want\n%q", c.name, c.id, got, c.want)
		}
	}
}

func TestKeysSortByTime(t *testing.T) {
	var hours, minutes, days, sessions []string
	start := time.Date(1999, 12, 30, 0, 0, 0, 0, time.UTC)
	for i := range 24 * 4 * 3 {
		at := start.Add(time.Duration(i) * 30 * time.Minute).UnixMilli()
		hours = append(hours, Hour(at))
		minutes = append(minutes, Minute(at))
		days = append(days, Day(at))
		sessions = append(sessions, SessionOrder(at, "s", TP{}), SessionOrder(at+1, "a", TP{}), SessionOrder(at+1000, "a", TP{}))
	}
	for name, keys := range map[string][]string{"hours": hours, "minutes": minutes, "days": days, "sessions": sessions} {
		if !slices.IsSorted(keys) {
			t.Errorf("%s do not sort by time: %q", name, keys)
		}
	}
	if b := InstantBound(someHour); SessionOrder(someHour-1, "\U0010ffff", TP{}) >= b || SessionOrder(someHour, "", TP{}) < b {
		t.Errorf("%q does not divide the sessions opened before it from the others", b)
	}
}

func TestBucketsAreReadBack(t *testing.T) {
	const day, hour, minute = 86_400_000, 3_600_000, 60_000
	for _, ms := range []int64{0, someHour, someHour + 30*minute, 951_782_400_000, /* a leap day */
		253_402_300_740_000 /* the last minute of 9999 */} {
		for _, c := range []struct {
			name  string
			unit  int64
			spell func(int64) string
			parse func(string) (int64, error)
		}{
			{"minute", minute, Minute, ParseMinute}, {"half hour", hour / 2, Hour, ParseHour}, {"hour", hour, Hour, ParseHour},
			{"day", day, Day, ParseDay},
		} {
			start := ms - ms%c.unit
			if back, err := c.parse(c.spell(start)); err != nil || back != start {
				t.Errorf("%s of %d: %q was read back as %d, %v", c.name, start, c.spell(start), back, err)
			}
			for _, bad := range []string{"", "2026", c.spell(start) + "x", "x" + c.spell(start), "2026-13-01", "2026-02-30"} {
				if got, err := c.parse(bad); err == nil {
					t.Errorf("%q was read as a %s, %d", bad, c.name, got)
				}
			}
		}
	}
}

func TestTPIsReadBack(t *testing.T) {
	for _, tp := range []TP{{}, {1, 17}, {1 << 40, 1<<31 - 1}} {
		if back, err := ParseTP(tp.String()); err != nil || back != tp {
			t.Errorf("%v was read back as %v, %v", tp, back, err)
		}
	}
	for _, s := range []string{"", "1", "_", "1_", "_1", "1_2_3", "a_b", "1_99999999999"} {
		if tp, err := ParseTP(s); err == nil {
			t.Errorf("%q was read as %v", s, tp)
		}
	}
}

func TestShardsAreEvenAndNeverChange(t *testing.T) {
	for id, want := range map[string]int{"": 9, "a": 11, "session-1": 3, "日本": 11} { // xxh64 with seed 0, mod 16
		if got := ShardOf(id, 16); got != want {
			t.Errorf("ShardOf(%q, 16) = %d, want %d", id, got, want)
		}
	}
	const ids, shards = 64_000, 16
	var counts [shards]int
	for i := range ids {
		counts[ShardOf(fmt.Sprint("visitor-", i), shards)]++
	}
	for n, count := range counts {
		if count < ids/shards*9/10 || count > ids/shards*11/10 {
			t.Errorf("shard %d has %d of %d ids, want a sixteenth within 10 %%", n, count, ids)
		}
	}
}

func TestMarksNameLaneAndPartition(t *testing.T) {
	tp := TP{3, 5}
	if got := AttrMark("stats", tp); got != "ws3_5" {
		t.Errorf("mark of the stats lane = %q, want ws3_5", got)
	}
	if got := AttrMark("realtime", tp); got != "wr3_5" {
		t.Errorf("mark of the realtime lane = %q, want wr3_5", got)
	}
	if got := AttrUniques(tp); got != "h3_5" {
		t.Errorf("attribute of uniques = %q, want h3_5", got)
	}
}

// TestPrefixesFindTheirOwn: a query by prefix, as readers make it, finds every key of its own kind and owner, and
// none of another's, however alike the ids are.
func TestPrefixesFindTheirOwn(t *testing.T) {
	k := Keys{}
	ids := []string{"a", "a#", "a#1_1", "a%23", "a%", "aa", "A", "ａ", "a\x00", strings.Repeat("a", 256), strings.Repeat("a", 257),
		strings.Repeat("a", 258)}
	tps := []TP{{1, 1}, {1, 11}, {11, 1}}
	within := func(key Key, pk, prefix string) bool { return key.PK == pk && strings.HasPrefix(key.SK, prefix) }
	for _, mine := range ids {
		for _, other := range ids {
			for _, tp := range tps {
				pk, prefix := k.Sessions("site", mine, 1)
				if got := within(k.Session("site", other, tp, 1), pk, prefix); got != (mine == other) {
					t.Errorf("sessions of %.20q find one of %.20q: %v", mine, other, got)
				}
				if pk, _ := k.Sessions(mine, "s", 1); (k.Session(other, "s", tp, 1).PK == pk) != (mine == other) {
					t.Errorf("sessions of site %.20q find one of %.20q", mine, other)
				}
			}
		}
		pk, prefix := k.Topics()
		if !within(k.Topic(mine), pk, prefix) || within(k.TableSettings(), pk, prefix) {
			t.Errorf("topics do not find topic %.20q, or the settings", mine)
		}
		if e := k.SiteEntry(mine); !inSiteList(k, e) {
			t.Errorf("the list of sites does not hold %.20q", mine)
		}
	}
	for _, mine := range tps {
		for _, other := range tps {
			for _, lane := range []string{"stats", "realtime"} {
				pk, prefix := k.Histories(mine, "stats")
				if got := within(k.History(other, lane, 7), pk, prefix); got != (mine == other && lane == "stats") {
					t.Errorf("histories of %v find one of %v, %s: %v", mine, other, lane, got)
				}
				if within(k.Checkpoint(other, lane), pk, prefix) {
					t.Errorf("histories of %v find the checkpoint of %v", mine, other)
				}
				pk, prefix = k.Checkpoints(mine.Topic)
				if got := within(k.Checkpoint(other, lane), pk, prefix); got != (mine.Topic == other.Topic) {
					t.Errorf("checkpoints of topic %d find one of %v: %v", mine.Topic, other, got)
				}
			}
		}
	}
	if a, b := k.History(tps[0], "stats", 9).SK, k.History(tps[0], "stats", 10).SK; a >= b {
		t.Errorf("history of step 9 sorts behind step 10: %q, %q", a, b)
	}
}

func inSiteList(k Keys, e Key) bool {
	for nn := range SiteListShards {
		if k.SiteList(nn) == e.PK {
			return true
		}
	}
	return false
}

func TestKeysAreValidText(t *testing.T) {
	for _, id := range []string{"é", strings.Repeat("é", 200), "a" + strings.Repeat("é", 200), strings.Repeat("😀", 100), "ab" +
		strings.Repeat("😀", 100)} {
		if s := ids.Escape(id); !utf8.ValidString(s) {
			t.Errorf("%q became %q, which is cut inside a rune", id, s)
		}
	}
}
