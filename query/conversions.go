package query

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/numbers"
	"github.com/footfall/footfall/query/internal/sessionlists"
	"github.com/footfall/footfall/query/internal/sitetable"
	"github.com/footfall/footfall/sinks"
)

// ConversionsParams ask for the conversions of a goal. A deleted goal keeps its conversions until its id is given to another goal.
type ConversionsParams struct {
	Site, Goal string
	From, To   time.Time // event time at which the goal was reached; To is exclusive; zero: open
	Paging
}

// ConversionsAnswer lists conversions in the order of their event time.
type ConversionsAnswer struct {
	Site string `json:"siteId"`
	Known
	GoalID string     `json:"goalId"`
	Goal   *Goal      `json:"goal"` // null: the site has never had it
	From   *time.Time `json:"from"` // null: open
	To     *time.Time `json:"to"`   // null: open
	// Conversions are kept as long as sessions are. Their counts are kept as long as hours and days are: see GoalStats.
	Conversions    []Conversion `json:"conversions"`
	ExpiredOmitted int          `json:"expiredCount"`
	Cursor         string       `json:"cursor"` // of the next page; "": this is the last
}

// Conversion is an event by which a session reached a goal.
type Conversion struct {
	At        time.Time `json:"at"` // event time
	SessionID string    `json:"sessionId"`
	VisitorID string    `json:"visitorId"` // of the event; "": none
	UserID    string    `json:"userId"`    // of the event; "": none
	Type      string    `json:"type"`
	Name      string    `json:"name"`      // "": none
	Page      string    `json:"page"`      // truncated to 200 bytes; "": the event has no url
	Value     *string   `json:"value"`     // a decimal; null: none
	Source    string    `json:"source"`    // where the event's record lies: topic/partition/offset
	Partition string    `json:"partition"` // topic number and partition, 1_17
}

func readConversion(it sinks.Item) Conversion {
	sk := it[sinks.AttrSK].Str()
	c := Conversion{At: calendar.Instant(it[sinks.AttrAt].Int()), SessionID: it[sinks.AttrSessionID].Str(),
		VisitorID: it[sinks.AttrVisitorID].Str(),
		UserID:    it[sinks.AttrUserID].Str(), Type: it["type"].Str(), Name: it[sinks.AttrName].Str(), Page: it[sinks.AttrPage].Str(),
		Source: it["source"].Str(), Partition: sk[strings.LastIndexByte(sk, '#')+1:]}
	if v := it[sinks.AttrValueMicros]; v.Kind() == sinks.Number {
		c.Value = new(numbers.Decimal(v.Num()))
	}
	return c
}

// Conversions lists the conversions of a goal. It merges the index of all shards and reads the items that the index names, strongly.
// A goal that the site has never had gives an empty list: see [ConversionsAnswer.UnknownGoal].
func (r *Reader) Conversions(ctx context.Context, p ConversionsParams) (ConversionsAnswer, error) {
	return ask(ctx, r, p, answerConversions, "conversions of goal %q of site %q", p.Goal, p.Site)
}

// UnknownGoal reports whether the site is known, and has never had the goal.
func (a ConversionsAnswer) UnknownGoal() bool { return a.SiteKnown && a.Goal == nil }

func answerConversions(ctx context.Context, t *sitetable.Store, p ConversionsParams) (_ ConversionsAnswer, err error) {
	a := ConversionsAnswer{Site: p.Site, GoalID: p.Goal, Conversions: []Conversion{}}
	if a.Goal, err = loadGoal(ctx, t, GoalParams{Site: p.Site, Goal: p.Goal, Consistent: true}); err != nil {
		return ConversionsAnswer{}, err
	}
	if a.SiteKnown, err = t.Known(ctx, p.Site, a.Goal != nil); err != nil {
		return ConversionsAnswer{}, err
	}
	number := uint64(0)
	if a.Goal != nil {
		number = a.Goal.Number
	}
	list, err := sitetable.NewListing(p.Paging, "conversions", p.Site, p.Goal, fmt.Sprint(number))
	if err != nil {
		return ConversionsAnswer{}, err
	}
	s, err := list.Span(p.From, p.To)
	if err != nil {
		return ConversionsAnswer{}, err
	}
	a.From, a.To = s.Ends()
	if a.Goal == nil {
		return a, nil
	}
	shards, err := t.SessionShards(ctx)
	if err != nil {
		return ConversionsAnswer{}, err
	}
	var lists []string
	for nn := range shards {
		lists = append(lists, t.Keys.GoalConversions(p.Site, number, nn))
	}
	refs := sessionlists.Indexed(t, sinks.GSI1, s, list, lists...)
	found, err := refs.Collect(ctx, list.Limit, true)
	if err != nil {
		return ConversionsAnswer{}, err
	}
	for _, it := range found.Items {
		a.Conversions = append(a.Conversions, readConversion(it))
	}
	a.ExpiredOmitted = found.Expired
	if found.More {
		a.Cursor = list.Next(refs.Last, s)
	}
	return a, nil
}
