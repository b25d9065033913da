package sinks

import "iter"

// Attr is a named value of an item.
type Attr struct {
	Name  string
	Value Value
}

// Size returns the bytes of name and value, as [Item.Size] counts them.
func (a Attr) Size() int { return len(a.Name) + a.Value.size() }

// Attrs is a whole item as a list of attributes, keys included, no name twice. It is cheaper to make than an [Item]; lookups are linear.
type Attrs []Attr

// Value returns the value of an attribute, the zero Value if there is none.
func (as Attrs) Value(name string) Value {
	for i := range as {
		if as[i].Name == name {
			return as[i].Value
		}
	}
	return Value{}
}

// Key returns the item's key.
func (as Attrs) Key() Key { return Key{as.Value(AttrPK).Str(), as.Value(AttrSK).Str()} }

// All iterates over the names and values in order.
func (as Attrs) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		for _, a := range as {
			if !yield(a.Name, a.Value) {
				return
			}
		}
	}
}

// Item returns the attributes as an Item.
func (as Attrs) Item() Item {
	it := make(Item, len(as))
	for _, a := range as {
		it[a.Name] = a.Value
	}
	return it
}
