package pipeline

import (
	"strconv"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// input is an event as the folds take it, and what they have found for it between want and add.
type input struct {
	event   event.Event
	offset  int64
	time    int64  // its record's timestamp, ms since the epoch
	visitor uint64 // hash of the visitor
	page    string // of a page view with a url, cut; else ""
	listed  Bot    // what the lists say, where a lane asks them

	site    *site
	minute  *minute // the realtime lane's
	hour    *hour   // from here on the stats lane's
	session *session
	bot     Bot // by what the event is known to be a bot's
	foreign bool
	over    bool   // beyond its site's budget
	erased  int64  // the revision of the tombstone that the record has; 0: none
	alias   string // what stands for the visitor then
}

// fold is what a lane makes of its records. An item kind is added by adding to a fold: what it wants loaded, what
// a record does to it, what a step writes of it. All methods are called by the worker's goroutine.
type fold interface {
	// at says what time it is, in ms since the epoch. It decides only which of the items that are read next have expired.
	at(now int64)
	// begin starts accumulating a step under its settings.
	begin(step int64, s *checkpoint.Settings)
	// under says which rules of sites the step has, before its first record.
	under(v sites.View)
	// prepare asks for the states that want needs. It is called for all records of a chunk before want is called for the first.
	prepare(r *input, l asker)
	// want finds the states that a record touches and asks for those that are not in memory. It changes only the site's budget, which
	// decides which states the event touches. add follows for the same records.
	want(r *input, l asker)
	// loaded asks for what the states that were just loaded call for, which is loaded then, and so on until it asks for
	// nothing more.
	loaded(l asker) error
	// add folds a record whose states are loaded.
	add(r *input)
	// size is about how much the step being accumulated amounts to.
	size() (items, bytes int)
	// cut ends the step and says what is to be written. now, in seconds since the epoch, decides only which
	// items have expired.
	cut(now int64) plan
	// states is how much is in memory, in sessions.
	states() int
	// held is about how many bytes the fold holds in memory: its states, and what they have grown since they were weighed.
	held() int
	// brought is how many hours the sessions brought that were read last.
	brought() int
	// release lets go of states that no step after this one, which is settled, has touched, until so many bytes are free.
	// It returns how many are.
	release(settled int64, need int) (freed int)
	// settled says that the step and all before it are in the table: states may be let go.
	settled(step int64)
}

// place is what a fold needs to know about where it runs.
type place struct {
	keys          sinks.Keys
	tp            sinks.TP
	topic         string
	mark          string              // name of the lane's applied mark
	damaged       func(badPart) error // makes the error of a part that cannot be read; nil: leave the part as if it were absent
	sessionShards int
	hash          sketch.Hasher
	now           int64                // ms since the epoch, as at set it: which items have expired
	sites         seenSites            // shared by the lanes of one worker
	classes       *classify.Classifier // as well
	keep          int64                // for how many steps a state that no step touches stays in memory
	max           int                  // how many states stay at most, in sessions
}

// source says where a record lies: topic/partition/offset.
func (p *place) source(offset int64) string {
	return p.topic + "/" + strconv.Itoa(int(p.tp.Partition)) + "/" + strconv.FormatInt(offset, 10)
}

// ruled are the rules of a site as a lane's step has them.
type ruled struct {
	*sites.Rules // nil: none
	erased       sites.Erased
	drops        sites.DropIndex // of them, those that include breakdowns
	rev          int64
	known        bool
}

// standing is how a site stands as of the rules of a lane's step.
type standing struct {
	sites.Standing
	rev   int64
	known bool
}

// lanesOfPartition is how many lanes a partition has: len(Lanes).
const lanesOfPartition = 2

// cohorts let states go that no step has touched for keep steps, or, beyond max of them, the longest untouched.
// Each cut adds the states that its step touched; a state is let go with the cohort of the last step that did.
type cohorts struct {
	keep    int64
	max     int
	live    int // in memory, in sessions; other states count for as many as they weigh
	bytes   int // in memory
	entries int // of all cohorts
	list    []cohort
}

type cohort struct {
	step   int64
	states []cached
}

// cached is a state that can be let go.
type cached interface {
	lastStep() int64
	drop() (weight, bytes int) // how much of live and of bytes it was
}

// entryBytes is what a cohort keeps of a state.
const entryBytes = 16

// held is how many bytes the states and the cohorts take.
func (c *cohorts) held() int { return c.bytes + c.entries*entryBytes }

// weigh notes that a state which took was bytes takes now.
func (c *cohorts) weigh(was *int32, now int) {
	c.bytes += now - int(*was)
	*was = int32(now)
}

func (c *cohorts) add(step int64, states []cached) {
	if len(states) > 0 {
		c.list = append(c.list, cohort{step, states})
		c.entries += len(states)
	}
}

func (c *cohorts) settled(step int64) {
	for len(c.list) > 0 && c.list[0].step <= step && (c.list[0].step <= step-c.keep || c.live > c.max) {
		c.letGo(len(c.list[0].states))
	}
}

// release lets go of the states that were touched longest ago, by steps up to this one, until so many bytes are free.
func (c *cohorts) release(step int64, need int) (freed int) {
	before := c.held()
	for len(c.list) > 0 && c.list[0].step <= step && before-c.held() < need {
		c.letGo(min(len(c.list[0].states), releaseAtOnce))
	}
	return before - c.held()
}

// releaseAtOnce is how many states are let go between two looks at how much is free.
const releaseAtOnce = 16

// letGo takes the first n states out of the oldest cohort.
func (c *cohorts) letGo(n int) {
	oldest := &c.list[0]
	for i, s := range oldest.states[:n] {
		oldest.states[i] = nil
		if s.lastStep() == oldest.step {
			weight, bytes := s.drop()
			c.live -= weight
			c.bytes -= bytes
		}
	}
	c.entries -= n
	if oldest.states = oldest.states[n:]; len(oldest.states) == 0 {
		c.list[0] = cohort{}
		c.list = c.list[1:]
	}
}
