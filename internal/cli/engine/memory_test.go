package engine

import (
	"bytes"
	"log/slog"
	"math"
	"runtime/debug"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/footfall/footfall/config"
)

func TestMemoryLimitIsTheSumOrTheContainersUnlessItIsSet(t *testing.T) {
	before, percent := debug.SetMemoryLimit(math.MaxInt64), debug.SetGCPercent(100)
	defer func() {
		debug.SetMemoryLimit(before)
		debug.SetGCPercent(percent)
	}()
	const sum = 400 << 20
	container := fstest.MapFS{"proc/self/cgroup": {Data: []byte("0::/\n")}, "sys/fs/cgroup/memory.max": {Data: []byte("1000000000\n")}}
	t.Setenv("GOMEMLIMIT", "")
	if got := LimitMemory(fstest.MapFS{}, sum, CollectPercent); got != 0 || debug.SetMemoryLimit(-1) != sum-programBytes {
		t.Errorf("without a container the limit is %d, and the runtime's %d, want %d", got, debug.SetMemoryLimit(-1), sum-programBytes)
	}
	if got := LimitMemory(container, sum, CollectPercent); got != 900_000_000 || debug.SetMemoryLimit(-1) != sum-programBytes {
		t.Errorf("in a large container the limit is %d, and the runtime's %d, want 900000000 and %d", got, debug.SetMemoryLimit(-1),
			sum-programBytes)
	}
	if got := LimitMemory(container, 4*sum, CollectPercent); got != 900_000_000 || debug.SetMemoryLimit(-1) != got {
		t.Errorf("in a small container the limit is %d, and the runtime's %d, want 900000000", got, debug.SetMemoryLimit(-1))
	}
	t.Setenv("GOMEMLIMIT", "800000000") // The runtime has read it when the process started.
	debug.SetMemoryLimit(800_000_000)
	if got := LimitMemory(container, sum, CollectPercent); got != 800_000_000 || debug.SetMemoryLimit(-1) != got {
		t.Errorf("what was set is %d, and the runtime's %d, want 800000000", got, debug.SetMemoryLimit(-1))
	}
	t.Setenv("GOMEMLIMIT", "off")
	debug.SetMemoryLimit(math.MaxInt64)
	if got := LimitMemory(container, sum, CollectPercent); got != 0 || debug.SetMemoryLimit(-1) != math.MaxInt64 {
		t.Errorf("switched off the limit is %d, and the runtime's %d, want none", got, debug.SetMemoryLimit(-1))
	}
}

// The heap may grow beyond twice what is in use where a limit bounds it, and GOGC says nothing else.
func TestCollectorIsRarerBelowALimit(t *testing.T) {
	before, percent := debug.SetMemoryLimit(math.MaxInt64), debug.SetGCPercent(100)
	defer func() {
		debug.SetMemoryLimit(before)
		debug.SetGCPercent(percent)
	}()
	for _, c := range []struct {
		memory, gc string
		limit      int64 // as the runtime has read memory
		want       int
	}{{"", "", math.MaxInt64, CollectPercent}, {"", "80", math.MaxInt64, 100}, {"800000000", "", 800_000_000, CollectPercent},
		{"off", "", math.MaxInt64, 100}} {
		t.Setenv("GOMEMLIMIT", c.memory)
		t.Setenv("GOGC", c.gc)
		debug.SetMemoryLimit(c.limit)
		debug.SetGCPercent(100)
		LimitMemory(fstest.MapFS{}, 400<<20, CollectPercent)
		if got := debug.SetGCPercent(100); got != c.want {
			t.Errorf("with GOMEMLIMIT=%q and GOGC=%q the collector has %d %%, want %d", c.memory, c.gc, got, c.want)
		}
	}
}

func TestMemoryIsReported(t *testing.T) {
	for _, c := range []struct {
		limit int64
		want  string // "": no warning
	}{{0, ""}, {1 << 30, ""}, {100 << 20, "the memory limit of 100 MiB is below the 496 MiB"}} {
		var out bytes.Buffer
		ReportMemory(slog.New(slog.NewTextHandler(&out, nil)), config.Default(), 8, c.limit)
		if !strings.Contains(out.String(), `ceiling="496 MiB"`) {
			t.Errorf("the sum is not logged: %s", &out)
		}
		if warned := strings.Contains(out.String(), "level=WARN"); warned != (c.want != "") || !strings.Contains(out.String(), c.want) {
			t.Errorf("with a limit of %d: %s", c.limit, &out)
		}
	}
}
