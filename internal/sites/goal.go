package sites

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of goals.
const (
	// MaxGoals is how many goals a site has at most. An hour in which all are reached has two sums of each, of some 15 bytes
	// together: 50 lengthen its item by some 750 bytes, which is a write unit more.
	MaxGoals = 50
	// MaxGoalsBytes is how long the JSON of a site's goals may be. A revision and the site's metadata hold them whole, beside
	// up to 110 KB of the rest, and an item takes 400 KB.
	MaxGoalsBytes = 64 << 10
	// MaxGoalNumber is the last number that a goal of a site can have: two bytes in the state of a session.
	MaxGoalNumber = 1<<14 - 1

	MaxGoalID       = 64  // bytes
	MaxGoalName     = 256 // bytes
	MaxGoalDuration = 24 * time.Hour
	MaxGoalValue    = int64(1e15) - 1 // millionths, as an event's value
)

// Goal is something that a site wants its sessions to reach. A session reaches it once, by the first of its events, in the order
// of the log, that the goal means.
type Goal struct {
	ID   string `json:"id"` // 1 to MaxGoalID bytes
	N    uint64 `json:"n"`  // 1 to MaxGoalNumber: given to this goal of the site and never to another
	Name string `json:"name,omitempty"`

	// What reaches it: an event that the pattern means, or one with which the session has lasted so long. One of them is set.
	On         Pattern `json:"on,omitzero"`
	DurationMs int64   `json:"durationMs,omitempty"`

	// Value is what a conversion is worth, in millionths. nil: what the event says, where an event is meant; where a duration
	// is, nothing: the event that it was reached by is any.
	Value    *int64 `json:"value,omitempty"`
	Inactive bool   `json:"inactive,omitempty"` // nothing reaches it

	// Since is when it was decided that sessions can reach it, ms since the epoch; 0: before anything of the site was counted. It is
	// for those who read the counts, and decides nothing.
	Since int64 `json:"since,omitempty"`

	matcher *Matcher // of On
}

// Validate names every fault of g.
func (g *Goal) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	for _, t := range []struct {
		field, text string
		limit       int
	}{{"goal", g.ID, MaxGoalID}, {"name", g.Name, MaxGoalName}} {
		if !utf8.ValidString(t.text) {
			fault("%s %q is not valid UTF-8: write it in UTF-8", t.field, t.text)
		}
		if len(t.text) > t.limit {
			fault("%s %.32q... has %d bytes: shorten it to %d", t.field, t.text, len(t.text), t.limit)
		}
	}
	if g.ID == "" {
		fault("the goal's id is empty: name the goal, as in signup")
	}
	switch longest := MaxGoalDuration.Milliseconds(); {
	case g.On == Pattern{} && g.DurationMs == 0:
		fault("goal %q: nothing reaches it: give a pattern of events, or a duration", g.ID)
	case g.On != Pattern{} && g.DurationMs != 0:
		fault("goal %q: an event and a duration: give one of them, and make the other a goal of its own", g.ID)
	case g.DurationMs < 0 || g.DurationMs > longest:
		fault("duration %v: give one of at most %v", time.Duration(g.DurationMs)*time.Millisecond, MaxGoalDuration)
	case g.DurationMs == 0:
		if err := g.On.Validate(); err != nil {
			faults = append(faults, err)
		}
	}
	if v := g.Value; v != nil && (*v > MaxGoalValue || *v < -MaxGoalValue) {
		fault("value of %d millionths: give one below 1,000,000,000 in size", *v)
	}
	return errors.Join(faults...)
}

// Equal reports whether two goals are the same in everything.
func (g *Goal) Equal(o *Goal) bool { return g.String() == o.String() }

// String spells the goal as JSON, equal goals equally.
func (g *Goal) String() string {
	b, err := json.Marshal(g)
	if err != nil {
		panic(err) // Texts and numbers marshal.
	}
	return string(b)
}

// Meaning says for people what reaches the goal, what it is worth and whether it rests.
func (g *Goal) Meaning() string {
	text := g.On.String()
	if g.DurationMs > 0 {
		text = "a session of " + (time.Duration(g.DurationMs) * time.Millisecond).String()
	}
	if g.Name != "" {
		text += fmt.Sprintf(", named %q", g.Name)
	}
	if g.Value != nil {
		text += ", worth " + decimal(*g.Value)
	}
	if g.Inactive {
		text += ", inactive"
	}
	return text
}

