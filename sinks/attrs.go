package sinks

import "github.com/footfall/footfall/internal/figures"

// Attributes that every item has, or that several kinds share. The item kinds and their attributes are listed in
// the catalogue, catalogue.go.
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

// Entity types, the values of AttrEntity, each with the attributes of its items beside the common ones.
// Times are milliseconds since the epoch unless they say otherwise; durations are milliseconds.
const (
	// Table settings, PIPELINE / TABLE: precision N, sessionShards N, hashKeyPrint S (fingerprint of the hash
	// key), hashKey B (only when the key was made with the table), topics N (the last topic number given out).
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
	// New sites, CHAIN# / NEWSITES#p#lane: hour N, sites N (how many sites the lane has admitted in the latest hour), prevHour N,
	// prevSites N (before the last step), mark.
	EntityNewSites = "NewSites"
	// Replay of failed events, CHAIN# / REPLAY#topic#p: see package replay.
	EntityReplay = "Replay"
	// Revision of the sites' rules, RULES / rev: rev N, siteId S, rules S (JSON of sites.Rules), createdAt N. Appended,
	// never changed.
	EntityRules = "Rules"
	// Erasure, PIPELINE / ERASE#rev: how far the erasure of that revision has come; see package erase.
	EntityErasure = "Erasure"
	// Purge, PIPELINE / PURGE#rev: how far the purge of that revision has come; see package purge.
	EntityPurge = "Purge"
	// Token, TOKENS / token: tokenId S, kind S ("token" or "share"), secretHash B, siteIds L, allSites N (0 or 1), rights L, limits S (JSON),
	// note S, createdAt N, createdBy S, expiresAt N, lastUsedOn N (start of a day in UTC); see access.Token.
	EntityToken = "Token"
	// Annotation, ANNOTATIONS / site#annotation: siteId S, annotationId S (a ULID that begins with at), at N, text S, createdAt N,
	// createdBy S; see annotations.Annotation.
	EntityAnnotation = "Annotation"
	// Verification, VERIFICATIONS / site#instant: siteId S (absent: all sites), verifiedAt N, rangeFrom N and rangeTo N (absent: open),
	// timeZone S, topic S, records N, compared S and leftOut S (JSON), notCompared N, differences N, unsettled N, behind N, exitCode N; see
	// verified.Result.
	EntityVerification = "Verification"
	// Site list entry, SITES#nn / site: siteId S. Put once, by whoever sees the site first. Of a site that nobody has created:
	// zone S (its zone, where that is not UTC), a{tp} N (position of the record by which the partition has admitted it), marks.
	EntitySiteEntry = "SiteEntry"
	// Site, SITE# / METADATA: siteId S, name S, domains L, owner S, createdAt N, and the last revision of its rules: rev N,
	// rules S; and to be read as they are what these say: timeZone S, timeZoneFrom N, shards N, shardsFrom N, rawDays N, sessionDays N,
	// hourDays N, dayDays N, goals L.
	EntitySite = "Site"
	// Goal of a site, SITE# / GOAL#goal: siteId S, goalId S, goalNumber N, rev N, name S, definition S (JSON of
	// sites.Goal), deleted N (1, of one that is no more). It follows from the rules.
	EntityGoal = "Goal"
	// Budget, SITE# / BUDGET#tp: minute N, spent N (events within the site's budget in that minute of
	// record time), prevMinute N, prevSpent N (before the last step), mark.
	EntityBudget = "Budget"
	// Conversion, SITE#s#SHARD#nn / CONVERSION#n#session#tp: siteId S, goalId S, goalNumber N, sessionId S, visitorId S, userId S, at
	// N, type S, name S, page S, valueMicros N, source S ("topic/partition/offset").
	EntityConversion = "Conversion"
	// Funnel, SITE#s / FUNNEL#funnel: siteId S, funnelId S, name S, steps S (JSON), windowMs N, strict N (0 or 1), version N,
	// createdAt N, changedAt N, changedBy S.
	EntityFunnel = "Funnel"
	// Raw event, SITE#s#SHARD#nn / EVENT#ulid: the event's fields under their JSON names as S (properties as
	// the JSON text), timestamp N, value S (decimal), recordTime N, source S ("topic/partition/offset"), bot S (of
	// bots' events: "agent", "referrer" or "rate"), foreign N (1: its url is of no domain of the site).
	EntityEvent = "Event"
	// Pack of raw events, SITE#s#SHARD#nn / PACK#ulid#tp#k#i: siteId S, events N, endedAt N (of the last event), ids B (hashes of the
	// ids of visitors, users and sessions), part B (the events; see package pack).
	EntityPack = "Pack"
	// Session, SITE#s#SHARD#nn / SESSION#session#tp: siteId S, sessionId S, visitorId S, userId S, cur B, prev B (the fold's states
	// after the last step and before it, see state.Session; no prev: there was none), mark.
	EntitySession = "Session"
	// Visitor, SITE#s#SHARD#nn / VISITOR#visitor#tp: siteId S, visitorId S, endedAt N, cur B, prev B (the visitor's
	// last visits after the last step and before it), mark.
	EntityVisitor = "Visitor"
	// Arrival, SITE#s#SHARD#nn / ARRIVAL#hash#tp: siteId S, hour N, day N, lastDay N, prevHour N, prevDay N, prevLastDay N (0: not seen),
	// erasedUntil N (0: never), weeks N and prevWeeks N (see state.Arrival; absent: from before they were kept), mark.
	EntityArrival = "Arrival"
	// Recent sessions, SITE#s#RECENT / minute#tp#k#i: sessionIds L.
	EntityRecent = "Recent"
	// New sessions, SITE#s#VISITORS / NEW#minute#tp#k: listed B (as in the next).
	EntityNewSessions = "NewSessions"
	// Sessions of visitors, SITE#s#VISITORS / bucket#hour#tp#k#i: listed B (hashes of visitors with their sessions, see
	// state.ListedSession).
	EntityVisitorSessions = "VisitorSessions"
	// Hour and day stats, SITE#s / STATS#hour#, STATS#day#: pageViews, events, sessions, bounces, durationMs, engaged, values (how
	// many events had a value), valueMicros (their sum in millionths), foreignEvents, overBudgetEvents, conversions and, of each goal,
	// g{n} and gv{n} (see AttrGoalCount), and of bots' events, which are in no other: botPageViews, botEvents, botValues,
	// botValueMicros, all N and all sums, h{tp} B (hour only: a small part of the uniques), mn{tp} N and mx{tp} N (hour only: the least
	// and the greatest value), marks.
	EntityStats = "Stats"
	// Month stats, SITE#s / STATS#month#: the sums of stats, days S (see SealedDays), closed N (0 or 1). Sealed: see
	// package seal, as the next ones.
	EntityMonthStats = "MonthStats"
	// Sealed visitors, SITE#s#UNIQUES / day#, month#: part B (a sketch), events N, hours N, valueMin N and valueMax N (in
	// millionths; absent: there was no value), marks S, until N (day only); and to be read as they are: uniqueVisitors N,
	// uniqueVisitorsError S and bounceRate S.
	EntitySealedUniques = "SealedUniques"
	// Sealed breakdown, SITE#s#BREAKDOWN / day#, month#: part B (a sketch.Breakdown, packed), hours N, marks S, until N
	// (day only), and to be read as they are the first rows of each dimension, TopAttrs L.
	EntitySealedBreakdown = "SealedBreakdown"
	// Realtime minute, SITE#s / REALTIME#minute#tp: pageViews N, events N, botPageViews N, botEvents N, visitors B (a sketch), pages B
	// (a top-k state), mark.
	EntityRealtime = "Realtime"
	// Uniques, SITE#s#UNIQUES#day / hour#start#tp: part B (a sketch), mark.
	EntityUniques = "Uniques"
	// Breakdown, SITE#s#BREAKDOWN#day / hour#start#tp: part B (a sketch.Breakdown, packed), mark.
	EntityBreakdown = "Breakdown"
	// Journal entry, SITE#s#BREAKDOWN#day / late#tp#k#i: part B (what step k did to breakdowns of the day; see package
	// journal), epoch N (of who wrote it), mark.
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

	// Of annotations.
	AttrAnnotationID = "annotationId"
	AttrText         = "text"

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
