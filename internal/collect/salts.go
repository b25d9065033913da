package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/visitorid"
)

// Salts are the salts of visitor ids in a topic of one partition, so that all collectors of the topic make the same ids: a
// [visitorid.Store]. The salt of a day is the record of its date with the lowest offset, so collectors that make one at the same time
// agree. A record's timestamp is the beginning of its day, from which retention.ms lets it live for as long as a salt may: that also
// removes it where no collector runs. Not safe for concurrent use.
type Salts struct {
	client *kgo.Client
	topic  string

	failed error     // why the brokers were last asked in vain
	until  time.Time // until when that is the answer
}

// saltsPatience is how long the brokers have to answer.
const saltsPatience = 10 * time.Second

// OpenSalts makes the topic if there is none.
func OpenSalts(ctx context.Context, kafka []kgo.Opt, topic string) (*Salts, error) {
	opts := append([]kgo.Opt{}, kafka...)
	opts = append(opts, kgo.RequiredAcks(kgo.AllISRAcks()), kgo.RecordPartitioner(kgo.ManualPartitioner()), kgo.DefaultProduceTopic(topic),
		kgo.AllowIdempotentProduceCancellation(), kgo.AlwaysRetryEOF())
	client, err := kgo.NewClient(opts...)
	if err != nil {
		return nil, fmt.Errorf("kafka client: %w", err)
	}
	s := &Salts{client: client, topic: topic}
	if err := s.create(ctx); err != nil {
		client.Close()
		return nil, fmt.Errorf("topic %s: %w", topic, err)
	}
	return s, nil
}

// Close ends the connections.
func (s *Salts) Close() { s.client.Close() }

func (s *Salts) create(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, saltsPatience)
	defer cancel()
	retention, segment := fmt.Sprint(visitorid.Kept.Milliseconds()), fmt.Sprint((12 * time.Hour).Milliseconds())
	// A record of the next day begins a segment, so that retention removes one day at a time.
	made, err := kadm.NewClient(s.client).CreateTopics(ctx, 1, -1, map[string]*string{"retention.ms": &retention, "segment.ms": &segment,
		"cleanup.policy": new("delete"), "message.timestamp.type": new("CreateTime")}, s.topic)
	if err == nil {
		err = made[s.topic].Err
	}
	if errors.Is(err, kerr.TopicAlreadyExists) {
		return nil
	}
	return err
}

// ask asks the brokers. A failure holds for a second: all who wait for a salt fail with it, not each after another ten seconds.
func (s *Salts) ask(what func(context.Context) error) error {
	if time.Now().Before(s.until) {
		return s.failed
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), saltsPatience, errors.New("the brokers do not answer"))
	defer cancel()
	if s.failed = what(ctx); s.failed != nil {
		s.until = time.Now().Add(time.Second)
	}
	return s.failed
}

// Keep implements [visitorid.Store].
func (s *Salts) Keep(day time.Time, salt []byte) (kept []byte, err error) {
	err = s.ask(func(ctx context.Context) (err error) {
		kept, err = s.keep(ctx, day, salt)
		return err
	})
	return kept, err
}

func (s *Salts) keep(ctx context.Context, day time.Time, salt []byte) ([]byte, error) {
	name := day.UTC().Format(time.DateOnly)
	if kept, err := s.find(ctx, name); kept != nil || err != nil {
		return kept, err
	}
	r := &kgo.Record{Key: []byte(name), Value: salt, Timestamp: day}
	if err := s.client.ProduceSync(ctx, r).FirstErr(); err != nil {
		return nil, fmt.Errorf("topic %s: %w", s.topic, cmp.Or(context.Cause(ctx), err))
	}
	kept, err := s.find(ctx, name) // Another collector may have been first.
	if kept == nil && err == nil {
		err = fmt.Errorf("topic %s: the salt that was written is not there: look at its retention.ms and the brokers' clocks", s.topic)
	}
	return kept, err
}

// Forget implements [visitorid.Store]. Salts are in the order of their days but for the clocks of collectors, so it deletes up to the first
// that stays.
func (s *Salts) Forget(over func(time.Time) bool) error {
	return s.ask(func(ctx context.Context) error { return s.forget(ctx, over) })
}

