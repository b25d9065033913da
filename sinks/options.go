package sinks

import "fmt"

// Options are what a table can have beside its keys and its billing. A zero field keeps what there is. DynamoDB alone has them.
type Options struct {
	// WarmWriteUnits is how many write units a second the table and each index are ready for at once, [MinWarmWriteUnits] or more.
	// A new table on demand begins there and grows with its load, by at most twice in half an hour. AWS charges each rise once.
	// The number can rise, never fall.
	WarmWriteUnits int64
	// MaxWriteUnits is how many write units a second the table and each index take at most, billed on demand; more are throttled.
	// Unlimited removes the maximum.
	MaxWriteUnits int64
	// DeletionProtection refuses to delete the table until it is off again; nil: as it is, off of a new table.
	DeletionProtection *bool
	Class              TableClass
}

const (
	// MinWarmWriteUnits are the write units a second that every table on demand is ready for, by AWS's documentation of warm throughput.
	MinWarmWriteUnits = 4_000
	// Unlimited is the MaxWriteUnits without a maximum.
	Unlimited = -1
)

// TableClass is what stored bytes and requests cost: of infrequent access, storage costs less and requests more.
type TableClass string

// The classes. The zero class keeps the table's, and is that of a new table: standard.
const (
	ClassStandard         TableClass = "standard"
	ClassInfrequentAccess TableClass = "infrequent-access"
)

// ParseTableClass returns the class of this name; "" is none.
func ParseTableClass(name string) (TableClass, error) {
	switch c := TableClass(name); c {
	case "", ClassStandard, ClassInfrequentAccess:
		return c, nil
	}
	return "", fmt.Errorf("--table-class %q: choose %s or %s", name, ClassStandard, ClassInfrequentAccess)
}

// Asked returns the flags of the options that are set.
func (o Options) Asked() (flags []string) {
	for _, option := range []struct {
		flag string
		set  bool
	}{{"--warm-write-units", o.WarmWriteUnits != 0}, {"--max-write-units", o.MaxWriteUnits != 0},
		{"--deletion-protection", o.DeletionProtection != nil}, {"--table-class", o.Class != ""}} {
		if option.set {
			flags = append(flags, option.flag)
		}
	}
	return flags
}

// Validate returns the first fault of the options for a table that is, or will be, provisioned or billed on demand.
func (o Options) Validate(provisioned bool) error {
	switch {
	case o.WarmWriteUnits != 0 && o.WarmWriteUnits < MinWarmWriteUnits:
		return fmt.Errorf("--warm-write-units %d: choose %d or more, which every new table has, or leave it out", o.WarmWriteUnits,
			MinWarmWriteUnits)
	case o.MaxWriteUnits < Unlimited:
		return fmt.Errorf("--max-write-units %d: choose 1 or more, or %d for no maximum", o.MaxWriteUnits, Unlimited)
	case o.MaxWriteUnits != 0 && provisioned:
		return fmt.Errorf("--max-write-units %d is for billing on demand: --write-capacity is the maximum of a provisioned table",
			o.MaxWriteUnits)
	case o.MaxWriteUnits > 0 && o.WarmWriteUnits > o.MaxWriteUnits:
		return fmt.Errorf("--warm-write-units %d is above --max-write-units %d, which would never let them be used", o.WarmWriteUnits,
			o.MaxWriteUnits)
	}
	_, err := ParseTableClass(string(o.Class))
	return err
}
