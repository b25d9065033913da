package simulation_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testpipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
)

// input is what a seed publishes: the records of traffic, some of which are malformed, far too late, or published
// again.
func input(dice *rand.Rand, partitions int32, start time.Time) []record {
	records := testpipeline.Traffic(dice.Uint64(), partitions, 200+dice.IntN(401), start)
	crowded := dice.IntN(12) == 0
	wander(dice, records, start)
	hasten(dice, records, start)
	precede(dice, records, start)
	linger(dice, records, start)
	comeBack(dice, records, start)
	estrange(dice, records, start)
	personalize(dice, records)
	repeats := []float64{0, 0.05, 0.15}[dice.IntN(3)]
	for i := range records {
		r := &records[i]
		switch {
		case dice.IntN(60) == 0:
			r.Value = []byte([]string{`{"siteId":`, `[]`, `null`, "\xff\xfe", `{"siteId":"a"}{}`}[dice.IntN(5)])
		case dice.IntN(60) == 0: // Its event's time is that of neither lateness.
			r.At = r.At.Add(time.Duration(dice.IntN(120)-20) * time.Hour)
		case dice.IntN(30) == 0:
			r.Key = ""
		case i > 0 && dice.Float64() < repeats: // Near most of the time; a partition has every partitions-th record.
			r.Value = records[max(0, i-1-dice.IntN(dice.IntN(i)+1))].Value
		}
	}
	if crowded {
		records = crowd(dice, records, partitions)
	}
	return records
}

// wander makes some of the records those of visitors without sessionIds whose visits are hard to tell: a quarter of the gap
// apart or a multiple of that, to the millisecond or one off, out of order, and of some more than are remembered. Each is
// there for a while: what many records have found out about a visitor, one more seldom changes.
func wander(dice *rand.Rand, records []record, start time.Time) {
	const while = 80 // records
	site, quarters := "", 0
	for i := range records {
		if i%while == 0 {
			site, quarters = fmt.Sprintf("site-%d", dice.IntN(2)), []int{8, 20, 350}[dice.IntN(3)]
		}
		if dice.IntN(5) > 0 {
			continue
		}
		when := start.Add(-time.Duration(dice.IntN(quarters)) * simVisitGap / 4)
		if dice.IntN(3) == 0 {
			when = when.Add(-time.Millisecond)
		}
		records[i].Value = mustJSON(map[string]any{
			"siteId": site, "type": []string{"page_view", "click"}[dice.IntN(2)], "timestamp": when.UnixMilli(),
			"visitorId": fmt.Sprint("wanderer-", i/while), "id": fmt.Sprint("w", i),
			"url": fmt.Sprintf("/w%d?utm_source=w%d", dice.IntN(4), dice.IntN(3)),
		})
	}
}

// hasten makes a stretch of the records those of one session with more events in some minutes than most rates allow, among more
// minutes than have a count. They come in order, the latest first, or in any order.
func hasten(dice *rand.Rand, records []record, start time.Time) {
	if dice.IntN(2) > 0 {
		return
	}
	const minutes = 20
	stretch := records[dice.IntN(len(records)/2):]
	stretch = stretch[:min(len(stretch), 40+dice.IntN(80))]
	when := make([]time.Duration, len(stretch))
	for i := range when {
		minute := dice.IntN(minutes)
		if dice.IntN(5) < 3 {
			minute = 6 * dice.IntN(3)
		}
		when[i] = time.Duration(minute)*time.Minute + time.Duration(dice.IntN(60))*time.Second
	}
	switch slices.Sort(when); dice.IntN(3) {
	case 0:
		slices.Reverse(when)
	case 1:
		dice.Shuffle(len(when), func(i, j int) { when[i], when[j] = when[j], when[i] })
	}
	for i := range stretch {
		stretch[i].Partition = stretch[0].Partition
		stretch[i].Value = mustJSON(map[string]any{
			"siteId": "site-0", "type": []string{"page_view", "click"}[dice.IntN(2)],
			"timestamp": start.Add(when[i] - minutes*time.Minute).UnixMilli(), "visitorId": "haste", "sessionId": "haste",
			"id": fmt.Sprint("h", i), "url": fmt.Sprintf("/h%d", dice.IntN(4)),
		})
	}
}

