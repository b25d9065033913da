// Package event reads the value of a Kafka record: bytes in, an [Event] or a [Reason] to reject it out. It is a leaf, with no state
// but a decoder's buffers. docs/events.md describes the format to producers.
//
// The way in is [Decoder.Decode]. What it does not decide needs more than the bytes: whether the record is on time, its site exists,
// or it repeats another record.
package event