func (s *Salts) forget(ctx context.Context, over func(time.Time) bool) error {
	until, foreign := int64(0), false
	start, err := s.read(ctx, func(r *kgo.Record) bool {
		day, err := time.Parse(time.DateOnly, string(r.Key))
		foreign = err != nil
		if foreign || !over(day) {
			return false
		}
		until = r.Offset + 1
		return true
	})
	if foreign {
		err = fmt.Errorf("topic %s: it has a record that is no salt, and nothing is deleted: name a topic of its own (--salts-topic)", s.topic)
	}
	if err != nil {
		return err
	}
	at := max(start, until) // Where there is nothing to delete, start still asks for the right, which would be missed after two days.
	deleted, err := kadm.NewClient(s.client).DeleteRecords(ctx, kadm.Offsets{s.topic: {0: {Topic: s.topic, At: at}}})
	if err == nil {
		err = deleted.Error()
	}
	if err != nil {
		return fmt.Errorf("topic %s: delete salts that have expired: %w", s.topic, cmp.Or(context.Cause(ctx), err))
	}
	return nil
}

// find returns the salt of a day; nil: there is none.
func (s *Salts) find(ctx context.Context, name string) (salt []byte, err error) {
	_, err = s.read(ctx, func(r *kgo.Record) bool {
		if string(r.Key) == name {
			salt = r.Value
		}
		return salt == nil
	})
	return salt, err
}

// read passes on the records of the topic, from the offset that it returns, until it has no more or pass wants none.
func (s *Salts) read(ctx context.Context, pass func(*kgo.Record) (more bool)) (start int64, err error) {
	admin := kadm.NewClient(s.client)
	starts, err := admin.ListStartOffsets(ctx, s.topic)
	if err == nil {
		err = starts.Error()
	}
	var ends kadm.ListedOffsets
	if err == nil {
		if ends, err = admin.ListEndOffsets(ctx, s.topic); err == nil {
			err = ends.Error()
		}
	}
	if err != nil {
		return 0, fmt.Errorf("topic %s: %w", s.topic, cmp.Or(context.Cause(ctx), err))
	}
	from, to := starts[s.topic][0].Offset, ends[s.topic][0].Offset
	start = from
	s.client.AddConsumePartitions(map[string]map[int32]kgo.Offset{s.topic: {0: kgo.NewOffset().At(from)}})
	defer s.client.RemoveConsumePartitions(map[string][]int32{s.topic: {0}})
	for from < to {
		fetches := s.client.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			return 0, fmt.Errorf("topic %s: %w", s.topic, cmp.Or(context.Cause(ctx), err))
		}
		for r := range fetches.RecordsAll() {
			if r.Offset < to && !pass(r) {
				return start, nil
			}
			from = r.Offset + 1
		}
	}
	return start, nil
}

// saltsEvery is how often salts are looked after.
const saltsEvery = time.Minute

// RenewSalts makes the salts of yesterday, of today and, ten minutes before it begins, of tomorrow, and forgets those that have expired.
// Events would not ask for them in the order of the days, in which [Salts.Forget] finds them.
func RenewSalts(visitors *visitorid.Hasher, now time.Time) error {
	anyone := visitorid.Visitor{Site: "any", Address: "any"}
	for _, at := range []time.Time{now.Add(-maxAgo), now, now.Add(visitorid.MaxAhead)} {
		if _, err := visitors.ID(anyone, at, now); err != nil {
			return err
		}
	}
	return visitors.Forget(now)
}

// KeepSalts renews the salts until ctx ends.
func KeepSalts(ctx context.Context, visitors *visitorid.Hasher, log *slog.Logger) error {
	tick := time.NewTicker(saltsEvery)
	defer tick.Stop()
	for {
		if err := RenewSalts(visitors, time.Now()); err != nil {
			// Cause: The topic of --salts-topic cannot be read or written, or its expired records not be deleted (DELETE on the topic). Remedy: Look
			// at `error`. Events are answered with 503 while the day's salt cannot be had.
			log.Warn("the salts of visitor ids were not renewed", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
