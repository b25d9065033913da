package accesslog

import (
	"bytes"
	"iter"
	"math/rand/v2"
)

// mutated are n lines, each one of these with one to three changes, by a fixed seed.
func mutated(lines [][]byte, n int) iter.Seq[[]byte] {
	rng := rand.New(rand.NewPCG(35, 2))
	return func(yield func([]byte) bool) {
		for range n {
			line := bytes.Clone(lines[rng.IntN(len(lines))])
			for range 1 + rng.IntN(3) {
				i := rng.IntN(len(line) + 1)
				switch rng.IntN(5) {
				case 0: // Cut.
					line = line[:i]
				case 1: // A byte that formats care for.
					line = append(line[:i:i], append([]byte{"\"\\[] -:%\t{},\x00\xff"[rng.IntN(14)]}, line[i:]...)...)
				case 2: // A part is missing.
					line = append(line[:i:i], line[min(i+rng.IntN(20), len(line)):]...)
				case 3: // A part is there twice.
					line = append(line[:min(i+rng.IntN(20), len(line)):len(line)], line[i:]...)
				case 4: // The end of another.
					other := lines[rng.IntN(len(lines))]
					line = append(line[:i:i], other[min(i, len(other)):]...)
				}
			}
			if !yield(line) {
				return
			}
		}
	}
}
