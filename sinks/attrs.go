package sinks

import "github.com/footfall/footfall/internal/figures"

// Attributes that every item has, or that several kinds share: catalogue.go lists all.
const (
	AttrPK     = "pk"
	AttrSK     = "sk"
	AttrGSI1PK = "gsi1pk"
	AttrGSI1SK = "gsi1sk"
	AttrTTL    = "ttl" // N, seconds since the epoch; absent: never expires
	AttrEntity = "_et" // S, one of the Entity constants
	AttrSchema = "v"   // N, SchemaVersion
)

// SchemaVersion is written into every item.
const SchemaVersion = 8

// Entity types, the values of AttrEntity. Times and durations of items are milliseconds, unless the catalogue says otherwise.
const (
	// Table settings, PIPELINE / TABLE: see TableSettings.
	EntityTable = "Table"
	// Topic, PIPELINE / TOPIC#: topic S, number N.
	EntityTopic = "Topic"
	// Schema, PIPELINE / SCHEMA#topic#id: what the id of a schema means in a topic, in all generations; see package schemas.
	EntitySchema = "Schema"
	// Checkpoint, CHAIN# / P#p#lane: see checkpoint.Head.
	EntityCheckpoint = "Checkpoint"
	// Chain history, CHAIN# / P#p#lane#k: see checkpoint.History.
	EntityHistory = "ChainHistory"
	// Lost span, CHAIN# / LOST#p#lane#damage: what a chain had folded into an item that was damaged; see LostSpan.
	EntityLost = "Lost"
	// Damaged item, DAMAGED#item / damage: a copy of it, attributes under names that begin with "was."; see DamagedCopy.
	EntityDamaged = "Damaged"
	// New sites, CHAIN# / NEWSITES#p#lane: how many sites the lane has admitted in the latest hour.
	EntityNewSites = "NewSites"
	// Replay of failed events, CHAIN# / REPLAY#topic#p: see package replay.
	EntityReplay = "Replay"
	// Revision of the sites' rules, RULES / rev: see sites.Rules. Appended, never changed.
	EntityRules = "Rules"
	// Erasure, PIPELINE / ERASE#rev: how far the erasure of that revision has come; see package erase.
	EntityErasure = "Erasure"
	// Purge, PIPELINE / PURGE#rev: how far the purge of that revision has come; see package purge.
	EntityPurge = "Purge"
	// Token, TOKENS / token: see access.Token.
	EntityToken = "Token"
	// Annotation, ANNOTATIONS / site#annotation: see annotations.Annotation.
	EntityAnnotation = "Annotation"
	// Alert, ALERTS / site#alert, and what it found, FINDINGS / site#hour#alert: see package alerts.
	EntityAlert   = "Alert"
	EntityFinding = "Finding"
	// Verification, VERIFICATIONS / site#instant: see verified.Result.
	EntityVerification = "Verification"
	// Site list entry, SITES#nn / site. Put once, by the first process that sees the site.
	EntitySiteEntry = "SiteEntry"
	// Site, SITE# / METADATA: what is decided of it, as of the last revision of its rules.
	EntitySite = "Site"
	// Goal of a site, SITE# / GOAL#goal: see sites.Goal. It follows from the rules.
	EntityGoal = "Goal"
	// Budget, SITE# / BUDGET#tp: the events within the site's budget in a minute of record time.
	EntityBudget = "Budget"
	// Conversion, SITE#s#SHARD#nn / CONVERSION#n#session#tp.
	EntityConversion = "Conversion"
	// Funnel, SITE#s / FUNNEL#funnel: see sites.Funnel.
	EntityFunnel = "Funnel"
	// Segment, SITE#s / SEGMENT#segment: see segments.Segment.
	EntitySegment = "Segment"
	// Raw event, SITE#s#SHARD#nn / EVENT#ulid: the event's fields under their JSON names.
	EntityEvent = "Event"
	// Pack of raw events, SITE#s#SHARD#nn / PACK#ulid#tp#k#i: see package pack.
	EntityPack = "Pack"
	// Session, SITE#s#SHARD#nn / SESSION#session#tp: see state.Session.
	EntitySession = "Session"
	// Visitor, SITE#s#SHARD#nn / VISITOR#visitor#tp: the visitor's last visits.
	EntityVisitor = "Visitor"
	// Arrival, SITE#s#SHARD#nn / ARRIVAL#hash#tp: when the visitor was new, and the weeks in which they came: see state.Arrival.
	EntityArrival = "Arrival"
	// Recent sessions, SITE#s#RECENT / minute#tp#k#i: sessionIds L.
	EntityRecent = "Recent"
	// New sessions, SITE#s#VISITORS / NEW#minute#tp#k: listed B (as in the next).
	EntityNewSessions = "NewSessions"
	// Sessions of visitors, SITE#s#VISITORS / bucket#hour#tp#k#i: see state.ListedSession.
	EntityVisitorSessions = "VisitorSessions"
	// Hour and day stats, SITE#s / STATS#hour#, STATS#day#: sums, of goals and bots among them, and small parts of uniques.
	EntityStats = "Stats"
	// Month stats, SITE#s / STATS#month#: the sums of stats, sealed as the next ones: see package seal.
	EntityMonthStats = "MonthStats"
	// Sealed visitors, SITE#s#UNIQUES / day#, month#: a sketch.
	EntitySealedUniques = "SealedUniques"
	// Sealed breakdown, SITE#s#BREAKDOWN / day#, month#: a sketch.Breakdown, packed.
	EntitySealedBreakdown = "SealedBreakdown"
	// Realtime minute, SITE#s / REALTIME#minute#tp.
	EntityRealtime = "Realtime"
	// Uniques, SITE#s#UNIQUES#day / hour#start#tp: part B (a sketch), mark.
	EntityUniques = "Uniques"
	// Breakdown, SITE#s#BREAKDOWN#day / hour#start#tp: part B (a sketch.Breakdown, packed), mark.
	EntityBreakdown = "Breakdown"
	// Journal entry, SITE#s#BREAKDOWN#day / late#tp#k#i: see package journal.
	EntityLate = "Late"
)

