package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"go.yaml.in/yaml/v3"
)

// Sources say where a configuration comes from. Later ones win: the defaults, the file, the environment, Over.
type Sources struct {
	File string   // a YAML file; empty: none
	Env  []string // "NAME=value", as from os.Environ; a variable that is set to nothing counts as not set
	Over []Value  // over all others, in order: flags
}

// Value is one field's value as text.
type Value struct {
	Path   string // the field
	Text   string
	Origin string // what to call its source in messages: --topic
}

// Load makes a configuration of its sources and validates it. The error names every fault that was found, one a
// line, with the place it came from; the configuration is then not to be used, but for printing.
func Load(src Sources) (Config, error) {
	c := Default()
	l := loader{config: &c, fields: make(map[string]leaf)}
	c.origins = make(map[string]string)
	for _, f := range c.fields() {
		l.fields[f.path] = f
		l.paths = append(l.paths, f.path)
	}
	if src.File != "" {
		l.file(src.File)
	}
	l.env(src.Env)
	for _, v := range src.Over {
		l.set(v.Path, v.Text, v.Origin)
	}
	l.hashKey()
	l.faults = append(l.faults, c.Validate())
	return c, errors.Join(l.faults...)
}

// loader fills a Config from its sources and collects what is wrong with them.
type loader struct {
	config *Config
	fields map[string]leaf // by path
	paths  []string        // in the order of the file
	faults []error
}

// hashKey reads the file of the visitors' hash key. The key never changes, so it is read once.
func (l *loader) hashKey() {
	const path = "visitorHashKeyFile"
	c := l.config
	if c.VisitorHashKeyFile == "" {
		return
	}
	if c.VisitorHashKey != "" {
		l.fault("%s (%s): %q is set, and visitorHashKey too: keep one", path, c.origins[path], c.VisitorHashKeyFile)
		return
	}
	text, err := os.ReadFile(c.VisitorHashKeyFile)
	key := strings.TrimSpace(string(text))
	switch {
	case err != nil:
		l.fault("%s (%s): %w: name a file that can be read", path, c.origins[path], err)
	case key == "":
		l.fault("%s (%s): %s is empty: write 32 hex digits into it", path, c.origins[path], c.VisitorHashKeyFile)
	default:
		c.VisitorHashKey, c.VisitorHashKeyFile, c.origins["visitorHashKey"] = key, "", c.VisitorHashKeyFile
	}
}

func (l *loader) fault(format string, args ...any) {
	l.faults = append(l.faults, fmt.Errorf(format, args...))
}

func (l *loader) set(path, text, origin string) {
	f, ok := l.fields[path]
	if !ok {
		l.fault("%s (%s): no such key%s", path, origin, hint(nearest(path, slices.Concat(l.paths, l.sections()))))
		return
	}
	if err := set(f.value, text); err != nil {
		l.fault("%s (%s): %w", path, origin, err)
		return
	}
	l.config.origins[path] = origin
}

