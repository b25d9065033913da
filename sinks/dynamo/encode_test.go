package dynamo

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// Each byte, wherever it stands among others, is quoted as jsontext does it.
func TestQuoted(t *testing.T) {
	for length := range 20 {
		for at := range length {
			for c := range 256 {
				for _, fill := range []string{"a", " ", "!", "~", "#", "[", "]"} { // The neighbours of what is not plain, too.
					text := []byte(strings.Repeat(fill, length))
					text[at] = byte(c)
					want, _ := jsontext.AppendQuote(nil, text)
					if got := appendQuoted(nil, string(text)); !bytes.Equal(got, want) {
						t.Fatalf("%q is quoted as %s, want %s", text, got, want)
					}
				}
			}
		}
	}
}
