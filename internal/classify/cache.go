package classify

// A cache remembers about the last things that were asked: between size and twice as many. Entries age by
// generations: when the young ones are as many as size, the old ones are dropped and the young ones become old; an old
// entry that is asked for is young again. What it costs is a map look-up, and once both maps have grown, nothing is
// allocated any more but for new entries.
//
// The zero value is of no use; see newCache.
type cache[K comparable, V any] struct {
	size       int
	young, old map[K]V
}

func newCache[K comparable, V any](size int) cache[K, V] {
	return cache[K, V]{size: size, young: map[K]V{}, old: map[K]V{}}
}

// get returns what was put under the key, if it is remembered.
func (c *cache[K, V]) get(key K) (V, bool) {
	if v, ok := c.young[key]; ok {
		return v, true
	}
	v, ok := c.old[key]
	if ok {
		c.put(key, v)
	}
	return v, ok
}

// put remembers v under the key.
func (c *cache[K, V]) put(key K, v V) {
	if len(c.young) >= c.size {
		clear(c.old)
		c.young, c.old = c.old, c.young
	}
	c.young[key] = v
}

// texts is a cache by bytes: a string is made of them only when they are new. An entry knows its key, so that it can
// become young again without another one being made.
type texts[V any] struct {
	cache[string, text[V]]
}

type text[V any] struct {
	key   string
	value V
}

func newTexts[V any](size int) texts[V] {
	return texts[V]{newCache[string, text[V]](size)}
}

// get returns what was put under the bytes, if it is remembered. It does not allocate.
func (t *texts[V]) get(key []byte) (V, bool) {
	if e, ok := t.young[string(key)]; ok {
		return e.value, true
	}
	e, ok := t.old[string(key)]
	if ok {
		t.cache.put(e.key, e)
	}
	return e.value, ok
}

// put remembers value under the key.
func (t *texts[V]) put(key string, value V) {
	t.cache.put(key, text[V]{key, value})
}
