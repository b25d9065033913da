package audit

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/verified"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/sinks"
)

// ScanVerifications compares the results of earlier recounts with their keys and with themselves. What they have found cannot be found
// again: the table has changed since.
func (v *Audit) ScanVerifications(ctx context.Context) error {
	for it, err := range v.Items(ctx, sinks.Query{PK: sinks.VerificationsPK}) {
		if err != nil {
			return fmt.Errorf("read the results of earlier recounts: %w", err)
		}
		v.compareVerification(it)
	}
	return nil
}

func (v *Audit) compareVerification(it sinks.Item) {
	c := finding.CompareItem(finding.KindVerification, it)
	site, at := it[sinks.AttrSiteID].Str(), it[sinks.AttrVerifiedAt].Int()
	c.Ignore(sinks.AttrSiteID, sinks.AttrVerifiedAt, sinks.AttrRangeFrom, sinks.AttrRangeTo, sinks.AttrTimeZone, sinks.AttrTopicName,
		sinks.AttrCompared, sinks.AttrLeftOut, sinks.AttrBound)
	if v.Keys.Verification(site, at) != it.Key() {
		c.Differ(sinks.AttrVerifiedAt, fmt.Sprintf("site %q at %d", site, at), "the site and the instant that the key spells")
	}
	for _, name := range []string{sinks.AttrRangeFrom, sinks.AttrRangeTo} {
		if it[name].Kind() != sinks.None {
			c.KindIs(name, sinks.Number)
		}
	}
	c.KindIs(sinks.AttrTopicName, sinks.String)
	if it[sinks.AttrGeneration].Kind() != sinks.None {
		c.Between(sinks.AttrGeneration, 2, 1<<31)
	}
	c.Between(sinks.AttrVerifiedAt, 1, v.Now()*1000+count.DayMs)
	for _, name := range []string{sinks.AttrRecords, sinks.AttrNotCompared, sinks.AttrDifferences, sinks.AttrUnsettled, sinks.AttrBehind,
		sinks.AttrExitCode} {
		c.Between(name, 0, 1<<53)
	}
	if r, err := verified.Read(it); err != nil {
		c.Differ(sinks.AttrCompared, finding.Show(it[sinks.AttrCompared]), fmt.Sprintf("a result that can be read: %v", err))
	} else if want := r.Item(v.Keys); !want[sinks.AttrCompared].Equal(it[sinks.AttrCompared]) ||
		!want[sinks.AttrLeftOut].Equal(it[sinks.AttrLeftOut]) {
		c.Differ(sinks.AttrCompared, finding.Show(it[sinks.AttrCompared])+" and "+finding.Show(it[sinks.AttrLeftOut]),
			"numbers by kind and by reason")
	} else if !want[sinks.AttrBound].Equal(it[sinks.AttrBound]) {
		c.Differ(sinks.AttrBound, finding.Show(it[sinks.AttrBound]), "digests of months")
	}
	c.Number(sinks.AttrTTL, at/1000+int64(sinks.VerificationDays*24*time.Hour/time.Second))
	c.Common(sinks.EntityVerification, site)
	v.Add(c)
}
