package event

import "golang.org/x/sys/cpu"

var hasIndex = cpu.X86.HasAVX2

// indexBlocks reads blocks of 64 bytes, at least one. It writes a word for each block to stops, with a bit for each byte that is a quote
// or a backslash, and to high, for each byte above 0x7f; the first byte's bit is the lowest. control is 0 if no byte is a control
// character, escapes if none is a backslash, and above if none is above 0x7f.
//
//go:noescape
func indexBlocks(text *byte, blocks int, stops, high *uint64) (control, escapes, above uint32)
