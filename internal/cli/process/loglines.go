package process

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// The most lines of a message that are logged in a minute: brokers that are away, or a site whose records are all damaged, cause the same
// warning many times a second. Errors are rarer and name what an operator has to mend, a partition each.
const (
	warningsMost = 10
	errorsMost   = 100
	linesSpan    = time.Minute
	messagesMost = 1000 // that are counted each
)

// boundedLog leaves out warnings and errors whose message was logged often in the last minute. Before it begins to, and when it has, a
// line says so.
type boundedLog struct {
	slog.Handler
	lines *logLines
}

func newBoundedLog(h slog.Handler) boundedLog {
	return boundedLog{h, &logLines{of: make(map[string]*linesOf)}}
}

// Handle logs the record, or leaves it out.
func (b boundedLog) Handle(ctx context.Context, r slog.Record) error {
	most := warningsMost
	switch {
	case r.Level < slog.LevelWarn:
		return b.Handler.Handle(ctx, r)
	case r.Level >= slog.LevelError:
		most = errorsMost
	}
	n, leftOut := b.lines.add(r.Time, r.Message, most)
	if n > most {
		return nil
	}
	r = r.Clone()
	if leftOut > 0 {
		r.AddAttrs(slog.Int("leftOut", leftOut))
	}
	if n == most {
		r.AddAttrs(slog.String("more", "lines of this message are left out until a minute after the first"))
	}
	return b.Handler.Handle(ctx, r)
}

// WithAttrs returns a handler with the same bounds.
func (b boundedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return boundedLog{b.Handler.WithAttrs(attrs), b.lines}
}

// WithGroup returns a handler with the same bounds.
func (b boundedLog) WithGroup(name string) slog.Handler {
	return boundedLog{b.Handler.WithGroup(name), b.lines}
}

// logLines counts lines by message. Safe for concurrent use.
type logLines struct {
	mu sync.Mutex
	of map[string]*linesOf
}

type linesOf struct {
	since time.Time // the first of them
	n     int
}

// add counts a line, and returns which of its minute it is. The first of a minute comes with how many were left out of the one before.
func (l *logLines) add(now time.Time, message string, most int) (n, leftOut int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of[message] == nil && len(l.of) >= messagesMost {
		message = "" // Messages that have a name or an address in them.
	}
	m := l.of[message]
	if m == nil {
		m = &linesOf{since: now}
		l.of[message] = m
	}
	if now.Sub(m.since) >= linesSpan {
		leftOut = max(0, m.n-most)
		m.since, m.n = now, 0
	}
	m.n++
	return m.n, leftOut
}
