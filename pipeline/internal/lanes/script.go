package lanes

import (
	"iter"

	"github.com/footfall/footfall/internal/sites"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/pipeline/event"
)

// terms are what the accumulating step is folded under beside its settings. A lane of a rebuild may follow a script: its steps are folded
// under the settings and rules that the live chain has recorded, and end where those changed.
type terms struct {
	ver    string // the settings as a checkpoint names them
	script checkpoint.Script
	today  bool  // the accumulating step ends with a span, but is folded under the lane's own settings: see checkpoint.Span.Today
	until  int64 // the position at which the accumulating step ends; 0: it repeats nothing
	beyond int64 // position of the next record if it is until or later; 0: not known
	maps   checkpoint.Maps
}

// Follow has the lane repeat a script. It is called before the first step begins.
func (l *Lane) Follow(s checkpoint.Script) { l.terms.script = s }

// Repeats reports whether the accumulating step is folded under the settings of a script.
func (l *Lane) Repeats() bool { return l.terms.until > 0 && !l.terms.today }

// LeftToLive reports whether the raw event or the failed event of a record is the live generation's to send. After its script a rebuild may
// be the first to ask for a schema: what it rejects then, the live generation may count and send no failed event of.
func (l *Lane) LeftToLive(reason event.Reason, offset int64) bool {
	return l.Settings.Rebuilt && (reason != event.UnknownSchema || l.terms.script.At(offset) != nil)
}

// followScript gives the step that begins the settings of the script, if it has any for the next record.
func (l *Lane) followScript() {
	s := &l.terms
	span := s.script.At(max(l.Pos, s.beyond) - l.Base)
	s.until, s.beyond, s.today = 0, 0, false
	if span == nil {
		return
	}
	s.until, s.today = span.To+l.Base, span.Today
	rev := span.Rev
	if rev == 0 {
		rev = sites.NoRules
	}
	if s.today {
		l.Settings.Counted, l.Settings.FromRaw = rev, span.Settings.FromRaw
		return
	}
	rebuilt, fold := l.Own.Rebuilt, l.Own.Fold
	l.Settings = span.Settings
	l.Settings.Rebuilt, l.Settings.Fold, l.Settings.Rules = rebuilt, min(l.Settings.Fold, fold), rev
}

// End is the position at which the accumulating step ends whatever comes: of a redo, or of a step that repeats; 0: it has none.
func (l *Lane) End() int64 {
	if l.Redo {
		return l.Chain.Head.To
	}
	return l.terms.until
}

// Ended reports whether the accumulating step has records, and all that it may have of its script.
func (l *Lane) Ended() bool {
	return !l.Redo && l.terms.until > 0 && l.Taken.Records > 0 && (l.Pos >= l.terms.until || l.terms.beyond > 0)
}

// Beyond notes that the next record comes after the end of the accumulating step. If the step has no records, it takes the settings for
// this one.
func (l *Lane) Beyond(position int64) {
	if l.Redo || l.terms.until == 0 || position < l.terms.until {
		return
	}
	if l.terms.beyond = position; l.Taken.Records == 0 {
		l.Begin(l.Step)
		l.Fold.Under(l.Rules)
	}
}

// AllSettings yields all settings that a step of the lane may be folded under.
func (l *Lane) AllSettings() iter.Seq[*checkpoint.Settings] {
	return func(yield func(*checkpoint.Settings) bool) {
		if !yield(&l.Own) || !yield(&l.Settings) {
			return
		}
		for i := range l.terms.script {
			if !l.terms.script[i].Today && !yield(&l.terms.script[i].Settings) {
				return
			}
		}
	}
}
