package capacity

import (
	"math"

	"github.com/footfall/footfall/pipeline/aggregate"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// How much is drawn: enough that what differs from one draw to the next is below a hundredth, and no more than takes a
// second.
const (
	leastEvents = 30_000
	mostHours   = 3000
	mostEvents  = 100_000 // of an hour
)

// rehearse returns what a site with so many events an hour has written and read for it in an hour, and what of the items
// that bear the hour, or begin in it, is there in the end. Whatever is written of them later, when sessions go on behind the
// hour, counts as the hour's, as what was written before counts as that of the one before.
func (w *Workload) rehearse(rate float64) book {
	drawn := min(rate, mostEvents)
	hours := int(max(1, min(mostHours, math.Ceil(leastEvents/drawn))))
	r := &rehearsal{w: w, scales: w.scales(), traffic: newTraffic(w, drawn, w.spread()), times: rate / drawn, book: make(book)}
	for range hours {
		r.hour()
	}
	all := make(book)
	all.add(r.book, 1/float64(hours))
	for _, item := range scaling {
		all.of(item).scale(r.times)
	}
	return all
}

func (f *figures) scale(times float64) {
	was := *f
	*f = figures{}
	f.add(&was, times)
}

// rehearsal is an hour of a site as the workers of its partitions have it.
type rehearsal struct {
	w *Workload
	scales
	traffic *traffic
	times   float64 // so many sessions stand behind each that is drawn
	book    book
	parts   []*portion
	shared  int // bytes of the hour's stats item, 0 before its first write
	pos     int64
	packer  sketch.Packer
}

// portion is what the worker of one partition has of the site and the hour.
type portion struct {
	phase, realtimePhase float64 // of its steps, in seconds
	step                 int     // of the stats lane that accumulates; -1: none
	opened               map[int]int
	hour, day, news      bool // what the step touches
	begun                bool // it has a mark in the hour's stats
	inline               int  // bytes of its part there, with the name
	visitors             *sketch.Uniques
	breakdown            *sketch.Breakdown
	dirty                bool
	uniquesSize          int // of its items as they were written last, 0: not yet
	breakdownSize        int
	minutes              map[int]*minute
}

// minute is what one partition knows of a minute.
type minute struct {
	visitors *sketch.Uniques
	pages    *sketch.Top
	step     int // of the realtime lane
	size     int // as it was written last
}

func (r *rehearsal) hour() {
	r.parts, r.shared, r.pos = nil, 0, 0
	for range r.traffic.spread {
		r.parts = append(r.parts, &portion{step: -1, opened: make(map[int]int), visitors: sketch.NewHour(),
			breakdown: sketch.NewBreakdown(r.w.Settings.Breakdowns), minutes: make(map[int]*minute),
			phase: r.traffic.rng.Float64() * r.w.Stats.Seconds(), realtimePhase: r.traffic.rng.Float64() * r.w.Realtime.Seconds()})
	}
	for _, e := range r.traffic.hour() {
		p := r.parts[e.of.partition]
		if step := stepOf(e.at+p.phase, r.w.Stats.Seconds()); step != p.step {
			r.cut(p)
			p.step = step
		}
		r.pos++
		if within(e.at) {
			r.event(p, &e)
			r.minute(p, &e)
		}
		r.session(p, &e)
	}
	for _, p := range r.parts {
		r.cut(p)
		r.keep(p)
	}
	if r.shared > 0 {
		r.book.of(itemHour).store(1, r.shared)
	}
}

func stepOf(at, interval float64) int { return int(math.Floor(at / interval)) }

// session books an event in its session's item, once a step, and in the hour where the session began.
func (r *rehearsal) session(p *portion, e *event) {
	v := e.of
	v.events++
	defer func() { v.last = e.at }()
	if !v.booked() {
		return
	}
	p.hour = true
	f := r.book.of(itemSession)
	if v.step != p.step {
		f.write(r.scales.session)
		if v.sessionless {
			r.book.of(itemVisitor).write(r.scales.visitor)
		}
		v.step = p.step
	}
	if v.events == 1 {
		p.opened[int(v.begin/60)]++
		r.open(f, v)
	}
	if r.w.Settings.Breakdowns > 0 {
		p.dirty = true
		r.bookings(p, e)
	}
}

// open is a session's first event: its item comes into the indexes. Its state was looked for first, in vain.
func (r *rehearsal) open(f *figures, v *visit) {
	in := r.sessionIndexes
	if !v.user {
		in[0] = sinks.Key{}
	}
	for i, units := range sinks.IndexUnits(r.sessionKey, sinks.IndexKeys{}, in) {
		f.units[i+1] += units
	}
	for _, size := range in.EntrySizes(r.sessionKey) {
		if size > 0 {
			f.index += float64(size + storedBytes)
		}
	}
	f.reads += sinks.ReadUnits(0, true)
	f.store(1, r.scales.session)
	if v.sessionless {
		g := r.book.of(itemVisitor)
		g.reads += sinks.ReadUnits(0, true)
		g.store(1/r.w.SessionsPerVisitor, r.scales.visitor)
	}
}

// bookings feeds the breakdown what the event changes of its session.
func (r *rehearsal) bookings(p *portion, e *event) {
	v := e.of
	k, page := sketch.Booking{DurationMs: int64(1000 * (e.at - v.last))}, sketch.Booking{}
	switch v.events {
	case 1:
		v.entry, k = e.page, sketch.Booking{Sessions: 1, Bounces: 1}
		page.Entries = 1
	case 2:
		k.Bounces = -1
	}
	if v.exit != "" {
		p.breakdown.Book(sketch.Page, v.exit, r.pos, sketch.Booking{Exits: -1})
	}
	v.exit = e.page
	for d, value := range v.first {
		if value != "" {
			p.breakdown.Book(sketch.Dimension(d), value, r.pos, k)
		}
	}
	page.Sessions, page.Bounces, page.DurationMs = k.Sessions, k.Bounces, k.DurationMs
	p.breakdown.Book(sketch.Page, v.entry, r.pos, page)
	p.breakdown.Book(sketch.Page, v.exit, r.pos, sketch.Booking{Exits: 1})
}

// event counts an event of the hour: as an item of its own, and in what the hour's items hold.
func (r *rehearsal) event(p *portion, e *event) {
	if r.w.Settings.RawEvents {
		f := r.book.of(itemEvent)
		f.write(r.w.EventBytes)
		f.store(1, r.w.EventBytes)
	}
	p.hour, p.day = true, true
	p.news = p.visitors.Add(e.of.visitor) || p.news
	if r.w.Settings.Breakdowns == 0 {
		return
	}
	p.dirty = true
	hit := sketch.Hit{Visitor: e.of.visitor, PageView: true}
	for d, value := range e.of.first {
		if value != "" {
			p.breakdown.Event(sketch.Dimension(d), value, r.pos, hit)
		}
	}
	p.breakdown.Event(sketch.Page, e.page, r.pos, hit)
	p.breakdown.Trim(r.w.Settings.BreakdownBytes)
}

// cut ends a step of the stats lane.
func (r *rehearsal) cut(p *portion) {
	for minute, drawn := range p.opened {
		for n := int(math.Ceil(float64(drawn) * r.times)); n > 0; n -= aggregate.RecentPerItem {
			size := r.recent + min(n, aggregate.RecentPerItem)*r.recentID
			f := r.book.of(itemRecent)
			f.write(size)
			f.store(1, size)
		}
		delete(p.opened, minute)
	}
	if p.dirty {
		was := p.breakdownSize
		p.breakdownSize = r.scales.breakdown + packedBytes(&r.packer, p.breakdown)
		r.book.of(itemBreakdown).write(max(was, p.breakdownSize))
	}
	if p.news {
		r.uniques(p)
	}
	if p.hour {
		r.hourStats(p)
	}
	if p.day {
		r.book.of(itemDay).write(r.dayOf(r.traffic.spread))
	}
	p.hour, p.day, p.news, p.dirty = false, false, false, false
}

// uniques writes the visitors of the partition: where its part rides in the hour's stats, that is part of their write.
func (r *rehearsal) uniques(p *portion) {
	part := sketchBytes(p.visitors)
	if n := p.visitors.Entries(); n >= 0 && n <= aggregate.InlineVisitors {
		p.inline = r.scales.inline + part
		return
	}
	was := p.uniquesSize
	p.uniquesSize = r.scales.uniques + part
	r.book.of(itemUniques).write(max(was, p.uniquesSize))
}

// hourStats writes the hour's stats, which all partitions of the site share.
func (r *rehearsal) hourStats(p *portion) {
	p.begun = true
	size := r.scales.hour
	for _, o := range r.parts {
		if o.begun {
			size += r.scales.mark + o.inline
		}
	}
	r.book.of(itemHour).write(max(size, r.shared))
	r.shared = size
}

// minute counts an event in its realtime minute, which is written once a step of that lane.
func (r *rehearsal) minute(p *portion, e *event) {
	start, step := int(e.at/60), stepOf(e.at+p.realtimePhase, r.w.Realtime.Seconds())
	m := p.minutes[start]
	if m == nil {
		m = &minute{visitors: sketch.NewMinute(), pages: sketch.NewTop(aggregate.RealtimePages), step: step}
		p.minutes[start] = m
		r.book.of(itemRealtime).reads += sinks.ReadUnits(0, true)
	}
	if m.step != step {
		r.cutMinute(m)
		m.step = step
	}
	m.visitors.Add(e.of.visitor)
	m.pages.AddString(e.page)
}

func (r *rehearsal) cutMinute(m *minute) {
	size := r.scales.minute + sketchBytes(m.visitors) + sketchBytes(m.pages)
	r.book.of(itemRealtime).write(max(size, m.size))
	m.size = size
}

// keep ends the hour for a partition: what is there stays, and its states were looked for when they were first touched.
func (r *rehearsal) keep(p *portion) {
	for _, m := range p.minutes {
		r.cutMinute(m)
		r.book.of(itemRealtime).store(1, m.size)
	}
	if !p.begun {
		return
	}
	hour := r.book.of(itemHour)
	hour.reads += sinks.ReadUnits(0, true)
	for item, size := range map[string]int{itemUniques: p.uniquesSize, itemBreakdown: p.breakdownSize} {
		if item == itemBreakdown && r.w.Settings.Breakdowns == 0 {
			continue
		}
		f := r.book.of(item)
		f.reads += sinks.ReadUnits(0, true)
		if size > 0 {
			f.store(1, size)
		}
	}
}
