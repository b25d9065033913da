package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/mapping"
)

// maxMappingBytes bounds a mapping, which each flush records.
const maxMappingBytes = 8 << 10

// LoadConfig loads a configuration. It is valid when the error is nil; else the error names every fault.
func LoadConfig(src config.Sources) (config.Config, error) {
	c, err := config.Load(src)
	if !c.Event.Mapped() {
		return c, err
	}
	_, unmapped := mapping.New(Mapping(c.Event))
	if p := c.Event.Preset; p != "" && !slices.Contains(mapping.Presets(), p) {
		unmapped = fmt.Errorf("event.preset: %q is unknown: choose one of %s", p, strings.Join(mapping.Presets(), ", "))
	}
	if n := len(Mapping(c.Event).Canonical()); n > maxMappingBytes {
		unmapped = errors.Join(unmapped, fmt.Errorf("event.map: the mapping has %d bytes, and each flush records it: write %d at most", n,
			maxMappingBytes))
	}
	return c, errors.Join(err, unmapped)
}

// Mapping is the mapping of a configuration.
func Mapping(e config.Event) mapping.Config {
	c := mapping.Config{Map: e.Map, Set: e.Set, Default: e.Default, Rest: e.Properties == "rest", TimeUnit: e.TimeUnit,
		TimeLayout: e.TimeLayout, TimeZone: e.TimeZone, DecimalComma: e.DecimalComma, Configured: true}
	return c.Over(e.Preset)
}
