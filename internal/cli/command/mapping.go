package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/footfall/footfall/config"
	"github.com/footfall/footfall/internal/mapping"
	"github.com/footfall/footfall/internal/registry"
	"github.com/footfall/footfall/pipeline/schemas"
)

// maxMappingBytes bounds a mapping, which each flush records.
const maxMappingBytes = 8 << 10

// LoadConfig loads a configuration. It is valid when the error is nil; else the error names every fault.
func LoadConfig(src config.Sources) (config.Config, error) {
	c, err := config.Load(src)
	if c.Event.Registry.Set() {
		err = errors.Join(err, registryOptions(c).Check())
	}
	if !c.Event.Mapped() {
		return c, err
	}
	_, unmapped := mapping.New(Mapping(c.Event))
	if p := c.Event.Preset; p != "" && !slices.Contains(mapping.Presets(), p) {
		unmapped = fmt.Errorf("event.preset: %q is unknown: choose one of %s", p, strings.Join(mapping.Presets(), ", "))
	}
	if m := Mapping(c.Event); c.Event.Registry.Configured() && m.Input != mapping.InputRegistry {
		unmapped = errors.Join(unmapped, fmt.Errorf("event.registry.urls: event.preset %s reads values that are no JSON, and schemas make JSON "+
			"of values: remove one of them", c.Event.Preset))
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
	c = c.Over(e.Preset)
	if e.Registry.Configured() && c.Input == "" {
		c.Input = mapping.InputRegistry
	}
	return c
}

// registryOptions says how the schema registry of a configuration is reached.
func registryOptions(c config.Config) registry.Options {
	r := c.Event.Registry
	return registry.Options{URLs: r.URLs, User: r.User, Password: r.Password, PasswordFile: r.PasswordFile, CA: r.CA}
}

// Registry is the schema registry of a configuration; nil: it has none.
func Registry(c config.Config) (schemas.Registry, error) {
	if !c.Event.Registry.Configured() {
		return nil, nil
	}
	client, err := registry.New(registryOptions(c))
	if err != nil {
		return nil, err
	}
	return client, nil
}
