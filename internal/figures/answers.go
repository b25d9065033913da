package figures

// A Unit says how a figure is spelled for people and for programs.
type Unit int

// The units.
const (
	Count        Unit = iota // a whole number
	Estimate                 // a whole number that may be an estimate
	ErrorOf                  // the relative standard error of the estimate before it, 0.01 for 1 %
	Percentage               // a part of a whole, 0 to 1
	Milliseconds             // a whole number of milliseconds
	Span                     // milliseconds that people see as minutes and seconds
	Ratio                    // a number per session
	DecimalText              // a decimal, exact
)

// A Kind says how a figure comes from the sums of a bucket or a range.
type Kind int

// The kinds.
const (
	Own   Kind = iota // by a rule of its own: visitors, least and greatest values
	Total             // the sum itself
	Rate              // Sum divided by By, to six places; null if By is 0
	Mean              // Sum divided by By, to a whole number; null if By is 0
)

// A Figure is a figure of an answer about buckets.
type Figure struct {
	Name    string // in JSON, CSV and --columns
	Heading string // of its column in tables; "": tables leave it out unless it is asked for
	Unit    Unit
	Kind    Kind
	Sum, By Sum // what it is derived from
	// With is the name of a figure without which tables leave this one out: it is 0 or unknown everywhere in the answer. "": always shown.
	With string
}
