package schema

import (
	"fmt"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// ruled says what holds in the end by the rules of a site.
func ruled(text string) (string, error) {
	s, err := sites.ParseRules(text)
	if err != nil {
		return "", err
	}
	const last = 1 << 61
	return fmt.Sprintf("in the end %d shards of raw events, zone %s", s.ShardsAt(last), s.Zone(last).Loc), nil
}

// goal says what reaches a goal, and what it is worth.
func goal(text string) (string, error) {
	g, err := sites.ParseGoal(text)
	if err != nil {
		return "", err
	}
	return g.Meaning(), nil
}

// steps says the steps of a funnel.
func steps(text string) (string, error) {
	s, err := sites.ParseFunnelSteps(text)
	if err != nil {
		return "", err
	}
	return sites.SpellFunnelSteps(s), nil
}

func settings(ver string) (string, error) {
	s, err := checkpoint.ParseSettings(ver)
	if err != nil {
		return "", err
	}
	late := "too late: never"
	if s.LateMs >= 0 {
		late = "too late after " + duration(s.LateMs)
	}
	believed := "records of any date"
	if s.NotAfter > 0 {
		believed = "records dated until " + time.UnixMilli(s.NotAfter).UTC().Format(time.RFC3339)
	}
	raw := "no raw events"
	switch {
	case s.RawEvents && s.RawPacked:
		raw = "packed raw events"
	case s.RawEvents:
		raw = "raw events"
	}
	breakdowns := "no breakdowns"
	if s.Breakdowns > 0 {
		breakdowns = fmt.Sprintf("breakdowns of %d rows and at most %d bytes, by the lists %s", s.Breakdowns, s.BreakdownBytes, s.Classify)
	}
	bots := "no lists of bots"
	if s.Bots.Lists {
		bots = "bots by the lists " + s.Classify
	}
	if s.Bots.Rate > 0 {
		bots += fmt.Sprintf(", bots by more than %d events of a session in a minute", s.Bots.Rate)
	}
	visits := "no visits of events without a sessionId"
	if s.VisitGapMs > 0 {
		visits = fmt.Sprintf("visits of events without a sessionId, at most %s apart and %s long", duration(s.VisitGapMs),
			duration(s.VisitLongestMs))
	}
	kept := s.Retention
	return strings.Join([]string{
		fmt.Sprintf("fold version %d", s.Fold),
		late, "too early after " + duration(s.EarlyMs), believed,
		"types that end no bounce beside page_view: " + strings.Join(s.NonInteractive, " "),
		raw, "window of duplicates: " + s.Duplicates.String(), breakdowns, bots, visits,
		fmt.Sprintf("raw events are kept %s, sessions %s, hours %s, days %s",
			days(kept.RawDays), days(kept.SessionDays), days(kept.HourDays), days(kept.DayDays)),
	}, "; "), nil
}
