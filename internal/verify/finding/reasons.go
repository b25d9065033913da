package finding

// BecauseErased is why what identifies a person is left out.
const BecauseErased = "of a person whose data are being erased, or have been"

// How a difference names an item as a whole, and a value that is not there.
const (
	Whole  = "(item)"
	Absent = "absent"

	NoTopic = "no topic of the table has that number"
)

// Why an item, or a record, is left out.
const (
	BecauseLog       = "the log no longer holds all of it"
	BecauseRetention = "its retention has passed"
	BecauseShared    = "another topic wrote to it too"
	BecauseBefore    = "records before the chain's first step"
	BecauseSealed    = "sealed before what it is made of changed, so that readers do not use it"
	BecauseOpen      = "sealed while a step of its days is open"
	BecauseLost      = "quarantined: what chains had folded into it is lost"
	BecauseRebuilt   = "a raw event of a record that an earlier generation has counted: it was written under the settings of then"
	BecausePurged    = "of a site that is being purged"
	BecauseNotBegun  = "a raw event of a step that its writer did not begin, and that was then folded without it"
)
