package count

// Spread is between which values those of some events lie, in millionths.
type Spread struct {
	From, To int64
	Values   int // how many there are; 0: from and to mean nothing
}

// Join takes other values in.
func (s *Spread) Join(o Spread) {
	switch {
	case o.Values == 0:
		return
	case s.Values == 0:
		*s = o
		return
	}
	if o.From < s.From {
		s.From = o.From
	}
	if o.To > s.To {
		s.To = o.To
	}
	s.Values += o.Values
}
