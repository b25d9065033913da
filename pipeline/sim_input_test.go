package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline"
	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// input is what a seed publishes: the records of traffic, some of which are malformed, far too late, or published
// again.
func input(dice *rand.Rand, partitions int32, start time.Time) []record {
	records := traffic(dice.Uint64(), partitions, 200+dice.IntN(401), start)
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
			r.value = []byte([]string{`{"siteId":`, `[]`, `null`, "\xff\xfe", `{"siteId":"a"}{}`}[dice.IntN(5)])
		case dice.IntN(60) == 0: // Its event's time is that of neither lateness.
			r.at = r.at.Add(time.Duration(dice.IntN(120)-20) * time.Hour)
		case dice.IntN(30) == 0:
			r.key = ""
		case i > 0 && dice.Float64() < repeats: // Near most of the time; a partition has every partitions-th record.
			r.value = records[max(0, i-1-dice.IntN(dice.IntN(i)+1))].value
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
		records[i].value = mustJSON(map[string]any{
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
		stretch[i].partition = stretch[0].partition
		stretch[i].value = mustJSON(map[string]any{
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
	when, site := records[at].at, fmt.Sprintf("site-%d", dice.IntN(2))
	arrivals := make([]record, int(partitions)*(aggregate.RecentPerItem+20+dice.IntN(100)))
	for i := range arrivals {
		arrivals[i] = record{partition: int32(i) % partitions, key: "k", at: when, crowd: true, value: mustJSON(map[string]any{
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
		if records[i].partition == partition {
			own = append(own, i)
		}
	}
	if int64(len(own)) <= window {
		return
	}
	for n := window + dice.Int64N(int64(len(own))-window); n < int64(len(own)); n++ {
		records[own[n]].value = records[own[n-window]].value
	}
}

// newcomer gives some of the records, from one of them on, to a site that none before is of, and returns how many there are before.
func newcomer(dice *rand.Rand, records []record) int {
	from := len(records)/8 + dice.IntN(len(records)/2)
	for i := range records[from:] {
		if v := &records[from+i].value; dice.IntN(4) == 0 && !records[from+i].crowd {
			*v = bytes.Replace(*v, []byte(`"siteId":"site-0"`), []byte(`"siteId":"`+simNewcomer+`"`), 1)
		}
	}
	return from
}

// simWindows are the windows of duplicates of most processes. A partition has a record every 1.5 to 6 seconds.
var simWindows = [2][4]checkpoint.Duplicates{
	{{}, {WindowMs: 24 * 3_600_000, Positions: 64}, {WindowMs: 60_000, Positions: 64}, checkpoint.DefaultDuplicates},
	{{}, {WindowMs: 90_000, Positions: 64}, {WindowMs: 15_000, Positions: 64}, {WindowMs: 120_000, Positions: 260}},
}

const simNewcomer = "site-2"

// simVisitGap is the gap of visits of most processes.
const simVisitGap = 30 * time.Minute

// publish publishes the next n records, some of them in transactions, of which some are aborted and published again.
func (s *simulation) publish(n int) {
	if s.creating && len(s.records)-n < s.newcomers { // Its first records may be among them, or in the topic for a while.
		s.creating = false
		s.create()
	}
	n = min(n, len(s.records))
	for 0 < n && n < len(s.records) && s.records[n-1].crowd && s.records[n].crowd {
		n++
	}
	next := s.records[:n]
	s.records = s.records[len(next):]
	s.erasures.published = append(s.erasures.published, next...)
	for len(next) > 0 {
		size := min(len(next), 1+s.dice.IntN(40))
		for 0 < size && size < len(next) && next[size].crowd {
			size++
		}
		part := next[:size]
		next = next[size:]
		if !s.transactional || part[size-1].crowd || s.dice.IntN(3) > 0 {
			s.produce(part...)
			continue
		}
		abort := s.dice.IntN(3) == 0
		pause := time.Duration(s.dice.IntN(3000)) * time.Millisecond
		if abort {
			s.transact(part, kgo.TryAbort, pause)
			s.cover.hit(onAborted)
		}
		if !abort || s.dice.IntN(2) == 0 {
			s.transact(part, kgo.TryCommit, pause)
			s.cover.hit(onTransaction)
		}
	}
}

// transact publishes records in one transaction, which stays open for a while.
func (s *simulation) transact(records []record, end kgo.TransactionEndTry, pause time.Duration) {
	client, err := kgo.NewClient(append(s.kafka(), kgo.TransactionalID("sim"), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
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
		s.t.Logf("seed %d: transaction: %v", s.seed, err)
	}
}

// own are the seed's settings.
func (s *simulation) own() checkpoint.Settings {
	own := checkpoint.DefaultSettings()
	own.Duplicates, own.Retention = s.duplicates, s.retention
	own.Breakdowns, own.BreakdownBytes, own.Bots = s.breakdowns, s.breakdownBytes, s.bots
	own.VisitGapMs, own.VisitLongestMs = simVisitGap.Milliseconds(), s.longestVisit.Milliseconds()
	own.Sites, own.NewSites = s.sitesCounted, s.newSites
	own.QueryParameters = s.queries[0]
	return own
}

// decide appends a revision of the rules of a site: other shards, another retention, another zone. `site update` lets nothing
// hold before a day has passed; the simulation lets things hold from any time on, also from one that is long over, so that steps
// under revisions that cut time differently meet.
func (s *simulation) decide() {
	if s.dice.IntN(2) == 0 {
		s.govern()
		return
	}
	if s.dice.IntN(8) == 0 {
		s.rule(simQuerySite, func(r *sites.Rules) { r.QueryParameters = append(simQueries, "")[s.dice.IntN(len(simQueries)+1)] })
		return
	}
	s.rule(s.someSite(), func(r *sites.Rules) {
		if s.dice.IntN(2) == 0 || s.crowding {
			s.reconsider(r)
		}
		from := s.about.Add(time.Duration(s.dice.IntN(50)-25) * time.Hour / 5).Truncate(time.Minute).UnixMilli()
		kinds := 3
		if s.moving {
			kinds = 5
		}
		switch s.dice.IntN(kinds) {
		case 0:
			r.Shards = append(r.Shards, sites.Shards{From: from - from%dayMs, N: 1 + s.dice.IntN(5)})
		case 1:
			r.Days = map[string]int64{[]string{sinks.AttrSessionDays, sinks.AttrHourDays, sinks.AttrRawDays}[s.dice.IntN(3)]: []int64{-1,
				40}[s.dice.IntN(2)]}
		case 2: // Bots of the site's own: some of the traffic's browsers, and a host that refers.
			r.UserAgents = [][]string{nil, {"firefox"}, {"iphone os 17", "firefox/1"}}[s.dice.IntN(3)]
			r.Referrers = [][]string{nil, {"t.co"}}[s.dice.IntN(2)]
		default:
			if s.dice.IntN(3) == 0 {
				from = 0
			}
			z := s.zone(from)
			if from > 0 && s.dice.IntN(2) == 0 { // As `site update` has it: from a midnight of the new zone, which may be none of the old.
				z.From = midnightOf(z.Name, from)
			}
			r.Zones = append(slices.DeleteFunc(r.Zones, func(o sites.Zone) bool { return o.From >= z.From }), z)
		}
	})
}

// settle gives a site a zone before its first event.
func (s *simulation) settle() {
	s.rule(s.someSite(), func(r *sites.Rules) { r.Zones = []sites.Zone{s.zone(0)} })
}

// create creates the newcomer, with whichever zone. Processes that count it from then on must know of it; where they have
// before, it is refused. Now and then who creates it is cut short at one of his requests, and comes back a while later.
func (s *simulation) create() {
	d := sites.Definition{ID: simNewcomer, Zone: s.zone(0).Name, Shards: 1 + s.dice.IntN(5)}
	if s.dice.IntN(2) == 0 {
		s.created(sites.Create(context.Background(), s.table, sinks.Keys{}, d, time.Now()))
		return
	}
	cut := &cutShort{Table: s.table, at: 1 + s.dice.IntN(4), applied: s.dice.IntN(2) == 0}
	if err := sites.Create(context.Background(), cut, sinks.Keys{}, d, time.Now()); err == nil {
		s.created(nil) // It needed fewer requests.
		return
	}
	s.cover.hit(onCreationCut)
	pause := time.Duration(s.dice.IntN(40_000)) * time.Millisecond
	s.tasks.Go(func() {
		time.Sleep(pause)
		s.created(sites.Create(context.Background(), s.table, sinks.Keys{}, d, time.Now()))
	})
}

// created judges what came of creating the newcomer.
func (s *simulation) created(err error) {
	if _, late := errors.AsType[*sites.ConflictError](err); late {
		s.cover.hit(onCreatedLate)
	} else if err != nil {
		s.problem("create a site: %v", err)
	} else {
		s.cover.hit(onCreated)
	}
}

// cutShort is a table of which somebody gets no answer to his at-th put, and to nothing from then on.
type cutShort struct {
	sinks.Table
	at      int
	applied bool // that put takes place
}

func (c *cutShort) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	if c.at--; c.at > 0 || c.at == 0 && c.applied {
		if r, err := c.Table.Put(ctx, p); c.at > 0 || err != nil {
			return r, err
		}
	}
	return sinks.Result{}, errKilled
}

func (s *simulation) someSite() string { return fmt.Sprint("site-", s.dice.IntN(2)) }

// rule appends a revision of the rules of a site, again where somebody else was faster.
func (s *simulation) rule(id string, change func(*sites.Rules)) {
	var r *sites.Rules
	for {
		log, err := sites.ReadLog(context.Background(), s.table, sinks.Keys{}, nil)
		if err != nil {
			s.problem("read the rules: %v", err)
			return
		}
		if r == nil { // Decided once: the dice fall alike whoever is faster. Nobody else decides about these sites.
			r = log.At(log.Rev()).Site(id).Clone()
			r.CreatedAt = bubbleStart.UnixMilli() // As of any site that people decide about: its rules are never empty.
			change(r)
		}
		log, err = sites.AppendLog(context.Background(), s.table, sinks.Keys{}, log, sites.Revision{At: time.Now().UnixMilli(), Site: id,
			Rules: r})
		if errors.Is(err, sites.ErrBehind) {
			continue
		}
		if err == nil {
			err = sites.PublishSite(context.Background(), s.table, sinks.Keys{}, id, log.History(id))
		}
		if err != nil {
			s.problem("append a revision of the rules: %v", err)
		}
		s.cover.hit(onRules)
		return
	}
}

const dayMs = 24 * 60 * 60 * 1000

// settings are those of a process: the seed's own most of the time.
func (s *simulation) settings(dice *rand.Rand) checkpoint.Settings {
	own := s.own()
	own.QueryParameters = s.queries[dice.IntN(len(s.queries))]
	if dice.IntN(5) > 0 {
		return own
	}
	switch dice.IntN(7) {
	case 6:
		own.Sites = []string{checkpoint.SitesAny, checkpoint.SitesRegistered}[dice.IntN(2)]
		own.NewSites = []int64{0, 1, 4}[dice.IntN(3)]
	case 0:
		own.LateMs = []int64{-1, time.Hour.Milliseconds(), 24 * time.Hour.Milliseconds()}[dice.IntN(3)]
	case 1:
		own.NonInteractive = [][]string{nil, {"click"}, {"click", "ping"}}[dice.IntN(3)]
	case 2:
		own.RawEvents = false
	case 3:
		if s.trimming {
			break
		}
		own.Duplicates = []checkpoint.Duplicates{within(0), {WindowMs: 30_000, Positions: 16}, simWindows[0][2], simWindows[1][3]}[dice.IntN(4)]
	case 4:
		own.Breakdowns = []int{0, 2, 9}[dice.IntN(3)]
		own.BreakdownBytes = []int{1 << 10, 2 << 10, 5 << 10}[dice.IntN(3)]
	case 5:
		own.Bots = checkpoint.Bots{Lists: dice.IntN(2) == 0, Rate: []int64{0, 2, 6}[dice.IntN(3)]}
		own.VisitGapMs = []time.Duration{0, simVisitGap / 2, 2 * simVisitGap}[dice.IntN(3)].Milliseconds()
	}
	return own
}

// options are those of a process, beside its table.
func (s *simulation) options(dice *rand.Rand, name string) pipeline.Options {
	o := s.world.options()
	o.ServerBalanced = s.kip848
	o.Settings = s.settings(dice)
	if s.zoned != nil { // Processes differ, as while a new configuration is rolled out.
		o.SiteZone = simZones[s.zoned.IntN(len(simZones))]
	}
	o.Settings.RawPacked = s.packs()
	if s.batches {
		o.Settings.BatchBytes = simBounds[dice.IntN(len(simBounds))]
	}
	o.StatsInterval = time.Duration(2+dice.IntN(7)) * time.Second
	o.RealtimeInterval = time.Duration(1+dice.IntN(4)) * time.Second
	if name[len(name)-1]%2 == 0 { // Without a draw: all else of a seed stays as it is.
		o.RealtimeMax = 4 * o.RealtimeInterval
	}
	o.SealInterval, o.SealAfter = time.Duration(200+dice.IntN(6000))*time.Millisecond, s.sealAfter
	switch dice.IntN(6) {
	case 0:
		o.Limits.StepItems = 20
	case 1:
		o.Limits = pipeline.Limits{StepItems: 40, QueueBytes: 6_000}
	case 2:
		o.Limits = pipeline.Limits{InFlight: 3, CacheBytes: 40_000, StepBytes: 12_000}
	case 3:
		o.StatsInterval = time.Minute
	}
	if dice.IntN(3) == 0 { // Ceilings of 1 %, or of so little that a process has hardly a state that no open step touches.
		part := []int{100, 10_000}[dice.IntN(2)]
		o.Limits.MemoryBytes, o.Limits.FetchedBytes = pipeline.DefaultLimits.MemoryBytes/part, pipeline.DefaultLimits.FetchedBytes/part
	}
	switch dice.IntN(5) { // Simulated hours are too small for the journal to pay.
	case 0:
		o.Limits.Journal = aggregate.Journal{MinItem: 1, Entries: 7}
	case 1:
		o.Limits.Journal = aggregate.Journal{MinItem: 1, Entries: 1 << 30}
	case 2:
		o.Limits.Journal = aggregate.Journal{MinItem: 1, Entries: 2, Share: 1}
	}
	if s.static {
		o.InstanceID = name
	}
	return o
}

func (w *world) kafkaRecords(records []record) []*kgo.Record {
	list := make([]*kgo.Record, len(records))
	for i, r := range records {
		list[i] = &kgo.Record{Topic: w.topic, Partition: r.partition, Key: []byte(r.key), Value: r.value, Timestamp: r.at}
	}
	return list
}

// processName names a process within its seed, the same in every run.
func processName(round, member int) string { return fmt.Sprintf("p%d-%d", round, member) }
