package finding

import (
	"github.com/footfall/footfall/internal/verified"
)

// Result is what the table keeps of a report.
func (r Report) Result(site string) verified.Result {
	notCompared := int64(0)
	for _, because := range []string{BecauseLog, BecauseShared, BecauseBefore, BecauseOpen, BecauseLost} {
		for kind, n := range r.LeftOutKinds[because] {
			if kind != KindCheckpoint { // Its totals need the log from the beginning, and no figure of a site needs them.
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
