package process

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footfall/footfall/config"
)

// A warning that comes ten times a second has ten lines a minute. The others are counted, other messages are not affected.
func TestRepeatedWarningsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		log := NewLog(&out, config.Log{Format: "json", Level: "info"}).With("group", "g")
		const minutes = 3
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for i := range minutes * 600 {
			log.Warn("no connection", "broker", i%3)
			if i%600 == 300 {
				log.Warn("another warning")
			}
			if i%600 < 50 {
				log.Error("parked", "partition", i%600)
				log.Info("acquired", "partition", i%600)
			}
			<-tick.C
		}
		got := out.String()
		for message, want := range map[string]int{"no connection": minutes * warningsMost, "another warning": minutes, "parked": minutes * 50,
			"acquired": minutes * 50, `"leftOut":590`: minutes - 1, `"more":`: minutes, `"group":"g"`: minutes * (warningsMost + 1 + 100)} {
			if n := strings.Count(got, message); n != want {
				t.Errorf("%q is there %d times, want %d", message, n, want)
			}
		}
	})
}

// Messages that never repeat do not fill the memory.
func TestLogRemembersBoundedMessages(t *testing.T) {
	b := newBoundedLog(slog.NewTextHandler(io.Discard, nil))
	log := slog.New(b)
	for i := range 3 * messagesMost {
		log.Warn(fmt.Sprintf("a connection from port %d ended", i))
	}
	if n := len(b.lines.of); n > messagesMost+1 {
		t.Errorf("%d messages are remembered, want %d at most", n, messagesMost+1)
	}
}
