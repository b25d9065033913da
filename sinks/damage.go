package sinks

import (
	"errors"
	"fmt"
	"strings"
)

// DamagedError reports an item that cannot be read as what it should be. It names the item and what an operator can do.
type DamagedError struct {
	Key  Key
	Attr string // the attribute; "": the item as a whole
	Err  error  // what is wrong with it
}

// ErrUndecodable reports an item that the store cannot decode at all. It cannot be quarantined, since nothing of it can be read.
var ErrUndecodable = errors.New("restore the table from a backup; or delete the row from the table, which loses what it held, repeat " +
	"`footfall table quarantine` to continue partitions that are parked because of it, and run `footfall verify`")

func (e *DamagedError) Error() string {
	what := ""
	if e.Attr != "" {
		what = "attribute " + e.Attr + ": "
	}
	if errors.Is(e.Err, ErrUndecodable) {
		return fmt.Sprintf("item %s / %s is damaged: %s%v", e.Key.PK, e.Key.SK, what, e.Err)
	}
	return fmt.Sprintf("item %s / %s is damaged: %s%v: quarantine it with `footfall table quarantine %s %s`",
		e.Key.PK, e.Key.SK, what, e.Err, ShellWord(e.Key.PK), ShellWord(e.Key.SK))
}

func (e *DamagedError) Unwrap() error { return e.Err }

// ShellWord quotes a part of a key for a shell.
func ShellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// Damaged makes a DamagedError of an attribute of an item. It returns nil for a nil error.
func Damaged(key Key, attr string, err error) error {
	if err == nil {
		return nil
	}
	return &DamagedError{Key: key, Attr: attr, Err: err}
}

// ErrMissing reports an attribute that an item needs and does not have.
var ErrMissing = errors.New("it is missing")

// ErrKind reports an attribute of another type than footfall writes.
var ErrKind = errors.New("it is of another type than footfall writes")

// Attributes of lost spans.
const (
	AttrOfPK          = "ofPk"
	AttrOfSK          = "ofSk"
	AttrOfKind        = "ofKind"
	AttrLostAttrs     = "attrs"
	AttrLostTo        = "t"
	AttrLostStep      = "k"
	AttrQuarantinedAt = "at"
	AttrQuarantinedBy = "by"
)

// DamagedDays is how long the copy of a damaged item is kept. The copy may hold personal data, and no erasure finds it.
const DamagedDays = 30

// wasPrefix begins the names under which a copy has the attributes of the damaged item.
const (
	wasPrefix    = "was."
	wasAttribute = wasPrefix + "{attribute}"
)
