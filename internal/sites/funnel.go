package sites

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/footfall/footfall/internal/entered"
)

// Limits of a Definition.
const (
	maxNameBytes = 256

	// MinSteps: a single step is a count of visitors, which stats have.
	MinFunnelSteps = 2
	// MaxSteps bounds what a report costs: an event is compared with every step, and a visitor takes 24 bytes for each. Ten
	// lines still read as one sequence.
	MaxFunnelSteps = 10

	// DefaultWindow is as long as a visitor may do nothing within a visit, by the pipeline's default.
	DefaultFunnelWindow = 30 * time.Minute
	// MaxWindow: an attempt must begin and end within the range of a report, and raw events are kept for 30 days by default.
	MaxFunnelWindow = 90 * 24 * time.Hour
)

// Funnel is the definition of a funnel.
type Funnel struct {
	ID     string        // 1 to 64 letters, digits, ".", "-" and "_", a letter or digit first
	Name   string        // for people; "": none
	Steps  []Pattern     // MinSteps to MaxSteps, in order
	Window time.Duration // from the first step to the last, both ends included; whole milliseconds, 1 s to MaxWindow
	Strict bool          // each step must be the visitor's very next event after the previous step; otherwise other events may lie between
}

// Validate names every fault of d.
func (d Funnel) Validate() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if err := entered.CheckID("funnel", d.ID); err != nil {
		faults = append(faults, err)
	}
	if !utf8.ValidString(d.Name) {
		fault("name %q is not valid UTF-8: write it in UTF-8", d.Name)
	}
	if len(d.Name) > maxNameBytes {
		fault("name %.32q... has %d bytes: shorten it to %d", d.Name, len(d.Name), maxNameBytes)
	}
	if n := len(d.Steps); n < MinFunnelSteps || n > MaxFunnelSteps {
		fault("%d steps: a funnel has %d to %d", n, MinFunnelSteps, MaxFunnelSteps)
	}
	for i, p := range d.Steps {
		if err := p.Validate(); err != nil {
			fault("step %d: %w", i+1, err)
		}
	}
	if d.Window < time.Second || d.Window > MaxFunnelWindow || d.Window%time.Millisecond != 0 {
		fault("window %v: give whole milliseconds from 1s to %v", d.Window, MaxFunnelWindow)
	}
	return errors.Join(faults...)
}

// differences names what o has otherwise than d, which holds.
func (d Funnel) differences(o Funnel) (diff []string) {
	differ := func(what, have, want string) {
		if have != want {
			diff = append(diff, fmt.Sprintf("%s is %s, not %s", what, have, want))
		}
	}
	differ("name", fmt.Sprintf("%q", d.Name), fmt.Sprintf("%q", o.Name))
	differ("steps", SpellFunnelSteps(d.Steps), SpellFunnelSteps(o.Steps))
	differ("window", d.Window.String(), o.Window.String())
	differ("strict", fmt.Sprint(d.Strict), fmt.Sprint(o.Strict))
	return diff
}

// SpellFunnelSteps says the steps on a line, for people.
func SpellFunnelSteps(steps []Pattern) string {
	texts := make([]string, len(steps))
	for i, p := range steps {
		texts[i] = p.String()
	}
	return strings.Join(texts, " > ")
}

// stepsJSON spells steps as the item has them.
func stepsJSON(steps []Pattern) string {
	b, err := json.Marshal(steps)
	if err != nil {
		panic(err) // Texts marshal.
	}
	return string(b)
}

// ParseFunnelSteps reads the steps of an item. A field that this release does not know is an error: it would narrow what is meant.
func ParseFunnelSteps(text string) (steps []Pattern, err error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&steps); err != nil {
		return nil, fmt.Errorf("steps of a funnel: %w", err)
	}
	return steps, nil
}
