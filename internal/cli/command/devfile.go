package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/footfall/footfall/config"
)

// DevFile is what footfall dev leaves in its directory for other commands: where its parts are.
type DevFile struct {
	Brokers string `json:"brokers"`
	Topic   string `json:"topic"`
	Table   string `json:"table"` // in the file a path is from the directory: a copy has a table of its own

	name string
}

// in names the table by its whole path, which lies in dir unless the file says otherwise.
func (d DevFile) in(dir string) (DevFile, error) {
	kind, path, _ := strings.Cut(d.Table, "://")
	if kind != "sqlite" || filepath.IsAbs(path) {
		return d, nil
	}
	path, err := filepath.Abs(filepath.Join(dir, path))
	d.Table = kind + "://" + path
	return d, err
}

func (d DevFile) values() []config.Value {
	return []config.Value{
		{Path: "kafka.brokers", Text: d.Brokers, Origin: d.name},
		{Path: "kafka.topic", Text: d.Topic, Origin: d.name},
		{Path: "table", Text: d.Table, Origin: d.name},
	}
}

// DevFileName is the file's name in the directory.
const DevFileName = "dev.json"

// ReadDevFile reads the file that footfall dev has left in a directory.
func ReadDevFile(dir string) (DevFile, error) {
	d := DevFile{name: filepath.Join(dir, DevFileName)}
	text, err := os.ReadFile(d.name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return d, fmt.Errorf("%s is not a directory of footfall dev (it has no %s): start `footfall dev --data %s` once", dir, DevFileName, dir)
	case err != nil:
		return d, err
	}
	if err := json.Unmarshal(text, &d); err != nil {
		return d, fmt.Errorf("%s: %w: start `footfall dev --data %s` to have it written again", d.name, err, dir)
	}
	return d.in(dir)
}

// WriteDevFile writes down, for other commands, where the parts are.
func WriteDevFile(dir, brokers string) (DevFile, error) {
	d := DevFile{Brokers: brokers, Topic: DevTopic, Table: "sqlite://" + DevTable, name: filepath.Join(dir, DevFileName)}
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return d, err
	}
	if err := os.WriteFile(d.name+".new", append(text, '\n'), 0o600); err != nil {
		return d, err
	}
	if err := os.Rename(d.name+".new", d.name); err != nil {
		return d, err
	}
	return d.in(dir)
}

// What footfall dev keeps in its directory.
const (
	DevTopic      = "events"
	DevPartitions = 4
	DevTable      = "footfall.db"
	DevLog        = "footfall.log"
)
