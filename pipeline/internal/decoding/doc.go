// Package decoding turns records into events, in chunks. A [Pipe] decodes later chunks in a goroutine of its own.
package decoding
