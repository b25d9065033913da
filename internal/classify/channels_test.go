package classify

import (
	"fmt"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/golden"
)

// TestChannelsDocument holds the table in docs/channels.md to the rules; -update writes it.
func TestChannelsDocument(t *testing.T) {
	golden.CheckPart(t, "../../docs/channels.md", "./internal/classify", rulesInWords())
}

func rulesInWords() string {
	var b strings.Builder
	b.WriteString("| | channel | when |\n|---|---|---|\n")
	for i, r := range rules {
		var when []string
		for _, c := range r.when {
			when = append(when, inWords(c))
		}
		fmt.Fprintf(&b, "| %d | %s | %s |\n", i+1, r.channel, strings.Join(when, "; or "))
	}
	fmt.Fprintf(&b, "| %d | %s | none of these |\n", len(rules)+1, unassigned)
	return b.String()
}

func inWords(c condition) string {
	var all []string
	if c.kind != nowhere {
		all = append(all, "the source is of the kind "+c.kind.String())
	}
	add := func(what string, words []string) {
		var quoted []string
		for _, word := range words {
			if word == "" {
				quoted = append(quoted, "absent")
			} else {
				quoted = append(quoted, "`"+word+"`")
			}
		}
		if last := len(quoted) - 1; last > 0 {
			quoted = append(quoted[:last-1], quoted[last-1]+" or "+quoted[last])
		}
		if len(words) > 0 {
			all = append(all, "the "+what+" is "+strings.Join(quoted, ", "))
		}
	}
	add("source", c.source)
	add("medium", c.medium)
	add("campaign", c.campaign)
	return strings.Join(all, " and ")
}

func TestWordsOfRules(t *testing.T) {
	for _, c := range []struct {
		word, text string
		want       bool
	}{
		{"cpm", "cpm", true},
		{"cpm", "cpms", false},
		{"", "", true},
		{"", "a", false},
		{"paid*", "paid", true},
		{"paid*", "paid_social", true},
		{"paid*", "unpaid", false},
		{"*push", "web-push", true},
		{"*push", "pushed", false},
		{"*cp*", "cpc", true},
		{"*cp*", "acpa", true},
		{"*cp*", "pc", false},
	} {
		if got := fits(c.word, c.text); got != c.want {
			t.Errorf("fits(%q, %q) = %v, want %v", c.word, c.text, got, c.want)
		}
	}
}
