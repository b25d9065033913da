package aggregate

// numbered are the texts of the sessions that rest, each once, by number. A text is there as long as a session has its number.
type numbered struct {
	numbers map[string]uint32
	texts   []numberedText
	free    []uint32 // numbers without a text
	bytes   int      // that the texts take
}

type numberedText struct {
	text string
	uses uint32
}

// numberedRoom is what a text takes beside its bytes: a place in the list, and one in the map.
const numberedRoom = 24 + inMap

// number returns the number of a text, which is used once more.
func (t *numbered) number(text string) uint64 {
	n, ok := t.numbers[text]
	if !ok {
		if t.numbers == nil {
			t.numbers = make(map[string]uint32)
		}
		if last := len(t.free) - 1; last >= 0 {
			n, t.free = t.free[last], t.free[:last]
		} else {
			n = uint32(len(t.texts))
			t.texts = append(t.texts, numberedText{})
		}
		t.texts[n].text, t.numbers[text] = text, n
		t.bytes += numberedRoom + len(text)
	}
	t.texts[n].uses++
	return uint64(n)
}

// take returns the text of a number, which is used once less.
func (t *numbered) take(n uint64) string {
	x := &t.texts[n]
	text := x.text
	if x.uses--; x.uses == 0 {
		delete(t.numbers, text)
		x.text = ""
		t.free = append(t.free, uint32(n))
		t.bytes -= numberedRoom + len(text)
	}
	return text
}
