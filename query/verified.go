package query

import (
	"context"
	"time"

	"github.com/footfall/footfall/internal/verified"
	"github.com/footfall/footfall/query/internal/calendar"
	"github.com/footfall/footfall/query/internal/recounts"
	"github.com/footfall/footfall/query/internal/sitetable"
)

// VerifiedParams ask for the last recount of a site's figures of a range.
type VerifiedParams struct {
	Site       string
	From, To   time.Time // of the figures; To is exclusive; zero: open. An open end is where the recounts of the site end
	Consistent bool      // strongly consistent reads, at twice the cost
}

// VerifiedAnswer has the last recount of a site's figures that `footfall verify --record` has kept.
type VerifiedAnswer struct {
	Site string `json:"siteId"`
	Known
	From *time.Time `json:"from"` // of the figures; null: open
	To   time.Time  `json:"to"`   // exclusive. Of an open range: LastVerified.Through if it covers the range, otherwise now
	// LastVerified is the last recount that covers the figures of the range, otherwise the last of the site. null: there is none, or the
	// credential may not see one that does not cover the figures.
	LastVerified *Verification `json:"lastVerified"`
	// Covers says that LastVerified is of the whole range, and that no record that came after it can have changed the figures by event:
	// events, page views, visitors, values and conversions. Figures of sessions change as long as a session that began in the range
	// continues.
	Covers bool `json:"covers"`
	// Reason says why LastVerified does not cover the figures: never, range, inconclusive or older; "": it does.
	Reason string `json:"reason"`
}

// Why no recount covers figures.
const (
	NotVerified      = "never"                   // there is no recount of the site
	OtherRange       = recounts.OtherRange       // the last one is of another range
	Inconclusive     = recounts.Inconclusive     // the last one could not compare the range, or not all of its records
	OlderThanFigures = recounts.OlderThanFigures // records that came after the last one may have changed the figures
)

// Verification is the result of a recount.
type Verification struct {
	VerifiedAt time.Time  `json:"verifiedAt"` // when it began
	AllSites   bool       `json:"allSites"`   // it was of all sites; false: of this one
	From       *time.Time `json:"from"`       // of its range of event time, in its zone; null: open
	To         *time.Time `json:"to"`         // exclusive; null: open
	Zone       string     `json:"timeZone"`   // by its IANA name
	// Through is up to which event time no record that came after the recount can have changed figures by event. null: any can, because
	// any lateness is allowed.
	Through *time.Time `json:"verifiedThrough"`
	// Conclusive says that all of the range could be compared, apart from what has expired or was erased.
	Conclusive      bool  `json:"conclusive"`
	DifferenceCount int64 `json:"differenceCount"` // of all sites, if the recount was of all
	// Counts are how much was compared. null: the credential does not include all sites, or is limited.
	Counts *VerifiedCounts `json:"counts"`
}

// VerifiedCounts are how much a recount has compared.
type VerifiedCounts struct {
	Topic    string           `json:"topic"`
	Records  int64            `json:"records"`
	Compared map[string]int64 `json:"compared"` // items, by kind
	LeftOut  map[string]int64 `json:"leftOut"`  // items that could not be compared, by reason
	// NotCompared are those of LeftOut that figures may need: they have not expired, and are not erased.
	NotCompared int64 `json:"notComparedCount"`
	Unsettled   int64 `json:"unsettledCount"`
	Behind      int64 `json:"behindCount"` // partitions with records that could not be compared
}

// WithoutCounts returns the answer without the numbers of what was compared and without the topic.
func (a VerifiedAnswer) WithoutCounts() VerifiedAnswer {
	if v := a.LastVerified; v != nil {
		own := *v
		own.Counts = nil
		a.LastVerified = &own
	}
	return a
}

// LastVerified finds the last recount of a site's figures.
func (r *Reader) LastVerified(ctx context.Context, p VerifiedParams) (VerifiedAnswer, error) {
	return ask(ctx, r, p, answerVerified, "the last recount of site %q", p.Site)
}

func answerVerified(ctx context.Context, t *sitetable.Store, p VerifiedParams) (a VerifiedAnswer, err error) {
	if err := sitetable.CheckID("site", p.Site); err != nil {
		return a, err
	}
	open := p.To.IsZero()
	if open {
		p.To = t.Now()
	}
	s, err := calendar.NewSpan(p.From, p.To)
	if err != nil {
		return a, err
	}
	a = VerifiedAnswer{Site: p.Site, To: calendar.Instant(s.To), Reason: NotVerified}
	a.From, _ = s.Ends()
	last, err := recounts.LastOf(ctx, t, p.Site, p.Consistent, s, open)
	if err != nil {
		return VerifiedAnswer{}, err
	}
	if last != nil {
		a.LastVerified, a.Covers, a.Reason = new(verificationOf(last.Result, last.LateMs)), last.Covers(), last.Reason
		if last.Covers() {
			a.To = last.To
		}
	}
	a.SiteKnown, err = t.Known(ctx, p.Site, a.LastVerified != nil && !a.LastVerified.AllSites)
	return a, err
}

func verificationOf(v verified.Result, lateMs int64) Verification {
	zone, err := time.LoadLocation(v.Zone)
	if err != nil {
		zone = time.UTC // It was read from this name already.
	}
	end := func(t time.Time) *time.Time {
		if t.IsZero() {
			return nil
		}
		return new(t.In(zone))
	}
	of := Verification{VerifiedAt: v.At.In(zone), AllSites: v.Site == "", From: end(v.From), To: end(v.To), Zone: v.Zone,
		Conclusive: v.Conclusive(), DifferenceCount: v.Differences, Counts: &VerifiedCounts{Topic: v.Topic, Records: v.Records,
			Compared: v.Compared, LeftOut: v.LeftOut, NotCompared: v.NotCompared, Unsettled: v.Unsettled, Behind: v.Behind}}
	if lateMs >= 0 {
		through := v.At.Add(-time.Duration(lateMs) * time.Millisecond)
		if !v.To.IsZero() && v.To.Before(through) {
			through = v.To
		}
		of.Through = new(through.In(zone))
	}
	return of
}
