package sinks

import (
	"context"
	"fmt"
)

// A table has a format: a number for everything that releases must agree on, which is items, checkpoints, and the rules that make figures
// of records. A release knows the formats from [FirstFormat] to [LastFormat], and uses a table in the format that the table's settings
// name. The command footfall upgrade finalize raises it, and names the release that is needed from then on. Each format has a fold version,
// which flushes name.
const (
	FirstFormat = 1 // of a table whose settings name none
	LastFormat  = 3

	FirstFold = 10                                   // the fold version of FirstFormat
	LastFold  = FirstFold + LastFormat - FirstFormat // of LastFormat
)

// FoldOf returns the fold version of a format.
func FoldOf(format int) int { return FirstFold + format - FirstFormat }

// formatReleases are the first releases that know each format.
var formatReleases = [...]string{
	"0.0.9", // format 1, fold version 10
	"0.1.0", // format 2, fold version 11: FormatOfPurges, FormatOfOwnPages
	"0.2.0", // format 3, fold version 12: FormatOfClasses, FormatOfReturns, FormatOfLists
}

// What formats brought: all that differs between them asks for one of these.
const (
	FormatOfPurges   = 2 // purged sites, excluded types and merged histories
	FormatOfOwnPages = 2 // a referrer of the site's own pages is no spam by the lists that ship, whatever the url of the event
	FormatOfClasses  = 3 // classify.PresentRules; a referrer of the site's own pages is no spam by the site's own list either
	FormatOfReturns  = 3 // days count the visitors who come back, by the week in which they were new
	FormatOfLists    = 3 // segments, and filters of credentials with several values
)

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

// EarlyError reports that something was not written because a former release, which cannot read it, may return to the table. It can be
// written after footfall upgrade finalize.
type EarlyError struct {
	What    string // that was to be written, as errors name it
	Release string // the former release
}

func (e *EarlyError) Error() string {
	return fmt.Sprintf("%s: release %s cannot read it, and may be deployed again: run footfall upgrade finalize first; nothing was changed",
		e.What, e.Release)
}

// NeedFormat returns an *EarlyError if the table is in a format before that which brought what is to be written. A table without
// settings gets the last format.
func NeedFormat(ctx context.Context, t Table, what string, format int) error {
	s, ok, err := LoadTableSettings(ctx, t, Keys{})
	if err == nil && ok && s.Format < format {
		err = &EarlyError{what, FormatRelease(s.Format)}
	}
	return err
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
