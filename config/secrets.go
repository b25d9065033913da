package config

import (
	"os"
	"strings"
)

// Secrets returns the secrets of the sources and of the files that they name, so that they can be kept out of what is shown. A value that a
// later source replaces is a secret too. Files that cannot be read have none.
func Secrets(src Sources) []string {
	var all []string
	for _, s := range []Sources{src, {File: src.File}, {Env: src.Env}} {
		c, _ := Load(s) // What is wrong with it does not matter here.
		for _, f := range c.fields() {
			text := f.value.String()
			switch f.tag.Get("secret") {
			case "file":
				text = ""
				if info, err := os.Stat(f.value.String()); err == nil && info.Mode().IsRegular() { // A pipe would be waited for.
					content, _ := os.ReadFile(f.value.String())
					text = strings.TrimSpace(string(content))
				}
			case "url":
				_, text, _ = strings.Cut(text, "?")
			case "true":
			default:
				continue
			}
			if text != "" {
				all = append(all, text)
			}
		}
	}
	return all
}
