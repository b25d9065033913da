package classify

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestAnswersDoNotDependOnWhatIsRemembered asks in different orders, of a Classifier that forgets nearly everything, of
// one that remembers everything, and of one that is new each time.
func TestAnswersDoNotDependOnWhatIsRemembered(t *testing.T) {
	type question struct{ url, referrer, userAgent string }
	type answer struct {
		source Source
		agent  Agent
		host   string
	}
	var questions []question
	mediums := []string{"cpc", "email", "social"}
	for i, userAgent := range browsers(t)[:300] {
		questions = append(questions, question{
			url:       fmt.Sprintf("https://site%d.example/?utm_source=s%d&utm_medium=%s", i%40, i%30, mediums[i%3]),
			referrer:  []string{"", "https://www.google.com/", fmt.Sprintf("https://r%d.example/", i), "https://semalt.com/"}[i%4],
			userAgent: userAgent,
		})
	}
	ask := func(c *Classifier, q question) answer {
		return answer{c.Source([]byte(q.url), []byte(q.referrer)), c.Agent([]byte(q.userAgent), nil), c.Hostname([]byte(q.url))}
	}
	forgetful, lasting := New(), New()
	forgetful.agents[PresentRules].size, forgetful.hosts.size, forgetful.values.size, forgetful.channels.size = 1, 1, 1, 1
	random := rand.New(rand.NewPCG(1, 2))
	for round := range 3 {
		for _, i := range random.Perm(len(questions)) {
			want := ask(New(), questions[i])
			if got := ask(forgetful, questions[i]); got != want {
				t.Fatalf("round %d: %+v: %+v, want %+v", round, questions[i], got, want)
			}
			if got := ask(lasting, questions[i]); got != want {
				t.Fatalf("round %d: %+v: %+v, want %+v", round, questions[i], got, want)
			}
		}
	}
}

func TestCachesAreBounded(t *testing.T) {
	c := New()
	for i := range 10_000 {
		n := fmt.Sprint(i)
		c.Agent([]byte("agent "+n), nil)
		c.Source([]byte("https://u"+n+".example/?utm_source=s"+n+"&utm_campaign=c"+n), []byte("https://r"+n+".example/"))
		for name, held := range map[string][2]int{
			"agents":   {len(c.agents[PresentRules].young) + len(c.agents[PresentRules].old), agentsRemembered},
			"hosts":    {len(c.hosts.young) + len(c.hosts.old), hostsRemembered},
			"values":   {len(c.values.young) + len(c.values.old), valuesRemembered},
			"channels": {len(c.channels.young) + len(c.channels.old), channelsRemembered},
		} {
			if held[0] > 2*held[1] || i > 4*held[1] && held[0] < held[1] {
				t.Fatalf("%d %s are remembered after %d, want %d to %d", held[0], name, i+1, held[1], 2*held[1])
			}
		}
	}
}

// TestWhatIsAskedForStaysRemembered: an entry that is asked for between others never ages out.
func TestWhatIsAskedForStaysRemembered(t *testing.T) {
	byBytes, byKey := newTexts[int](4), newCache[string, int](4)
	byBytes.put("kept", 1)
	byKey.put("kept", 1)
	for i := range 100 {
		byBytes.put(fmt.Sprint(i), i)
		byKey.put(fmt.Sprint(i), i)
		if i%3 != 0 {
			continue
		}
		if v, ok := byBytes.get([]byte("kept")); !ok || v != 1 {
			t.Fatalf("after %d others, by bytes: %d, %v, want 1, true", i+1, v, ok)
		}
		if v, ok := byKey.get("kept"); !ok || v != 1 {
			t.Fatalf("after %d others, by key: %d, %v, want 1, true", i+1, v, ok)
		}
	}
	if v, ok := byBytes.get([]byte("0")); ok {
		t.Errorf("0 is still remembered, as %d", v)
	}
}

// TestLongSpellingsAreNotRemembered keeps what is remembered of hosts within bytes, not only within entries.
func TestLongSpellingsAreNotRemembered(t *testing.T) {
	c := New()
	for _, n := range []int{maxHostBytes, maxHostBytes + 1, 64 << 10} {
		c.Hostname([]byte("https://" + strings.Repeat("a", n) + "/"))
	}
	if n := len(c.hosts.young); n != 1 {
		t.Errorf("%d hosts are remembered, want 1: that of %d bytes", n, maxHostBytes)
	}
}

func TestNothingIsAllocatedForWhatIsRemembered(t *testing.T) {
	c := New()
	url := []byte("https://Shop.Example/a?utm_source=news&utm_medium=email&utm_campaign=spring+sale&utm_term=%C3%A9")
	referrer, userAgent := []byte("https://www.Google.com/search?q=x"), []byte(browsers(t)[0])
	asked := []byte("http://www.so.com/s?" + strings.Repeat("long", 20) + "=1&q=x")
	for name, ask := range map[string]func(){
		"Source of an engine that tells what was searched for": func() { c.Source(url, asked) },
		"Agent":    func() { c.Agent(userAgent, nil) },
		"Source":   func() { c.Source(url, referrer) },
		"Hostname": func() { c.Hostname(url) },
	} {
		if n := testing.AllocsPerRun(100, ask); n != 0 {
			t.Errorf("%s allocates %v times for what it remembers, want 0", name, n)
		}
	}
}
