package verify

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/footfall/footfall/internal/verify/finding"
	"github.com/footfall/footfall/internal/verify/scope"
)

// progress is what a run that ends early leaves in the file Options.Resume, and a later one continues from: which parts of the
// sites were verified, and what was found there. It is a file of its own, beside the table, and holds no personal data but the
// keys of items that differ.
type progress struct {
	Version int            `json:"version"`
	Asked   asked          `json:"asked"`
	Next    scope.Part     `json:"-"`
	From    uint64         `json:"nextFrom,string"` // hashes of sites that are left
	To      uint64         `json:"nextTo,string"`
	Report  finding.Report `json:"report"`
}

const progressVersion = 1

// asked is what a run was asked for. Another question cannot continue.
type asked struct {
	Topic   string    `json:"topic"`
	TopicID string    `json:"topicId"`
	Site    string    `json:"site"`
	From    time.Time `json:"from"`
	To      time.Time `json:"to"`
	Sample  float64   `json:"sampleSites"`
	SkipRaw bool      `json:"skipRaw"`

	Generation int `json:"generation,omitempty"` // of items; 0: the first
}

func askedOf(o scope.Options, topicID string) asked {
	return asked{Topic: o.Topic, TopicID: topicID, Site: o.Site, From: o.From.UTC(), To: o.To.UTC(), Sample: o.SampleSites, SkipRaw: o.SkipRaw,
		Generation: o.Keys.Generation}
}

// readProgress returns where to begin.
func readProgress(o scope.Options, topicID string) (p progress, err error) {
	fresh := progress{Version: progressVersion, Asked: askedOf(o, topicID), Next: scope.WholeTable, Report: newReport(o)}
	if o.Resume == "" {
		return fresh, nil
	}
	b, err := os.ReadFile(o.Resume)
	if errors.Is(err, fs.ErrNotExist) {
		return fresh, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &p)
	}
	switch {
	case err != nil:
		return fresh, fmt.Errorf("progress file %s: %w: remove it to begin again", o.Resume, err)
	case p.Version != progressVersion || p.Asked != fresh.Asked:
		return fresh, fmt.Errorf("progress file %s is of another run (topic %q, site %q, sample %v): repeat that one, or remove the file to "+
			"begin again",
			o.Resume, p.Asked.Topic, p.Asked.Site, p.Asked.Sample)
	}
	p.Next = scope.Part{From: p.From, To: p.To}
	p.Report.Resumed = true
	return p, nil
}

// write replaces the file as a whole.
func (p progress) write(o scope.Options) error {
	if o.Resume == "" {
		return nil
	}
	p.From, p.To = p.Next.From, p.Next.To
	b, err := json.Marshal(p)
	if err == nil {
		err = os.WriteFile(o.Resume+".new", b, 0o600)
	}
	if err == nil {
		err = os.Rename(o.Resume+".new", o.Resume)
	}
	if err != nil {
		return fmt.Errorf("progress file %s: %w", o.Resume, err)
	}
	return nil
}

// remove deletes the file of a run that is complete.
func (p progress) remove(o scope.Options) error {
	if o.Resume == "" {
		return nil
	}
	if err := os.Remove(o.Resume); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("progress file %s: %w", o.Resume, err)
	}
	return nil
}
