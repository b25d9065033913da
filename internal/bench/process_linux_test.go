package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/internal/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// build builds footfall, as it is released, for one test.
func build(t *testing.T) (program string) {
	t.Helper()
	program = filepath.Join(t.TempDir(), "footfall")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../../cmd/footfall")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build footfall: %v\n%s", err, out)
	}
	return program
}

// process is a running footfall. It ends with the test at the latest.
type process struct {
	*exec.Cmd
	t      *testing.T
	errors bytes.Buffer
	peak   float64 // MiB that were resident at once, as of the last look
}

// launch starts footfall with an environment that has no other settings of footfall, AWS or Go's collector.
func launch(t *testing.T, program string, env []string, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.CommandContext(t.Context(), program, args...), t: t}
	p.Stderr = &p.errors
	p.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "FOOTFALL_") || strings.HasPrefix(v, "AWS_") || strings.HasPrefix(v, "GOGC=")
	}), env...)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// look notes the process's peak of memory. The system's own figure after the end is not it: that begins at the size of the process
// that started this one.
func (p *process) look() {
	p.t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	_, rest, found := strings.Cut(string(status), "VmHWM:")
	if err != nil || !found {
		p.t.Fatalf("footfall %v is gone: %v\n%s", p.Args[1:], err, p.errors.String())
	}
	kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
	if err != nil {
		p.t.Fatal(err)
	}
	p.peak = kib / 1024
}

// end waits for the process and returns the CPU time, user and system, that it used.
func (p *process) end() time.Duration {
	p.t.Helper()
	if err := p.Wait(); err != nil {
		p.t.Fatalf("footfall %v: %v\n%s", p.Args[1:], err, p.errors.String())
	}
	return p.ProcessState.UserTime() + p.ProcessState.SystemTime()
}

// drain asks the process to end and waits for it, as end does.
func (p *process) drain() time.Duration {
	p.t.Helper()
	p.look()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		p.t.Fatal(err)
	}
	return p.end()
}

// backlog is a topic full of records that footfall is to count.
type backlog struct {
	program, broker, topic string
	records                int
	env                    []string
}

// spent is what processes took from their start to their end.
type spent struct {
	cpu  time.Duration // of all of them
	peak float64       // MiB resident, of the largest
	wall time.Duration // until all records were counted
}

// consume runs members of a new group until they have counted the backlog into a new table and all is flushed.
func (b backlog) consume(t *testing.T, members int, env ...string) (s spent) {
	t.Helper()
	name := testenv.UniqueName(t)
	env = append(slices.Concat(b.env, env), "FOOTFALL_KAFKA_BROKERS="+b.broker, "FOOTFALL_KAFKA_TOPIC="+b.topic,
		"FOOTFALL_KAFKA_GROUP="+name, "FOOTFALL_TABLE=dynamodb://"+name)
	launch(t, b.program, env, "table", "create").end()
	group, addrs := make([]*process, members), make([]string, members)
	start := time.Now()
	for i := range group {
		addrs[i] = freeAddress(t)
		group[i] = launch(t, b.program, env, "run", "--http", addrs[i])
	}
	wait(t, func() bool {
		counted := 0.0
		for i, p := range group {
			p.look()
			counted += counter(addrs[i], `footfall_records_total{outcome="counted"}`)
		}
		return counted >= float64(b.records)
	})
	s.wall = time.Since(start)
	wait(t, func() bool {
		for _, p := range group {
			p.look()
		}
		return unsettled(t, b.broker, name) == 0
	})
	for _, p := range group {
		s.cpu += p.drain()
		s.peak = max(s.peak, p.peak)
	}
	if !*loads { // Of a full load it would take longer than the load itself.
		launch(t, b.program, env, "verify").end()
	}
	launch(t, b.program, env, "table", "delete", "--yes").end()
	return s
}

// wait looks four times a second until something is so.
func wait(t *testing.T, so func() bool) {
	t.Helper()
	look := time.NewTicker(250 * time.Millisecond)
	defer look.Stop()
	for !so() {
		select {
		case <-look.C:
		case <-t.Context().Done():
			t.Fatal(context.Cause(t.Context()))
		}
	}
}

// freeAddress is an address that a process can listen on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// counter reads a counter that a process serves; 0 while it does not serve any.
func counter(addr, name string) float64 {
	answer, err := http.Get("http://" + addr + "/metrics")
	if err != nil {
		return 0
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if text, found := strings.CutPrefix(lines.Text(), name+" "); found {
			v, _ := strconv.ParseFloat(text, 64)
			return v
		}
	}
	return 0
}

// unsettled returns how many records a group has not committed.
func unsettled(t *testing.T, broker, group string) int64 {
	t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(broker))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	lag, err := kadm.NewClient(client).Lag(t.Context(), group)
	if err == nil {
		err = lag.Error()
	}
	if err != nil {
		t.Fatalf("lag of group %s: %v", group, err)
	}
	return lag[group].Lag.Total()
}
