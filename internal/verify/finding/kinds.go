package finding

// The kinds of items, as reports name them.
const (
	KindTable        = "table settings"
	KindTopic        = "topic"
	KindCheckpoint   = "checkpoint"
	KindHistory      = "history"
	KindLost         = "lost span"
	KindNewSites     = "new sites"
	KindToken        = "token"
	KindAnnotation   = "annotation"
	KindVerification = "verification"

	KindSite     = "site"
	KindMetadata = "metadata"
	KindGoal     = "goal"
	KindFunnel   = "funnel"
	KindSegment  = "segment"
	KindBudget   = "budget"

	KindHour      = "hour stats"
	KindDay       = "day stats"
	KindUniques   = "uniques"
	KindBreakdown = "breakdown"
	KindLate      = "journal entry"
	KindRealtime  = "realtime"

	KindSession    = "session"
	KindVisitor    = "visitor"
	KindArrival    = "arrival"
	KindRecent     = "recent sessions"
	KindNew        = "new sessions" // compared with the two
	KindListed     = "visitor sessions"
	KindConversion = "conversion"
	KindEvent      = "event"
	KindPack       = "pack" // an event of one

	KindMonth          = "month stats"
	KindDayUniques     = "sealed uniques of a day"
	KindMonthUniques   = "sealed uniques of a month"
	KindDayBreakdown   = "sealed breakdown of a day"
	KindMonthBreakdown = "sealed breakdown of a month"

	KindUnknown = "unknown" // at a key that no template spells
)
