package serve

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// One poll serves all listeners of a topic, who get every result; a slow one is dropped, and polls end with the last listener.
func TestListenersShareAPoll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shop, blog atomic.Int64
		polls := map[string]*atomic.Int64{"shop": &shop, "blog": &blog}
		h := &hub[int]{every: time.Second, most: 4, poll: func(_ context.Context, topic string) (int, error) {
			return int(polls[topic].Add(1)), nil
		}}
		a, leaveA, _ := h.listen("shop", "")
		b, leaveB, _ := h.listen("shop", "")
		slow, leaveSlow, _ := h.listen("shop", "")
		other, leaveOther, _ := h.listen("blog", "")
		if _, _, err := h.listen("shop", ""); !errors.Is(err, errTooManyListeners) {
			t.Errorf("a fifth listener: %v", err)
		}
		for want := range 5 {
			for _, l := range []*listener[int]{a, b, other} {
				if got, err := l.next(t.Context()); got != want+1 || err != nil {
					t.Errorf("news %d, %v; want %d", got, err, want+1)
				}
			}
		}
		<-slow.news
		if _, err := slow.next(t.Context()); !errors.Is(err, errSlowListener) {
			t.Errorf("the slow listener: %v", err)
		}
		if shop.Load() != 5 || blog.Load() != 5 {
			t.Errorf("%d and %d polls, want 5 of each", shop.Load(), blog.Load())
		}
		leaveSlow()
		leaveOther()
		late, leaveLate, err := h.listen("shop", "")
		if got, _ := late.next(t.Context()); err != nil || got != 5 {
			t.Errorf("a late listener gets %d, %v; want the last news", got, err)
		}
		leaveA()
		leaveB()
		leaveLate()
		time.Sleep(time.Minute)
		if synctest.Wait(); shop.Load() != 5 || h.listening != 0 || len(h.topics) != 0 {
			t.Errorf("%d polls, %d listeners, %d topics after all have left", shop.Load(), h.listening, len(h.topics))
		}
	})
}

// A poll that fails ends the listeners with its error, and the next one polls anew.
func TestFailedPollEndsListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := errors.New("lost")
		failing := true
		h := &hub[int]{every: time.Second, most: 2, poll: func(context.Context, string) (int, error) {
			if failing {
				return 0, lost
			}
			return 1, nil
		}}
		l, leave, _ := h.listen("shop", "")
		if _, err := l.next(t.Context()); !errors.Is(err, lost) {
			t.Errorf("%v, want the error of the poll", err)
		}
		leave()
		failing = false
		again, leave, _ := h.listen("shop", "")
		if got, err := again.next(t.Context()); got != 1 || err != nil {
			t.Errorf("listening again: %d, %v", got, err)
		}
		leave()
		synctest.Wait()
	})
}

// A stream of realtime figures begins at once, and a site that is not known has none.
func TestRealtimeIsStreamed(t *testing.T) {
	server := httptest.NewServer(handler(t, shopTable(t)))
	defer server.Close()
	get := func(site string) *http.Response {
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+base+"/sites/"+site+"/realtime/stream", nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := get("shop")
	defer r.Body.Close()
	line, err := bufio.NewReader(r.Body).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, `data: {"siteId":"shop",`) || r.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("%s: %q, %v", r.Status, line, err)
	}
	unknown := get("unknown")
	unknown.Body.Close()
	if unknown.StatusCode != http.StatusNotFound || unknown.Header.Get("Content-Type") != problemType {
		t.Errorf("an unknown site: %s", unknown.Status)
	}
}