// Names of attributes that more than one package reads or writes.
const (
	AttrSiteID      = "siteId"
	AttrSessionID   = "sessionId"
	AttrVisitorID   = "visitorId"
	AttrUserID      = "userId"
	AttrPageViews   = "pageViews"
	AttrEvents      = "events"
	AttrSessions    = "sessions"
	AttrBounces     = "bounces"
	AttrDurationMs  = "durationMs"
	AttrEngaged     = "engaged"
	AttrValues      = "values"
	AttrValueMicros = "valueMicros"
	AttrValueMin    = "valueMin"
	AttrValueMax    = "valueMax"
	AttrBot         = "bot"
	AttrOpenedAt    = "openedAt"
	AttrStartedAt   = "startedAt"
	AttrEndedAt     = "endedAt"
	AttrBounce      = "bounce"
	AttrEntryPage   = "entryPage"
	AttrExitPage    = "exitPage"
	AttrCur         = "cur"
	AttrPrev        = "prev"
	AttrSessionIDs  = "sessionIds"
	AttrListed      = "listed" // sessions of visitors
	AttrVisitors    = "visitors"
	AttrPages       = "pages"
	AttrPart        = "part"
	AttrIDs         = "ids" // of a pack
	AttrEpoch       = "ep"
	AttrMarks       = "marks"
	AttrDays        = "days"
	AttrClosed      = "closed"
	AttrHours       = "hours"
	AttrUntil       = "until"
	AttrErased      = "erased"
	AttrPurged      = "purged"

	// Of sites, for those who read the table without this program: what was decided last. No reader of this program uses them.
	AttrTimeZone     = "timeZone"
	AttrTimeZoneFrom = "timeZoneFrom"
	AttrShards       = "shards"
	AttrShardsFrom   = "shardsFrom"
	AttrGoals        = "goals"

	// Of sealed items, for those who read the table without this program. No answer uses them.
	AttrUniqueVisitors      = "uniqueVisitors"
	AttrUniqueVisitorsError = "uniqueVisitorsError"
	AttrBounceRate          = "bounceRate"

	// Of events whose url is of no domain of their site.
	AttrForeign       = "foreign"
	AttrForeignEvents = "foreignEvents"

	// Of events of pages that their site excludes.
	AttrExcluded          = "excluded"
	AttrExcludedEvents    = "excludedEvents"
	AttrExcludedPageViews = "excludedPageViews"

	// Of sites with a budget of events a second: the sum of events beyond it; and what a partition has spent in a minute of
	// record time, after its last step and before it.
	AttrOverBudgetEvents = "overBudgetEvents"
	AttrMinute           = "minute"
	AttrSpent            = "spent"
	AttrPrevMinute       = "prevMinute"
	AttrPrevSpent        = "prevSpent"

	// Of new visitors: their sum; and the bucket in which a visitor is counted as new, and the visitor's last day, after the last step
	// and before it; and up to which event time the visitor was erased when that began.
	AttrNewVisitors = "newVisitors"
	AttrDay         = "day"
	AttrLastDay     = "lastDay"
	AttrPrevDay     = "prevDay"
	AttrPrevLastDay = "prevLastDay"
	AttrErasedUntil = "erasedUntil"

	// Of the sites that a lane has admitted in an hour, after its last step and before it.
	AttrHour      = "hour"
	AttrSites     = "sites"
	AttrPrevHour  = "prevHour"
	AttrPrevSites = "prevSites"

	// Of bots, which are counted apart.
	AttrBotPageViews   = "botPageViews"
	AttrBotEvents      = "botEvents"
	AttrBotValues      = "botValues"
	AttrBotValueMicros = "botValueMicros"

	// Names of retentions, in rules of sites.
	AttrRawDays     = "rawDays"
	AttrSessionDays = "sessionDays"
	AttrHourDays    = "hourDays"
	AttrDayDays     = "dayDays"
	AttrVisitorDays = "visitorDays" // after which a visitor who comes back is new again
	AttrName        = "name"
	AttrDomains     = "domains"
	AttrOwner       = "owner"
	AttrCreatedAt   = "createdAt"
	AttrRev         = "rev"
	AttrRules       = "rules"
	AttrAlways      = "always"
	AttrZone        = "zone"
	AttrRawItems    = "rawItems" // of a site's entry: raw events of the site may be items
	AttrRawPacks    = "rawPacks" // of a site's entry: raw events of the site may lie in packs
	AttrErase       = "erase"
	AttrPurge       = "purge"

	AttrGenerationZones = "generationZones" // of a site's entry

	// Of the progress of an erasure and of a purge.
	AttrState      = "state"
	AttrRecordedAt = "recordedAt"
	AttrDoneAt     = "doneAt"
	AttrOpen       = "open"
	AttrFirstDay   = "firstDay" // this and the next ones are of a purge
	AttrGoneItems  = "goneItems"
	AttrWriteUnits = "writeUnits"

	// Of tokens.
	AttrTokenID    = "tokenId"
	AttrTokenKind  = "kind"
	AttrSecretHash = "secretHash"
	AttrSiteIDs    = "siteIds"
	AttrAllSites   = "allSites"
	AttrRights     = "rights"
	AttrLimits     = "limits"
	AttrNote       = "note"
	AttrCreatedBy  = "createdBy"
	AttrExpiresAt  = "expiresAt"
	AttrLastUsedOn = "lastUsedOn"

	// Of annotations, alerts and what these found.
	AttrAnnotationID, AttrText                        = "annotationId", "text"
	AttrAlertID, AttrWebhook, AttrFound, AttrDelivery = "alertId", "webhook", "found", "delivery"
	AttrSkipped, AttrWaiting                          = "skipped", "waiting"

	// Of verifications.
	AttrVerifiedAt  = "verifiedAt"
	AttrRangeFrom   = "rangeFrom"
	AttrRangeTo     = "rangeTo"
	AttrRecords     = "records"
	AttrCompared    = "compared"
	AttrBound       = "bound"
	AttrLeftOut     = "leftOut"
	AttrDifferences = "differences"
	AttrNotCompared = "notCompared"
	AttrUnsettled   = "unsettled"
	AttrBehind      = "behind"
	AttrExitCode    = "exitCode"

	// Of funnels.
	AttrFunnelID  = "funnelId"
	AttrSteps     = "steps"
	AttrWindowMs  = "windowMs"
	AttrStrict    = "strict"
	AttrVersion   = "version"
	AttrChangedAt = "changedAt"
	AttrChangedBy = "changedBy"

	// Of segments.
	AttrSegment = "segment"
	AttrWhere   = "where"

	// Of arrivals.
	AttrWeeks     = "weeks"
	AttrPrevWeeks = "prevWeeks"
)

