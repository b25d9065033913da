package pipeline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// Backoff between two tries of a request to the brokers; package retry has the same for the table.
const (
	backoffFirst = retry.DefaultFirst
	backoffLast  = retry.DefaultMost
)

// sender sends requests to the table through package retry. A request that is throttled or whose outcome is unknown is
// sent again, unchanged, until it is answered or its context ends. Every other error is returned at once. Safe for
// concurrent use.
type sender struct {
	table   sinks.Table
	limiter *limiter
	metrics *Metrics
	outage  *outage
	policy  retry.Policy // its Before takes the place among those in flight that answered gives back
}

func newSender(table sinks.Table, limiter *limiter, metrics *Metrics) *sender {
	return &sender{table: newTimedTable(table, metrics.Requests), limiter: limiter, metrics: metrics, outage: &outage{service: serviceTable},
		policy: retry.Policy{Before: limiter.acquire, Failed: func(error) { metrics.Retries.Inc() }}}
}

// chainTable is the sender as a chain sees it. Its requests are the pulse of the chain's lane; nil: of none.
type chainTable struct {
	send  *sender
	pulse *pulse
}

func (t chainTable) Update(ctx context.Context, entity string, u sinks.Update) (sinks.Result, error) {
	return t.send.update(ctx, t.pulse, entity, u)
}

func (t chainTable) Put(ctx context.Context, entity string, p sinks.Put) (sinks.Result, error) {
	return t.send.put(ctx, t.pulse, entity, p)
}

func (t chainTable) BatchGet(ctx context.Context, keys []sinks.Key) (map[sinks.Key]sinks.Item, error) {
	return t.send.batchGet(ctx, t.pulse, keys)
}

// Items reads what a query selects, strongly. What it is for is named by what, for errors.
func (t chainTable) Items(ctx context.Context, what string, q sinks.Query) iter.Seq2[sinks.Item, error] {
	return t.send.items(ctx, t.pulse, what, q)
}

// laneChain is a chain with the pulse of its requests, and of those of its lane.
type laneChain struct {
	*checkpoint.Chain
	pulse *pulse
}

// confirmed returns a sender whose every try asks first whether the chain is still the epoch's, if that may be in doubt.
func (s *sender) confirmed(c laneChain, epoch int64) *sender {
	own, place := *s, s.policy.Before
	own.policy.Before = func(ctx context.Context) error {
		if err := c.Confirm(ctx, epoch); err != nil {
			return err
		}
		return place(ctx)
	}
	return &own
}

// send runs one request until it is answered. What it asks for is named by what, for errors.
func (s *sender) send(ctx context.Context, p *pulse, what string, request func() error) error {
	s.outage.asked(time.Now())
	defer s.outage.left()
	err := s.policy.Do(ctx, func() error {
		p.beat()
		err := request()
		p.beat()
		s.answered(err)
		switch {
		case ctx.Err() != nil: // Nothing waits for the answer.
		case sinks.Retryable(err) && err != errLeft:
			s.outage.heard(time.Now(), err)
		default:
			s.outage.heard(time.Now(), nil)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// answered gives back a request's place among those in flight, and notes what its answer says about the table.
func (s *sender) answered(err error) {
	if err == nil {
		s.limiter.release(false)
		return
	}
	throttle, ok := errors.AsType[*sinks.ThrottleError](err)
	s.limiter.release(ok && !throttle.HotKey() && err != errLeft)
	if ok {
		s.metrics.throttled(throttle.Reasons)
	}
}

func (s *sender) update(ctx context.Context, p *pulse, kind string, u sinks.Update) (r sinks.Result, err error) {
	err = s.send(ctx, p, "update", func() (err error) {
		r, err = s.table.Update(ctx, u)
		s.metrics.units(kind, r.Units)
		return err
	})
	return r, checkpoint.OfItem(u.Key, err)
}

func (s *sender) put(ctx context.Context, p *pulse, kind string, put sinks.Put) (r sinks.Result, err error) {
	err = s.send(ctx, p, "put", func() (err error) {
		r, err = s.table.Put(ctx, put)
		s.metrics.units(kind, r.Units)
		return err
	})
	return r, checkpoint.OfItem(put.Item.Key(), err)
}

// remove deletes an item, whatever it says.
func (s *sender) remove(ctx context.Context, p *pulse, kind string, key sinks.Key) error {
	return checkpoint.OfItem(key, s.send(ctx, p, "delete", func() error {
		r, err := s.table.Delete(ctx, sinks.Delete{Key: key})
		s.metrics.units(kind, r.Units)
		return err
	}))
}

// items reads what a query selects, strongly. What it is for is named by what, for errors.
func (s *sender) items(ctx context.Context, p *pulse, what string, q sinks.Query) iter.Seq2[sinks.Item, error] {
	q.Consistent = true
	return sinks.Items(ctx, &querier{s, p, what}, q)
}

// querier is a sender that answers the queries of one purpose, which what names for errors.
type querier struct {
	*sender
	pulse *pulse
	what  string
}

func (b *querier) Query(ctx context.Context, q sinks.Query) (page sinks.Page, err error) {
	err = b.send(ctx, b.pulse, b.what, func() (err error) {
		page, err = b.table.Query(ctx, q)
		b.metrics.ReadUnits.Add(page.Units)
		return err
	})
	return page, err
}

// errLeft makes send ask again for what a batch left over. It says nothing about the table as a whole: one hot key,
// or the size of an answer, leaves keys over too.
var errLeft error = &sinks.ThrottleError{Reasons: []string{sinks.ReasonUnprocessed}}

// batchPut writes up to sinks.MaxBatchPut items, no key twice, asking again for those that the store leaves over.
func (s *sender) batchPut(ctx context.Context, p *pulse, kind string, items []sinks.Attrs) error {
	return s.send(ctx, p, "batch of raw events", func() error {
		r, err := s.table.BatchPut(ctx, items)
		s.metrics.units(kind, r.Units)
		if err != nil || len(r.Left) == 0 {
			return err
		}
		items = retry.Unwritten(items, r.Left)
		return errLeft
	})
}

// batchGet reads up to sinks.MaxBatchGet items strongly; absent ones are not in the answer.
func (s *sender) batchGet(ctx context.Context, p *pulse, keys []sinks.Key) (map[sinks.Key]sinks.Item, error) {
	found := make(map[sinks.Key]sinks.Item, len(keys))
	err := s.send(ctx, p, "read states", func() error {
		r, err := s.table.BatchGet(ctx, sinks.BatchGet{Keys: keys, Consistent: true})
		s.metrics.ReadUnits.Add(r.Units)
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
