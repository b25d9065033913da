// Package outgoing writes raw events to the table, and rejected records to the topic of failed events. It removes query parameters that
// a site does not keep.
package outgoing
