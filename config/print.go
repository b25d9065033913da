package config

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"

	"go.yaml.in/yaml/v3"
)

// masked stands for a secret that is set.
const masked = "********"

// YAML spells the effective configuration as a configuration file, each value with a comment that says where it came
// from unless it is the default. Secrets that are set are masked. All of a Config that Load reported as faulty can
// be printed too.
func (c Config) YAML() ([]byte, error) {
	root := &yaml.Node{Kind: yaml.MappingNode}
	for _, f := range c.fields() {
		m := root
		names := strings.Split(f.path, ".")
		for _, section := range names[:len(names)-1] {
			m = child(m, section)
		}
		value := valueNode(f)
		if origin := c.origins[f.path]; origin != "" {
			value.LineComment = origin
		}
		key := &yaml.Node{Kind: yaml.ScalarNode, Value: names[len(names)-1]}
		m.Content = append(m.Content, key, value)
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2)
	if err := enc.Encode(root); err != nil {
		return nil, fmt.Errorf("spell the configuration: %w", err)
	}
	return b.Bytes(), nil
}

// child returns the mapping under a key of m, which is made if absent.
func child(m *yaml.Node, key string) *yaml.Node {
	for i := 0; i < len(m.Content); i += 2 {
		if m.Content[i].Value == key {
			return m.Content[i+1]
		}
	}
	section := &yaml.Node{Kind: yaml.MappingNode}
	m.Content = append(m.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, section)
	return section
}

func valueNode(f leaf) *yaml.Node {
	n := &yaml.Node{}
	switch {
	case f.secret() && f.value.String() != "":
		n.SetString(masked)
	case f.tag.Get("secret") == "url" && f.value.Kind() == reflect.String:
		n.SetString(shownURL(f.value.String()))
	case f.value.Kind() == reflect.Slice:
		n.Kind, n.Style = yaml.SequenceNode, yaml.FlowStyle
		for _, s := range f.value.Interface().([]string) {
			e := &yaml.Node{}
			if e.SetString(s); f.tag.Get("secret") == "url" {
				e.SetString(shownURL(s))
			}
			n.Content = append(n.Content, e)
		}
	case f.value.Kind() == reflect.String:
		n.SetString(f.value.String())
	default:
		n.Kind, n.Value = yaml.ScalarNode, format(f.value)
	}
	return n
}

// shownURL masks what may be a secret in a URL: its user and its query.
func shownURL(url string) string {
	url, query, queried := strings.Cut(url, "?")
	switch user := strings.LastIndex(url, "@"); {
	case strings.Contains(query, "@"): // It may end a user, too.
		return masked
	case user >= 0:
		url = masked + url[user:]
	}
	if queried {
		url += "?" + masked
	}
	return url
}
