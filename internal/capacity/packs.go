package capacity

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"github.com/footfall/footfall/internal/pack"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
)

// busiestHourly is how many events the busiest site has in an hour, on average.
func (w *Workload) busiestHourly() float64 {
	share := 1 / float64(w.Sites)
	if w.Largest > 0 {
		share = w.Largest
	}
	return w.EventsPerDay * share / 24
}

// Packed says what packed raw events cost. They cost the less the more events a flush has in each shard of a site.
type Packed struct {
	PerPack float64   `json:"perPack"` // events of the busiest site in a shard, a partition and a flush, on average over a day
	Rows    []Density `json:"rows"`

	UnitsAnEvent float64      `json:"unitsAnEvent"` // of the busiest site
	Fewer        *FewerShards `json:"fewerShards"`  // null: they save nothing, or would not be enough
}

// FewerShards are the shards that the busiest site needs for its raw events, if they save write units: its packs have more events.
type FewerShards struct {
	Shards       int     `json:"shards"`
	UnitsAnEvent float64 `json:"unitsAnEvent"`
}

// Density is what packed raw events cost where a flush has a given number of a site in a shard.
type Density struct {
	Events       float64 `json:"events"`
	UnitsAnEvent float64 `json:"unitsAnEvent"`
	BytesAnEvent float64 `json:"bytesAnEvent"`
}

// packed is nil where raw events are not packed.
func (w *Workload) packed() *Packed {
	if !w.Settings.RawEvents || !w.Settings.RawPacked {
		return nil
	}
	p := &Packed{PerPack: w.busiest().density(w.busiestHourly(), &never)}
	for _, n := range []float64{1, 3, 10, 30, 100, 300} {
		f := w.packFigures(n)
		p.Rows = append(p.Rows, Density{n, f.units[sinks.Base] / n, f.bytes / n})
	}
	return p
}

// fewer says what the packs of the busiest site cost in as many shards as it needs, of the events of an hour.
func (p *Packed) fewer(w *Workload, hourly float64, needed int) {
	if p == nil || hourly == 0 {
		return
	}
	w = w.busiest()
	cost := func(shards int) float64 {
		in := *w
		in.Shards = shards
		return in.packFigures(in.density(hourly, &never)).units[sinks.Base] * in.packGroups(&never) / hourly
	}
	p.UnitsAnEvent = cost(w.Shards)
	if needed >= w.Shards {
		return
	}
	if units := cost(needed); units < worthwhile*p.UnitsAnEvent {
		p.Fewer = &FewerShards{needed, units}
	}
}

// worthwhile is the part of its units that a change of settings must come to.
const worthwhile = 0.9

// packGroups is how many groups of events that share packs a site has in an hour: one for each shard, partition and flush.
func (w *Workload) packGroups(e *ends) float64 {
	return float64(w.Shards*w.spread()) * w.steps(statsLane, w.Stats, e)
}

// density is how many events a group has on average, given those of a site in an hour.
func (w *Workload) density(hourly float64, e *ends) float64 { return hourly / w.packGroups(e) }

// packHour adds what an hour of a site's raw events takes in packs, and what they add to flushes as they grow.
func (w *Workload) packHour(r *rehearsal, hourly float64, e *ends) {
	if w.Settings.RawEvents && w.Settings.RawPacked {
		r.of(itemPack).add(w.packFigures(w.density(hourly, e)), w.packGroups(e))
		w.packsGrow(&r.growths[statsLane])
	}
}

// packsGrow adds to a flush, which grows by a site's events, what package pipeline counts of their packs: the events as they are before
// they are compressed, and a pack of each group.
func (w *Workload) packsGrow(g *growth) {
	shards := float64(w.Shards)
	most := g[ages-1].events / shards // events of a group
	if most == 0 {
		return
	}
	rng := rand.New(rand.NewPCG(5, 6))
	samples := int(math.Ceil(min(packSamples, max(1, packEvents/most))))
	for range samples {
		b := new(pack.Builder)
		next := rng.ExpFloat64() // when the next session comes, where one comes at each whole number on average
		for age := range g {
			events := g[age].events / shards
			for ; next*w.EventsPerSession <= min(events, packEvents); next += rng.ExpFloat64() {
				n := int(w.EventsPerSession)
				if rng.Float64() < w.EventsPerSession-float64(n) {
					n++
				}
				w.drawSession(b, rng, n)
			}
			times := shards / float64(samples) * max(1, events/packEvents)
			g[age].bytes += times * float64(b.Held())
			g[age].items += shards / float64(samples) * float64(b.Len())
		}
	}
}

// What is drawn to see how many bytes packs have: groups, and events of all, at the most. A larger group is taken for several.
const (
	packSamples = 60
	packEvents  = 2000
)

