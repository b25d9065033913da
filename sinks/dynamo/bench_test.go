package dynamo_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/dynamo"
	"github.com/footfall/footfall/sinks/sinktest"
)

// The benchmarks measure what the client's side of a write costs: CPU of this process by getrusage, against a
// server of its own in another process that answers {} to everything. Targets of the direct client: 3 us per raw item, 0.35
// of what the SDK's client takes per guarded update.

// asServer is set in the child process that answers.
const asServer = "FOOTFALL_TEST_ANSWER_ON"

// answerForever serves connections with the least work that HTTP allows: the headers are searched for their
// length, the body is skipped, the answer is ready-made.
func answerForever() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(l.Addr())
	go func() { // The parent holds the other end; it ends this process by closing it.
		io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for {
		conn, err := l.Accept()
		if err != nil {
			panic(err)
		}
		go answer(conn)
	}
}

func answer(conn net.Conn) {
	defer conn.Close()
	const text = "HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-1.0\r\nX-Amz-Crc32: 2745614147\r\nContent-Length: 2\r\n\r\n{}"
	in := bufio.NewReaderSize(conn, 64<<10)
	for {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		if _, err := io.WriteString(conn, text); err != nil {
			return
		}
	}
}

func answering(b *testing.B) (url string) {
	b.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asServer+"=1")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		cmd.Wait() // It was told to end; how it ended is no matter.
	})
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return "http://" + strings.TrimSpace(addr)
}

// cpu returns the CPU time that this process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measure runs write from 8 goroutines, as the pipeline's senders do, and reports CPU per item.
func measure(b *testing.B, items int, write func() error) {
	const senders = 8
	b.ReportAllocs()
	runtime.GC()
	turns := make(chan struct{}, senders)
	var wg sync.WaitGroup
	for range senders {
		wg.Go(func() {
			for range turns {
				if err := write(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	before := cpu(b)
	n := 0
	for b.Loop() {
		turns <- struct{}{}
		n++
	}
	close(turns)
	wg.Wait()
	b.ReportMetric(float64((cpu(b)-before).Nanoseconds())/1e3/float64(n*items), "cpu-us/item")
}

// rawItem is a raw event of about 690 bytes.
func rawItem(i int) sinks.Item {
	keys := sinks.Keys{}
	k := keys.Event("shop.example", i%16, fmt.Sprintf("01KRCV0J00%016d", i))
	it := sinks.Item{sinks.AttrPK: sinks.Str(k.PK), sinks.AttrSK: sinks.Str(k.SK), sinks.AttrEntity: sinks.Str(sinks.EntityEvent),
		sinks.AttrSchema: sinks.Int(1), sinks.AttrTTL: sinks.Int(1781222400), "timestamp": sinks.Int(1778630400123),
		"recordTime": sinks.Int(1778630400456)}
	for name, value := range map[string]string{"siteId": "shop.example", "type": "page_view",
		"visitorId": "5f2b9c1e-8a41-4c7d-9a55-0c2a44d1b6f3",
		"sessionId": "c0a8017e-3d2f-4f0e-8a4c-7b1d9e5f2a60",
		"url":       "https://shop.example/products/garden/hoses?utm_source=newsletter&utm_campaign=spring",
		"referrer":  "https://www.search.example/results?q=garden+hose", "title": "Garden hoses - Shop", "country": "DE", "device": "desktop",
		"browser": "Firefox",
		"os":      "Linux", "source": "events/17/123456789",
		"userAgent":  "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
		"properties": `{"currency":"EUR","list":"category"}`} {
		it[name] = sinks.Str(value)
	}
	return it
}

// clients are both ways to a table behind url.
func clients(b *testing.B, url string) map[string]sinks.Table {
	client := connect(b, url, dynamo.ConnectOptions{})
	table := dynamo.New(client, "footfall")
	return map[string]sinks.Table{"sdk": table, "direct": dynamo.NewDirect(table, client)}
}

func BenchmarkRawItem(b *testing.B) {
	items := make([]sinks.Item, sinks.MaxBatchPut)
	for i := range items {
		items[i] = rawItem(i)
	}
	batch := sinktest.Batch(items...)
	for name, table := range clients(b, answering(b)) {
		b.Run(name, func(b *testing.B) {
			measure(b, len(batch), func() error {
				_, err := table.BatchPut(b.Context(), batch)
				return err
			})
		})
	}
}

func BenchmarkGuardedUpdate(b *testing.B) {
	u := guarded
	u.Add = nil
	for _, name := range []string{sinks.AttrPageViews, sinks.AttrEvents, sinks.AttrSessions, sinks.AttrBounces, sinks.AttrDurationMs} {
		u.Add = append(u.Add, sinks.Attr{Name: name, Value: sinks.Int(12345)})
	}
	u.Set = append(u.Set, sinks.Attr{Name: sinks.AttrTTL, Value: sinks.Int(1786406400)})
	for name, table := range clients(b, answering(b)) {
		b.Run(name, func(b *testing.B) {
			measure(b, 1, func() error {
				_, err := table.Update(b.Context(), u)
				return err
			})
		})
	}
}
