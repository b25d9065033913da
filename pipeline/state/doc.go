// Package state holds what items keep of sessions, of visitors without session ids and of the arrivals of visitors, with the bytes of the
// first two. These states decide what other items receive, so their items keep two versions: after the last flush that touched them (cur),
// and before it (prev).
//
// There are no rules here. What an event does to a state is the pipeline's, and package verify has rules of its own.
package state