// crowd adds, at one place of the records, more new sessions of a site and a minute than one list of recent sessions takes, of
// as many visitors: more states at once than a batch reads, and rows with more visitors than are kept exactly. They are
// published at once, so that a step has all of a partition.
func crowd(dice *rand.Rand, records []record, partitions int32) []record {
	at := len(records)/4 + dice.IntN(len(records)/2)
	when, site := records[at].At, fmt.Sprintf("site-%d", dice.IntN(2))
	arrivals := make([]record, int(partitions)*(aggregate.RecentPerItem+20+dice.IntN(100)))
	for i := range arrivals {
		arrivals[i] = record{Partition: int32(i) % partitions, Key: "k", At: when, Crowd: true, Value: mustJSON(map[string]any{
			"siteId": site, "type": "page_view", "timestamp": when.UnixMilli(), "visitorId": fmt.Sprint("arrival-", i),
			"sessionId": fmt.Sprint("arrival-", i), "id": fmt.Sprint("a", i), "url": "/sale", "country": "DE",
		})}
	}
	return slices.Insert(records, at, arrivals...)
}

// again has each of a partition's last records repeat the record exactly a window of duplicates before. Wherever an owner begins among
// them, its first record repeats the first one that the owner must read.
func again(dice *rand.Rand, records []record, partition int32, window int64) {
	var own []int
	for i := range records {
		if records[i].Partition == partition {
			own = append(own, i)
		}
	}
	if int64(len(own)) <= window {
		return
	}
	for n := window + dice.Int64N(int64(len(own))-window); n < int64(len(own)); n++ {
		records[own[n]].Value = records[own[n-window]].Value
	}
}

// newcomer gives some of the records, from one of them on, to a site that none before is of, and returns how many there are before.
func newcomer(dice *rand.Rand, records []record) int {
	from := len(records)/8 + dice.IntN(len(records)/2)
	for i := range records[from:] {
		if v := &records[from+i].Value; dice.IntN(4) == 0 && !records[from+i].Crowd {
			*v = bytes.Replace(*v, []byte(`"siteId":"site-0"`), []byte(`"siteId":"`+simNewcomer+`"`), 1)
		}
	}
	return from
}

const simNewcomer = "site-2"

// publish publishes the next n records, some of them in transactions, of which some are aborted and published again.
func (s *simulation) publish(n int) {
	if s.creating && len(s.records)-n < s.newcomers { // Its first records may be among them, or in the topic for a while.
		s.creating = false
		s.create()
	}
	n = min(n, len(s.records))
	for 0 < n && n < len(s.records) && s.records[n-1].Crowd && s.records[n].Crowd {
		n++
	}
	next := s.records[:n]
	s.records = s.records[len(next):]
	s.erasures.published = append(s.erasures.published, next...)
	for len(next) > 0 {
		size := min(len(next), 1+s.dice.IntN(40))
		for 0 < size && size < len(next) && next[size].Crowd {
			size++
		}
		part := next[:size]
		next = next[size:]
		if !s.transactional || part[size-1].Crowd || s.dice.IntN(3) > 0 {
			s.Produce(part...)
			continue
		}
		abort := s.dice.IntN(3) == 0
		pause := time.Duration(s.dice.IntN(3000)) * time.Millisecond
		if abort {
			s.transact(part, kgo.TryAbort, pause)
			s.cover.Hit(onAborted)
		}
		if !abort || s.dice.IntN(2) == 0 {
			s.transact(part, kgo.TryCommit, pause)
			s.cover.Hit(onTransaction)
		}
	}
}

// transact publishes records in one transaction, which stays open for a while.
func (s *simulation) transact(records []record, end kgo.TransactionEndTry, pause time.Duration) {
	client, err := kgo.NewClient(append(s.Kafka(), kgo.TransactionalID("sim"), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		s.problem("transaction: %v", err)
		return
	}
	defer client.Close()
	err = client.BeginTransaction()
	if err == nil {
		err = client.ProduceSync(context.Background(), s.kafkaRecords(records)...).FirstErr()
	}
	time.Sleep(pause)
	if e := client.EndTransaction(context.Background(), end); err == nil {
		err = e
	}
	if err != nil { // What came of it, the log tells.
		s.T.Logf("seed %d: transaction: %v", s.seed, err)
	}
}

func (s *simulation) kafkaRecords(records []record) []*kgo.Record {
	list := make([]*kgo.Record, len(records))
	for i, r := range records {
		list[i] = &kgo.Record{Topic: s.Topic, Partition: r.Partition, Key: []byte(r.Key), Value: r.Value, Timestamp: r.At}
	}
	return list
}
