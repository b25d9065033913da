package aggregate

import (
	"strconv"

	"github.com/footfall/footfall/internal/classify"
	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/aggregate/damage"
	"github.com/footfall/footfall/pipeline/aggregate/plan"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

// Input is an event as the folds take it, and what they have found for it between Want and Add.
type Input struct {
	Event    event.Event
	Offset   int64
	Time     int64  // its record's timestamp, ms since the epoch
	Visitor  uint64 // hash of the visitor
	Page     string // of a page view with a url, cut; else ""
	Listed   Bot    // what the lists say, where a lane asks them
	ListedBy classify.Rules

	Site     *Site
	minute   *minute // the realtime lane's
	hour     *hour   // from here on the stats lane's
	session  *session
	arrival  *arrival // of its visitor; nil: new visitors are not counted, or not by it
	Bot      Bot      // by what the event is known to be a bot's
	Foreign  bool
	Over     bool   // beyond its site's budget
	Excluded bool   // its site excludes its page or its type
	erased   int64  // the revision of the tombstone that the record has; 0: none
	alias    string // what replaces the visitor's id then
}

// Fold is what a lane makes of its records. An item kind is added by adding to a fold: what it wants loaded, what
// a record does to it, what a step writes of it. All methods are called by the worker's goroutine.
type Fold interface {
	// At says what time it is, in ms since the epoch. It decides only which of the items that are read next have expired.
	At(now int64)
	// Begin starts accumulating a step under its settings.
	Begin(step int64, s *checkpoint.Settings)
	// Under says which rules of sites the step has, before its first record.
	Under(v sites.View)
	// Prepare asks for the states that Want needs. It is called for all records of a chunk before Want is called for the first.
	Prepare(r *Input, l Asker)
	// Want finds the states that a record touches and asks for those that are not in memory. It changes only the site's budget, which
	// decides which states the event touches. Add follows for the same records.
	Want(r *Input, l Asker)
	// Loaded asks for what the states that were just loaded call for, which is loaded then, and so on until it asks for
	// nothing more.
	Loaded(l Asker) error
	// Add folds a record whose states are loaded.
	Add(r *Input)
	// Size is about how much the step being accumulated amounts to.
	Size() (items, bytes int)
	// Cut ends the step and says what is to be written. now, in seconds since the epoch, decides only which
	// items have expired.
	Cut(now int64) plan.Plan
	// States is how many states are in memory.
	States() int
	// Held is about how many bytes the fold holds in memory: its states, and what they have grown since they were weighed.
	Held() int
	// Brought is how many hours the sessions brought that were read last.
	Brought() int
	// Release forgets states that no step after this one, which is settled, has touched, until need bytes are free.
	// It returns how many bytes it freed.
	Release(settled int64, need int) (freed int)
	// Drop forgets all states that no step after this one, which is settled, has touched.
	Drop(settled int64)
	// Settled says that the step and all before it are in the table: states may be let go.
	Settled(step int64)
}

// Asker has items of the table read for a fold. What is asked for is read later, together, and handed over in the order in which it was
// asked for: first the items, then those of queries. Only then is Loaded called.
type Asker interface {
	// Ask hands the item at key over to who asks.
	Ask(key sinks.Key, to Filler)
	// AskAll calls each with the items of a query, in order. Two queries may be read at the same time. What the query is for is
	// named by what, for errors.
	AskAll(what string, q sinks.Query, each func(sinks.Item) error)
}

// Filler takes an item that was asked for. A state that is one needs no function of its own to be made for it.
type Filler interface {
	// Fill takes the item; nil: there is none.
	Fill(it sinks.Item) error
}

// FillFunc is a function that is a Filler.
type FillFunc func(it sinks.Item) error

// Fill implements Filler.
func (f FillFunc) Fill(it sinks.Item) error { return f(it) }

// Place is where a fold runs: whose items it makes, and what it shares with the other lane.
type Place struct {
	Keys          sinks.Keys
	TP            sinks.TP
	Topic         string
	Mark          string                     // name of the lane's applied mark
	Damaged       func(damage.BadPart) error // makes the error of a part that cannot be read; nil: leave the part as if it were absent
	SessionShards int
	Hash          sketch.Hasher
	now           int64                // ms since the epoch, as At set it: which items have expired
	Sites         Sites                // shared by the lanes of one worker
	Classes       *classify.Classifier // as well
	settings      *checkpoint.Settings // of the step
	classes       *classify.Classifier // by the rules of the step
	Keep          int64                // for how many steps a state that no step touches stays in memory
	Max           int                  // how many bytes of states stay at most, those of open steps aside
}

// under takes the settings of a step.
func (p *Place) under(s *checkpoint.Settings) {
	p.settings, p.classes = s, p.Classes.By(classify.RulesOf(s.Has(sinks.FormatOfClasses)))
}

// source says where a record lies: topic/partition/offset.
func (p *Place) source(offset int64) string {
	return p.Topic + "/" + strconv.Itoa(int(p.TP.Partition)) + "/" + strconv.FormatInt(offset, 10)
}

// Of returns the site of a record, which is looked up for the first lane that asks.
func (m Sites) Of(r *Input) *Site {
	if r.Site == nil {
		id := r.Event.SiteID
		r.Site = m[string(id)]
		if r.Site == nil {
			r.Site = &Site{ID: string(id)}
			m[r.Site.ID] = r.Site
		}
	}
	return r.Site
}

// Bot says by what an event is known to be a bot's. It is the attribute bot of a raw event.
type Bot string

// The ways to know a bot, in the order in which they are tried.
const (
	NotBot      Bot = ""
	BotAgent    Bot = "agent"    // by the list of user agents
	BotReferrer Bot = "referrer" // by the list of referrers that are spam
	BotRate     Bot = "rate"     // by the rate of its session's events
)
