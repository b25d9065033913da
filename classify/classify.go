package classify

import (
	"embed"
	"sync"
)

// Version names everything that an answer depends on besides the bytes that were asked about: a number that is raised
// whenever the code answers differently, the day on which the lists in data were fetched, the version of the library
// that reads user agents, and the beginning of the SHA-256 of the lists. It belongs to a step's settings: a step is
// redone, and verified, by the version that did it.
const Version = "1/2026-11-21/useragent-v1.3.5/679a2a96"

//go:embed data/spammers.txt data/SearchEngines.yml data/Socials.yml data/hosts.txt data/bots.json
var data embed.FS

// tables are the lists, read once for the process; nothing ever writes to them again, so every Classifier shares them.
var tables = sync.OnceValue(func() *lists {
	return &lists{spam: readSpam(), sites: readSites(), bots: readBots()}
})

type lists struct {
	spam  map[string]bool
	sites *sites
	bots  *bots
}

// read returns an embedded file; that one is missing is a mistake of ours.
func read(name string) string {
	b, err := data.ReadFile("data/" + name)
	if err != nil {
		panic("classify: " + err.Error())
	}
	return string(b)
}

// How much a Classifier remembers, in entries; the caches hold at most twice as many. In the worst case, when all texts
// are new and as long as they may be, that is 2 x (1,024 x 1 KiB + 1,024 x 253 B x 2 + 2,048 x 128 B), about 3.7 MB with
// the entries themselves; a user agent is commonly 120 bytes, a host 15, which makes it 0.6 MB.
const (
	agentsRemembered   = 1024
	hostsRemembered    = 1024
	valuesRemembered   = 2048
	channelsRemembered = 1024
)

// A Classifier answers questions about events. It remembers user agents, hosts and utm values that were asked about
// lately, since most come again; what it remembers changes no answer. The zero value is of no use: see New. Not safe
// for concurrent use; each goroutine has one of its own.
type Classifier struct {
	lists    *lists
	agents   texts[Agent]
	hosts    texts[host]
	values   texts[string]
	channels cache[campaign, string]

	scratch []byte // a host on its way into the cache, at most maxHostBytes
}

// New returns a Classifier that remembers nothing yet. The first one of a process reads the lists, which takes some
// milliseconds; the others share them.
func New() *Classifier {
	return &Classifier{
		lists:    tables(),
		agents:   newTexts[Agent](agentsRemembered),
		hosts:    newTexts[host](hostsRemembered),
		values:   newTexts[string](valuesRemembered),
		channels: newCache[campaign, string](channelsRemembered),
	}
}
