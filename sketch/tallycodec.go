package sketch

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/footfall/footfall/sinks/int128"
)

// What the first byte of a tally says is there. The byte of a row says also whether its error is above 0.
const (
	hasPageViews = 1 << 0
	hasSessions  = 1 << 1 // and in this order the other four of a Booking
	hasMore      = 1 << 6
	hasError     = 1 << 7
)

// What the byte says that hasMore is for.
const (
	hasTimed     = 1 << 0 // and in this order the other three of an Attention
	hasValues    = 1 << 4
	hasConverted = 1 << 5 // and in this order the other two of Conversions
	hasFurther   = 1 << 6
	hasWorth     = 1 << 7
)

// appendTally appends the tally, and the error of a row, as the package comment draws them.
func appendTally(b []byte, t *tally, rowError uint64) []byte {
	at, has := len(b), byte(0)
	b = append(b, 0)
	put := func(flag byte, n uint64) {
		if n > 0 {
			has |= flag
			b = binary.AppendUvarint(b, n)
		}
	}
	put(hasError, rowError)
	put(hasPageViews, uint64(t.pageViews))
	for i, n := range t.fields() {
		put(hasSessions<<i, uint64(*n))
	}
	if t.moreBytes() > 0 {
		has |= hasMore
		b = t.appendMore(b)
	}
	b[at] = has
	return t.visitors.append(b)
}

// appendMore appends what few rows have.
func (t *tally) appendMore(b []byte) []byte {
	at, has := len(b), byte(0)
	b = append(b, 0)
	if a := t.attention; a != nil {
		for i, n := range a.fields() {
			if *n > 0 {
				has |= hasTimed << i
				b = binary.AppendUvarint(b, uint64(*n))
			}
		}
	}
	if v := t.values; v != nil {
		has |= hasValues
		b = appendWide(binary.AppendUvarint(b, uint64(v.n)), v.sum)
		b = binary.AppendVarint(binary.AppendVarint(b, v.min), v.max)
	}
	if c := t.conversions; c != nil {
		if c.Sessions > 0 {
			has |= hasConverted
			b = binary.AppendUvarint(b, uint64(c.Sessions))
		}
		if c.Further > 0 {
			has |= hasFurther
			b = binary.AppendUvarint(b, uint64(c.Further))
		}
		if c.Worth != (int128.Int{}) {
			has |= hasWorth
			b = appendWide(b, c.Worth)
		}
	}
	b[at] = has
	return b
}

// tally reads a tally of so many events in the dimension, and the error of a row.
func (r *reader) tally(d Dimension, events uint64) (t tally, rowError uint64) {
	t = newTally()
	first := r.bytes(1)
	if r.err != nil {
		return t, 0
	}
	has := first[0]
	rowError = r.optional(has&hasError, maxCount)
	t.pageViews = int64(r.optional(has&hasPageViews, events))
	for i, n := range t.fields() {
		*n = int64(r.optional(has&(hasSessions<<i), maxCount))
	}
	if has&hasMore != 0 {
		r.more(d, events, &t)
	}
	t.visitors = r.rowVisitors()
	if r.err == nil {
		r.err = t.visitors.possible(events)
	}
	return t, rowError
}

func (r *reader) conversions(has byte, t *tally) {
	if has&(hasConverted|hasFurther|hasWorth) == 0 {
		return
	}
	c := Conversions{Sessions: int64(r.optional(has&hasConverted, maxCount)), Further: int64(r.optional(has&hasFurther, maxCount))}
	if has&hasWorth != 0 {
		if c.Worth = r.wide(); c.Worth == (int128.Int{}) && r.err == nil {
			r.err = errors.New("a worth that is there is 0")
		}
	}
	t.conversions = &c
}

// optional reads a number that is there if flag is not 0, and is 0 otherwise.
func (r *reader) optional(flag byte, limit uint64) uint64 {
	if flag == 0 {
		return 0
	}
	n := r.number(limit)
	if n == 0 && r.err == nil {
		r.err = errors.New("a number that is there is 0")
	}
	return n
}

// more reads what few rows have.
func (r *reader) more(d Dimension, events uint64, t *tally) {
	first := r.bytes(1)
	if r.err != nil {
		return
	}
	has := first[0]
	if has == 0 {
		r.err = errors.New("more numbers, which are none")
		return
	}
	var a Attention
	for i, n := range a.fields() {
		*n = int64(r.optional(has&(hasTimed<<i), maxCount))
	}
	if a != (Attention{}) {
		t.attention = &a
	}
	if n := r.optional(has&hasValues, events); n > 0 {
		t.values = r.values(int64(n))
	}
	r.conversions(has, t)
	switch {
	case r.err != nil:
	case t.conversions != nil && !d.Converts():
		r.err = fmt.Errorf("conversions of dimension %s", d)
	case t.attention != nil && d != Page:
		r.err = fmt.Errorf("times of dimension %s: only %s has them", d, Page)
	case t.values != nil && d != EventName:
		r.err = fmt.Errorf("values of dimension %s: only %s has them", d, EventName)
	}
}

func (r *reader) values(n int64) *values {
	v := &values{n: n}
	v.sum = r.wide()
	v.min, v.max = r.varint(), r.varint()
	if v.min > v.max && r.err == nil {
		r.err = fmt.Errorf("least value %d, greatest %d", v.min, v.max)
	}
	return v
}

// possible returns an error unless these can be the visitors of so many events.
func (v *rowVisitors) possible(events uint64) error {
	least := uint64(v.u.n)
	if v.u.regs != nil {
		least = max(RowExact+1, uint64(v.filled))
	}
	if least > events || least == 0 && events > 0 {
		return fmt.Errorf("%d visitors at least of %d events", least, events)
	}
	return nil
}
