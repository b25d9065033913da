//go:build linux

package process

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coreos/go-systemd/v22/daemon"
)

// manager is a service manager: what it receives until it has received a line, and an error if other lines come before that.
type manager struct {
	*net.UnixConn
	t *testing.T
}

func newManager(t *testing.T) manager {
	t.Helper()
	path := filepath.Join(t.TempDir(), "notify")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	t.Setenv("NOTIFY_SOCKET", path)
	return manager{c, t}
}

// next returns the lines of the next message.
func (m manager) next() []string {
	m.t.Helper()
	message := make([]byte, 4096)
	n, err := m.Read(message)
	if err != nil {
		m.t.Fatal(err)
	}
	return strings.Split(string(message[:n]), "\n")
}

func (m manager) wants(lines ...string) {
	m.t.Helper()
	for {
		got := strings.Join(m.next(), " | ")
		if got == strings.Join(lines, " | ") {
			return
		}
		if got != "WATCHDOG=1" {
			m.t.Fatalf("sent: %s; want %s", got, lines)
		}
	}
}

func TestServiceManagerIsNotified(t *testing.T) {
	m := newManager(t)
	t.Setenv("WATCHDOG_USEC", "30000")
	var away atomic.Bool
	away.Store(true)
	ready := func() error {
		if away.Load() {
			return errors.Join(errors.New("no member"), errors.New("no table"))
		}
		return nil
	}
	ctx, stop := context.WithCancel(t.Context())
	err := Notifying(ctx, ready, slog.New(slog.DiscardHandler), func(context.Context) error {
		m.wants("STATUS=not ready: no member; no table", "WATCHDOG=1")
		away.Store(false)
		m.wants("READY=1", "STATUS=ready", "WATCHDOG=1")
		away.Store(true)
		m.wants("STATUS=not ready: no member; no table", "WATCHDOG=1")
		away.Store(false)
		m.wants("STATUS=ready", "WATCHDOG=1") // It is ready once: READY=1 is about its start.
		stop()
		m.wants("STOPPING=1", "STATUS=draining", "WATCHDOG=1")
		m.wants("WATCHDOG=1") // A drain is watched, too.
		return os.ErrClosed
	})
	if !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v, want that of the work", err)
	}
}

// TestWatchdogOfAProcessThatHangs: a process that cannot say whether it is ready does not answer the watchdog.
func TestWatchdogOfAProcessThatHangs(t *testing.T) {
	m := newManager(t)
	t.Setenv("WATCHDOG_USEC", "3000")
	looks, hangs, resume := 0, make(chan struct{}), make(chan struct{})
	ready := func() error {
		if looks++; looks == 3 {
			close(hangs)
			<-resume
		}
		return nil
	}
	Notifying(t.Context(), ready, slog.New(slog.DiscardHandler), func(context.Context) error {
		m.wants("READY=1", "STATUS=ready", "WATCHDOG=1")
		m.wants("WATCHDOG=1")
		<-hangs
		if _, err := daemon.SdNotify(false, "nothing before"); err != nil {
			t.Fatal(err)
		}
		if got := m.next(); got[0] != "nothing before" {
			t.Errorf("a process that hangs sent %s", got)
		}
		close(resume)
		m.wants("WATCHDOG=1")
		return nil
	})
}

func TestWithoutAServiceManager(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "nothing"))
	t.Setenv("WATCHDOG_USEC", "soon")
	var log strings.Builder
	looked := make(chan struct{}, 1)
	ready := func() error { looked <- struct{}{}; return nil }
	err := Notifying(t.Context(), ready, slog.New(slog.NewTextHandler(&log, nil)), func(context.Context) error {
		<-looked
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for _, want := range []string{"no watchdog", "notifying the service manager failed"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q is missing in %s", want, log.String())
		}
	}
}
