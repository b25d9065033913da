package cli

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/footfall/footfall/internal/slow"
)

// constructions are the worst of what made help and documents hard to read, each with what to write instead. They are words of
// ordinary text: code, quoted names and places in files are taken out first.
var constructions = []struct {
	found   *regexp.Regexp
	instead string
}{
	{word(`tells?|telling|told`), "print, show, say, detect, estimate"},
	{word(`nobody|somebody|whoever|anybody`), "name who or what it is: the visitor, another process, a caller"},
	{word(`he|his|him`), "the visitor, the user, they, their"},
	{word(`anew`), "again, from the start"},
	{word(`alike`), "equal, both"},
	{word(`meanwhile`), "at the same time, in between, or two sentences"},
	{word(`so many`), "the number, at most N, max."},
	{word(`(?:of|by) which`), "two sentences"},
	{word(`go(?:es)? on|gone on`), "continue"},
	{word(`or else`), "otherwise"},
	{regexp.MustCompile(`(?i)[,;:] else\b|\belse [a-z]+s\b`), "otherwise"},
	{regexp.MustCompile(`(?i)\b(?:(?:right|directly|comes?|lies?|lie|left|goes|stands?) behind\b|behind (?:it|them|the (?:page|step|event|gap|record|chain|last|first|object|flush|mark|name))\b)`), "after"},
	{word(`said all|for good(?:\b and all)?|all the same`), "permanently; still; anyway"},
	{word(`of the like|and the like|the very`), "name the things"},
}

func word(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:` + alternatives + `)\b`)
}

// code is what is no ordinary text: fenced and indented blocks, code spans, links' targets, quoted texts of programs.
var code = regexp.MustCompile("(?ms)^```.*?^```|^(?: {4}|\t)[^\n]*$|`[^`]*`|\\]\\([^)]*\\)|\"[^\"\n]*\"")

// TestTextIsPlainEnglish refuses the constructions in every help and every document for users.
func TestTextIsPlainEnglish(t *testing.T) {
	slow.Unraced(t)
	check := func(name, text string) {
		text = code.ReplaceAllStringFunc(text, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
		for i, line := range strings.Split(text, "\n") {
			for _, c := range constructions {
				for _, found := range c.found.FindAllString(line, -1) {
					t.Errorf("%s:%d: %q in %q: write instead: %s", name, i+1, found, strings.TrimSpace(line), c.instead)
				}
			}
		}
	}
	eachCommand(wholeCommand(), func(cmd *cobra.Command) {
		if cmd.CommandPath() == "footfall completion" || strings.HasPrefix(cmd.CommandPath(), "footfall completion ") {
			return // Cobra's own.
		}
		var help bytes.Buffer
		cmd.SetOut(&help)
		if err := cmd.Help(); err != nil {
			t.Fatal(err)
		}
		check(cmd.CommandPath()+" --help", regexp.MustCompile(`(?m)^ {4}`).ReplaceAllString(help.String(), "")) // Flags are text, too.
	})
	root := filepath.Join("..", "..")
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		check(name, string(text))
	}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".md" {
			return err
		}
		text, err := os.ReadFile(name)
		check(strings.TrimPrefix(filepath.ToSlash(name), "../../"), string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
