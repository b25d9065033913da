package process

import (
	"container/list"
	"net"
	"net/http"
	"sync"
)

// maxConnections is how many HTTP connections are open at once for probes and scrapes, which need some ten. footfall serve has a flag.
const maxConnections = 64

// connections bounds how many connections a server has. One too many closes the one that has waited longest for its
// client, so that idle connections keep nobody out; where none waits, the one whose request has taken longest. Its
// method track is the server's ConnState. Safe for concurrent use.
type connections struct {
	max int

	mu      sync.Mutex // covers all below
	places  map[net.Conn]place
	waiting list.List // for a request, the longest first
	active  list.List // with a request, the longest first
}

// place is where a connection is listed.
type place struct {
	in *list.List
	at *list.Element
}

// track takes in that a connection has another state.
func (c *connections) track(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, known := c.places[conn]
	switch {
	case known:
		p.in.Remove(p.at)
		delete(c.places, conn)
	case state != http.StateNew:
		return // It has been closed to make room, and its goroutine does not know yet.
	}
	switch state {
	case http.StateNew, http.StateIdle:
		c.places[conn] = place{&c.waiting, c.waiting.PushBack(conn)}
	case http.StateActive:
		c.places[conn] = place{&c.active, c.active.PushBack(conn)}
	}
	if len(c.places) > c.max {
		from := &c.waiting
		if from.Front().Value == conn && c.active.Len() > 0 { // It has just come.
			from = &c.active
		}
		longest := from.Remove(from.Front()).(net.Conn)
		delete(c.places, longest)
		longest.Close() // Its goroutine ends with the next read or write.
	}
}
