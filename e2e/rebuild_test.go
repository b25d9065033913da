//go:build unix

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
)

// TestRebuildUnderTraffic: three members count a topic that receives traffic. After its past was counted, an excluded path and a
// goal are decided. A rebuild is killed again and again, in all its phases, and continued until it has made the new generation live.
// Readers see the old figures of the past, then the new ones, as this test computes both, and never a mixture. Once the members have taken
// the new generation over, all equals a recount. Another rebuild, by the same definitions, then shows no difference.
func TestRebuildUnderTraffic(t *testing.T) {
	slow.Test(t)
	onEmbedded(t, func(t *testing.T, s *stage) {
		s.set("FOOTFALL_KAFKA_GROUP_PROTOCOL", "consumer") // Its broker gives up silent members of other groups after 45 s.
		rebuildUnderTraffic(t, s, 500, 10)
	})
	onReal(t, func(t *testing.T, s *stage) {
		s.set("FOOTFALL_KAFKA_SESSION_TIMEOUT", "3s")
		rebuildUnderTraffic(t, s, 2000, 20)
	})
}

func rebuildUnderTraffic(t *testing.T, s *stage, sessions, kills int) {
	const partitions = 6
	s.topic = testenv.Topic(t, s.brokers, partitions, nil)
	for name, value := range map[string]string{"KAFKA_TOPIC": s.topic, "KAFKA_GROUP": s.topic, "INTERVALS_STATS": "1s",
		"INTERVALS_REALTIME": "500ms"} {
		s.set("FOOTFALL_"+name, value)
	}
	s.countBots()
	s.execute(t, "table", "create")
	p := pastOf(sessions)
	if sent := s.produce(t, "--from-file", p.write(t), "--format", "events", "--buckets", "8"); sent.Sent != p.events || sent.Refused != 0 {
		t.Fatalf("produce says %+v, want %d sent", sent, p.events)
	}
	r := &rebuilt{stage: s, t: t, rng: rand.New(rand.NewPCG(uint64(sessions), 1)), past: p}
	for n := range 3 {
		r.members = append(r.members, s.start(t, fmt.Sprint("member ", n), "run", "--http", "127.0.0.1:0"))
	}
	r.load()
	reader := read(t, serveStage(t, s), p)
	eventually(t, "the past is counted", func() bool { return reader.last() == 'o' })

	s.execute(t, "goal", "create", pastSite, "thanks", "--on", "page:/thanks")
	s.execute(t, "site", "update", pastSite, "--exclude-paths", "/private/*")
	r.untilLive(kills)
	eventually(t, "readers see the new generation", func() bool { return reader.last() == 'n' })
	r.awaitLag()
	r.agrees()
	r.load()

	s.execute(t, "rebuild", "drop")
	var again rebuildAnswer
	s.answer(t, &again, "rebuild")
	if c := again.Comparison; len(c.Differ) > 0 || c.Figures == 0 || again.Live {
		t.Errorf("a rebuild by the same definitions: %+v", again)
	}
	s.execute(t, "rebuild", "drop")
	r.agrees()
	seen := reader.end()
	for _, m := range r.members {
		m.drain()
	}
	t.Logf("%d records of the past and %d of traffic, %d kills %v; %d answers of the old figures, then %d of the new ones; %d figures of %d "+
		"sites equal after another rebuild, %d kept changing", p.events, r.sent, r.kills, r.killedIn, strings.Count(seen, "o"),
		strings.Count(seen, "n"), again.Comparison.Figures, again.Comparison.Sites, again.Comparison.Moving)
}

// rebuildAnswer is the part of an answer of footfall rebuild that the test looks at.
type rebuildAnswer struct {
	Generation int
	Comparison struct {
		Sites, Figures, Moving int
		Differ                 []struct{ SiteID, Figure, Live, Rebuilt string }
	}
	Live bool
}

// rebuilt is a group whose table is rebuilt.
type rebuilt struct {
	*stage
	t       *testing.T
	rng     *rand.Rand
	past    *past
	members []*process

	producer *process
	ledgers  []string
	sent     int64

	kills    int
	killedIn map[string]int
}

func (r *rebuilt) load() {
	r.t.Helper()
	r.ledgers = append(r.ledgers, filepath.Join(r.t.TempDir(), "ledger"))
	r.producer = r.start(r.t, "producer", "produce", "--rate", fmt.Sprint(r.rate), "--sites", "3", "--buckets", "8", "--ledger",
		r.ledgers[len(r.ledgers)-1])
}

