package adopt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/topiclog"
)

// side is a topic on one of the clusters.
type side struct {
	*topiclog.Log
	starts, ends map[int32]int64
}

func openSide(ctx context.Context, opts []kgo.Opt, topic, missing string) (s *side, err error) {
	s = new(side)
	if s.Log, err = topiclog.Open(ctx, opts, topic, missing); err != nil {
		return nil, err
	}
	if s.starts, err = s.Starts(ctx); err == nil {
		s.ends, err = s.Ends(ctx)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// errEnough ends a read.
var errEnough = errors.New("enough was read")

// first reads the first records from an offset on, most at most.
func (s *side) first(ctx context.Context, partition int32, from int64, most int) (list []found, err error) {
	err = s.each(ctx, partition, from, s.ends[partition], func(r *kgo.Record) error {
		if len(list) == most {
			return errEnough
		}
		list = append(list, found{digestOf(r), r.Offset})
		return nil
	})
	return list, err
}

func (s *side) each(ctx context.Context, partition int32, from, to int64, each func(*kgo.Record) error) error {
	if from = max(from, s.starts[partition]); from >= to {
		return nil
	}
	if err := s.Read(ctx, partition, from, to, each); err != nil && !errors.Is(err, errEnough) {
		return err
	}
	return nil
}

// last reads the last records below an offset, most at most. oldest is the earliest of their timestamps.
func (s *side) last(ctx context.Context, partition int32, to int64, most int) (list []found, oldest int64, err error) {
	for size := int64(most); ; size *= 4 {
		var times []int64
		list = list[:0]
		from := max(s.starts[partition], to-size)
		err := s.each(ctx, partition, from, to, func(r *kgo.Record) error {
			list, times = append(list, found{digestOf(r), r.Offset}), append(times, r.Timestamp.UnixMilli())
			return nil
		})
		if err != nil || len(list) >= most || from <= s.starts[partition] {
			skip := max(0, len(list)-most)
			oldest = math.MaxInt64
			for _, ms := range times[min(skip, len(times)):] {
				oldest = min(oldest, ms)
			}
			return list[skip:], oldest, err
		}
	}
}

// meet finds an offset of the old log in the mirror.
func (p *pair) meet(ctx context.Context, partition int32, offset int64) (m meeting, err error) {
	var s span
	var oldest int64
	if s.before, oldest, err = p.old.last(ctx, partition, offset, p.most); err != nil {
		return m, fmt.Errorf("read the old topic: %w", err)
	}
	if s.after, err = p.old.first(ctx, partition, offset, p.most); err != nil {
		return m, fmt.Errorf("read the old topic: %w", err)
	}
	start, end := p.mirror.starts[partition], p.mirror.ends[partition]
	if len(s.before) == 0 {
		list, err := p.mirror.first(ctx, partition, start, 1)
		if err == nil && len(list)+len(s.after) > 0 {
			err = fmt.Errorf("the old topic no longer has the last record that was counted, before offset %d: publish one to this partition "+
				"of it, and have a member count that", offset)
		}
		return meeting{next: end}, err
	}
	since, err := p.mirror.Since(ctx, time.UnixMilli(oldest))
	if err != nil {
		return m, fmt.Errorf("read the mirror: %w", err)
	}
	from := min(since[partition], end) // No record before it is as late as the oldest of them.
	if s.mirror, s.begins, err = p.mirrored(ctx, partition, from, &s); err != nil {
		return m, fmt.Errorf("read the mirror: %w", err)
	}
	return s.match()
}

// mirrored reads the mirror from an offset on. It ends some records after the last one before the position. begins says that the first one
// that it returns is the first of the log.
func (p *pair) mirrored(ctx context.Context, partition int32, from int64, s *span) (list []found, begins bool, err error) {
	before := make(map[digest]bool, len(s.before))
	for _, r := range s.before {
		before[r.digest] = true
	}
	seen, rest, cut := false, 0, false
	err = p.mirror.each(ctx, partition, from, p.mirror.ends[partition], func(r *kgo.Record) error {
		d := digestOf(r)
		switch {
		case before[d]:
			seen, rest = true, p.most
		case seen && rest == 0:
			return errEnough
		case seen:
			rest--
		case len(list) >= 2*p.most: // Later ones than those before the position may come first.
			list, cut = append(list[:0], list[p.most:]...), true
		}
		list = append(list, found{d, r.Offset})
		return nil
	})
	if err != nil || cut {
		return list, false, err
	}
	begins = true
	err = p.mirror.each(ctx, partition, p.mirror.starts[partition], from, func(*kgo.Record) error {
		begins = false
		return errEnough
	})
	return list, begins, err
}
