package pipeline

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/footfall/footfall/pipeline/internal/requests"
)

// Ready returns nil while the process is a member of its group that has taken over its partitions, and the table and the brokers answer.
// Otherwise it says why not, a line for each reason. A partition that is parked or left to another group waits for an operator, and the
// process is ready without it. Safe for concurrent use.
func (p *Pipeline) Ready() error { return p.readyAt(time.Now()) }

func (p *Pipeline) readyAt(now time.Time) error {
	var reasons []error
	if !p.ready.Load() {
		reasons = append(reasons, errors.New("not a member of the consumer group"))
	}
	for _, o := range []*requests.Outage{p.send.Outage, p.brokers.Outage, p.registry} {
		if err := o.Unready(now); err != nil {
			reasons = append(reasons, errors.New(strings.ReplaceAll(err.Error(), "\n", "; ")))
		}
	}
	if parts := p.awaited(); len(parts) > 0 {
		reasons = append(reasons, fmt.Errorf("assigned and not taken over yet: %s", partitionList(parts)))
	}
	return errors.Join(reasons...)
}

// awaited are the partitions that are assigned to this process and that it has not taken over, except those that wait for an operator.
func (p *Pipeline) awaited() (parts []int32) {
	p.roster.mu.Lock()
	defer p.roster.mu.Unlock()
	for n := range p.roster.assigned {
		if p.roster.workers[n] == nil && p.roster.parked[n] == nil && !p.taker.yields(n) {
			parts = append(parts, n)
		}
	}
	slices.Sort(parts)
	return parts
}

// partitionList names partitions, at most listedPartitions of them.
func partitionList(parts []int32) string {
	names := make([]string, min(len(parts), listedPartitions))
	for i := range names {
		names[i] = fmt.Sprint(parts[i])
	}
	text := "partition " + names[0]
	if len(parts) > 1 {
		text = "partitions " + strings.Join(names, ", ")
	}
	if more := len(parts) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

const listedPartitions = 32
