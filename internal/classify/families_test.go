package classify

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
)

// TestFamiliesAreFoundAsByAllRulesInOrder compares what is faster with the expressions themselves, each tried in its turn.
func TestFamiliesAreFoundAsByAllRulesInOrder(t *testing.T) {
	var lists struct{ Browsers, Systems [][]string }
	if err := json.Unmarshal([]byte(read("agents.json")), &lists); err != nil {
		t.Fatal(err)
	}
	browsersOf, systemsOf := agentFamilies()
	var texts []string
	for i, userAgent := range browsers(t) {
		if i%20 == 0 {
			texts = append(texts, userAgent)
		}
	}
	for _, text := range hostile() {
		if len(text) <= MaxUserAgentBytes {
			texts = append(texts, text)
		}
	}
	for _, list := range []struct {
		fast  *families
		rules [][]string
	}{{browsersOf, append(inApps, lists.Browsers...)}, {systemsOf, lists.Systems}} {
		all := make([]family, len(list.rules))
		named := map[string]bool{}
		for i, rule := range list.rules {
			expr := regexp.MustCompile(rule[0])
			all[i] = family{find: func() *regexp.Regexp { return expr }, name: "$1"}
			if len(rule) > 1 {
				all[i].name = rule[1]
			}
			// A text that the expression finds, for many of them.
			texts = append(texts, strings.NewReplacer(`\d+`, "1", `\.`, ".", "(?:", "(", "|)", ")", "(", "", ")", "").Replace(rule[0]))
		}
		for _, text := range texts {
			want := ""
			for i := range all {
				if name, ok := all[i].match(text); ok {
					want = name
					break
				}
			}
			if got := list.fast.find(text); got != want {
				t.Errorf("%q is of family %q, want %q", text, got, want)
			}
			named[want] = true
		}
		if len(named) < 30 {
			t.Errorf("%d families are met, want 30", len(named))
		}
	}
}
