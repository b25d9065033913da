package schemas

import "github.com/footfall/footfall/pipeline/wire"

// maxCompiled bounds the schemas that are compiled at a time, some 10 to 100 KB each. Others are compiled again when a record needs them.
const maxCompiled = 256

// cache has the schemas that were used last.
type cache struct {
	entries map[wire.ID]*entry
	clock   int64
}

type entry struct {
	schema *wire.Schema
	used   int64
}

func (c *cache) get(id wire.ID) *wire.Schema {
	e := c.entries[id]
	if e == nil {
		return nil
	}
	c.clock++
	e.used = c.clock
	return e.schema
}

func (c *cache) put(id wire.ID, s *wire.Schema) {
	if c.entries == nil {
		c.entries = make(map[wire.ID]*entry)
	}
	if len(c.entries) >= maxCompiled && c.entries[id] == nil {
		var oldest wire.ID
		least := int64(-1)
		for id, e := range c.entries {
			if least < 0 || e.used < least {
				oldest, least = id, e.used
			}
		}
		delete(c.entries, oldest)
	}
	c.clock++
	c.entries[id] = &entry{s, c.clock}
}
