package sinks

import (
	"context"
	"fmt"
)

// A table has a format: a number for everything that releases must agree on, which is items, checkpoints, and the rules that make figures
// of records. A release knows the formats from [FirstFormat] to [LastFormat], and uses a table in the format that the table's settings
// name. The command footfall upgrade finalize raises it, and names the release that is needed from then on.
const (
	FirstFormat = 1 // of a table whose settings name none
	LastFormat  = 3
)

// Formats that brought what a command or a process asks for.
const (
	FormatOfPurges  = 2 // of purged sites, excluded types and merged histories; a referrer of the site's own pages is no spam
	FormatOfClasses = 3 // of events that are classified by the present rules of package classify
)

// formatReleases are the first releases that know each format, from [FirstFormat] on.
var formatReleases = [...]string{"0.0.9", "0.1.0", "0.2.0"}

// FormatRelease returns the first release that knows a format of FirstFormat to LastFormat.
func FormatRelease(format int) string { return formatReleases[format-FirstFormat] }

// Attributes of the table's settings.
const (
	AttrFormat  = "format"  // N; absent: FirstFormat
	AttrRelease = "release" // S: the first release that knows the format
	AttrFencing = "fencing" // N, 1: the format was raised, and chains may have owners who took them over before
)

// FormatError reports a table in a format that this release does not know.
type FormatError struct {
	Format  int64
	Release string // that knows it
}

func (e *FormatError) Error() string {
	if e.Release == "" {
		return fmt.Sprintf("the table has format %d, and this footfall knows none above %d: run a later release", e.Format, LastFormat)
	}
	return fmt.Sprintf("the table has format %d since it was finalized for footfall %s, and this footfall knows none above %d: run %s or a "+
		"later release", e.Format, e.Release, LastFormat, e.Release)
}

// CheckFormat reads in which format the table is, and which generations it has. A format that this release does not know is a
// *FormatError. A table that does not exist, or has no settings yet, is in the first format and has the first generation alone.
func CheckFormat(ctx context.Context, t BatchGetter) (format int, has Generations, err error) {
	key := Keys{}.TableSettings()
	found, err := Get(ctx, t, key)
	if err != nil {
		return 0, has, fmt.Errorf("read the format of the table: %w", err)
	}
	if has, err = readGenerations(found[key]); err != nil {
		return 0, has, err
	}
	format, err = formatOf(found[key])
	return format, has, err
}

// formatOf is CheckFormat of the settings' item.
func formatOf(it Item) (int, error) {
	switch v := it[AttrFormat]; {
	case v.Kind() == None:
		return FirstFormat, nil
	case v.Kind() != Number || v.Int() < FirstFormat:
		return 0, &SettingsError{[]string{fmt.Sprintf("%s: the table has %s, and %d to %d are possible: its settings are damaged; put the "+
			"number back, or restore the table", AttrFormat, v, FirstFormat, LastFormat)}}
	case v.Int() > LastFormat:
		return 0, &FormatError{v.Int(), it[AttrRelease].Str()}
	default:
		return int(v.Int()), nil
	}
}
