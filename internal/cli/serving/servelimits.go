package serving

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/cli/process"
	"github.com/footfall/footfall/internal/serve/reads"
)

// defaultConnections is how many connections footfall serve has open at once: those of some hundred viewers, at less than 100 KB each.
const defaultConnections = 256

// longestAnswer bounds --max-time-per-request.
const longestAnswer = 10 * time.Minute

// serveLimits are the flags of what footfall serve spends on requests.
type serveLimits struct {
	rate, connections    int
	streams, streamsEach int // 0: a part of the connections, and of the streams
	items                int
	readUnits            float64
	time                 time.Duration
}

// defaultServeLimits are those of a server that names none.
func defaultServeLimits() serveLimits {
	d := reads.DefaultLimits
	return serveLimits{rate: defaultRate, connections: defaultConnections, items: d.Items, readUnits: d.ReadUnits, time: d.Time}
}

func (l *serveLimits) addFlags(cmd *cobra.Command) {
	f, d := cmd.Flags(), defaultServeLimits()
	f.IntVar(&l.rate, "max-requests-per-minute", d.rate,
		"max. requests a minute with one credential, a quarter of them at once; 0 = unlimited")
	f.IntVar(&l.connections, "max-connections", d.connections,
		"max. open connections, 2 or more; one more closes the one that has waited longest for a request")
	f.IntVar(&l.streams, "max-streams", 0, "max. open streams of realtime figures; 0 = half of --max-connections")
	f.IntVar(&l.streamsEach, "max-streams-per-credential", 0,
		"max. open streams with one token, share link or holder of a JSON Web Token; 0 = a quarter of --max-streams")
	f.IntVar(&l.items, "max-items-per-request", d.items, "max. items that an answer reads")
	f.Float64Var(&l.readUnits, "max-read-units-per-request", d.readUnits, "max. read units that an answer consumes")
	f.DurationVar(&l.time, "max-time-per-request", d.time, "max. time that an answer takes, 1s to 10m")
}

// check refuses limits that are out of range, and fills in those that follow from others.
func (l *serveLimits) check() error {
	switch {
	case l.rate < 0:
		return command.Usagef("--max-requests-per-minute %d: write 1 or more, or 0 = unlimited", l.rate)
	case l.connections < 2:
		return command.Usagef("--max-connections %d: write 2 or more", l.connections)
	case l.streams < 0:
		return command.Usagef("--max-streams %d: write 1 or more, or 0 = half of --max-connections", l.streams)
	case l.streams >= l.connections:
		return command.Usagef("--max-streams %d: each stream takes a connection, and other requests need some, too: write less "+
			"than --max-connections, which is %d", l.streams, l.connections)
	case l.streamsEach < 0:
		return command.Usagef("--max-streams-per-credential %d: write 1 or more, or 0 = a quarter of --max-streams", l.streamsEach)
	case l.items < 1:
		return command.Usagef("--max-items-per-request %d: write 1 or more", l.items)
	case !(l.readUnits >= 1): // Nor NaN.
		return command.Usagef("--max-read-units-per-request %g: write 1 or more", l.readUnits)
	case l.time < time.Second || l.time > longestAnswer:
		return command.Usagef("--max-time-per-request %v: write 1s to 10m", l.time)
	}
	if l.streams == 0 {
		l.streams = l.connections / 2
	}
	if l.streamsEach == 0 {
		l.streamsEach = max(1, l.streams/4)
	}
	if l.streamsEach > l.streams {
		return command.Usagef("--max-streams-per-credential %d: write at most --max-streams, which is %d", l.streamsEach, l.streams)
	}
	return nil
}

// answers are the limits as a handler has them.
func (l *serveLimits) answers() reads.Limits {
	return reads.Limits{ReadUnits: l.readUnits, Items: l.items, Time: l.time, Streams: l.streams, StreamsEach: l.streamsEach}
}

// server serves a handler within the limits. A client has five seconds more to read an answer than the answer may take.
func (l *serveLimits) server(h http.Handler, log *slog.Logger) process.Server {
	return process.Server{Handler: h, Log: log, Connections: l.connections, Write: l.time + 5*time.Second}
}

// defaultRate is how many requests a minute a credential may make: those of a person who looks at a page every few seconds, or of a program
// that asks ten questions a second.
const defaultRate = 600
