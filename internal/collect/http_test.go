package collect

import (
	"bufio"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/produce"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// BenchmarkPageViewOverHTTP is what a page view costs with HTTP and Kafka: 64 connections that are kept, and a broker in this process. The
// CPU time of all is in the profile; the senders' part is that of sendViews.
func BenchmarkPageViewOverHTTP(b *testing.B) {
	_, kafka := brokers(b)
	q, err := NewQueue(QueueOptions{Kafka: kafka, Topic: "events", MaxBytes: 64 << 20, Patience: time.Minute})
	if err != nil {
		b.Fatal(err)
	}
	defer q.Close()
	w := newWorld(b, func(o *Options) {
		o.Queue, o.Now, o.NewJudge = q, time.Now, func() produce.Judge { return judgeOf(time.Now()) }
	})
	server := httptest.NewServer(w.Handler)
	defer server.Close()
	const connections = 64
	var all sync.WaitGroup
	b.ResetTimer()
	for i := range connections {
		all.Go(func() {
			if err := sendViews(server.Listener.Addr().String(), (b.N+i)/connections); err != nil {
				b.Error(err)
			}
		})
	}
	all.Wait()
}

// sendViews sends page views one after the other.
func sendViews(addr string, n int) error {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	request := fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: x\r\n%s\r\nUser-Agent: Firefox\r\nContent-Length: %d\r\n\r\n%s", PathBrowser,
		shop, len(view), view)
	answers := bufio.NewReader(c)
	for range n {
		if _, err := c.Write(request); err != nil {
			return err
		}
		status, err := answers.ReadString('\n')
		if err != nil || !strings.Contains(status, " 202 ") {
			return fmt.Errorf("answered %q, %w", status, err)
		}
		for line := ""; line != "\r\n"; {
			if line, err = answers.ReadString('\n'); err != nil {
				return err
			}
		}
	}
	return nil
}

// judgeOf judges as a pipeline with the default settings does at a time.
func judgeOf(now time.Time) produce.Judge {
	settings := checkpoint.DefaultSettings()
	settings.NotAfter = checkpoint.NotAfter(now)
	decode, _ := checkpoint.Maps(nil).Decoder(0, mapping.NoSchemas)
	decoded := event.Event{}
	return func(value []byte, at time.Time) (string, string) {
		reason, detail := settings.Verdict(decode, &kgo.Record{Value: value, Timestamp: at}, &decoded)
		return string(reason), detail
	}
}
