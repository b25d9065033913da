package replay

// Skipped says why an entry was not published.
type Skipped string

// The reasons. Entries of the first four are left for other runs; the rest is passed over.
const (
	NotChosen     Skipped = "notChosen"     // its reason, or that it was replayed, was not asked for
	RejectedAgain Skipped = "rejectedAgain" // it is of a record that was replayed before, and those were not asked for
	OtherTopic    Skipped = "otherTopic"    // its record came from another topic
	NotDecided    Skipped = "notDecided"    // the chain has not come to its record, or to that of an entry before it
	Counted       Skipped = "counted"       // the chain has accepted its record
	LeftBehind    Skipped = "leftBehind"    // its process ended before the step, which has an entry of its own or found a repetition
	NotKnown      Skipped = "notKnown"      // the chain does not say what became of its record
	Truncated     Skipped = "truncated"     // its bytes are not whole
	LacksHeaders  Skipped = "lacksHeaders"  // it lacks headers of its record, and a mapping may read them
	TooOld        Skipped = "beforeFrom"    // its record's time is before the one asked for
	Repeated      Skipped = "repeated"      // it is on the failed-events topic more than once
	Purged        Skipped = "purged"        // its site was purged since its record was rejected
	Unreadable    Skipped = "unreadable"    // its headers are not those of an entry
)

// order is that of the columns of a summary.
var order = []Skipped{NotChosen, RejectedAgain, OtherTopic, NotDecided, Counted, LeftBehind, NotKnown, Truncated, LacksHeaders, TooOld,
	Repeated, Purged, Unreadable}

var headings = map[Skipped]string{NotChosen: "not chosen", RejectedAgain: "rejected again", OtherTopic: "other topic",
	NotDecided: "not decided yet", Counted: "counted after all", LeftBehind: "left behind", NotKnown: "not known",
	Truncated: "truncated", LacksHeaders: "headers missing", TooOld: "before --from", Repeated: "repeated", Purged: "purged",
	Unreadable: "unreadable"}

// explained are the reasons that say something of the pipeline, and not of the command.
var explained = []struct {
	why  Skipped
	text string
}{
	{Counted, "Counted after all: %d. Their flush used settings that accept them.\n"},
	{NotDecided, "Not decided yet: %d. The pipeline has not counted them, or some before them: run the command again later.\n"},
	{LeftBehind, "Left behind: %d. Their flush used another window of duplicates, and has entries of its own.\n"},
	{Purged, "Purged: %d. Their sites were purged since they were rejected.\n"},
	{NotKnown, "Not known: %d. They are in a data gap, or in an earlier topic that the history does not cover: they may be counted.\n"},
	{LacksHeaders, "Headers missing: %d. Their entries lack headers that a mapping may read: they may be counted.\n"},
}
