package process

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// Notifying runs work and notifies the service manager that started the process (sd_notify(3)): when it is ready, why it is not, that it
// drains and, three times in the time of a watchdog, that it answers. Without a service manager it only runs work. ready returns nil, or
// the reasons; a watchdog restarts a process in which it does not return.
func Notifying(ctx context.Context, ready func() error, log *slog.Logger, work func(context.Context) error) error {
	watchdog, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		// Cause: WATCHDOG_USEC or WATCHDOG_PID in the environment is no number. Remedy: Leave both to systemd (WatchdogSec in the unit). The
		// process works without a watchdog.
		log.Warn("no watchdog of the service manager", "error", err)
	}
	every := time.Second
	if watchdog > 0 {
		every = min(every, watchdog/3)
	}
	ended, end := context.WithCancel(context.WithoutCancel(ctx))
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick, draining := time.NewTicker(every), ctx.Done()
		defer tick.Stop()
		n := notifier{log: log, watchdog: watchdog > 0}
		for ended.Err() == nil {
			if ctx.Err() == nil {
				n.look(ready())
			} else {
				n.drains()
			}
			select {
			case <-tick.C:
			case <-draining:
				draining = nil
			case <-ended.Done():
			}
		}
		if ctx.Err() != nil {
			n.drains()
		}
	}()
	defer func() { end(); <-done }()
	return work(ctx)
}

// notifier remembers what was sent.
type notifier struct {
	log      *slog.Logger
	watchdog bool
	ready    bool
	status   string
	failed   bool
}

// look sends how the process is.
func (n *notifier) look(reasons error) {
	status := "ready"
	if reasons != nil {
		status = "not ready: " + strings.ReplaceAll(reasons.Error(), "\n", "; ")
	}
	n.send(status, reasons == nil && !n.ready, daemon.SdNotifyReady)
	n.ready = n.ready || reasons == nil
}

// drains sends that the process ends.
func (n *notifier) drains() { n.send("draining", n.status != "draining", daemon.SdNotifyStopping) }

// send sends a status that has changed, a state if it is to be sent, and an answer to the watchdog.
func (n *notifier) send(status string, changed bool, state string) {
	var lines []string
	if changed {
		lines = append(lines, state)
	}
	if status != n.status {
		lines = append(lines, "STATUS="+status)
		n.status = status
	}
	if n.watchdog {
		lines = append(lines, daemon.SdNotifyWatchdog)
	}
	if len(lines) == 0 {
		return
	}
	if _, err := daemon.SdNotify(false, strings.Join(lines, "\n")); err != nil && !n.failed {
		n.failed = true
		// Cause: The socket in NOTIFY_SOCKET does not answer or may not be written. Logged once. Remedy: Let systemd set it (Type=notify in
		// the unit). With Type=notify and no notice, systemd takes the start for failed.
		n.log.Warn("notifying the service manager failed", "error", err)
	}
}
