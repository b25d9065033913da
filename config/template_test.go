package config_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/footfall/footfall/config"
)

// template returns what Template wrote to a file, loaded.
func template(t *testing.T, change func(string) string) (config.Config, error) {
	t.Helper()
	text, err := config.Template()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "footfall.yaml")
	if err := os.WriteFile(file, []byte(change(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
	return config.Load(config.Sources{File: file})
}

// printed is the configuration without where its values came from.
func printed(t *testing.T, c config.Config) string {
	t.Helper()
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	return regexp.MustCompile(`(?m) # .*$`).ReplaceAllString(string(text), "")
}

func TestTemplateChangesNothing(t *testing.T) {
	for name, change := range map[string]func(string) string{
		"as it is":                    func(s string) string { return s },
		"with every setting in force": func(s string) string { return regexp.MustCompile(`(?m)^( *)#(\w)`).ReplaceAllString(s, "$1$2") },
	} {
		c, err := template(t, change)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, want := printed(t, c), printed(t, config.Default()); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", name, got, want)
		}
	}
}

func TestTemplateHasEverySetting(t *testing.T) {
	text, err := config.Template()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range config.Fields() {
		name := f.Path[strings.LastIndexByte(f.Path, '.')+1:]
		if !strings.Contains(string(text), "# "+f.Help+"\n") || !strings.Contains(string(text), "#"+name+": ") {
			t.Errorf("the template lacks %s", f.Path)
		}
	}
}