// decimal spells millionths as people write them, without needless zeros: 12500000 is 12.5.
func decimal(millionths int64) string {
	sign, n := "", millionths
	if n < 0 {
		sign, n = "-", -n
	}
	return sign + strings.TrimRight(strings.TrimRight(fmt.Sprintf("%d.%06d", n/1_000_000, n%1_000_000), "0"), ".")
}

// ParseGoal reads a goal as an item of the table spells it, for readers of [sinks.AttrDefinition].
func ParseGoal(text string) (*Goal, error) {
	g := new(Goal)
	err := json.Unmarshal([]byte(text), g)
	if err == nil {
		err = g.ready()
	}
	if err != nil {
		return nil, fmt.Errorf("goal: %w", err)
	}
	return g, nil
}

// ready compiles the pattern.
func (g *Goal) ready() (err error) {
	if g.On != (Pattern{}) {
		if g.matcher, err = g.On.Compile(); err != nil {
			return fmt.Errorf("goal %q: %w", g.ID, err)
		}
	}
	return nil
}

// ReachedBy reports whether an event of this type, name and page reaches the goal, given how long its session has lasted with
// it. name and page are nil where the event has none. It does not allocate, regexps apart.
func (g *Goal) ReachedBy(typ, name, page []byte, durationMs int64) bool {
	switch {
	case g.Inactive:
		return false
	case g.matcher == nil:
		return durationMs >= g.DurationMs
	}
	return g.matcher.Matches(typ, name, page)
}

// ValueOf returns what a conversion by an event is worth, in millionths; ok is false where it has no value. has says that the
// event has one.
func (g *Goal) ValueOf(value int64, has bool) (micros int64, ok bool) {
	switch {
	case g.Value != nil:
		return *g.Value, true
	case has && g.matcher != nil:
		return value, true
	}
	return 0, false
}

// Goal returns the site's goal of that id; nil when there is none.
func (s *Rules) Goal(id string) *Goal {
	if s == nil {
		return nil
	}
	for i := range s.Goals {
		if s.Goals[i].ID == id {
			return &s.Goals[i]
		}
	}
	return nil
}

// readyGoals makes the goals ready, and checks what the fold of events goes by: their numbers ascend.
func (s *Rules) readyGoals() error {
	last := uint64(0)
	for i := range s.Goals {
		g := &s.Goals[i]
		if g.N <= last || g.N > s.LastGoal || s.LastGoal > MaxGoalNumber {
			return fmt.Errorf("goal %q has number %d, after number %d; the last assigned number is %d", g.ID, g.N, last, s.LastGoal)
		}
		last = g.N
		if err := g.ready(); err != nil {
			return err
		}
	}
	return nil
}

// goalsBytes is how long the JSON of the site's goals is.
func (s *Rules) goalsBytes() int {
	b, err := json.Marshal(s.Goals)
	if err != nil {
		panic(err)
	}
	return len(b)
}

// AddGoal gives the goal the next number of the site and adds it. The error names the limit that is met.
func (s *Rules) AddGoal(g Goal) error {
	switch {
	case s.Goal(g.ID) != nil:
		return fmt.Errorf("goal %q already exists", g.ID)
	case len(s.Goals) >= MaxGoals:
		return fmt.Errorf("the site has %d goals, and may have %d: delete one", len(s.Goals), MaxGoals)
	case s.LastGoal >= MaxGoalNumber:
		return fmt.Errorf("the site has had %d goals, which is all there are numbers for: change one instead", s.LastGoal)
	}
	s.LastGoal++
	g.N = s.LastGoal
	s.Goals = append(slices.Clip(s.Goals), g)
	return s.fitGoals()
}

// SetGoal puts the goal in the place of the one that has its number.
func (s *Rules) SetGoal(g Goal) error {
	s.Goals = slices.Clone(s.Goals)
	for i := range s.Goals {
		if s.Goals[i].N == g.N {
			s.Goals[i] = g
		}
	}
	return s.fitGoals()
}

// DeleteGoal takes the goal of that id out. Its number is not given to another.
func (s *Rules) DeleteGoal(id string) {
	s.Goals = slices.DeleteFunc(slices.Clone(s.Goals), func(g Goal) bool { return g.ID == id })
}

func (s *Rules) fitGoals() error {
	if n := s.goalsBytes(); n > MaxGoalsBytes {
		return fmt.Errorf("the site's goals would take %d bytes, and may take %d: shorten names and patterns, or delete goals", n, MaxGoalsBytes)
	}
	return s.readyGoals()
}
