package requests

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/telemetry"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// Backoff between two tries of a request to the brokers; package retry has the same for the table.
const (
	BackoffFirst = retry.DefaultFirst
	BackoffLast  = retry.DefaultMost
)

// Sender sends requests to the table through package retry. A request that is throttled or whose outcome is unknown is
// sent again, unchanged, until it is answered or its context ends. Every other error is returned at once. Safe for
// concurrent use.
type Sender struct {
	Table   sinks.Table
	limiter *limiter
	Metrics *telemetry.Metrics
	Outage  *Outage
	policy  retry.Policy // its Before takes the place among those in flight that answered gives back
}

// NewSender makes the sender of a table, with a maximum number of requests in flight.
func NewSender(table sinks.Table, inFlight int, metrics *telemetry.Metrics) *Sender {
	limiter := &limiter{max: inFlight, limit: inFlight}
	return &Sender{Table: newTimedTable(table, metrics.Requests), limiter: limiter, Metrics: metrics,
		Outage: NewOutage(telemetry.ServiceTable), policy: retry.Policy{Before: limiter.acquire, Failed: func(error) { metrics.Retries.Inc() }}}
}

// ChainTable is the sender as a chain sees it. Its requests are the pulse of the chain's lane; nil: of none.
type ChainTable struct {
	Send  *Sender
	Pulse *Pulse
}

// Update changes an item of a kind.
func (t ChainTable) Update(ctx context.Context, entity string, u sinks.Update) (sinks.Result, error) {
	return t.Send.Update(ctx, t.Pulse, entity, u)
}

// Put puts an item of a kind.
func (t ChainTable) Put(ctx context.Context, entity string, p sinks.Put) (sinks.Result, error) {
	return t.Send.Put(ctx, t.Pulse, entity, p)
}

// BatchGet reads items strongly; absent ones are not in the answer.
func (t ChainTable) BatchGet(ctx context.Context, keys []sinks.Key) (map[sinks.Key]sinks.Item, error) {
	return t.Send.BatchGet(ctx, t.Pulse, keys)
}

// Items reads what a query selects, strongly. What it is for is named by what, for errors.
func (t ChainTable) Items(ctx context.Context, what string, q sinks.Query) iter.Seq2[sinks.Item, error] {
	return t.Send.Items(ctx, t.Pulse, what, q)
}

// Chain is a chain with the pulse of its requests, and of those of its lane.
type Chain struct {
	*checkpoint.Chain
	Pulse *Pulse
}

// Confirmed returns a sender whose every try asks first whether the chain is still the epoch's, if that may be in doubt.
func (s *Sender) Confirmed(c Chain, epoch int64) *Sender {
	own, place := *s, s.policy.Before
	own.policy.Before = func(ctx context.Context) error {
		if err := c.Confirm(ctx, epoch); err != nil {
			return err
		}
		return place(ctx)
	}
	return &own
}

// Send runs one request until it is answered. What it asks for is named by what, for errors.
func (s *Sender) Send(ctx context.Context, p *Pulse, what string, request func() error) error {
	s.Outage.Asked(time.Now())
	defer s.Outage.Left()
	err := s.policy.Do(ctx, func() error {
		p.Beat()
		err := request()
		p.Beat()
		s.answered(err)
		switch {
		case ctx.Err() != nil: // Nothing waits for the answer.
		case sinks.Retryable(err) && err != errLeft:
			s.Outage.Heard(time.Now(), err)
		default:
			s.Outage.Heard(time.Now(), nil)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// answered gives back a request's place among those in flight, and notes what its answer says about the table.
func (s *Sender) answered(err error) {
	if err == nil {
		s.limiter.release(false)
		return
	}
	throttle, ok := errors.AsType[*sinks.ThrottleError](err)
	s.limiter.release(ok && !throttle.HotKey() && err != errLeft)
	if ok {
		s.Metrics.CountThrottles(throttle.Reasons)
	}
}

// Update changes an item of a kind.
func (s *Sender) Update(ctx context.Context, p *Pulse, kind string, u sinks.Update) (r sinks.Result, err error) {
	err = s.Send(ctx, p, "update", func() (err error) {
		r, err = s.Table.Update(ctx, u)
		s.Metrics.CountUnits(kind, r.Units)
		return err
	})
	return r, checkpoint.OfItem(u.Key, err)
}

// Put puts an item of a kind.
func (s *Sender) Put(ctx context.Context, p *Pulse, kind string, put sinks.Put) (r sinks.Result, err error) {
	err = s.Send(ctx, p, "put", func() (err error) {
		r, err = s.Table.Put(ctx, put)
		s.Metrics.CountUnits(kind, r.Units)
		return err
	})
	return r, checkpoint.OfItem(put.Item.Key(), err)
}

// Remove deletes an item, whatever it says.
func (s *Sender) Remove(ctx context.Context, p *Pulse, kind string, key sinks.Key) error {
	return checkpoint.OfItem(key, s.Send(ctx, p, "delete", func() error {
		r, err := s.Table.Delete(ctx, sinks.Delete{Key: key})
		s.Metrics.CountUnits(kind, r.Units)
		return err
	}))
}

// Items reads what a query selects, strongly. What it is for is named by what, for errors.
func (s *Sender) Items(ctx context.Context, p *Pulse, what string, q sinks.Query) iter.Seq2[sinks.Item, error] {
	q.Consistent = true
	return sinks.Items(ctx, s.Querier(p, what), q)
}

// Querier returns a sender that answers the queries of one purpose, which what names for errors.
func (s *Sender) Querier(p *Pulse, what string) *Querier { return &Querier{s, p, what} }

// Querier is a sender that answers the queries of one purpose, which what names for errors.
type Querier struct {
	*Sender
	pulse *Pulse
	what  string
}

// Query reads a page.
func (b *Querier) Query(ctx context.Context, q sinks.Query) (page sinks.Page, err error) {
	err = b.Send(ctx, b.pulse, b.what, func() (err error) {
		page, err = b.Table.Query(ctx, q)
		b.Metrics.ReadUnits.Add(page.Units)
		return err
	})
	return page, err
}

// errLeft makes send ask again for what a batch left over. It says nothing about the table as a whole: one hot key,
// or the size of an answer, leaves keys over too.
var errLeft error = &sinks.ThrottleError{Reasons: []string{sinks.ReasonUnprocessed}}

// BatchPut writes up to sinks.MaxBatchPut items, no key twice, asking again for those that the store leaves over.
func (s *Sender) BatchPut(ctx context.Context, p *Pulse, kind string, items []sinks.Attrs) error {
	return s.Send(ctx, p, "batch of raw events", func() error {
		r, err := s.Table.BatchPut(ctx, items)
		s.Metrics.CountUnits(kind, r.Units)
		if err != nil || len(r.Left) == 0 {
			return err
		}
		items = retry.Unwritten(items, r.Left)
		return errLeft
	})
}

// BatchGet reads up to sinks.MaxBatchGet items strongly; absent ones are not in the answer.
func (s *Sender) BatchGet(ctx context.Context, p *Pulse, keys []sinks.Key) (map[sinks.Key]sinks.Item, error) {
	found := make(map[sinks.Key]sinks.Item, len(keys))
	err := s.Send(ctx, p, "read states", func() error {
		r, err := s.Table.BatchGet(ctx, sinks.BatchGet{Keys: keys, Consistent: true})
		s.Metrics.ReadUnits.Add(r.Units)
		for k, it := range r.Items {
			found[k] = it
		}
		if err != nil || len(r.Left) == 0 {
			return err
		}
		keys = r.Left
		return errLeft
	})
	return found, err
}
