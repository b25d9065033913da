package classify

// Version names everything that an answer depends on besides the bytes that were asked about: a number that is raised
// whenever the code answers differently, the day on which the lists in data were fetched, the version of what
// reads user agents, and the beginning of the SHA-256 of the lists. It belongs to a step's settings: a step is
// redone, and verified, by the version that did it.
func (r Rules) Version() string { return versions[r] }

var versions = [rulesKnown]string{
	FormerRules:  "2/2026-11-21/useragent-v1.3.5/679a2a96",
	PresentRules: "3/2026-11-30/uap-core-202610/5a4ecd9d",
}

// How much a Classifier remembers, in entries; a cache holds at most twice as many. Measured on the heap: with all caches
// full of texts of common length 1.5 MB, with the longest there can be 4 MB. What the process shares takes 0.8 MB, and up to 5 MB with the
// expressions of agents.json, which are compiled as they are needed.
const (
	agentsRemembered   = 1024
	hostsRemembered    = 512
	valuesRemembered   = 1024
	channelsRemembered = 512
)

// A Classifier answers questions about events. It remembers user agents, hosts and utm values that were asked about
// lately, since most come again; what it remembers changes no answer. The zero value is of no use: see New. Not safe
// for concurrent use; each goroutine has one of its own.
type Classifier struct {
	*remembered
	rules Rules
	by    *[rulesKnown]Classifier
}

type remembered struct {
	lists    *lists
	agents   [rulesKnown]texts[Agent]
	hosts    texts[host]
	values   texts[string]
	channels cache[campaign, string]
}

// New returns a Classifier by the present rules that remembers nothing yet. The first one of a process reads the lists, which takes some
// milliseconds; the others share them.
func New() *Classifier {
	r := &remembered{
		lists:    tables(),
		agents:   [rulesKnown]texts[Agent]{newTexts[Agent](agentsRemembered), newTexts[Agent](agentsRemembered)},
		hosts:    newTexts[host](hostsRemembered),
		values:   newTexts[string](valuesRemembered),
		channels: newCache[campaign, string](channelsRemembered),
	}
	var all [rulesKnown]Classifier
	for rules := range all {
		all[rules] = Classifier{r, Rules(rules), &all}
	}
	return all[PresentRules].By(PresentRules)
}

// By returns the Classifier by other rules. They share what they remember, and are used by the same goroutine.
func (c *Classifier) By(rules Rules) *Classifier { return &c.by[rules] }

// Rules returns the rules that it classifies by.
func (c *Classifier) Rules() Rules { return c.rules }

// inOneForm reports whether hosts are compared and counted in one form.
func (c *Classifier) inOneForm() bool { return c.rules >= PresentRules }