// untilLive runs rebuilds and kills them, as often as given, and one more that makes the new generation live. Only the last kills may come
// after it is.
func (r *rebuilt) untilLive(kills int) {
	r.t.Helper()
	r.killedIn = make(map[string]int)
	for r.kills < kills && r.live() == 1 {
		phase, args := "counting", []string{"rebuild", "--settings", "today"}
		switch left := kills - r.kills; {
		case r.kills < 2:
			phase = estimating
		case left <= (kills+3)/4:
			phase, args = "following", append(args, "--flip")
		case left <= (kills+1)/2:
			phase = "comparing"
		}
		r.kill(phase, args)
	}
	if r.live() == 1 {
		r.execute(r.t, "rebuild", "--settings", "today", "--flip")
	} else if _, errs, code := execute(r.t, r.env, "rebuild", "--flip"); code != 1 || !strings.Contains(errs, "generation 2 is live") {
		r.t.Errorf("rebuild after a flip that was cut short: exit code %d\n%s", code, errs)
	}
	if live := r.live(); live != 2 {
		r.t.Fatalf("generation %d is live", live)
	}
}

// estimating is what a rebuild does first. It logs no phase then.
const estimating = "estimating"

// kill kills a rebuild in a phase, at an instant that is drawn: after some looks at the table.
func (r *rebuilt) kill(phase string, args []string) {
	r.t.Helper()
	p := r.start(r.t, "rebuild", args...)
	if phase != estimating {
		eventually(r.t, "the rebuild is "+phase, func() bool {
			return p.ended() || strings.Contains(p.errors.String(), `"phase":"`+phase+`"`)
		})
	}
	for looks := r.rng.IntN(8); looks > 0 && !p.ended(); looks-- {
		r.live()
	}
	p.kill()
	switch {
	case p.code() == 0: // It was over before.
	case p.code() == -1:
		r.kills++
		r.killedIn[phase]++
	default:
		r.t.Fatalf("the rebuild ended with exit code %d:\n%s", p.code(), p.errors.tail(10))
	}
}

// live returns the live generation.
func (r *rebuilt) live() int {
	r.t.Helper()
	var has struct{ Live int }
	r.answer(r.t, &has, "rebuild", "status")
	return has.Live
}

// awaitLag waits until each lane is at most the records of two intervals behind.
func (r *rebuilt) awaitLag() {
	r.t.Helper()
	poll(r.t, nowAndThen, "the members have caught up", func() bool {
		for _, m := range r.members {
			m.running()
		}
		var stats int64
		for _, c := range r.chains(r.t) {
			if c.Lane == "stats" {
				stats += c.Lag
			}
		}
		return stats <= int64(2*r.rate)
	})
}

// agrees ends the traffic, and fails the test unless all equals a recount and what was acknowledged.
func (r *rebuilt) agrees() {
	r.t.Helper()
	r.producer.drain()
	v := r.verify(r.t)
	sent, want := acknowledged(r.t, r.ledgers)
	r.sent = sent
	got := r.counted(r.t)
	delete(got, pastSite)
	if v.Records != sent+r.past.events || !maps.Equal(got, want) {
		r.t.Errorf("%d records and events by site %v; %d records and %v were acknowledged, and %d of the past", v.Records, got, sent, want,
			r.past.events)
	}
}

// pastSite is a site that has no traffic any more.
const pastSite = "past.example"

// past are the events of a site on days that are over, and the figures of these days before and after pages are excluded and a goal is
// created.
type past struct {
	from     time.Time
	sessions int
	events   int64
	old, new []pastDay
}

const pastDays = 3

type pastDay struct {
	Start                                                       time.Time
	Events, PageViews, Sessions, ExcludedPageViews, Conversions int64
	UniqueVisitors                                              int
}

// pastOf computes the figures: sessions of four page views, some of which are of excluded pages, or all, or reach the goal.
func pastOf(sessions int) *past {
	p := &past{from: time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, -pastDays-1), sessions: sessions}
	var before, after [pastDays]map[int]bool
	for day := range pastDays {
		d := pastDay{Start: p.from.AddDate(0, 0, day)}
		p.old, p.new = append(p.old, d), append(p.new, d)
		before[day], after[day] = make(map[int]bool), make(map[int]bool)
	}
	for i := range sessions {
		day, pages := i%pastDays, pastPages(i)
		private := int64(len(pages))
		for _, page := range pages {
			if !strings.HasPrefix(page, "/private/") {
				private--
			}
		}
		was, is, all := &p.old[day], &p.new[day], int64(len(pages))
		p.events += all
		was.Events += all
		was.PageViews += all
		was.Sessions++
		before[day][pastVisitor(i)] = true
		is.Events += all - private
		is.PageViews += all - private
		is.ExcludedPageViews += private
		if private < all {
			is.Sessions++
			after[day][pastVisitor(i)] = true
		}
		if slices.Contains(pages, "/thanks") {
			is.Conversions++
		}
	}
	for day := range pastDays {
		p.old[day].UniqueVisitors, p.new[day].UniqueVisitors = len(before[day]), len(after[day])
	}
	return p
}

