package page

import (
	"bytes"
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/page/links"
	"github.com/footfall/footfall/query"
)

// A whole list names the goals of its conversions, and links to the list of each active goal; pages link to entry pages.
func TestListsLeadToConversionsOfAGoal(t *testing.T) {
	goals := []query.Goal{{ID: "bought", Name: "Bought <it>", Active: true}, {ID: "rests"}, {ID: "gone", Active: true, Deleted: true},
		{ID: "b", Active: true}}
	leading := func(dimension, where string) string {
		return fmt.Sprintf(`<a href="/sites/shop/top/%s?from=-7d&sort=conversions%swhere=goal%%3Dbought"><bdi>Bought <it></bdi></a> `+
			`<a href="/sites/shop/top/%[1]s?from=-7d&sort=conversions%[2]swhere=goal%%3Db"><bdi>b</bdi></a>`, dimension, where)
	}
	for _, c := range []struct {
		dimension, where string

		conversions int64
		says        string // "": nothing
	}{
		{"referrer", "", 3, "Conversions are of all goals together. Raw events say those of one:</span> " + leading("referrer", "&")},
		{"country", "", 0, "Raw events say the conversions of a goal:</span> " + leading("country", "&")},
		{"page", "", 3, leading("entry", "&")},
		{"event", "", 0, ""},
		{"property:plan", "", 0, ""},
		{"country", "channel=Email", 0, leading("country", "&where=channel%3DEmail&")},
		{"country", "type=order", 0, ""},
		{"country", "goal=bought", 3, "Conversions are of the goal that the filter asks for. " +
			"Their rate is of the sessions that pass the other filters."},
	} {
		v := TopView{At: links.Address{Site: "shop", Values: map[string]string{"from": "-7d"}}, Goals: goals, Answer: query.TopAnswer{
			Dimension: c.dimension, Sort: "events", From: day, To: day, Rows: []query.TopRow{{Value: "x"}}}}
		v.Answer.Rows[0].Conversions = c.conversions
		if c.where != "" {
			where, err := query.ParseConditions([]string{c.where})
			if err != nil {
				t.Fatal(err)
			}
			v.At.Where, v.Filtering = where, &Filtering{Scope: query.ScopeOf(where), Source: query.FromEvents}
		}
		var b bytes.Buffer
		if err := Top(&b, v); err != nil {
			t.Fatal(err)
		}
		page := html.UnescapeString(b.String())
		if wantAll(t, page, c.says); c.says == "" && strings.Contains(page, "where=goal") {
			t.Errorf("%s under %q leads to a goal: %s", c.dimension, c.where, page)
		}
	}
}

// Under a locked filter by a goal, conversions have no rate that the page could explain.
func TestLockedGoalsHaveNoRate(t *testing.T) {
	where := []query.Condition{{Dimension: query.GoalDimension, Op: query.Is, Values: []string{"bought"}}}
	v := TopView{At: links.Address{Site: "shop", Where: where, Locked: where},
		Filtering: &Filtering{Scope: query.ScopeSessions, Source: query.FromEvents},
		Answer:    query.TopAnswer{Dimension: "country", Sort: "events", From: day, To: day, Rows: []query.TopRow{{Value: "x"}}}}
	v.Answer.Rows[0].Conversions = 3
	var b bytes.Buffer
	if err := Top(&b, v); err != nil {
		t.Fatal(err)
	}
	if wantAll(t, b.String(), "Conversions are of the goal that the filter asks for."); strings.Contains(b.String(), "Their rate") {
		t.Errorf("the page explains a rate: %s", b.String())
	}
}
