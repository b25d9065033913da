package mapping

import (
	_ "embed" // presetsText
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed presets.yaml
var presetsText []byte

// presets are mappings of other products' records.
var presets = func() map[string]Config {
	var read map[string]struct {
		Input      string
		TimeUnit   string `yaml:"timeUnit"`
		TimeLayout string `yaml:"timeLayout"`
		Map        []string
		Default    []string
	}
	if err := yaml.Unmarshal(presetsText, &read); err != nil {
		panic(err) // A test reads them.
	}
	all := make(map[string]Config)
	for name, p := range read {
		all[name] = Config{Input: p.Input, TimeUnit: p.TimeUnit, TimeLayout: p.TimeLayout, Map: p.Map, Default: p.Default}
	}
	return all
}()

// Presets are the names of the mappings that are there.
func Presets() []string { return slices.Sorted(maps.Keys(presets)) }

// Over returns the mapping with what it does not say itself as a preset has it: field by field, and setting by setting.
func (c Config) Over(preset string) Config {
	p := presets[preset]
	add := func(list, more []string, unless ...string) []string {
		list = slices.Clone(list)
		for _, a := range more {
			name, _, _ := strings.Cut(a, "=")
			if !has(name, c.Map, c.Set, unless) && !(name == "properties" && c.Rest) {
				list = append(list, a)
			}
		}
		return list
	}
	c.Map, c.Default, c.Input = add(c.Map, p.Map), add(c.Default, p.Default, c.Default...), p.Input
	if !c.Configured { // Lines of files have no record around them.
		for i := range c.Map {
			c.Map[i] = strings.TrimSuffix(c.Map[i], "|"+kafkaPrefix+"timestamp")
		}
	}
	if c.TimeUnit+c.TimeLayout == "" {
		c.TimeUnit, c.TimeLayout = p.TimeUnit, p.TimeLayout
	}
	return c
}

// has reports whether one of the lists assigns to a field.
func has(field string, lists ...[]string) bool {
	return slices.ContainsFunc(slices.Concat(lists...), func(a string) bool { return strings.HasPrefix(a, field+"=") })
}
