//go:build unix

package e2e

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// patience is how long anything may take that should take seconds: the machine may be busy with other packages, the
// program slow under the race detector, and DynamoDB Local takes 3 minutes for the writes of 39,244 real events on one slow core.
var patience = 15 * time.Minute

// eventually polls a condition until it holds, and fails the test when it does not within patience.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	poll(t, 10*time.Millisecond, what, holds)
}

// nowAndThen is how often poll looks at what takes seconds, and costs a request or a process to look at.
const nowAndThen = 200 * time.Millisecond

// poll is eventually for conditions that are dear to look at.
func poll(t *testing.T, every time.Duration, what string, holds func() bool) {
	t.Helper()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !holds(); {
		if time.Now().After(deadline) {
			t.Fatalf("not within %v: %s", patience, what)
		}
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatalf("the test ended: %s", what)
		}
	}
}

// A process is a running footfall. Whatever is left of it at the end of the test is killed, and when the test has
// failed its last words are logged.
type process struct {
	t           *testing.T
	name        string
	cmd         *exec.Cmd
	out, errors recording
	done        chan struct{} // closed when it has ended
	gone        time.Time     // when it ended; read after done

	journal []entry // what entries has read, up to
	read    int     // bytes of errors
}

// start starts footfall with args and, over this process's environment without what configures footfall or AWS, env.
func start(t *testing.T, name string, env []string, args ...string) *process {
	t.Helper()
	return startReading(t, name, nil, env, args...)
}

// startReading is start with a standard input.
func startReading(t *testing.T, name string, input io.Reader, env []string, args ...string) *process {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Env = input, append(plainEnvironment(), env...)
	return startCommand(t, name, cmd)
}

// startCommand is start for any program.
func startCommand(t *testing.T, name string, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, name: name, cmd: cmd, done: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = &p.out, &p.errors
	started := make(chan error)
	go func() {
		// Where the system can, the process ends with the thread that started it, which is with us: nothing outlives
		// tests that are ended from outside.
		runtime.LockOSThread()
		dieWithThread(p.cmd)
		err := p.cmd.Start()
		started <- err
		if err == nil {
			p.cmd.Wait() // How it ended is read off ProcessState.
			p.gone = time.Now()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		t.Fatalf("start %s: %v", name, err)
	}
	t.Cleanup(func() {
		p.kill()
		if words := p.errors.tail(20); t.Failed() && words != "" {
			t.Logf("%s (%s), stderr ends with\n%s", name, strings.Join(cmd.Args, " "), words)
		}
	})
	return p
}

func plainEnvironment() []string {
	var env []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "FOOTFALL_") && !strings.HasPrefix(v, "AWS_") {
			env = append(env, v)
		}
	}
	return env
}

// kill ends the process like kill -9, and returns when it is gone.
func (p *process) kill() {
	p.cmd.Process.Kill() // An error says that it has ended already.
	<-p.done
}

// signal signals a process, unless it has ended: who waits for it learns how.
func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Fatalf("%s: signal %v: %v", p.name, s, err)
	}
}

// drain asks the process to end as an operator would, and fails the test unless it ends well.
func (p *process) drain() {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	p.wait(0)
}

// wait waits for the process's end and fails the test unless the exit code is one of codes.
func (p *process) wait(codes ...int) {
	p.t.Helper()
	eventually(p.t, p.name+" ends", p.ended)
	for _, code := range codes {
		if p.code() == code {
			return
		}
	}
	p.t.Fatalf("%s ended with %v, want exit code %v", p.name, p.cmd.ProcessState, codes)
}

func (p *process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// code is the exit code of a process that has ended, -1 after a kill.
func (p *process) code() int { return p.cmd.ProcessState.ExitCode() }

// running fails the test when the process has ended by itself.
func (p *process) running() {
	p.t.Helper()
	if p.ended() {
		p.t.Fatalf("%s ended with %v", p.name, p.cmd.ProcessState)
	}
}

// execute runs footfall to its end and returns what it printed and its exit code.
func execute(t *testing.T, env []string, args ...string) (out, errors string, code int) {
	t.Helper()
	p := start(t, args[0], env, args...)
	eventually(t, "footfall "+strings.Join(args, " ")+" ends", p.ended)
	return p.out.String(), p.errors.String(), p.code()
}

// mustExecute is execute for what must end with exit code 0. It returns what was printed to stdout.
func mustExecute(t *testing.T, env []string, args ...string) string {
	t.Helper()
	out, errors, code := execute(t, env, args...)
	if code != 0 {
		t.Fatalf("footfall %s: exit code %d\n%s%s", strings.Join(args, " "), code, out, errors)
	}
	return out
}

// metrics are a scrape of a process: the sum over all series of each name and, for those with one label, of each
// name{value}.
type metrics map[string]float64

// scrape reads the metrics that a process serves at addr.
func scrape(addr string) (metrics, error) {
	client := http.Client{Timeout: 5 * time.Second}
	resp, err := client.Get("http://" + addr + "/metrics")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	m := make(metrics)
	for name, f := range families {
		for _, series := range f.GetMetric() {
			v := series.GetCounter().GetValue() + series.GetGauge().GetValue()
			m[name] += v
			for _, label := range series.GetLabel() {
				m[fmt.Sprintf("%s{%s}", name, label.GetValue())] += v
			}
		}
	}
	if len(m) == 0 {
		return nil, errors.New("no metrics")
	}
	return m, nil
}

// A recording keeps what a process writes. It is safe for concurrent use.
type recording struct {
	mu   sync.Mutex // covers text
	text []byte
}

func (r *recording) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text = append(r.text, p...)
	return len(p), nil
}

func (r *recording) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return string(r.text)
}

// linesFrom returns the whole lines from a byte on, and the byte behind them.
func (r *recording) linesFrom(start int) (lines []string, next int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	next = bytes.LastIndexByte(r.text, '\n') + 1
	for line := range bytes.Lines(r.text[start:max(start, next)]) {
		lines = append(lines, string(line))
	}
	return lines, max(start, next)
}

// tail returns the last lines.
func (r *recording) tail(n int) string {
	lines := strings.Split(strings.TrimSuffix(r.String(), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
