package examples

import (
	"fmt"
	"testing"

	"github.com/footfall/footfall/sketch"
)

// What the decoders print, made with package sketch.

// plainVisitors is what the decoders print of visitors.
type plainVisitors struct {
	UniqueVisitors      uint64  `json:"uniqueVisitors"`
	UniqueVisitorsError float64 `json:"uniqueVisitorsError"`
}

func visitorsOf(u *sketch.Uniques) plainVisitors {
	return plainVisitors{u.Estimate(), u.StandardError()}
}

type plainTopRow struct {
	Value         string `json:"value"`
	Events        uint64 `json:"events"`
	MaxUndercount uint64 `json:"maxUndercount"`
}

type plainTop struct {
	Rows  []plainTopRow `json:"rows"`
	Other uint64        `json:"other"`
	Floor uint64        `json:"floor"`
}

func topOf(top *sketch.Top) plainTop {
	p := plainTop{Rows: []plainTopRow{}, Other: top.Other(), Floor: top.Floor()}
	for _, row := range top.Rows() {
		p.Rows = append(p.Rows, plainTopRow{row.Value, row.Count, row.Error})
	}
	return p
}

type plainValues struct {
	N         int64  `json:"n"`
	SumMicros string `json:"sumMicros"`
	MinMicros string `json:"minMicros"`
	MaxMicros string `json:"maxMicros"`
}

type plainCounts struct {
	Events      int64             `json:"events"`
	PageViews   int64             `json:"pageViews"`
	Sessions    int64             `json:"sessions"`
	Bounces     int64             `json:"bounces"`
	DurationMs  int64             `json:"durationMs"`
	Entries     int64             `json:"entries"`
	Exits       int64             `json:"exits"`
	Attention   *plainAttention   `json:"attention,omitempty"`
	Values      *plainValues      `json:"values,omitempty"`
	Conversions *plainConversions `json:"conversions,omitempty"`
	plainVisitors
}

type plainConversions struct {
	Sessions    int64  `json:"sessions"`
	Further     int64  `json:"further"`
	WorthMicros string `json:"worthMicros"`
}

type plainAttention struct {
	Timed    int64 `json:"timedPageViews"`
	TimeMs   int64 `json:"timeOnPageMs"`
	Scrolled int64 `json:"scrolledPageViews"`
	Depth    int64 `json:"scrollDepthSum"`
}

type plainRow struct {
	Value         string `json:"value"`
	MaxUndercount uint64 `json:"maxUndercount"`
	plainCounts
}

type plainDimension struct {
	Rows  []plainRow  `json:"rows"`
	Other plainCounts `json:"other"`
	Floor uint64      `json:"floor"`
}

func countsOf(c sketch.Counts) plainCounts {
	p := plainCounts{c.Events, c.PageViews, c.Sessions, c.Bounces, c.DurationMs, c.Entries, c.Exits, nil, nil, nil, visitorsOf(c.Visitors)}
	if c.Attention != (sketch.Attention{}) {
		a := plainAttention(c.Attention)
		p.Attention = &a
	}
	if k := c.Conversions; k != (sketch.Conversions{}) {
		p.Conversions = &plainConversions{k.Sessions, k.Further, k.Worth.String()}
	}
	if c.Values > 0 {
		p.Values = &plainValues{c.Values, c.Sum.String(), fmt.Sprint(c.Min), fmt.Sprint(c.Max)}
	}
	return p
}

// breakdownOf is what the decoders print of a breakdown.
func breakdownOf(t *testing.T, b *sketch.Breakdown) map[string]plainDimension {
	t.Helper()
	all := make(map[string]plainDimension)
	for _, d := range append(sketch.Dimensions(), b.Properties()...) {
		merged := sketch.NewBreakdownMerge(d)
		merged.Add(b)
		p := plainDimension{Rows: []plainRow{}, Other: countsOf(b.Other(d)), Floor: merged.Floor()}
		for _, row := range b.Rows(d) {
			p.Rows = append(p.Rows, plainRow{row.Value, row.Error, countsOf(row.Counts)})
		}
		if len(p.Rows) > 0 || p.Other.Events > 0 {
			all[d.String()] = p
		}
	}
	return all
}
