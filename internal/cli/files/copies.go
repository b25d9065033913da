package files

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/footfall/footfall/internal/produce"
)

// withoutCopies leaves out files that hold another one of the files packed, as gzip --keep leaves them, and says so. total are the bytes of
// all; -1: not known.
func withoutCopies(inputs []produce.Input, total int64, notices io.Writer) (kept []produce.Input, left int64) {
	for _, in := range inputs {
		i := slices.IndexFunc(inputs, func(plain produce.Input) bool { return plain.Name+".gz" == in.Name })
		if i >= 0 {
			if bytes := copyBytes(inputs[i], in); bytes > 0 {
				fmt.Fprintf(notices, "warning: %s is left out: its lines are in %s\n", in.Name, inputs[i].Name)
				total = max(total-bytes, -1)
				continue
			}
		}
		kept = append(kept, in)
	}
	return kept, total
}

// copyBytes is the size of a file that holds another one packed with gzip, by its length and first lines; 0: it does not.
func copyBytes(plain, packed produce.Input) int64 {
	text, err := os.Stat(plain.Name)
	if err != nil {
		return 0
	}
	f, err := os.Open(packed.Name)
	if err != nil {
		return 0 // That is an error when its lines are read.
	}
	defer f.Close()
	var length [4]byte // of the text, modulo 2^32: the end of a gzip file (RFC 1952)
	end, err := f.Seek(-int64(len(length)), io.SeekEnd)
	if err != nil {
		return 0
	}
	_, err = io.ReadFull(f, length[:])
	if err != nil || binary.LittleEndian.Uint32(length[:]) != uint32(text.Size()) || !plain.BeginsAs(packed) {
		return 0
	}
	return end + int64(len(length))
}
