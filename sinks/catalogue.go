package sinks

import (
	"slices"
	"sync"
)

// catalogue has one entry for each type of item. A new type is one entry more: its documents, its explanation and the test
// that it is written as it says follow from it.
var catalogue = slices.Concat(tableTypes, recordTypes, siteTypes, bucketTypes)

// Catalogue lists all types of items that footfall writes.
func Catalogue() []ItemType { return slices.Clone(catalogue) }

// EntityType returns the first type of that entity; ok is false when there is none.
func EntityType(entity string) (t ItemType, ok bool) {
	i := slices.IndexFunc(catalogue, func(t ItemType) bool { return t.Entity == entity })
	if i < 0 {
		return ItemType{}, false
	}
	return catalogue[i], true
}

// entryOf is where items of a type are: in the table or in an index.
type entryOf struct {
	*ItemType
	Index
}

// templatesOfCatalogue are those of partition and sort keys: every key that is read is held against them.
var templatesOfCatalogue = sync.OnceValue(func() map[entryOf][2]Template {
	all := make(map[entryOf][2]Template)
	for i := range catalogue {
		for _, index := range []Index{Base, GSI1} {
			if pk, sk, ok := catalogue[i].spell(index); ok {
				all[entryOf{&catalogue[i], index}] = [2]Template{pk, sk}
			}
		}
	}
	return all
})

// Templates returns the templates of the partition key and the sort key.
func (t *ItemType) Templates() (pk, sk Template) {
	pk, sk, _ = t.IndexTemplates(Base)
	return pk, sk
}

// IndexTemplates returns the templates of the keys in an index; ok is false when the items are not in it.
func (t *ItemType) IndexTemplates(index Index) (pk, sk Template, ok bool) {
	if known, ok := templatesOfCatalogue()[entryOf{t, index}]; ok {
		return known[0], known[1], true
	}
	return t.spell(index)
}

// spell makes the templates from what spells the keys.
func (t *ItemType) spell(index Index) (pk, sk Template, ok bool) {
	key := t.keyIn(index)
	if key == nil {
		return "", "", false
	}
	pk = templateOf(func(f Fields) string { return key(Keys{}, f).PK })
	sk = templateOf(func(f Fields) string { return key(Keys{}, f).SK })
	return pk, sk, true
}