// The attributes of a Budget and of a NewSites: the start of the latest span of record time and the count in it, after the last step and
// before it.
var (
	BudgetAttrs   = [4]string{AttrMinute, AttrSpent, AttrPrevMinute, AttrPrevSpent}
	NewSitesAttrs = [4]string{AttrHour, AttrSites, AttrPrevHour, AttrPrevSites}
)

// ArrivalAttrs are the attributes of an Arrival that are a state: the hour and the day in which the visitor is counted as new, and the
// visitor's last day, after the last step and before it; and up to which event time the visitor was erased when that began.
var ArrivalAttrs = [7]string{AttrHour, AttrDay, AttrLastDay, AttrPrevHour, AttrPrevDay, AttrPrevLastDay, AttrErasedUntil}

// ReturnAttrs are the attributes of an Arrival that say in which weeks the visitor came, after the last step and before it.
var ReturnAttrs = [2]string{AttrWeeks, AttrPrevWeeks}

// DefaultVisitorDays is after how many days without an event a visitor is new again, where the rules of the site do not say.
const DefaultVisitorDays = 90

// DimensionNames are the names of what the earliest event of a session says in each dimension of breakdowns, in the order of
// sketch.Dimensions, as exports and decoders have them. A page has none: it is the session's entryPage.
var DimensionNames = ofDimensions(func(d figures.Dimension) string { return d.Field })

