package embedded

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// childDir is set in a child process of these tests: it opens the broker of that directory and waits to be killed.
const childDir = "FOOTFALL_TEST_EMBEDDED_DIR"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		b, err := Open(dir)
		if err == nil {
			err = b.CreateTopic("events", 2)
		}
		if err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		fmt.Println(b.Addr())
		select {}
	}
	os.Exit(m.Run())
}

// startChild runs a broker in a process of its own and returns its address and how to kill it with SIGKILL.
func startChild(t *testing.T, dir string) (addr string, kill func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || strings.HasPrefix(line, "error:") {
		t.Fatalf("child said %q, %v", line, err)
	}
	return strings.TrimSpace(line), kill
}

func client(t *testing.T, addr string, opts ...kgo.Opt) *kgo.Client {
	t.Helper()
	cl, err := kgo.NewClient(append(opts, kgo.SeedBrokers(addr))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cl.Close)
	return cl
}

func produce(t *testing.T, addr string, from, to int) {
	t.Helper()
	cl := client(t, addr)
	for i := from; i < to; i++ {
		r := &kgo.Record{Topic: "events", Key: fmt.Append(nil, i), Value: fmt.Append(nil, "value ", i)}
		cl.Produce(t.Context(), r, func(_ *kgo.Record, err error) {
			if err != nil {
				t.Errorf("produce: %v", err)
			}
		})
	}
	if err := cl.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// consume reads n records and fails on one that is there twice or that nobody wrote.
func consume(t *testing.T, addr string, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cl := client(t, addr, kgo.ConsumeTopics("events"), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	seen := make(map[string]bool)
	for len(seen) < n {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err(); err != nil {
			t.Fatalf("after %d of %d records: %v", len(seen), n, err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if seen[string(r.Key)] || string(r.Value) != "value "+string(r.Key) {
				t.Errorf("record %q = %q is there twice or is not ours", r.Key, r.Value)
			}
			seen[string(r.Key)] = true
		})
	}
	ends, err := kadm.NewClient(cl).ListEndOffsets(ctx, "events")
	if err != nil {
		t.Fatal(err)
	}
	var total int64
	ends.Each(func(o kadm.ListedOffset) { total += o.Offset })
	if total != int64(n) {
		t.Errorf("the topic has %d records, want %d", total, n)
	}
}

func TestRecordsAndPortSurviveClose(t *testing.T) {
	dir := t.TempDir()
	var addr string
	for round := range 3 {
		b, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		if round > 0 && b.Addr() != addr {
			t.Errorf("round %d: address %s, want %s", round, b.Addr(), addr)
		}
		addr = b.Addr()
		if err := b.CreateTopic("events", 2); err != nil {
			t.Fatal(err)
		}
		produce(t, addr, round*100, (round+1)*100)
		consume(t, addr, (round+1)*100)
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestRecordsSurviveKill(t *testing.T) {
	dir := t.TempDir()
	var first string
	for round := range 3 {
		addr, kill := startChild(t, dir)
		if round == 0 {
			first = addr
		} else if addr != first {
			t.Errorf("round %d: address %s, want %s", round, addr, first)
		}
		produce(t, addr, round*500, (round+1)*500)
		kill()
	}
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	consume(t, b.Addr(), 1500)
}

func TestDirectoryIsLocked(t *testing.T) {
	dir := t.TempDir()
	_, kill := startChild(t, dir)
	_, err := Open(dir)
	if !errors.Is(err, ErrLocked) {
		t.Fatalf("Open of a directory in use = %v, want ErrLocked", err)
	}
	if msg := err.Error(); !strings.Contains(msg, dir) || !strings.Contains(msg, "process ") ||
		!strings.Contains(msg, "use another directory") {
		t.Errorf("message %q names no directory, process or remedy", msg)
	}
	kill()
	b, err := Open(dir)
	if err != nil {
		t.Fatalf("Open after the owner was killed = %v", err)
	}
	if _, err := Open(dir); !errors.Is(err, ErrLocked) {
		t.Errorf("second Open in one process = %v, want ErrLocked", err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Errorf("second Close = %v", err)
	}
}

func TestTopicsNeverExpire(t *testing.T) {
	b, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	for range 2 { // The second finds it there.
		if err := b.CreateTopic("events", 3); err != nil {
			t.Fatal(err)
		}
	}
	configs, err := kadm.NewClient(client(t, b.Addr())).DescribeTopicConfigs(t.Context(), "events")
	if err != nil {
		t.Fatal(err)
	}
	got := make(map[string]string)
	for _, c := range configs[0].Configs {
		got[c.Key] = c.MaybeValue()
	}
	if got["retention.ms"] != "-1" || got["retention.bytes"] != "-1" || got["cleanup.policy"] != "delete" {
		t.Errorf("retention.ms %s, retention.bytes %s, cleanup.policy %s; want -1, -1, delete",
			got["retention.ms"], got["retention.bytes"], got["cleanup.policy"])
	}
}

func TestTakenPortIsNamed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, text, want string }{
		{"a port that another program has", port, "address already in use: end what uses the port, or delete "},
		{"a file that holds no port", "http", `"http" is not a port: delete the file`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "port"), []byte(c.text), 0o644); err != nil {
				t.Fatal(err)
			}
			_, err := Open(dir)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
				t.Fatalf("Open = %v, want it to name %s and say %q", err, dir, c.want)
			}
		})
	}
}

func TestDamagedFilesAreNamed(t *testing.T) {
	dir := t.TempDir()
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "kafka", "meta.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, open := range map[string]func(string) (*Broker, error){"Open": Open, "OpenAnywhere": OpenAnywhere} {
		_, err := open(dir)
		if err == nil || !strings.Contains(err.Error(), "meta.json") || !strings.Contains(err.Error(), "restore it from a copy") ||
			strings.Contains(err.Error(), "port") {
			t.Errorf("%s = %v, want it to name meta.json and no port", name, err)
		}
	}
}

func TestUnwritableDirectoryIsNamed(t *testing.T) {
	for _, cause := range []error{syscall.EACCES, syscall.EPERM, syscall.EROFS} {
		err := advise("/data", &os.PathError{Op: "open", Path: "/data/lock", Err: cause})
		if !errors.Is(err, cause) || !strings.Contains(err.Error(), "let this user write in /data, or use another directory") {
			t.Errorf("%v becomes %v, want a remedy", cause, err)
		}
	}
	if err := advise("/data", ErrLocked); err != ErrLocked {
		t.Errorf("%v becomes %v, want it as it is", ErrLocked, err)
	}
}

// A look into a directory finds its records although its port is taken, and leaves the port to the next start.
func TestTakenPortDoesNotHinderALook(t *testing.T) {
	dir := t.TempDir()
	b, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.CreateTopic("events", 2); err != nil {
		t.Fatal(err)
	}
	produce(t, b.Addr(), 0, 100)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", b.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	look, err := OpenAnywhere(dir)
	if err != nil {
		t.Fatal(err)
	}
	consume(t, look.Addr(), 100)
	if err := look.Close(); err != nil {
		t.Fatal(err)
	}
	if port, err := rememberedPort(dir); err != nil || !strings.HasSuffix(b.Addr(), fmt.Sprint(":", port)) {
		t.Errorf("the directory remembers port %d, %v, want that of %s", port, err, b.Addr())
	}
}
