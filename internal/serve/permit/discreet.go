package permit

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"

	"github.com/footfall/footfall/internal/access"
	"github.com/footfall/footfall/internal/page/locale"
	"github.com/footfall/footfall/internal/segments"
	"github.com/footfall/footfall/internal/serve/problem"
	"github.com/footfall/footfall/query"
)

// What an answer or a page says beside figures depends on who asks. These rules are all there are:
//
//	what is said                                                  all sites   some sites   limited
//	figures, how complete and how exact they are                      yes          yes      within its range and filters
//	partitions, topics, and how much a recount compared               yes           -       -
//	which raw events there are, what reads cost, who wrote what       yes          yes      -
//
// "All sites" is a credential that is not limited and includes all sites, or a server that asks for none; "limited" a share link, and any
// other credential with a range or filters. Records, which have the partition that they are from, need the right to sessions.

// Operates reports whether a request may hear how the pipeline works, which all sites share.
func Operates(ctx context.Context) bool { return access.Of(ctx).AllSites && !access.Of(ctx).Limited() }

// OwnsAll reports whether a request may hear all of its sites: what raw events there are, what reading them costs, who wrote what.
func OwnsAll(ctx context.Context) bool { return !access.Of(ctx).Limited() }

// discreetAnswer returns an answer without what its request may not hear.
func discreetAnswer(ctx context.Context, answer any) any {
	if !Operates(ctx) {
		answer = WithoutPartitions(answer)
	}
	switch a := answer.(type) {
	case query.VerifiedAnswer:
		if !Operates(ctx) {
			answer = a.WithoutCounts()
		}
	case query.AlertsAnswer:
		if !Operates(ctx) {
			a.WaitingFor = []int32{}
		}
		return a
	}
	if OwnsAll(ctx) {
		return answer
	}
	switch a := answer.(type) {
	case query.AnnotationsAnswer:
		a.Annotations = slices.Clone(a.Annotations)
		for i := range a.Annotations {
			a.Annotations[i].CreatedBy = ""
		}
		return a
	case query.FunnelsAnswer:
		a.Funnels = slices.Clone(a.Funnels)
		for i := range a.Funnels {
			a.Funnels[i].ChangedBy = ""
		}
		return a
	case segments.SegmentsAnswer:
		a.Segments = slices.Clone(a.Segments)
		for i := range a.Segments {
			a.Segments[i].CreatedBy = ""
		}
		return a
	case query.FunnelReportAnswer:
		a.Funnel.ChangedBy, a.EventsRead, a.ReadUnits, a.EventsMissing = "", 0, 0, 0
		answer = a
	}
	return withReport(answer, func(r *query.FilterReport) { r.Cost, r.EventsMissing = nil, 0 })
}

// WithoutPartitions returns an answer whose warnings name no partition and no reason: one of each kind is left, of the partition that is
// counted least far.
func WithoutPartitions(answer any) any {
	a := reflect.ValueOf(answer)
	if a.Kind() != reflect.Struct {
		return answer
	}
	part, ok := a.Type().FieldByName("Coverage")
	if !ok || part.Type != reflect.TypeFor[query.Coverage]() {
		return answer
	}
	own := reflect.New(a.Type()).Elem()
	own.Set(a)
	covered := own.FieldByIndex(part.Index)
	covered.Set(reflect.ValueOf(plainCoverage(covered.Interface().(query.Coverage))))
	return own.Interface()
}

// plainCoverage is a coverage without the names of partitions and why they stopped: one warning of each kind is left, of the partition
// that is counted least far. It is of the site if any of that kind is.
func plainCoverage(c query.Coverage) query.Coverage {
	left := []query.Warning{}
	for _, w := range c.Warnings {
		w.Partition, w.Detail = "", plainWarnings[w.Kind]
		i := slices.IndexFunc(left, func(l query.Warning) bool { return l.Kind == w.Kind })
		if i < 0 {
			left = append(left, w)
			continue
		}
		left[i].OfSite = left[i].OfSite || w.OfSite
		if w.Through.Before(left[i].Through) {
			left[i].Through = w.Through
		}
	}
	c.Warnings = left
	return c
}

// plainWarnings are the details of warnings that name no partition.
var plainWarnings = map[string]string{
	query.WarnParked: "records wait until an operator of footfall continues to count them",
	query.WarnGap:    "records were lost before they were counted, and later ones wait for an operator of footfall",
	query.WarnBehind: "the last records that were counted were old, and more follow",
}

// WithoutPartitionsIn returns an error about raw events that names no partitions.
func WithoutPartitionsIn(err error) error {
	raw, ok := errors.AsType[*query.RawEventsError](err)
	if !ok {
		return err
	}
	if filter, ok := errors.AsType[*query.FilterError](err); ok {
		unnamed := *filter
		unnamed.Err = raw.WithoutPartitions()
		return &unnamed
	}
	return raw.WithoutPartitions()
}

// TooFewOrMany reports whether an error says that raw events are missing, or are more than a request may read.
func TooFewOrMany(err error) bool {
	_, raw := errors.AsType[*query.RawEventsError](err)
	wrong, param := errors.AsType[*query.ParamError](err)
	return raw || param && wrong.Param == "max-events"
}

// Error returns an error without the details of raw events and goals that the credential may not see.
func Error(ctx context.Context, err error) error {
	_, filter := errors.AsType[*query.FilterError](err)
	if !OwnsAll(ctx) && (filter || TooFewOrMany(err)) {
		return problem.New(http.StatusUnprocessableEntity,
			"figures of raw events cannot be computed for this range: raw events are missing, or are more than a request may read: ask for a "+
				"shorter or a later range")
	}
	if _, goal := errors.AsType[*query.GoalFilterError](err); goal && !OwnsAll(ctx) {
		return problem.New(http.StatusUnprocessableEntity, "the filter by a goal cannot be applied: the site has no active goal of this id")
	}
	if !Operates(ctx) {
		return WithoutPartitionsIn(err)
	}
	return err
}

// WhyNoList says why raw events do not answer a list of a page.
func WhyNoList(ctx context.Context) func(error) string {
	return func(err error) string {
		if OwnsAll(ctx) {
			return locale.Text(Error(ctx, err).Error())
		}
		return locale.Say("Not known: raw events do not say it for this range, or have too many values.")
	}
}
