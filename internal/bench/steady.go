package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
)

// The steady state: events arrive as they happen. Flushes then end by their intervals, not by their size.
const (
	steadySites = 100
	siteRate    = 100 // events a second
	// steadyThink has sessions last some 40 seconds, and the traffic begins so long before it is sent: it is steady at once.
	steadyThink = 10 * time.Second
	// steadyWarm is how long consumers run before they are measured: until each lane has flushed, since a pipeline keeps the room of the
	// first flush for the next ones.
	steadyWarm = 75 * time.Second
)

// runProducer is the child in the role of the producer: it makes a topic and sends events to it in real time until its input ends.
func runProducer(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("arguments %q: write the address of the broker and a topic", args)
	}
	l := load{sites: steadySites, partitions: 8, hourly: steadySites * siteRate * 3600, script: clickers, think: steadyThink}
	p, err := newPublisher(ctx, args[0], args[1], l.partitions)
	if err != nil {
		return err
	}
	until, stop := context.WithCancel(ctx)
	sent := make(chan error, 1)
	go func() {
		begin := time.Now()
		t := newTraffic(l, begin.Add(-6*steadyThink))
		for until.Err() == nil {
			if r := t.next(args[1]); r.Timestamp.After(begin) {
				pause(until, time.Until(r.Timestamp))
				p.send(ctx, r)
			}
		}
		sent <- p.finish(ctx)
	}()
	err = serve(args[1])
	stop()
	return errors.Join(err, <-sent)
}

// pause waits until d has passed or ctx ends. It lets what is due within a few milliseconds go early.
func pause(ctx context.Context, d time.Duration) {
	if d < 5*time.Millisecond {
		return
	}
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// meter measures a consumer in the middle of its run.
type meter struct {
	begin, end    time.Time
	before, after snapshot
	records       float64 // within the span; before it, less those that came before
	published     func() (float64, error)
	sent          float64 // records that were published within the span, as records
	err           error
}

func newMeter(span time.Duration, published func() (float64, error)) *meter {
	begin := time.Now().Add(steadyWarm)
	return &meter{begin: begin, end: begin.Add(span), published: published}
}

// done is told how many records have been consumed. It is true at the end of the span.
func (m *meter) done(records float64) bool {
	switch now := time.Now(); {
	case m.before.at.IsZero() && now.After(m.begin):
		var sent float64
		sent, m.err = m.published()
		m.sent, m.records = -sent, -records
		if m.err == nil {
			m.before, m.err = take()
		}
	case now.After(m.end) && m.err == nil:
		m.after, m.err = take()
		m.records += records
		sent, err := m.published()
		m.sent, m.err = m.sent+sent, errors.Join(m.err, err)
		return true
	}
	return m.err != nil
}

// steady prints CPU per record in the steady state.
func steady(ctx context.Context, o options) error {
	broker, err := startChild("broker")
	if err != nil {
		return err
	}
	defer broker.end()
	printHead(fmt.Sprintf("%d sites of %d events a second, as they come, %v a round", steadySites, siteRate, o.span), o.rounds)
	count := func(topic string, done func(float64) bool) error {
		return pipelineRun{broker: broker.addr, topic: topic, group: topic, settings: everything(),
			chunksAhead: config.Default().Limits.ChunksAhead}.run(ctx, done)
	}
	var nothing, pipeline []cost
	var sent []float64
	for round := range o.rounds {
		a, _, err := steadyRound(broker.addr, "discard-"+strconv.Itoa(round), o.span, func(topic string, done func(float64) bool) error {
			return consumeNothing(ctx, broker.addr, topic, kgo.NewOffset().AtEnd(), done)
		})
		if err != nil {
			return err
		}
		b, rate, err := steadyRound(broker.addr, "count-"+strconv.Itoa(round), o.span, count)
		if err != nil {
			return err
		}
		nothing, pipeline, sent = append(nothing, a), append(pipeline, b), append(sent, rate)
	}
	printRow(fmt.Sprintf("%d sites, everything, steady", steadySites), 0, nothing, pipeline)
	fmt.Printf("  published while the pipeline counted: %s a second; fewer than %d: the producer had too little CPU\n", spread(sent, "%.0f"),
		steadySites*siteRate)
	fmt.Println("  asked: 0.5 allocations a record; counting at a lower rate than is published says that the pipeline fell behind")
	fmt.Println()
	return o.profiled(func() error {
		_, _, err := steadyRound(broker.addr, "profile", o.span, count)
		return err
	})
}

// steadyRound measures a consumer of a topic that a child fills as events happen. sent is how many a second the child published.
func steadyRound(broker, topic string, span time.Duration, consume func(topic string, done func(float64) bool) error) (c cost, sent float64,
	err error) {
	client, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		return c, 0, err
	}
	defer client.Close()
	producer, err := startChild("producer", broker, topic)
	if err != nil {
		return c, 0, err
	}
	m := newMeter(span, func() (float64, error) { return published(client, topic) })
	err = errors.Join(consume(topic, m.done), producer.end(), m.err)
	if err != nil {
		return c, 0, err
	}
	return m.after.per(m.records, m.before), m.sent / m.after.at.Sub(m.before.at).Seconds(), nil
}

// published returns how many records a topic has.
func published(client *kgo.Client, topic string) (n float64, err error) {
	ends, err := kadm.NewClient(client).ListEndOffsets(context.Background(), topic)
	if err == nil {
		err = ends.Error()
	}
	ends.Each(func(o kadm.ListedOffset) { n += float64(o.Offset) })
	return n, err
}
