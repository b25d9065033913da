package sketch

// Book adds what a record has booked, from 0 to 2^60 of each, or takes it back with negative numbers. The position is
// that of the record that booked it first. It returns false, and changes nothing, if a number would leave the range:
// more is taken back than was booked, which is a mistake of the caller's.
func (b *Breakdown) Book(d Dimension, value string, position int64, k Booking) (ok bool) {
	t := b.booked(d, value, position)
	sum, ok := t.plus(k)
	if !ok {
		return false
	}
	b.size += sum.bytes() - t.Booking.bytes()
	t.Booking = sum
	return true
}

// Attend adds to the row of a page if that was admitted at or before the position, which is that of the page view, else to what has no row,
// or takes back. As Book, it returns false, and changes nothing, if a number would leave the range from 0 to 2^60.
func (b *Breakdown) Attend(page string, position int64, k Attention) (ok bool) {
	t := b.booked(Page, page, position)
	sum, ok := t.paid().plus(k)
	if !ok {
		return false
	}
	b.size -= t.moreBytes()
	if t.attention == nil {
		t.attention = b.spare.take()
	}
	*t.attention = sum
	b.size += t.moreBytes()
	return true
}

// Convert adds to the row that Book would add to, or takes back. It returns false, and changes nothing, if a number of sessions or
// conversions would leave the range from 0 to 2^60.
func (b *Breakdown) Convert(d Dimension, value string, position int64, k Conversions) (ok bool) {
	t := b.booked(d, value, position)
	sum := t.converted().Plus(k)
	if max(uint64(sum.Sessions), uint64(sum.Further)) > maxCount {
		return false
	}
	b.size -= t.moreBytes()
	if t.conversions == nil {
		t.conversions = new(Conversions)
	}
	*t.conversions = sum
	b.size += t.moreBytes()
	return true
}

// booked returns where a booking of the position belongs.
func (b *Breakdown) booked(d Dimension, value string, position int64) *tally {
	m := b.dimension(d)
	if i := find(&m.top, value); i >= 0 && m.more[i].admitted <= position {
		return &m.more[i].tally
	}
	return &m.other
}
