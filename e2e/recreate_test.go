//go:build unix

package e2e

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/internal/topiclog"
)

// A topic that is deleted and created again once its consumers have drained is counted on: the table is a fold of all
// the logs that there were.
func TestTopicCreatedAgainIsCountedOn(t *testing.T) {
	slow.Test(t)
	onStages(t, func(t *testing.T, s *stage) {
		const partitions, events = 6, 500
		s.topic = testenv.Topic(t, s.brokers, partitions, nil)
		s.env = append(s.env, "FOOTFALL_KAFKA_TOPIC="+s.topic)
		s.execute(t, "table", "create")
		var ledgers []string
		for life := range 3 {
			if life > 0 {
				s.recreateTopic(t, partitions)
			}
			var consumers []*process
			for i := range 2 {
				consumers = append(consumers, s.consume(t, fmt.Sprintf("consumer %d in life %d", i, life)))
			}
			ledgers = append(ledgers, filepath.Join(t.TempDir(), "ledger"))
			s.produce(t, "--events", fmt.Sprint(events), "--rate", fmt.Sprint(4*s.rate), "--sites", "5", "--seed", fmt.Sprint(life), "--ledger",
				ledgers[life])
			s.verifyRest(t)
			for _, c := range consumers {
				c.drain()
			}
			records, want := acknowledged(t, ledgers)
			if got := s.counted(t); records != int64(events*(life+1)) || !maps.Equal(got, want) {
				t.Errorf("in life %d events by site are %v, and %v were acknowledged", life, got, want)
			}
		}
	})
}

// chainView is the part of an answer of footfall status that tests look at.
type chainView struct {
	Partition int
	Lane      string
	Flush     int64
	From, To  int64
	Lag       int64
	Done      bool
	Gap       *gapView
	History   []struct{ Gap *gapView }
}

type gapView struct {
	Cause                      string
	UndecidedFrom, UndecidedTo int64
	UnreadFrom                 int64
	Unbounded                  bool
}

// open returns the chains that have an open step.
func open(chains []chainView) (list []chainView) {
	for _, c := range chains {
		if c.Flush > 0 && !c.Done {
			list = append(list, c)
		}
	}
	return list
}

func (s *stage) chains(t *testing.T) []chainView {
	t.Helper()
	var a struct{ Checkpoints []chainView }
	s.answer(t, &a, "status")
	return a.Checkpoints
}

// A topic that is deleted and created again under consumers that were killed leaves gaps, which name what is undecided
// and from where nothing was read. An operator accepts them, and the numbers are as far from what was published as the
// gaps say, and no further.
func TestTopicCreatedAgainUnderOpenStepsLeavesGaps(t *testing.T) {
	slow.Test(t)
	onStages(t, func(t *testing.T, s *stage) {
		const partitions = 6
		s.topic = testenv.Topic(t, s.brokers, partitions, nil)
		s.env = append(s.env, "FOOTFALL_KAFKA_TOPIC="+s.topic, "FOOTFALL_INTERVALS_STATS=2s", "FOOTFALL_INTERVALS_REALTIME=1s",
			"FOOTFALL_KAFKA_GROUP_PROTOCOL=consumer", // Whose sessions are short here: the next owner need not wait for long.
			"FOOTFALL_RAW_EVENTS=packed")             // Items go out as records arrive, so there would be some of records that no step has had.
		s.execute(t, "table", "create")
		dir := t.TempDir()
		before, after := []string{filepath.Join(dir, "before")}, []string{filepath.Join(dir, "after")}
		producer := s.start(t, "producer", "produce", "--rate", fmt.Sprint(s.rate), "--sites", "5", "--buckets", "8", "--ledger", before[0])
		consumer := s.consume(t, "consumer to be killed")
		eventually(t, "some chains have open steps", func() bool { return len(open(s.chains(t))) > partitions })
		consumer.kill()
		producer.drain()
		s.recreateTopic(t, partitions)
		killed := s.chains(t) // What was on its way when it was killed has landed by now.

		consumer = s.start(t, "consumer that finds the gaps", "run")
		poll(t, nowAndThen, "every open step is in a gap", func() bool {
			consumer.running()
			gaps := 0
			for _, c := range s.chains(t) {
				if c.Gap != nil {
					gaps++
				}
			}
			return gaps == len(open(killed))
		})
		for _, c := range s.chains(t) {
			if want := (&gapView{"recreated", c.From, c.To, c.To, true}); c.Gap != nil && *c.Gap != *want {
				t.Fatalf("chain %+v has the gap %+v, want its open step undecided and all behind it unread", c, c.Gap)
			}
			if c.Gap != nil {
				s.execute(t, "partition", "accept-gap", fmt.Sprint(c.Partition), "--lane", c.Lane, "--flush", fmt.Sprint(c.Flush))
			}
		}
		s.produce(t, "--events", "1000", "--rate", fmt.Sprint(4*s.rate), "--sites", "5", "--ledger", after[0])
		s.verifyRest(t)
		consumer.drain()

		// What was folded for certain, and what was perhaps.
		_, least := acknowledged(t, after)
		undecided := make(map[string]int64)
		for _, c := range killed {
			if c.Lane != "stats" {
				continue
			}
			sure := c.To
			if !c.Done {
				sure = c.From
			}
			eachPublished(t, before, func(r published) {
				switch {
				case r.Partition != c.Partition:
				case r.Offset < sure:
					least[r.SiteID]++
				case r.Offset < c.To:
					undecided[r.SiteID]++
				}
			})
		}
		for site, got := range s.counted(t) {
			if most := least[site] + undecided[site]; got < least[site] || most < got {
				t.Errorf("%s has %d events, want %d to %d", site, got, least[site], most)
			}
		}
	})
}

// recreateTopic deletes the topic and creates another one of its name.
func (s *stage) recreateTopic(t *testing.T, partitions int32) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(s.brokers))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	adm := kadm.NewClient(cl)
	if r, err := adm.DeleteTopic(t.Context(), s.topic); err != nil || r.Err != nil {
		t.Fatalf("delete topic %s: %v", s.topic, errors.Join(err, r.Err))
	}
	forever := "-1"
	eventually(t, "the topic is created again", func() bool { // It takes a moment to be gone.
		r, err := adm.CreateTopic(t.Context(), partitions, 1, map[string]*string{"retention.ms": &forever}, s.topic)
		if err = errors.Join(err, r.Err); err != nil && !errors.Is(err, kerr.TopicAlreadyExists) {
			t.Fatalf("create topic %s again: %v", s.topic, err)
		}
		return err == nil
	})
	if _, err := topiclog.AwaitCreated(t.Context(), adm, s.topic); err != nil {
		t.Fatal(err)
	}
}