func (l *loader) file(name string) {
	text, err := os.ReadFile(name)
	if err != nil {
		l.fault("configuration file (--config, FOOTFALL_CONFIG): %w", err)
		return
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	switch err := dec.Decode(&doc); {
	case err == io.EOF:
		return // An empty file configures nothing.
	case err != nil:
		l.fault("%s: %w", name, err)
		return
	}
	if dec.Decode(&more) != io.EOF {
		l.fault("%s: more than one YAML document: keep one", name)
	}
	root := doc.Content[0]
	switch {
	case root.Kind == yaml.MappingNode:
		l.mapping(name, "", root)
	case root.Tag != "!!null":
		l.fault("%s:%d: keys and values are expected, as in `table: sqlite://footfall.db`", name, root.Line)
	}
}

// mapping takes the keys of one YAML mapping; prefix is the path of the mapping with a dot behind.
func (l *loader) mapping(file, prefix string, m *yaml.Node) {
	seen := make(map[string]bool)
	for i := 0; i < len(m.Content); i += 2 {
		key, value := m.Content[i], m.Content[i+1]
		if value.Kind == yaml.AliasNode {
			value = value.Alias
		}
		path, origin := prefix+key.Value, fmt.Sprintf("%s:%d", file, key.Line)
		f, isField := l.fields[path]
		switch {
		case seen[path]:
			l.fault("%s (%s): the key is there twice: keep one", path, origin)
		case value.Kind == yaml.MappingNode && l.isSection(path):
			l.mapping(file, path+".", value)
		case l.isSection(path) && value.Tag == "!!null":
			// A section whose keys are all commented out.
		case l.isSection(path):
			l.fault("%s (%s): keys are expected below it, as in %s", path, origin, l.firstBelow(path))
		case isField && value.Kind == yaml.SequenceNode:
			l.sequence(f, origin, value)
		case isField && value.Kind == yaml.MappingNode:
			l.fault("%s (%s): one value is expected, not keys and values", path, origin)
		case isField && value.Tag == "!!null":
			// A key without a value keeps its default.
		default:
			l.set(path, value.Value, origin)
		}
		seen[path] = true
	}
}

// sequence takes a YAML list, which only a field that is a list may have.
func (l *loader) sequence(f leaf, origin string, seq *yaml.Node) {
	list, ok := f.value.Addr().Interface().(*[]string)
	if !ok {
		l.fault("%s (%s): one value is expected, not a list", f.path, origin)
		return
	}
	values := []string{}
	for _, n := range seq.Content {
		if n.Kind != yaml.ScalarNode {
			l.fault("%s (%s): a list of plain values is expected", f.path, origin)
			return
		}
		values = append(values, n.Value)
	}
	*list = values
	l.config.origins[f.path] = origin
}

func (l *loader) isSection(path string) bool {
	return slices.Contains(l.sections(), path)
}

// sections lists the paths that have fields below them.
func (l *loader) sections() []string {
	var all []string
	for _, p := range l.paths {
		for i := strings.LastIndexByte(p, '.'); i >= 0; i = strings.LastIndexByte(p[:i], '.') {
			all = append(all, p[:i])
		}
	}
	return all
}

func (l *loader) firstBelow(path string) string {
	for _, p := range l.paths {
		if strings.HasPrefix(p, path+".") {
			return p
		}
	}
	return path
}

// foreign are variables that begin like ours and are not for us: those of the tests, the name of the file, and
// those by which Kubernetes announces a Service that happens to be called footfall.
var foreign = regexp.MustCompile(`^FOOTFALL_(TEST_.*|CONFIG|(.*_)?SERVICE_HOST|(.*_)?SERVICE_PORT(_.*)?|(.*_)?PORT(_[0-9]+_.*)?)$`)

func (l *loader) env(environ []string) {
	byName := make(map[string]string)
	var names []string
	for _, path := range l.paths {
		name := envName(path)
		byName[name] = path
		names = append(names, name)
	}
	for _, e := range environ {
		name, text, _ := strings.Cut(e, "=")
		path, ok := byName[name]
		switch {
		case !strings.HasPrefix(name, "FOOTFALL_") || text == "":
		case ok:
			l.set(path, text, name)
		case !foreign.MatchString(name):
			l.fault("%s: no such variable%s", name, hint(nearest(name, names)))
		}
	}
}

func hint(name string) string {
	if name == "" {
		return ": remove it"
	}
	return ": did you mean " + name + "?"
}

// nearest returns the known name that a wrong one was probably meant to be: one of the same last part, the same property as Kafka spells
// it, one of the same section whose last part has further words before it, or the one of the fewest edits, as long as at most half of
// the wrong one's last part changes; or "".
func nearest(wrong string, known []string) string {
	wrong = strings.ToLower(wrong)
	for _, name := range known {
		if low := strings.ToLower(name); low == wrong || strings.HasSuffix(low, "."+wrong) {
			return name
		}
	}
	at := strings.LastIndexAny(wrong, "._") + 1
	section, last := wrong[:at], wrong[at:]
	for _, name := range known {
		low := strings.ToLower(name)
		if property(low) == property(wrong) {
			return name
		}
		if rest, ok := strings.CutPrefix(low, section); ok && at > 0 && len(last) > 2 && strings.HasSuffix(rest, last) &&
			!strings.Contains(rest, ".") {
			return name
		}
	}
	best, fewest := "", (len(last)+1)/2+1
	for _, name := range known {
		if n := levenshtein.ComputeDistance(wrong, strings.ToLower(name)); n < fewest {
			best, fewest = name, n
		}
	}
	return best
}

// property is what a key in lower case has in common with the property of Kafka of the same name: sessionTimeout, session.timeout.ms.
func property(key string) string {
	return strings.TrimSuffix(strings.ReplaceAll(key, ".", ""), "ms")
}