// packFigures returns what a group of a given number of events takes on average: real packs of events that are drawn.
func (w *Workload) packFigures(events float64) *figures {
	total, times := new(figures), 1.0
	if events > packEvents {
		events, times = packEvents, events/packEvents
	}
	rng := rand.New(rand.NewPCG(3, 4))
	perSession := w.EventsPerSession / w.perStep(w.Stats)
	samples := int(math.Ceil(min(packSamples, max(1, 5*packEvents/events))))
	for range samples {
		b := new(pack.Builder)
		for range poisson(rng, events/perSession) {
			n := int(perSession)
			if rng.Float64() < perSession-float64(n) {
				n++
			}
			w.drawSession(b, rng, n)
		}
		for it := range b.Items(pack.Place{Topic: "events", TP: sinks.TP{Topic: 1}, Step: someStep}) {
			total.write(it.Size())
			total.store(1, it.Size())
		}
	}
	mean := new(figures)
	mean.add(total, times/float64(samples))
	return mean
}

// poisson draws how many sessions a group has.
func poisson(rng *rand.Rand, mean float64) (n int) {
	for at := rng.ExpFloat64(); at < mean; at += rng.ExpFloat64() {
		n++
	}
	return n
}

// agents are what visitors' browsers say they are: their numbers of versions differ.
var agents = []string{
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.0.0 Safari/537.36",
	"Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/%d.5 Mobile/15E148 Safari/604.1",
	"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/%d.0.0.0 Mobile Safari/537.36",
	"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/%d.0",
}

// drawSession adds events of a session. Their ids are random; what is missing to the bytes of an event's item are words of its page.
func (w *Workload) drawSession(b *pack.Builder, rng *rand.Rand, events int) {
	visitor, session := drawID(rng, w.IDBytes), drawID(rng, w.SessionID)
	agent := fmt.Appendf(nil, agents[rng.IntN(len(agents))], 120+rng.IntN(20))
	begin := int64(firstHour) + rng.Int64N(max(1, w.Stats.Milliseconds()))
	from := origins[rng.IntN(len(origins))]
	pages := rand.NewZipf(rng, zipfExponent, 2, uint64(w.Pages-1))
	for i := range events {
		at, number := begin+int64(i)*1000, pages.Uint64()
		e := pack.Event{RecordTime: at + rng.Int64N(3000), Offset: somePos + rng.Int64N(1e6),
			ID: event.ULID([]byte(site), drawID(rng, 16), event.Origin{}, at)}
		text := map[string][]byte{"type": []byte("page_view"), "id": drawID(rng, uuidBytes),
			sinks.AttrVisitorID: visitor, sinks.AttrSessionID: session,
			"url":       pageURL(number, from.query),
			"userAgent": agent, "country": []byte(countries[rng.IntN(len(countries))]), "title": fmt.Appendf(nil, "Page %d of %s", number, site)}
		if from.referrer != "" {
			text["referrer"] = []byte(from.referrer)
		}
		size := 180 // of keys and numbers
		for name, t := range text {
			size += len(name) + len(t)
		}
		text["properties"] = words(number, w.EventBytes-size)
		for i, name := range pack.Names {
			e.Texts[i] = text[name]
		}
		b.Add(site, 0, -1, &e)
	}
}

// drawID draws an id of hexadecimal digits; a random UUID where that has as many bytes.
func drawID(rng *rand.Rand, bytes int) []byte {
	if bytes == uuidBytes {
		a, b := rng.Uint64(), rng.Uint64()
		return appendUUID(make([]byte, 0, bytes), a, b&^(3<<62)|1<<63)
	}
	id := make([]byte, bytes)
	for i := range id {
		id[i] = "0123456789abcdef"[rng.IntN(16)]
	}
	return id
}

// words are n bytes of properties that say the same of a page each time; nil for too few.
func words(page uint64, n int) []byte {
	if n < 20 {
		return nil
	}
	rng := rand.New(rand.NewPCG(page, 5))
	b := []byte(`{"about":"`)
	for len(b) < n-2 {
		b = append(b, "footfall visitor article section teaser campaign "[rng.IntN(40):]...)
		b = b[:min(len(b), n-2)]
	}
	return append(b, '"', '}')
}

// print prints a row for each density.
func (p *Packed) print(out io.Writer) {
	if p == nil {
		return
	}
	fmt.Fprintf(out, "\nPacked raw events: the busiest site has %.1f events in a shard, a partition and a flush, on average.\n", p.PerPack)
	fmt.Fprint(out, "Write units an event, by that number:")
	for i, d := range p.Rows {
		separator := ","
		if i == 0 {
			separator = ""
		}
		fmt.Fprintf(out, "%s %.0f: %.3f", separator, d.Events, d.UnitsAnEvent)
	}
	fmt.Fprintln(out, ".")
	if p.Fewer != nil {
		fmt.Fprintf(out, "Packs of that site cost %.3f write units an event; %.3f in the %d of its shards that it needs: footfall site update "+
			"SITE --shards %d.\n", p.UnitsAnEvent, p.Fewer.UnitsAnEvent, p.Fewer.Shards, p.Fewer.Shards)
	}
}
