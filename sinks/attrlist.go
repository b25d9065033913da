package sinks

import (
	"iter"
	"maps"
)

// Attr is a named value of an item.
type Attr struct {
	Name  string
	Value Value
}

// Attrs are all attributes of an item that is to be written, the key attributes among them, none twice. They are an [Item] without the
// search by name: for items of which there are many, such as raw events.
type Attrs []Attr

// Get returns the value of an attribute, the zero Value if there is none.
func (as Attrs) Get(name string) Value {
	for i := range as {
		if as[i].Name == name {
			return as[i].Value
		}
	}
	return Value{}
}

// Key returns the item's key.
func (as Attrs) Key() Key { return Key{as.Get(AttrPK).Str(), as.Get(AttrSK).Str()} }

// All are the names and values in their order.
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
	maps.Insert(it, as.All())
	return it
}
