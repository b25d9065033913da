// Package eventjson reads the JSON of events and of what events are made of, strictly, and writes events.
package eventjson
