package arena

// Cohorts evict states that no step has touched for Keep steps or, beyond Max bytes of them, the longest untouched.
// Each cut adds the states that its step touched; a state is let go with the cohort of the last step that did.
type Cohorts struct {
	Keep    int64
	Max     int // bytes
	Live    int // states in memory
	bytes   int // that they take
	entries int // of all cohorts
	list    []cohort
}

type cohort struct {
	step    int64
	states  []Cached
	resting bool // its states rest, if they can
}

// Cached is a state that can be let go.
type Cached interface {
	LastStep() int64
	Drop() (bytes int) // that it took; 0: it was not weighed
}

// Restful is a state that takes less memory while no open step touches it.
type Restful interface {
	Cached
	PutToRest() (freed int)
}

// entryBytes is what a cohort keeps of a state.
const entryBytes = 16

// Held is how many bytes the states and the cohorts take.
func (c *Cohorts) Held() int { return c.bytes + c.entries*entryBytes }

// Weigh notes that a state which took was bytes takes now; 0: it has not been counted.
func (c *Cohorts) Weigh(was *int32, now int) {
	if *was == 0 {
		c.Live++
	}
	c.bytes += now - int(*was)
	*was = int32(now)
}

// Take counts a state that always takes that many bytes.
func (c *Cohorts) Take(bytes int) {
	c.Live++
	c.bytes += bytes
}

// Grow counts what the states take besides: texts that several of them have.
func (c *Cohorts) Grow(bytes int) { c.bytes += bytes }

// Add takes the states that a step has touched.
func (c *Cohorts) Add(step int64, states []Cached) {
	if len(states) > 0 {
		c.list = append(c.list, cohort{step: step, states: states})
		c.entries += len(states)
	}
}

// Settled says that the step and all before it are in the table: states may be let go.
func (c *Cohorts) Settled(step int64) {
	if c.Held() > c.Max {
		c.RestSettled(step)
	}
	for len(c.list) > 0 && c.list[0].step <= step && (c.list[0].step <= step-c.Keep || c.Held() > c.Max) {
		c.letGo(len(c.list[0].states))
	}
	c.RestSettled(step - 1)
}

// RestSettled puts the states to rest that no step after this one has touched. It is settled. When a step is, states that it has touched
// stay awake for another one: most that are touched again are touched within minutes, and waking costs more than a record.
func (c *Cohorts) RestSettled(step int64) {
	for i := len(c.list) - 1; i >= 0 && !c.list[i].resting; i-- {
		if c.list[i].step <= step {
			c.rest(&c.list[i])
		}
	}
}

// rest puts the cohort's states to rest, but those that a later step has touched.
func (c *Cohorts) rest(of *cohort) {
	of.resting = true
	for _, s := range of.states {
		if r, ok := s.(Restful); ok && s.LastStep() == of.step {
			c.bytes -= r.PutToRest()
		}
	}
}

// Release forgets the states that were touched longest ago, by steps up to this one, until need bytes are free.
func (c *Cohorts) Release(step int64, need int) (freed int) {
	before := c.Held()
	for len(c.list) > 0 && c.list[0].step <= step && before-c.Held() < need {
		c.letGo(min(len(c.list[0].states), releaseAtOnce))
	}
	return before - c.Held()
}

// releaseAtOnce is how many states are let go between two looks at how much is free.
const releaseAtOnce = 16

// letGo takes the first n states out of the oldest cohort.
func (c *Cohorts) letGo(n int) {
	oldest := &c.list[0]
	for i, s := range oldest.states[:n] {
		oldest.states[i] = nil
		if s.LastStep() == oldest.step {
			if bytes := s.Drop(); bytes > 0 {
				c.Live--
				c.bytes -= bytes
			}
		}
	}
	c.entries -= n
	if oldest.states = oldest.states[n:]; len(oldest.states) == 0 {
		c.list[0] = cohort{}
		c.list = c.list[1:]
	}
}
