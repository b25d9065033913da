package examples

import (
	"fmt"
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

// TestEncodingsHaveAllNames: the lists of docs/internals/encodings.md are those of the format, too.
func TestEncodingsHaveAllNames(t *testing.T) {
	const (
		file       = "../docs/internals/encodings.md"
		properties = 16 // the number of the first, of 100: later dimensions come after them
		marks      = 19 // the bit of the first, of 2: later texts come after them
	)
	var numbers, names []string
	for n, d := range figures.Dimensions {
		if n >= properties {
			n += 100
		}
		numbers = append(numbers, fmt.Sprintf("%d `%s`", n, d.Name))
	}
	for n, name := range pack.Names {
		if name = "`" + name + "`"; n == marks {
			name = "and from bit 21 on " + name
		}
		names = append(names, name)
	}
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(was)
	for before, list := range map[string][]string{"The numbers are": numbers, "which texts follow, in this order:": names} {
		found := regexp.MustCompile(before + `[^.:]*[.]`).FindString(text)
		if found == "" {
			t.Fatalf("%s has no list after %q", file, before)
		}
		if want := before + " " + strings.Join(list, ", ") + "."; strings.Join(strings.Fields(found), " ") != want {
			text = strings.Replace(text, found, want, 1)
		}
	}
	switch {
	case text == string(was):
	case !*update:
		t.Errorf("%s: the lists of names are not those of packages figures and pack: go test ./examples -update", file)
	default:
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
