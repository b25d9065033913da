package event

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/slow"
)

// everyField are members with a value of each kind that occurs in practice, as JSON.
var everyField = [][2]string{
	{"siteId", `"shop"`}, {"type", `"page_view"`}, {"timestamp", `"2026-05-12T14:03:07.250Z"`}, {"id", `"e-1"`}, {"visitorId", `"v1"`},
	{"sessionId", `"0b7e1c52-8f3a-4d1e-9c6b-5a2f8d7e4c31"`}, {"userId", "null"}, {"url", `"https:\/\/shop.example\/"`}, {"referrer", `""`},
	{"title", `"Caf\u00e9 é"`}, {"userAgent", `"Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/128.0"`}, {"name", `"n"`},
	{"value", "12.50"}, {"country", `"CH"`}, {"region", "5"}, {"city", `"Zürich"`}, {"device", `"` + strings.Repeat("x", 65) + `"`},
	{"browser", `"Firefox"`}, {"os", `"Linux"`}, {"properties", `{"plan":"pro","scroll":70}`}, {"campaign", `"spring"`},
}

// spell writes members with what is before a key, between the key and its value, and after the value.
func spell(members [][2]string, before, between, after string) []byte {
	var list []string
	for _, m := range members {
		list = append(list, before+quoted(m[0])+between+m[1]+after)
	}
	return []byte("{" + strings.Join(list, ",") + "}")
}

func TestKeysInEveryOrder(t *testing.T) {
	few := slices.Clone(everyField[:5])
	var permute func(n int)
	permute = func(n int) {
		if n == len(few) {
			if _, reason, detail := decodeBothWays(t, spell(few, "", ":", "")); reason != Accepted {
				t.Fatalf("%v: %s (%s)", few, reason, detail)
			}
			return
		}
		for i := n; i < len(few); i++ {
			few[n], few[i] = few[i], few[n]
			permute(n + 1)
			few[n], few[i] = few[i], few[n]
		}
	}
	permute(0)
	r := rand.New(rand.NewPCG(5, 6))
	gaps := [][3]string{{"", ":", ""}, {" ", ": ", ""}, {"\n\t", " : ", " "}, {"", ":                ", ""}, {"                 ", ":", ""}}
	for range 2_000 { // Some are absent, some come twice, and each record has another spelling than the one before.
		n := r.IntN(len(everyField) + 1)
		var members [][2]string
		for _, at := range r.Perm(len(everyField))[:n] {
			members = append(members, everyField[at])
		}
		if n > 0 && r.IntN(10) == 0 {
			members = append(members, members[r.IntN(n)])
		}
		gap := gaps[r.IntN(len(gaps))]
		decodeBothWays(t, spell(members, gap[0], gap[1], gap[2]))
	}
}

// TestExpectedKeysAreFoundAgain is about what makes the scanner fast: keys that it knows are not searched for, though some are absent.
func TestExpectedKeysAreFoundAgain(t *testing.T) {
	for _, gap := range [][3]string{{"", ":", ""}, {" ", ": ", ""}} {
		texts := slices.DeleteFunc(slices.Clone(everyField), func(m [2]string) bool {
			return m[0] == "campaign" || !strings.HasPrefix(m[1], `"`) || m[1] == `""` || strings.ContainsAny(m[1], "\\") || len(m[1]) > 64+2
		})
		d := NewDecoder()
		d.Decode(spell(texts, gap[0], gap[1], gap[2]), new(Event))
		for first := 1; first < len(texts); first++ {
			for absent := 0; absent <= maxAbsent && first+absent < len(texts); absent++ {
				rest := spell(slices.Delete(slices.Clone(texts), first, first+absent), gap[0], gap[1], gap[2])
				rest = append(rest, strings.Repeat(" ", maxSpelled)...)
				d.begin()
				i := bytes.IndexByte(rest, ',')
				end, after := d.scanUsual(rest, i, 1)
				if want := bytes.LastIndexByte(rest, '}'); end != want || first+absent < len(texts) && after != len(texts) {
					t.Errorf("without %d keys from %q on: stopped at %d, before %q, want %d", absent, texts[first][0], end, rest[end:], want)
				}
			}
		}
	}
}

// TestKnownKeysAreStillJudged changes records whose keys the scanner knows: a byte or more is another, or the rest is missing.
func TestKnownKeysAreStillJudged(t *testing.T) {
	records := [][]byte{spell(everyField[:8], "", ":", ""), spell(everyField[8:], " ", ": ", ""), trackedRecords(2, true, "")[1]}
	step := slow.Every(t, 3)
	for _, value := range records {
		for at := 0; at < len(value); at += step {
			decodeBothWays(t, value[:at])
			for _, c := range []string{`"`, `\`, "{", "}", "[", ",", ":", " ", "0", "\x00", "\x80", "é", "", `","`, `":"`, `{"siteId":"x"`} {
				changed := fmt.Appendf(nil, "%s%s%s", value[:at], c, value[at+1:])
				decodeBothWays(t, changed)
			}
		}
	}
}
