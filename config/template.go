package config

import (
	"bytes"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

// templateHead is what a template begins with.
const templateHead = `# Configuration of footfall. Each setting below has its default: remove the # before one to change it. footfall config check
# lists mistakes. Environment variables override this file, and flags override both: kafka.failedTopic is
# FOOTFALL_KAFKA_FAILED_TOPIC and --kafka-failed-topic. Secrets have no flag. AWS is configured by its own variables and files.
`

// Template returns a configuration file in which each setting is commented out, with its default and what it is. Loading it changes
// nothing.
func Template() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(templateHead)
	var at []string // the sections that the file is in
	c := Default()
	for _, f := range c.fields() {
		names := strings.Split(f.path, ".")
		sections, name := names[:len(names)-1], names[len(names)-1]
		for depth, section := range sections {
			if depth < len(at) && at[depth] == section {
				continue
			}
			fmt.Fprintf(&b, "\n%s%s:\n", indent(depth), section)
			at = nil
		}
		if len(sections) == 0 {
			b.WriteByte('\n')
		}
		at = sections
		line, err := yaml.Marshal(map[string]*yaml.Node{name: valueNode(f)})
		if err != nil {
			return nil, fmt.Errorf("spell %s: %w", f.path, err)
		}
		fmt.Fprintf(&b, "%s# %s\n%s#%s", indent(len(sections)), f.tag.Get("help"), indent(len(sections)), line)
	}
	return b.Bytes(), nil
}

func indent(depth int) string { return strings.Repeat("  ", depth) }
