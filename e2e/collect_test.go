//go:build unix

package e2e

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
)

var (
	collectEvents = flag.Int64("collect.events", 60_000, "events that senders have collectors take")
	collectAway   = flag.Duration("collect.away", 15*time.Second, "how long the brokers are paused under them")
)

// Sites of the senders. Those of the last give an event up when it is refused or not answered.
var collectedSites = []string{"patient.example", "backend.example", "fickle.example"}

// TestRealCollectors: senders have three collectors take their events. Each collector is killed in turn, and the brokers are away for a
// while. Each event that was answered with 202 is counted once, and none that was not sent.
func TestRealCollectors(t *testing.T) {
	slow.Test(t)
	broker := testenv.OwnBroker(t)
	s := newStage(broker.Addr, testenv.Topic(t, broker.Addr, 4, nil), "sqlite://"+filepath.Join(t.TempDir(), "footfall.db"))
	s.set("FOOTFALL_KAFKA_GROUP", s.topic)
	s.execute(t, "table", "create")
	member := s.consume(t, "member")
	c := newCollectors(t, s)
	load := newSenders(c)
	t.Cleanup(load.stop)
	for i := range c.addresses {
		load.taken(t, *collectEvents*int64(i+1)/5)
		c.processes[i].kill()
		c.start(t, i)
	}
	load.taken(t, *collectEvents*4/5)
	broker.Pause(t)
	resume := sync.OnceFunc(func() { broker.Resume(t) })
	t.Cleanup(resume)
	begun := time.Now()
	eventually(t, "each collector has answered 503", func() bool {
		return time.Since(begun) >= *collectAway && load.refused(0) && load.refused(1) && load.refused(2)
	})
	resume()
	load.taken(t, *collectEvents)
	load.stop()
	for _, p := range c.processes {
		p.running()
		if status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid)); err == nil {
			_, peak, _ := strings.Cut(string(status), "VmHWM:")
			peak, _, _ = strings.Cut(peak, "\n")
			t.Logf("%s: %s resident at most", p.name, strings.TrimSpace(peak))
		}
		p.drain()
	}
	v := s.verify(t)
	member.drain()
	got := s.counted(t)
	for i, site := range collectedSites {
		sent, taken := load.sent[i].Load(), load.acknowledged[i].Load()
		if n := got[site]; n < taken || n > sent {
			t.Errorf("%s: %d events are counted, %d were answered with 202 of %d sent", site, n, taken, sent)
		}
		if site != "fickle.example" && sent != taken {
			t.Errorf("%s: %d events were sent, %d answered with 202", site, sent, taken)
		}
		t.Logf("%s: %d sent, %d answered with 202, %d counted", site, sent, taken, got[site])
	}
	t.Logf("%d records, %d compared, 0 differences; %d requests failed and were sent again", v.Records, v.ComparedCount, load.again.Load())
}

// collectors are three processes, which keep their addresses when they are started again.
type collectors struct {
	*stage
	sites     string
	addresses [3]string
	processes [3]*process
}

const backendToken = "a token of backends"

