package examples

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/pack"
)

// TestDecodersHaveAllNames: the decoders' lists of names are those of the format. With -update they are rewritten.
func TestDecodersHaveAllNames(t *testing.T) {
	var dimensions, origin []string
	for _, d := range figures.Dimensions {
		dimensions, origin = append(dimensions, d.Name), append(origin, d.Field)
	}
	for file, begin := range map[string]string{"decode/decode.py": `    "`, "decode/decode.js": `  '`} { // of a line
		was, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(was)
		for list, names := range map[string][]string{"DIMENSIONS": dimensions, "ORIGIN": origin, "TEXTS": pack.Names[:]} {
			block := regexp.MustCompile(`(?m)^((?:const )?` + list + ` = \[.*\n)(?: .*\n)*(\];?)$`)
			if found := len(block.FindAllString(text, -1)); found != 1 {
				t.Fatalf("%s has %d lists %s, want 1", file, found, list)
			}
			text = block.ReplaceAllString(text, "${1}"+lines(names, begin)+"${2}")
		}
		if text == string(was) {
			continue
		}
		if !*update {
			t.Errorf("%s: the lists of names are not those of packages figures and pack: go test ./examples -update", file)
		} else if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// lines lists names, each in quotes, on lines of some 115 columns that begin with blanks and a quote.
func lines(names []string, begin string) string {
	const width = 115
	quote := begin[len(begin)-1:]
	var b strings.Builder
	column := 0
	for _, name := range names {
		one := begin + name + quote + ","
		if column > 0 && column+len(" ")+len(one) <= width {
			one = " " + strings.TrimLeft(one, " ")
		} else if column > 0 {
			b.WriteByte('\n')
			column = 0
		}
		column += len(one)
		b.WriteString(one)
	}
	b.WriteByte('\n')
	return b.String()
}
