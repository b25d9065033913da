package classify

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestBotsAreFoundAsByTheirExpressions compares what is faster with the expressions themselves, in texts that are put together from
// them.
func TestBotsAreFoundAsByTheirExpressions(t *testing.T) {
	var expressions []string
	if err := json.Unmarshal([]byte(read("bots.json")), &expressions); err != nil {
		t.Fatal(err)
	}
	pieces := []string{"", " ", ";", "g", "cam", "lib", "sapphire", " cu", "bots_", "googlewv", "google/google", " channel/google", "java;",
		"news", "http", "/1.0;", "mozilla/5.0 "}
	for _, expr := range expressions {
		pieces = append(pieces, strings.NewReplacer(`\b`, "", `\w`, "a", "^", "", "$", "", `\.`, ".", "(?:", "", ")", "", "(", "").Replace(expr))
	}
	type reference struct {
		find                *regexp.Regexp
		notBefore, notAfter []string
	}
	var all []reference
	for _, expr := range expressions {
		if expr == "(?:^|[^g])news(?!sapphire)" {
			all = append(all, reference{regexp.MustCompile("(?:^|[^g])news"), nil, []string{"sapphire"}})
			continue
		}
		middle, before, after := cutSurroundings(expr)
		all = append(all, reference{regexp.MustCompile(middle), before, after})
	}
	b := readBots()
	dice := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 20_000 {
		var text string
		for range 1 + dice.IntN(2) {
			text += pieces[dice.IntN(len(pieces))]
		}
		if dice.IntN(3) > 0 && len(text) > 0 {
			text = text[:dice.IntN(len(text))] + text[dice.IntN(len(text)):]
		}
		text = lower(text)
		want := slices.ContainsFunc(all, func(r reference) bool {
			p := pattern{notBefore: r.notBefore, notAfter: r.notAfter}
			return slices.ContainsFunc(r.find.FindAllStringIndex(text, -1), func(at []int) bool { return p.stands(text[:at[0]], text[at[1]:]) })
		})
		if got := b.match(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
		if want {
			found++
		}
	}
	t.Logf("%d of 20,000 texts are of bots", found)
}