// TopAttrs are the attributes, all L, of a sealed breakdown that hold the first rows of each dimension, in the order of
// sketch.Dimensions: a number, a blank and the value, as "812 /pricing". A dimension without rows has none.
var TopAttrs = ofDimensions(func(d figures.Dimension) string { return d.Top })

func ofDimensions(text func(figures.Dimension) string) (all [len(figures.Dimensions)]string) {
	for i, d := range figures.Dimensions {
		all[i] = text(d)
	}
	return all
}

// AttrMark returns the name of the applied mark of a chain: the attribute, a number, that holds the last step of
// the chain of lane and source that was folded into the item. The lanes are "stats" and "realtime".
func AttrMark(lane string, tp TP) string { return "w" + laneCode(lane) + tp.String() }

// laneCode shortens a lane's name inside marks, of which an item carries one per partition.
func laneCode(lane string) string { return lane[:1] }

// AttrUniques returns the name of the attribute of an hour's stats item that holds what one partition knows
// of the hour's visitors, while they are few.
func AttrUniques(tp TP) string { return "h" + tp.String() }

// AttrLeast and AttrGreatest return the names of the attributes of an hour's stats item that hold the least and the greatest value of
// the events that one partition has seen in the hour, in millionths.
func AttrLeast(tp TP) string    { return "mn" + tp.String() }
func AttrGreatest(tp TP) string { return "mx" + tp.String() }

// AttrAdmitted returns the name of the attribute of a site's entry in the list of sites that holds the position of the record
// by which the stats lane of a partition admitted the site.
func AttrAdmitted(tp TP) string { return "a" + tp.String() }

// AttrLost returns the name of the attribute that marks a quarantined item with the end of the partition's lost span, a position. The
// history of the chain has the span; see LostSpan.
func AttrLost(tp TP) string { return "l" + tp.String() }
