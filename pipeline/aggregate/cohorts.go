package aggregate

// cohorts let states go that no step has touched for keep steps, or, beyond max bytes of them, the longest untouched.
// Each cut adds the states that its step touched; a state is let go with the cohort of the last step that did.
type cohorts struct {
	keep    int64
	max     int // bytes
	live    int // states in memory
	bytes   int // that they take
	entries int // of all cohorts
	list    []cohort
}

type cohort struct {
	step    int64
	states  []cached
	resting bool // its states rest, if they can
}

// cached is a state that can be let go.
type cached interface {
	lastStep() int64
	drop() (bytes int) // that it took; 0: it was not weighed
}

// restful is a state that takes less memory while no open step touches it.
type restful interface {
	cached
	putToRest() (freed int)
}

// entryBytes is what a cohort keeps of a state.
const entryBytes = 16

// held is how many bytes the states and the cohorts take.
func (c *cohorts) held() int { return c.bytes + c.entries*entryBytes }

// weigh notes that a state which took was bytes takes now; 0: it has not been counted.
func (c *cohorts) weigh(was *int32, now int) {
	if *was == 0 {
		c.live++
	}
	c.bytes += now - int(*was)
	*was = int32(now)
}

// take counts a state that always takes that many bytes.
func (c *cohorts) take(bytes int) {
	c.live++
	c.bytes += bytes
}

func (c *cohorts) add(step int64, states []cached) {
	if len(states) > 0 {
		c.list = append(c.list, cohort{step: step, states: states})
		c.entries += len(states)
	}
}

func (c *cohorts) settled(step int64) {
	if c.held() > c.max {
		c.restSettled(step)
	}
	for len(c.list) > 0 && c.list[0].step <= step && (c.list[0].step <= step-c.keep || c.held() > c.max) {
		c.letGo(len(c.list[0].states))
	}
	c.restSettled(step - 1)
}

// restSettled puts the states to rest that no step after this one has touched. It is settled. When a step is, states that it has touched
// stay awake for another one: most that are touched again are touched within minutes, and waking costs more than a record.
func (c *cohorts) restSettled(step int64) {
	for i := len(c.list) - 1; i >= 0 && !c.list[i].resting; i-- {
		if c.list[i].step <= step {
			c.rest(&c.list[i])
		}
	}
}

// rest puts the cohort's states to rest, but those that a later step has touched.
func (c *cohorts) rest(of *cohort) {
	of.resting = true
	for _, s := range of.states {
		if r, ok := s.(restful); ok && s.lastStep() == of.step {
			c.bytes -= r.putToRest()
		}
	}
}

// release forgets the states that were touched longest ago, by steps up to this one, until need bytes are free.
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
			if bytes := s.drop(); bytes > 0 {
				c.live--
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
