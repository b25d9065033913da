package show

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// lanes is a list with a column that says nothing, a hostile cell and a long text.
func lanes() List {
	return List{
		Headers: []string{"PARTITION", "STATE", "OPEN", "LAG", "DETAIL", "OWNER"},
		Rows: [][]string{
			{"0", "complete", "-", "0", "nothing", "host/1"},
			{"1", "parked", "", "1200", "a record of \x1b[2J " + strings.Repeat("many words ", 9), "host/2"},
		},
		Tones: map[string]Tone{"parked": Bad}, Minor: []string{"LAG"}, Keep: "DETAIL",
	}
}

func written(t *testing.T, write func(*bytes.Buffer) error) []string {
	t.Helper()
	var out bytes.Buffer
	if err := write(&out); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

// A pipe gets every column of a list, an empty one as well; on a terminal no line is longer than that, and what is left out is named.
func TestListFitsTheTerminal(t *testing.T) {
	piped := written(t, func(b *bytes.Buffer) error { return lanes().Write(b, Layout{}) })
	if got := strings.Fields(piped[0]); fmt.Sprint(got) != fmt.Sprint(lanes().Headers) {
		t.Errorf("headers in a pipe: %v", got)
	}
	if len(piped) != 3 || strings.ContainsRune(piped[2], '\x1b') || !strings.Contains(piped[2], "many words") {
		t.Errorf("in a pipe: %q", piped)
	}
	minorFirst := false
	for width := 40; width <= 200; width++ {
		lines := written(t, func(b *bytes.Buffer) error { return lanes().Write(b, Layout{Width: width}) })
		for _, line := range lines {
			if n := utf8.RuneCountInString(line); n > width {
				t.Errorf("%d columns: a line of %d: %q", width, n, line)
			}
		}
		all := strings.Join(lines, " ")
		for _, header := range []string{"PARTITION", "STATE", "LAG", "DETAIL", "OWNER"} {
			if !strings.Contains(all, header) {
				t.Errorf("%d columns: %s is neither shown nor named: %q", width, header, lines)
			}
		}
		if strings.Contains(all, "OPEN") || !strings.Contains(lines[0], "DETAIL") {
			t.Errorf("%d columns: headers %q", width, lines[0])
		}
		minorFirst = minorFirst || strings.Contains(lines[0], "OWNER") && !strings.Contains(lines[0], "LAG")
	}
	if !minorFirst {
		t.Error("at no width is LAG left out, the minor column, and OWNER shown")
	}
}

// Colours are in a list if the layout has them, and only ours.
func TestListHasOurColoursOnly(t *testing.T) {
	plain := strings.Join(written(t, func(b *bytes.Buffer) error { return lanes().Write(b, Layout{Width: 80}) }), "\n")
	if strings.ContainsRune(plain, '\x1b') {
		t.Errorf("an escape sequence without colours: %q", plain)
	}
	coloured := strings.Join(written(t, func(b *bytes.Buffer) error { return lanes().Write(b, Layout{Width: 200, Color: true}) }), "\n")
	if !strings.Contains(coloured, "\x1b[31mparked\x1b[0m") || strings.Contains(coloured, "\x1b[2J") {
		t.Errorf("coloured: %q", coloured)
	}
}

// A word that is longer than a line stays whole, so that a cursor or a path can be copied; all others are in lines that fit.
func TestParagraphCutsNoWord(t *testing.T) {
	cursor := strings.Repeat("eyJxIjoi", 20)
	text := "There is more: continue with --cursor " + cursor + " or not at all"
	for width := 12; width < 240; width++ {
		lines := written(t, func(b *bytes.Buffer) error {
			return WriteParagraph(b, Layout{Width: width}, "warning  ", Doubtful, text)
		})
		for i, line := range lines {
			if i > 0 && !strings.HasPrefix(line, "         ") {
				t.Errorf("%d columns: line %q is not indented", width, line)
			}
			if n := utf8.RuneCountInString(line); n > width && strings.Contains(strings.TrimSpace(strings.TrimPrefix(line, "warning")), " ") {
				t.Errorf("%d columns: a line of %d that could be shorter: %q", width, n, line)
			}
		}
		if got := strings.Join(strings.Fields(strings.Join(lines, " ")), " "); got != "warning "+text {
			t.Errorf("%d columns: %q", width, got)
		}
	}
}

// Paragraphs are reflowed, and what is indented stays as it is.
func TestReflowKeepsWhatIsIndented(t *testing.T) {
	text := "One two three\nfour five six.\n\n  kept as it is, however long\n\nSeven."
	if got, want := Reflow(text, 15), "One two three\nfour five six.\n\n  kept as it is, however long\n\nSeven."; got != want {
		t.Errorf("15 columns: %q", got)
	}
	if got, want := Reflow(text, 30), "One two three four five six.\n\n  kept as it is, however long\n\nSeven."; got != want {
		t.Errorf("30 columns: %q", got)
	}
	if got := Reflow(text, 0); got != text {
		t.Errorf("no terminal: %q", got)
	}
}

// An empty list says so.
func TestEmptyListSaysSo(t *testing.T) {
	lines := written(t, func(b *bytes.Buffer) error { return List{Headers: []string{"ID"}}.Write(b, Layout{Width: 80}) })
	if len(lines) != 1 || lines[0] != "None." {
		t.Errorf("%q", lines)
	}
}