func newCollectors(t *testing.T, s *stage) *collectors {
	t.Helper()
	c := &collectors{stage: s, sites: filepath.Join(t.TempDir(), "sites.yaml")}
	text := `sites: [{id: patient.example}, {id: fickle.example},
  {id: backend.example, tokens: [BACKEND]}]`
	text = strings.Replace(text, "BACKEND", fmt.Sprintf("%x", sha256.Sum256([]byte(backendToken))), 1)
	if err := os.WriteFile(c.sites, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range c.addresses {
		c.addresses[i] = "127.0.0.1:0"
		c.start(t, i)
	}
	return c
}

func (c *collectors) start(t *testing.T, i int) {
	t.Helper()
	p := c.stage.start(t, fmt.Sprintf("collector %d", i), "collect", "--sites", c.sites, "--listen", c.addresses[i], "--buckets", "8",
		"--trusted-proxies", "127.0.0.0/8", "--ack-timeout", "5s")
	c.processes[i] = p
	eventually(t, p.name+" listens", func() bool {
		p.running()
		_, after, found := strings.Cut(p.out.String(), "http://")
		if address, _, whole := strings.Cut(after, "\n"); found && whole {
			c.addresses[i] = strings.TrimSuffix(address, "/")
			return true
		}
		return false
	})
}

// senders send events of all sites to collectors in turn until they are stopped.
type senders struct {
	addresses          [3]string
	client             *http.Client
	sent, acknowledged [3]atomic.Int64 // by site
	failed             [3]atomic.Int64 // answers of 503, by collector
	again              atomic.Int64
	stop               func()
}

func newSenders(c *collectors) *senders {
	l := &senders{addresses: c.addresses, client: &http.Client{Timeout: 30 * time.Second,
		Transport: &http.Transport{MaxIdleConnsPerHost: 16}}}
	var under sync.WaitGroup
	ended := make(chan struct{})
	for n := range 12 {
		under.Go(func() {
			for random := mathrand.New(mathrand.NewPCG(7, uint64(n))); ; {
				select {
				case <-ended:
					return
				default:
					l.send(random)
				}
			}
		})
	}
	l.stop = sync.OnceFunc(func() {
		close(ended)
		under.Wait()
	})
	return l
}

// send sends a request's events until they are taken, or once.
func (l *senders) send(random *mathrand.Rand) {
	site := random.IntN(len(collectedSites))
	r := newEvents(site, random)
	l.sent[site].Add(int64(len(r.events)))
	for try := random.IntN(len(l.addresses)); ; try++ {
		i := try % len(l.addresses)
		if l.takes(i, r) {
			l.acknowledged[site].Add(int64(len(r.events)))
			return
		}
		if collectedSites[site] == "fickle.example" {
			return
		}
		l.again.Add(1)
	}
}

// request has the events of a site, which happened at a time.
type request struct {
	site    int
	at      time.Time
	visitor string // address
	events  []map[string]any
}

// newEvents are 1 to 4 of a page, or 1 to 100 of a backend.
func newEvents(site int, random *mathrand.Rand) request {
	most := 4
	if collectedSites[site] == "backend.example" {
		most = 100
	}
	r := request{site: site, at: time.Now(), visitor: fmt.Sprintf("203.0.%d.%d", random.IntN(8), random.IntN(256))}
	for range 1 + random.IntN(most) {
		var id [16]byte
		rand.Read(id[:])
		r.events = append(r.events, map[string]any{"siteId": collectedSites[site], "type": "page_view", "id": hex.EncodeToString(id[:]),
			"url": fmt.Sprintf("https://%s/%d", collectedSites[site], random.IntN(50))})
	}
	return r
}

// takes reports whether a collector answered with 202. Of any other answer nothing is known.
func (l *senders) takes(collector int, r request) bool {
	path, agent := "/hello", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	for _, e := range r.events {
		e["ago"] = time.Since(r.at).Milliseconds()
		if collectedSites[r.site] == "backend.example" {
			path, e["address"], e["userAgent"] = "/events", r.visitor, agent
		}
	}
	body, _ := json.Marshal(r.events)
	req, _ := http.NewRequest(http.MethodPost, "http://"+l.addresses[collector]+path, bytes.NewReader(body))
	req.Header.Set("Origin", "https://"+collectedSites[r.site])
	req.Header.Set("X-Forwarded-For", r.visitor)
	req.Header.Set("User-Agent", agent)
	req.Header.Set("Authorization", "Bearer "+backendToken)
	answer, err := l.client.Do(req)
	if err != nil {
		return false
	}
	io.Copy(io.Discard, answer.Body)
	answer.Body.Close()
	if answer.StatusCode == http.StatusServiceUnavailable {
		l.failed[collector].Add(1)
	}
	return answer.StatusCode == http.StatusAccepted
}

// taken waits until n events were answered with 202.
func (l *senders) taken(t *testing.T, n int64) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d events are taken", n), func() bool {
		return l.acknowledged[0].Load()+l.acknowledged[1].Load()+l.acknowledged[2].Load() >= n
	})
}

// refused reports whether a collector has answered 503.
func (l *senders) refused(collector int) bool { return l.failed[collector].Load() > 0 }
