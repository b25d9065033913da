package verify

import (
	"context"
	"fmt"
	"time"

	"github.com/footfall/footfall/internal/verified"
	"github.com/footfall/footfall/sinks"
)

// scanVerifications compares the results of earlier recounts with their keys and with themselves. What they have found cannot be found
// again: the table has changed since.
func (v *chainAudit) scanVerifications(ctx context.Context) error {
	for it, err := range v.items(ctx, sinks.Query{PK: sinks.VerificationsPK}) {
		if err != nil {
			return fmt.Errorf("read the results of earlier recounts: %w", err)
		}
		v.compareVerification(it)
	}
	return nil
}

func (v *chainAudit) compareVerification(it sinks.Item) {
	c := compareItem(kindVerification, it)
	site, at := it[sinks.AttrSiteID].Str(), it[sinks.AttrVerifiedAt].Int()
	c.ignore(sinks.AttrSiteID, sinks.AttrVerifiedAt, sinks.AttrRangeFrom, sinks.AttrRangeTo, sinks.AttrTimeZone, sinks.AttrTopicName,
		sinks.AttrCompared, sinks.AttrLeftOut)
	if v.keys.Verification(site, at) != it.Key() {
		c.differ(sinks.AttrVerifiedAt, fmt.Sprintf("site %q at %d", site, at), "the site and the instant that the key spells")
	}
	for _, name := range []string{sinks.AttrRangeFrom, sinks.AttrRangeTo} {
		if it[name].Kind() != sinks.None {
			c.kindIs(name, sinks.Number)
		}
	}
	c.kindIs(sinks.AttrTopicName, sinks.String)
	c.between(sinks.AttrVerifiedAt, 1, v.now()*1000+dayMs)
	for _, name := range []string{sinks.AttrRecords, sinks.AttrNotCompared, sinks.AttrDifferences, sinks.AttrUnsettled, sinks.AttrBehind,
		sinks.AttrExitCode} {
		c.between(name, 0, 1<<53)
	}
	if r, err := verified.Read(it); err != nil {
		c.differ(sinks.AttrCompared, show(it[sinks.AttrCompared]), fmt.Sprintf("a result that can be read: %v", err))
	} else if want := r.Item(v.keys); !want[sinks.AttrCompared].Equal(it[sinks.AttrCompared]) ||
		!want[sinks.AttrLeftOut].Equal(it[sinks.AttrLeftOut]) {
		c.differ(sinks.AttrCompared, show(it[sinks.AttrCompared])+" and "+show(it[sinks.AttrLeftOut]), "numbers by kind and by reason")
	}
	c.number(sinks.AttrTTL, at/1000+int64(sinks.VerificationDays*24*time.Hour/time.Second))
	c.common(sinks.EntityVerification, site)
	v.add(c)
}

// Result is what the table keeps of a report.
func (r Report) Result(site string) verified.Result {
	notCompared := int64(0)
	for _, because := range []string{becauseLog, becauseShared, becauseBefore, becauseOpen, becauseLost} {
		for kind, n := range r.LeftOutKinds[because] {
			if kind != kindCheckpoint { // Its totals need the log from the beginning, and no figure of a site needs them.
				notCompared += n
			}
		}
	}
	result := verified.Result{Site: site, At: r.StartedAt, Zone: r.Zone, Topic: r.Topic, Records: r.Records, Compared: r.Compared,
		LeftOut: r.LeftOut, NotCompared: notCompared, Differences: r.DifferenceCount, Unsettled: r.UnsettledCount,
		Behind:   int64(len(r.Behind) + len(r.HeldUp)),
		ExitCode: r.ExitCode()}
	if r.From != nil {
		result.From = *r.From
	}
	if r.To != nil {
		result.To = *r.To
	}
	return result
}