func pastVisitor(session int) int { return session % 700 } // Few enough that they are counted exactly.

func pastPages(session int) []string {
	pages := []string{"/", fmt.Sprint("/p/", session%40), fmt.Sprint("/p/", session%7), "/about"}
	switch {
	case session%20 == 0:
		pages = []string{"/private/a", "/private/b", "/private/c", "/private/d"}
	case session%4 == 0:
		pages[1] = "/private/a"
	case session%5 == 1:
		pages[3] = "/thanks"
	}
	return pages
}

// write writes the events to a file, in the order of their time.
func (p *past) write(t *testing.T) (path string) {
	t.Helper()
	var text []byte
	apart := 20 * time.Hour / time.Duration(p.sessions/pastDays+1)
	for day := range pastDays {
		for i := day; i < p.sessions; i += pastDays {
			at := p.from.AddDate(0, 0, day).Add(time.Hour + time.Duration(i/pastDays)*apart)
			for view, page := range pastPages(i) {
				line, err := json.Marshal(map[string]any{"siteId": pastSite, "type": "page_view", "id": fmt.Sprint(i, "-", view),
					"visitorId": fmt.Sprint("v", pastVisitor(i)), "sessionId": fmt.Sprint("s", i), "url": "https://" + pastSite + page,
					"timestamp": at.Add(time.Duration(view) * time.Second).UnixMilli()})
				if err != nil {
					t.Fatal(err)
				}
				text = append(append(text, line...), '\n')
			}
		}
	}
	path = filepath.Join(t.TempDir(), "past.ndjson")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// pastReader asks for the figures of the past ten times a second.
type pastReader struct {
	t    *testing.T
	seen recording // o: the old figures, n: the new ones, a dot: fewer, as they are counted first
	stop chan struct{}
	done chan struct{}
}

// read starts to ask a footfall serve.
func read(t *testing.T, address string, p *past) *pastReader {
	r := &pastReader{t: t, stop: make(chan struct{}), done: make(chan struct{})}
	ask := fmt.Sprintf("%s/api/v1/sites/%s/stats?by=day&from=%s&to=%s", address, pastSite, p.from.Format(time.DateOnly),
		p.from.AddDate(0, 0, pastDays).Format(time.DateOnly))
	go func() {
		defer close(r.done)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				r.ask(ask, p)
			case <-r.stop:
				return
			}
		}
	}()
	t.Cleanup(func() { r.end() })
	return r
}

func (r *pastReader) ask(url string, p *past) {
	days, status, err := pastFigures(url)
	last := r.last()
	switch {
	case err != nil:
		r.t.Errorf("ask for the past: %v", err)
	case status == http.StatusServiceUnavailable: // The machine is busy: this is no answer.
	case status == http.StatusNotFound && last <= '.', status == http.StatusOK && last <= '.' && !slices.Equal(days, p.old):
		r.seen.Write([]byte{'.'})
	case status == http.StatusOK && last != 'n' && slices.Equal(days, p.old):
		r.seen.Write([]byte{'o'})
	case status == http.StatusOK && last != '.' && slices.Equal(days, p.new):
		r.seen.Write([]byte{'n'})
	default:
		r.t.Errorf("after %q: status %d, %+v; old %+v, new %+v", last, status, days, p.old, p.new)
	}
}

func pastFigures(url string) (days []pastDay, status int, err error) {
	client := http.Client{Timeout: time.Minute}
	resp, err := client.Get(url)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil, resp.StatusCode, err
	}
	var a struct{ Buckets []pastDay }
	if err := json.Unmarshal(text, &a); err != nil {
		return nil, resp.StatusCode, fmt.Errorf("%w in %s", err, strconv.Quote(string(text)))
	}
	return a.Buckets, resp.StatusCode, nil
}

// last is what was seen last; 0: nothing yet.
func (r *pastReader) last() byte {
	if seen := r.seen.String(); seen != "" {
		return seen[len(seen)-1]
	}
	return 0
}

// end ends the reader, and returns all that it has seen.
func (r *pastReader) end() string {
	select {
	case <-r.stop:
	default:
		close(r.stop)
	}
	<-r.done
	return r.seen.String()
}
