package passing

// Lists are the sums of the values of several lists. Together they have at most MaxValues, and at most maxMissed of sessions that missed
// the goal: beyond, the longest is given up.
type Lists struct {
	Rows   []Dimension
	Values []Values // nil: the list was given up
	Missed []Missed // of lists whose values have a rate; nil: of others, and of those that were given up

	refuse func(list int, why error)
}

// NewLists makes sums of lists by dimensions, and has a question about them read their values. refuse is called with a list that is given
// up.
func NewLists(q *Question, dimensions []string, refuse func(list int, why error)) *Lists {
	l := &Lists{refuse: refuse}
	for _, name := range dimensions {
		d := DimensionOf(name)
		l.Rows = append(l.Rows, d)
		l.Values = append(l.Values, Values{})
		var missed Missed
		if !d.OfEvents() {
			missed = make(Missed)
		}
		l.Missed = append(l.Missed, missed)
	}
	q.Rows, q.Refused = l.Rows, l.giveUp
	q.Whole = func(list int, value string) *Sums {
		if l.Values[list] == nil {
			return nil
		}
		return l.Values[list].Of(value)
	}
	q.Bound = func() error {
		if total, longest := longest(l.Values); total > MaxValues {
			l.giveUp(longest, tooManyValues(dimensions[longest]))
		}
		if total, longest := longest(l.Missed); total > maxMissed {
			l.giveUp(longest, tooManyMissed(dimensions[longest]))
		}
		return nil
	}
	return l
}

// longest returns how many values lists have, and which list has most of them.
func longest[M ~map[string]V, V any](lists []M) (total, longest int) {
	for i, values := range lists {
		if total += len(values); len(values) > len(lists[longest]) {
			longest = i
		}
	}
	return total, longest
}

func (l *Lists) giveUp(list int, why error) {
	l.refuse(list, why)
	l.Values[list], l.Missed[list] = nil, nil
}

// Miss counts a session that missed the goal and has these values.
func (l *Lists) Miss(row []string) {
	for i, value := range row {
		if l.Missed[i] != nil {
			l.Missed[i][value]++
		}
	}
}

// Of returns where an event counts that has these values.
func (l *Lists) Of(row []string) []*Sums {
	into := make([]*Sums, 0, len(row)+2)
	for i, value := range row {
		if l.Values[i] != nil && !l.Rows[i].OfWhole() {
			into = append(into, l.Values[i].Of(value))
		}
	}
	return into
}

// Earlier are the sums, in the earlier range, of the values that lists have as rows, and of what has no value.
type Earlier struct {
	Values []Values // nil: nothing has counted there
	rows   func(list int) []string
}

// NewEarlier makes sums of as many lists, given the values of their rows, which are asked for when the first event is counted.
func NewEarlier(lists int, rows func(list int) []string) *Earlier {
	return &Earlier{make([]Values, lists), rows}
}

// Of returns where an event of the earlier range counts that has these values.
func (e *Earlier) Of(dimensions []Dimension, row []string) []*Sums {
	into := make([]*Sums, 0, len(row)+2)
	for i, value := range row {
		if dimensions[i].OfWhole() {
			continue
		}
		if sums := e.List(i)[value]; sums != nil {
			into = append(into, sums)
		}
	}
	return into
}

// Miss counts a session that missed the goal and has these values.
func (e *Earlier) Miss(row []string) {
	for i, value := range row {
		if sums := e.List(i)[value]; sums != nil {
			sums.Missed++
		}
	}
}

// List returns the sums of the values of a list.
func (e *Earlier) List(i int) Values {
	if e.Values[i] == nil {
		e.Values[i] = Values{}
		for _, value := range e.rows(i) {
			e.Values[i].Of(value)
		}
		e.Values[i].Of("")
	}
	return e.Values[i]
}
