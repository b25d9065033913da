package sites_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/sites"
)

// of makes a funnel of event types, one letter a step.
func of(steps string, window time.Duration, strict bool) sites.Funnel {
	d := sites.Funnel{ID: "f", Window: window, Strict: strict}
	for _, step := range steps {
		d.Steps = append(d.Steps, sites.Pattern{On: sites.OnEvent, Type: string(step)})
	}
	return d
}

// hits reads the events of one visitor: "a0 b5" is an event of type a in the beginning and one of type b five seconds later.
func hits(visitor sites.FunnelVisitor, text string) (all []sites.FunnelHit) {
	for _, field := range strings.Fields(text) {
		var at int64
		if _, err := fmt.Sscan(field[1:], &at); err != nil {
			panic(err)
		}
		all = append(all, sites.FunnelHit{Visitor: visitor, At: at * 1000, Type: []byte(field[:1])})
	}
	return all
}

// count says what comes out: visitors of each step, with the median of those that have one.
func count(t *testing.T, d sites.Funnel, all []sites.FunnelHit) string {
	t.Helper()
	c, err := sites.NewFunnelCount(d)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range all {
		c.Add(h)
	}
	return spell(c.Steps())
}

func spell(steps []sites.FunnelStep) string {
	var texts []string
	for _, s := range steps {
		text := fmt.Sprint(s.Visitors)
		if s.MedianMs != nil {
			text += fmt.Sprintf("/%dms", *s.MedianMs)
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

func TestCount(t *testing.T) {
	const minute = time.Minute
	for _, c := range []struct {
		name, steps string
		window      time.Duration
		strict      bool
		events      string // of one visitor
		want        string
	}{
		{"nothing", "ab", minute, false, "", "0 0"},
		{"the last step alone", "ab", minute, false, "b0", "0 0"},
		{"all steps", "abc", minute, false, "a0 b5 c25", "1 1/5000ms 1/20000ms"},
		{"steps in another order", "abc", minute, false, "c0 b1 a2", "1 0 0"},
		{"others between", "ab", minute, false, "a0 x1 b2", "1 1/2000ms"},
		{"others between, strict", "ab", minute, true, "a0 x1 b2", "1 0"},
		{"others before and behind, strict", "ab", minute, true, "x0 a1 b2 x3", "1 1/1000ms"},
		{"a repeated step between, strict", "abc", minute, true, "a0 b1 b2 c3", "1 1/1000ms 0"},
		{"a first step between, strict", "abc", minute, true, "a0 b1 a2 c3 a4 b5 c6", "1 1/1000ms 1/1000ms"},
		{"the end of the window is in it", "ab", minute, false, "a0 b60", "1 1/60000ms"},
		{"behind the window", "ab", minute, false, "a0 b61", "1 0"},
		{"the window counts from the first step", "abc", minute, false, "a0 b50 c70", "1 1/50000ms 0"},
		{"a second attempt when the first window has passed", "ab", minute, false, "a0 a50 b70", "1 1/20000ms"},
		{"a later attempt that comes less far", "abc", minute, false, "a0 b1 c2 a100 b101", "1 1/1000ms 1/1000ms"},
		{"an earlier attempt that is overtaken", "abc", minute, false, "a0 b10 a40 b50 c90", "1 1/10000ms 1/40000ms"},
		{"an earlier attempt goes on where a later has begun", "abc", minute, false, "a0 b10 a40 c50", "1 1/10000ms 1/40000ms"},
		{"the same step twice", "aa", minute, false, "a0", "1 0"},
		{"the same step twice, by two events", "aa", minute, false, "a0 a9", "1 1/9000ms"},
		{"the same step thrice, strict", "aaa", minute, true, "a0 a1 x2 a3 a4 a5", "1 1/1000ms 1/1000ms"},
		{"at one time, in order", "ab", minute, false, "a5 b5", "1 1/0ms"},
		{"at one time, in another order", "ab", minute, false, "b5 a5", "1 0"},
		{"a repeated step: the time is from the first", "abc", minute, false, "a0 b10 b20 c30", "1 1/10000ms 1/20000ms"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := count(t, of(c.steps, c.window, c.strict), hits(sites.FunnelVisitorOf("v", ""), c.events)); got != c.want {
				t.Errorf("steps %q, events %q: %s, want %s", c.steps, c.events, got, c.want)
			}
		})
	}
}

// TestVisitorsAreKeptApart: a sessionId that stands in for a visitor is none, even if they are spelled alike.
func TestVisitorsAreKeptApart(t *testing.T) {
	all := slices.Concat(hits(sites.FunnelVisitorOf("x", ""), "a0"), hits(sites.FunnelVisitorOf("", "x"), "b1"))
	if got := count(t, of("ab", time.Minute, false), all); got != "1 0" {
		t.Errorf("a visitor and a session of one id make %s, want 1 0", got)
	}
	all = slices.Concat(hits(sites.FunnelVisitorOf("x", "s"), "a0"), hits(sites.FunnelVisitorOf("x", "t"), "b1"))
	if got := count(t, of("ab", time.Minute, false), all); got != "1 1/1000ms" {
		t.Errorf("two sessions of a visitor make %s, want 1 1/1000ms", got)
	}
	all = slices.Concat(hits(sites.FunnelVisitorOf("1", ""), "a0 b4"), hits(sites.FunnelVisitorOf("2", ""), "a0 b2"),
		hits(sites.FunnelVisitorOf("3", ""), "a0 b9"), hits(sites.FunnelVisitorOf("4", ""), "a0 b8"))
	if got := count(t, of("ab", time.Minute, false), all); got != "4 4/4000ms" {
		t.Errorf("four visitors make %s, want the lower median, 4 4/4000ms", got)
	}
}

// TestCountIsThatOfAllAttempts compares with every attempt there is, tried one by one.
func TestCountIsThatOfAllAttempts(t *testing.T) {
	const rounds = 6000
	for round := range uint64(rounds) {
		rnd := rand.New(rand.NewPCG(1, round))
		letters := "abcd"[:2+rnd.IntN(3)]
		word := func(n int) string {
			var b strings.Builder
			for range n {
				b.WriteByte(letters[rnd.IntN(len(letters))])
			}
			return b.String()
		}
		steps, strict := word(2+rnd.IntN(4)), rnd.IntN(3) == 0
		window := time.Duration(1+rnd.IntN(12)) * time.Second
		var all []sites.FunnelHit
		logs := make([][]sites.FunnelHit, 1+rnd.IntN(3))
		for v := range logs {
			at := int64(0)
			for _, letter := range word(rnd.IntN(13)) {
				at += int64(rnd.IntN(4)) * 1000
				logs[v] = append(logs[v], sites.FunnelHit{Visitor: sites.FunnelVisitorOf(fmt.Sprint(v), ""), At: at, Type: []byte(string(letter))})
			}
			all = append(all, logs[v]...)
		}
		slices.SortStableFunc(all, func(a, b sites.FunnelHit) int { return int(a.At - b.At) })
		got, want := count(t, of(steps, window, strict), all), tried(steps, window.Milliseconds(), strict, logs)
		if got != want {
			t.Fatalf("round %d: steps %s within %v, strict %v, of %s: %s, want %s", round, steps, window, strict, spellLogs(logs), got, want)
		}
	}
}

func spellLogs(logs [][]sites.FunnelHit) string {
	var b strings.Builder
	for _, log := range logs {
		b.WriteString("[")
		for _, h := range log {
			fmt.Fprintf(&b, " %s%d", h.Type, h.At/1000)
		}
		b.WriteString(" ]")
	}
	return b.String()
}

// tried is the result of trying all attempts.
func tried(steps string, windowMs int64, strict bool, logs [][]sites.FunnelHit) string {
	visitors, took := make([]int, len(steps)), make([][]int64, len(steps))
	for _, log := range logs {
		// Of the attempts that reach a step with the earliest event: the latest beginning, then the earliest arrival at the step before.
		type reached struct {
			event             int
			began, before, at int64
		}
		first := make(map[int]reached)
		var try func(attempt []int)
		try = func(attempt []int) {
			if n := len(attempt); n > 0 {
				last := log[attempt[n-1]].At
				r := reached{event: attempt[n-1], began: log[attempt[0]].At, before: last, at: last}
				if n > 1 {
					r.before = log[attempt[n-2]].At
				}
				f, ok := first[n-1]
				if !ok || r.event < f.event || r.event == f.event && (r.began > f.began || r.began == f.began && r.before < f.before) {
					first[n-1] = r
				}
				if n == len(steps) {
					return
				}
			}
			from := 0
			if n := len(attempt); n > 0 {
				from = attempt[n-1] + 1
			}
			for i := from; i < len(log); i++ {
				if strict && len(attempt) > 0 && i > from {
					break
				}
				if log[i].Type[0] == steps[len(attempt)] && (len(attempt) == 0 || log[i].At-log[attempt[0]].At <= windowMs) {
					try(append(slices.Clone(attempt), i))
				}
			}
		}
		try(nil)
		for step, r := range first {
			visitors[step]++
			took[step] = append(took[step], r.at-r.before)
		}
	}
	var texts []string
	for step, n := range visitors {
		text := fmt.Sprint(n)
		if step > 0 && n > 0 {
			slices.Sort(took[step])
			text += fmt.Sprintf("/%dms", took[step][(n+1)/2-1])
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, " ")
}

// BenchmarkAdd is what an event costs, and a visitor in bytes: each is a visitor of its own at the first step.
func BenchmarkAdd(b *testing.B) {
	c, err := sites.NewFunnelCount(of("abc", time.Minute, false))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	typ, n := []byte("a"), 0
	for b.Loop() {
		n++
		c.Add(sites.FunnelHit{Visitor: sites.FunnelVisitorOf(fmt.Sprintf("0f8fad5b-d9cb-469f-a165-%012d", n), ""), At: int64(n), Type: typ})
	}
}
