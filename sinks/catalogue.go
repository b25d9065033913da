package sinks

import (
	"slices"
	"time"
)

// catalogue has one entry for each type of item. A new type is one entry more: its documents, its explanation and the test
// that it is written as it says follow from it.
var catalogue = slices.Concat(tableTypes, siteTypes, bucketTypes)

// tableTypes are the items of the table and its chains.
var tableTypes = []ItemType{
	{
		Name: "table settings", Entity: EntityTable, Writer: "the first process that uses the table",
		About: "What the items of the table were written under and that never changes. A process whose settings differ is refused.",
		Key:   func(k Keys, _ Fields) Key { return k.TableSettings() },
		Attributes: written([]How{PutOnce},
			Attribute{Name: attrSchema, Kind: Number, Unit: UnitNumber, About: "version of the schema"},
			Attribute{Name: attrPrecision, Kind: Number, Unit: UnitNumber, About: "of uniques: log2 of the number of registers"},
			Attribute{Name: attrSessionShards, Kind: Number, Unit: UnitCount, About: "shards of a site's sessions"},
			Attribute{Name: attrHashKeyPrint, Kind: String, Unit: UnitText, About: "fingerprint of the key of the visitors' hash"},
			Attribute{Name: attrHashKey, Kind: Binary, Unit: UnitSecret, About: "the key, where it was made with the table"},
			Attribute{Name: attrTopics, Kind: Number, Unit: UnitNumber, How: []How{PutOnce, PlainAdd},
				About: "the last topic number given out"}),
		Size: Extent{Typical: 140, Most: 300},
	},
	{
		Name: "topic", Entity: EntityTopic, Writer: "the first process that reads the topic",
		About: "The number of a topic, by which keys and marks name it.",
		Key:   func(k Keys, f Fields) Key { return k.Topic(f.Topic) },
		Attributes: written([]How{PutOnce},
			Attribute{Name: attrTopic, Kind: String, Unit: UnitID, About: "name of the topic"},
			Attribute{Name: attrNumber, Kind: Number, Unit: UnitNumber, About: "its number"}),
		Size: Extent{Typical: 60, Most: 600, Grows: "the topic's name"},
	},
	{
		Name: "checkpoint", Entity: EntityCheckpoint, Writer: "the owner of the partition: at a takeover, once a step, and when it falls idle",
		About: "The head of a chain: the step that is intended or done, and who may write the next.",
		Key:   func(k Keys, f Fields) Key { return k.Checkpoint(f.TP, f.Lane) },
		Attributes: written([]How{CompareAndSet},
			Attribute{Name: "k", Kind: Number, Unit: UnitStep, About: "the last step; absent: the chain has not begun"},
			Attribute{Name: "f", Kind: Number, Unit: UnitPosition, About: "the step's first position"},
			Attribute{Name: "t", Kind: Number, Unit: UnitPosition, About: "the position behind its last"},
			Attribute{Name: "d", Kind: Number, Unit: UnitYesNo, About: "every item of the step has answered"},
			Attribute{Name: "ep", Kind: Number, Unit: UnitCount, How: []How{PlainAdd}, About: "epoch, raised by every takeover"},
			Attribute{Name: "own", Kind: String, Unit: UnitText, How: []How{PlainSet}, About: "its owner, for people"},
			Attribute{Name: "tid", Kind: String, Unit: UnitText, About: "id of the topic that the offsets belong to, hex"},
			Attribute{Name: "base", Kind: Number, Unit: UnitOffset, About: "position = offset + base"},
			Attribute{Name: "ver", Kind: String, Unit: UnitSettingsJSON, About: "what the step is folded under"},
			Attribute{Name: "rev", Kind: Number, Unit: UnitNumber, About: "revision of the sites' rules"},
			Attribute{Name: "totals", Kind: String, Unit: UnitTotalsJSON, About: "where the records before t have ended; of the stats lane"},
			Attribute{Name: "hist", Kind: Number, Unit: UnitStep, About: "the last step that has a chain history item"},
			Attribute{Name: "n", Kind: Number, Unit: UnitPosition, About: "up to where its owner has read, if no data came behind t; else 0"},
			Attribute{Name: "dup", Kind: Number, Unit: UnitCount, About: "records of the step that are duplicates"},
			Attribute{Name: "seen", Kind: Number, Unit: UnitNumber, About: "the revision of the sites' rules that its owner has recorded while it was idle: no later step " +
				"has an older one; of the stats lane"},
			Attribute{Name: "gap", Kind: String, Unit: UnitGapJSON, About: "what keeps the chain from going on, or what the step passes"}),
		Size: Extent{Typical: 500, Grows: "the reasons in the totals, and a gap"},
	},
	{
		Name: "chain history", Entity: EntityHistory, Writer: "the owner of the partition, after the intent of such a step",
		About: "What held from a step of a chain on: one at the first step, wherever settings, rules or the topic change, and at " +
			"every accepted gap.",
		Key: func(k Keys, f Fields) Key { return k.History(f.TP, f.Lane, f.Step) },
		Attributes: written([]How{PutWhole},
			Attribute{Name: "k", Kind: Number, Unit: UnitStep, About: "the step"},
			Attribute{Name: "f", Kind: Number, Unit: UnitPosition, About: "its first position"},
			Attribute{Name: "ver", Kind: String, Unit: UnitSettingsJSON, About: "what the steps from it on are folded under"},
			Attribute{Name: "rev", Kind: Number, Unit: UnitNumber, About: "revision of the sites' rules"},
			Attribute{Name: "base", Kind: Number, Unit: UnitOffset, About: "position = offset + base"},
			Attribute{Name: "tid", Kind: String, Unit: UnitText, About: "id of the topic, hex"},
			Attribute{Name: "gap", Kind: String, Unit: UnitGapJSON, About: "the gap that the step passes; absent: none"}),
		Size: Extent{Typical: 350, Grows: "a gap"},
	},
	{
		Name: "new sites", Entity: EntityNewSites, Writer: "the owner of the partition, once a step that admits a site",
		About: "How many sites that nobody has created a lane has admitted in the latest hour of record time that had one: so many, and " +
			"no more, are new in an hour.",
		Key: func(k Keys, f Fields) Key { return k.NewSites(f.TP, f.Lane) },
		Attributes: written([]How{GuardedSet}, append(marksOfLanes(),
			Attribute{Name: AttrHour, Kind: Number, Unit: UnitMillis, About: "start of the hour"},
			Attribute{Name: AttrSites, Kind: Number, Unit: UnitCount, About: "sites admitted in it"},
			Attribute{Name: AttrPrevHour, Kind: Number, Unit: UnitMillis, About: "the hour before the marked step"},
			Attribute{Name: AttrPrevSites, Kind: Number, Unit: UnitCount, About: "sites admitted in that hour, before it"})...),
		Size: Extent{Typical: 120},
	},
	{
		Name: "replay", Entity: EntityReplay, Writer: "`footfall replay-failed`, twice a batch",
		About: "Where the replay of one partition of a failed-events topic stands. Its offsets are those of the failed-events " +
			"topic; the topic number is that of the topic which the records go to.",
		Key: func(k Keys, f Fields) Key { return k.Replay(f.TP, f.Topic) },
		Attributes: written([]How{CompareAndSet},
			Attribute{Name: "k", Kind: Number, Unit: UnitStep, About: "the last batch"},
			Attribute{Name: "f", Kind: Number, Unit: UnitOffset, About: "its first offset"},
			Attribute{Name: "t", Kind: Number, Unit: UnitOffset, About: "the offset behind its last"},
			Attribute{Name: "d", Kind: Number, Unit: UnitYesNo, About: "the batch is published"},
			Attribute{Name: "tid", Kind: String, Unit: UnitText, About: "id of the failed-events topic, hex"},
			Attribute{Name: "src", Kind: String, Unit: UnitText, About: "id of the topic that the batch goes to, hex"},
			Attribute{Name: "sel", Kind: String, Unit: UnitJSON, About: "which entries the run takes"},
			Attribute{Name: "ends", Kind: String, Unit: UnitJSON, About: "where the topic's partitions ended before the batch"},
			Attribute{Name: "next", Kind: String, Unit: UnitJSON, About: "up to which offset entries are published, by reason"},
			Attribute{Name: "ep", Kind: Number, Unit: UnitCount, How: []How{PlainAdd}, About: "epoch, raised by every run"},
			Attribute{Name: "own", Kind: String, Unit: UnitText, How: []How{PlainSet}, About: "the run, for people"}),
		Size: Extent{Typical: 400, Grows: "the partitions of the topic"},
	},
}

// siteTypes are the items of sites that are not buckets.
var siteTypes = []ItemType{
	{
		Name: "rules revision", Entity: EntityRules, Writer: "`footfall site create`, `site update`, `site delete`, `goal create`, `goal update`, `goal delete` and `erase`; a worker that meets a site whose creation was cut short",
		About: "What was decided about a site: all of its rules from the revision on; or whose data are erased. Steps name the revision that they were folded " +
			"under. Revisions follow one another and are never changed or deleted.",
		Key: func(k Keys, f Fields) Key { return k.Rules(f.Rev) },
		Attributes: written([]How{PutOnce},
			Attribute{Name: AttrRev, Kind: Number, Unit: UnitNumber, About: "the revision"},
			Attribute{Name: AttrSiteID, Kind: String, Unit: UnitID, About: "the site"},
			Attribute{Name: AttrRules, Kind: String, Unit: UnitRulesJSON, About: "its rules: shards, zones, retention, lists, goals, switches, whether it was deleted, and its name"},
			Attribute{Name: AttrCreatedAt, Kind: Number, Unit: UnitMillis, About: "when it was decided"},
			Attribute{Name: AttrErase, Kind: String, Unit: UnitJSON, About: "whose data the revision erases, by a keyed hash, and up to which event time; absent: nobody's"},
			Attribute{Name: AttrAlways, Kind: Number, Unit: UnitNumber, About: "1: nobody had counted the site before, and it holds for steps of earlier revisions, too"}),
		Size: Extent{Typical: 300, Most: 145_000, Grows: "domains, lists, goals and the history of shards and zones"},
	},
	{
		Name: "erasure", Entity: EntityErasure, Writer: "`footfall erase`",
		About: "How far the erasure of a person's data has come. Whose they are is told by a keyed hash, as in the revision of the " +
			"rules that has the same number.",
		Key: func(k Keys, f Fields) Key { return k.Erasure(f.Rev) },
		Attributes: written([]How{CompareAndSet},
			Attribute{Name: AttrRev, Kind: Number, Unit: UnitNumber, About: "the revision"},
			Attribute{Name: AttrSiteID, Kind: String, Unit: UnitID, About: "the site"},
			Attribute{Name: AttrErase, Kind: String, Unit: UnitJSON, About: "whose data are erased, and up to which event time"},
			Attribute{Name: "state", Kind: String, Unit: UnitText, About: "`begun`; `swept` once; `recorded` by all chains; `done`"},
			Attribute{Name: "sweptAt", Kind: Number, Unit: UnitMillis, About: "when the first sweep was over"},
			Attribute{Name: "recordedAt", Kind: Number, Unit: UnitMillis, About: "when all chains were seen to have the revision"},
			Attribute{Name: "doneAt", Kind: Number, Unit: UnitMillis, About: "when the last sweep was over"},
			Attribute{Name: "open", Kind: List, Unit: UnitText, About: "chains that it did not wait for, and whose last step is open: topic/partition"},
			Attribute{Name: "touched", Kind: String, Unit: UnitJSON, About: "what was deleted or changed, by kind"}),
		Size: Extent{Typical: 350, Grows: "the siteId, and the chains that it did not wait for"},
	},
	{
		Name: "site list entry", Entity: EntitySiteEntry, Writer: "`footfall site create`, or the worker that sees the site's first event",
		About: "That there is such a site; and which partitions have admitted it, where nobody has created it: each has its marks there.",
		Key:   func(k Keys, f Fields) Key { return k.SiteEntry(f.Site) },
		Attributes: written([]How{PutOnce},
			Attribute{Name: AttrSiteID, Kind: String, Unit: UnitID, About: "the site"},
			Attribute{Name: AttrCreatedAt, Kind: Number, Unit: UnitMillis, About: "when `footfall site create` listed it, before its first event: whoever " +
				"counts it must know its first rules; absent: a worker listed it"},
			marksOfLanes()[0], marksOfLanes()[1],
			Attribute{Name: perPartition(AttrAdmitted), Kind: Number, Unit: UnitPosition, How: []How{GuardedSet},
				About: "where the partition admitted the site; absent: not at all, or it was created before"}),
		Size: Extent{Typical: 110, Grows: "the siteId, and the partitions that have admitted the site, by some 25 bytes each"},
	},
	{
		Name: "site", Entity: EntitySite, Writer: "who appends a revision of the site's rules; a worker that learns of it",
		About: "What is known about a site that was created: the last revision of its rules, for who wants that of one site.",
		Key:   func(k Keys, f Fields) Key { return k.Metadata(f.Site) },
		GSI1:  func(k Keys, f Fields) Key { return Key{k.Owner(f.Owner), k.Site(f.Site)} },
		Attributes: written([]How{PutNewer},
			Attribute{Name: AttrSiteID, Kind: String, Unit: UnitID, About: "the site"},
			Attribute{Name: AttrName, Kind: String, Unit: UnitText, About: "name for people"},
			Attribute{Name: AttrDomains, Kind: List, Unit: UnitText, About: "domains that the site answers to"},
			Attribute{Name: AttrOwner, Kind: String, Unit: UnitID, About: "by whom sites can be listed; absent: not in GSI1"},
			Attribute{Name: AttrCreatedAt, Kind: Number, Unit: UnitMillis, About: "when it was created"},
			Attribute{Name: AttrRev, Kind: Number, Unit: UnitNumber, About: "revision of the rules of sites"},
			Attribute{Name: AttrRules, Kind: String, Unit: UnitRulesJSON, About: "the rules as of it"}),
		Size: Extent{Typical: 350, Most: 175_000, Grows: "domains, lists, goals and the history of shards and zones"},
	},
	{
		Name: "goal", Entity: EntityGoal, Writer: "`footfall goal create`, `goal update` and `goal delete`; a worker that learns of a revision",
		About: "A goal of a site as the rules have it, for who wants the goals of one site. One that was deleted stays, and says so.",
		Key:   func(k Keys, f Fields) Key { return k.Goal(f.Site, f.Goal) },
		Attributes: written([]How{PutNewer},
			Attribute{Name: AttrSiteID, Kind: String, Unit: UnitID, About: "the site"},
			Attribute{Name: AttrGoal, Kind: String, Unit: UnitID, About: "the goal's id"},
			Attribute{Name: AttrGoalNumber, Kind: Number, Unit: UnitNumber, About: "its number, by which it is counted"},
			Attribute{Name: AttrName, Kind: String, Unit: UnitText, About: "name for people"},
			Attribute{Name: AttrRev, Kind: Number, Unit: UnitNumber, About: "revision of the rules of sites that changed it last"},
			Attribute{Name: AttrDefinition, Kind: String, Unit: UnitGoalJSON, About: "what reaches it"},
			Attribute{Name: AttrDeleted, Kind: Number, Unit: UnitYesNo, About: "1: it was deleted; absent: it is there"}),
		Size: Extent{Typical: 250, Most: 14_000, Grows: "names and patterns"},
	},
	{
		Name: "conversion", Entity: EntityConversion, Writer: "the owner of the partition, in the step in which a session reaches a goal",
		About: "A session has reached a goal, by this event. It is a function of the event's record and of the rules, the same in every redo.",
		Key:   func(k Keys, f Fields) Key { return k.Conversion(f.Site, f.Number, f.Session, f.TP, f.Shards) },
		GSI1: func(k Keys, f Fields) Key {
			return Key{k.GoalConversions(f.Site, f.Number, ShardOf(f.Session, f.Shards)), SessionOrder(f.At, f.Session, f.TP)}
		},
		Attributes: written([]How{PutWhole},
			Attribute{Name: AttrSiteID, Kind: String, Unit: UnitID, About: "the site"},
			Attribute{Name: AttrGoal, Kind: String, Unit: UnitID, About: "the goal's id"},
			Attribute{Name: AttrGoalNumber, Kind: Number, Unit: UnitNumber, About: "the goal's number"},
			Attribute{Name: AttrSessionID, Kind: String, Unit: UnitID, About: "the session"},
			Attribute{Name: AttrVisitorID, Kind: String, Unit: UnitID, About: "the event's visitor; absent: it has none"},
			Attribute{Name: AttrUserID, Kind: String, Unit: UnitID, About: "the event's user; absent: it has none"},
			Attribute{Name: AttrAt, Kind: Number, Unit: UnitMillis, About: "event time"},
			Attribute{Name: "type", Kind: String, Unit: UnitText, About: "of the event"},
			Attribute{Name: AttrName, Kind: String, Unit: UnitText, About: "of the event; absent: it has none"},
			Attribute{Name: AttrPage, Kind: String, Unit: UnitText, About: "of the event, cut at 200 bytes; absent: it has no url"},
			Attribute{Name: AttrValueMicros, Kind: Number, Unit: UnitMicros, About: "the goal's value, else that of the event; absent: neither has one"},
			Attribute{Name: "source", Kind: String, Unit: UnitText, About: "where the event's record lies: topic/partition/offset"}),
		Expiry: Expiry{From: "event time", Days: AttrSessionDays,
			After: func(it Item, _ Fields) int64 { return it[AttrAt].Int() }},
		Size: Extent{Typical: 400, Most: 3500, Grows: "ids and the page"},
	},
	{
		Name: "funnel", Entity: EntityFunnel, Writer: "`footfall funnel create` and `funnel update`; `funnel delete` removes it",
		About: "A sequence of steps, for reports that are computed from raw events. It decides nothing in the pipeline.",
		Key:   func(k Keys, f Fields) Key { return k.Funnel(f.Site, f.Funnel) },
		Attributes: written([]How{PutOnce, PutVersion},
			Attribute{Name: AttrSiteID, Kind: String, Unit: UnitID, About: "the site"},
			Attribute{Name: AttrFunnelID, Kind: String, Unit: UnitID, About: "the funnel"},
			Attribute{Name: AttrName, Kind: String, Unit: UnitText, About: "name for people"},
			Attribute{Name: AttrSteps, Kind: String, Unit: UnitStepsJSON, About: "2 to 10 patterns of events, in order: see package match"},
			Attribute{Name: AttrWindowMs, Kind: Number, Unit: UnitMilliseconds, About: "from the first step to the last, at most"},
			Attribute{Name: AttrStrict, Kind: Number, Unit: UnitYesNo, About: "each step must be the visitor's very next event"},
			Attribute{Name: AttrVersion, Kind: Number, Unit: UnitNumber, About: "1, and one more with every change"},
			Attribute{Name: AttrCreatedAt, Kind: Number, Unit: UnitMillis, About: "when it was created"},
			Attribute{Name: AttrChangedAt, Kind: Number, Unit: UnitMillis, About: "when the version was made"},
			Attribute{Name: AttrChangedBy, Kind: String, Unit: UnitText, About: "who made it, for people"}),
		Size: Extent{Typical: 400, Most: 126_000, Grows: "the steps, each up to 2 KB of text and six times that as JSON, and the name"},
	},
	{
		Name: "event", Entity: EntityEvent, Writer: "the owner of the partition, as records arrive",
		About: "A raw event, its fields under the names that the event has. A redelivery overwrites itself.",
		Key:   func(k Keys, f Fields) Key { return k.Event(f.Site, f.Shard, f.ULID) },
		Attributes: written([]How{BatchWritten},
			Attribute{Name: AttrSiteID, Kind: String, Unit: UnitID, About: "the site"},
			Attribute{Name: "type", Kind: String, Unit: UnitText, About: "`page_view`, or any other name"},
			Attribute{Name: "id", Kind: String, Unit: UnitID, About: "the producer's id of the event"},
			Attribute{Name: AttrVisitorID, Kind: String, Unit: UnitID, About: "the visitor"},
			Attribute{Name: AttrSessionID, Kind: String, Unit: UnitID, About: "the session"},
			Attribute{Name: AttrUserID, Kind: String, Unit: UnitID, About: "the user"},
			Attribute{Name: "url", Kind: String, Unit: UnitText, About: "cut at 2,048 bytes"},
			Attribute{Name: "referrer", Kind: String, Unit: UnitText, About: "cut at 2,048 bytes"},
			Attribute{Name: "title", Kind: String, Unit: UnitText, About: "cut at 512 bytes"},
			Attribute{Name: "userAgent", Kind: String, Unit: UnitText, About: "cut at 1,024 bytes"},
			Attribute{Name: AttrName, Kind: String, Unit: UnitText, About: "which custom event or goal"},
			Attribute{Name: "country", Kind: String, Unit: UnitText, About: "as given"},
			Attribute{Name: "region", Kind: String, Unit: UnitText, About: "as given"},
			Attribute{Name: "city", Kind: String, Unit: UnitText, About: "as given"},
			Attribute{Name: "device", Kind: String, Unit: UnitText, About: "as given"},
			Attribute{Name: "browser", Kind: String, Unit: UnitText, About: "as given"},
			Attribute{Name: "os", Kind: String, Unit: UnitText, About: "as given"},
			Attribute{Name: "properties", Kind: String, Unit: UnitJSON, About: "verbatim, at most 16 KiB"},
			Attribute{Name: "timestamp", Kind: Number, Unit: UnitMillis, About: "event time"},
			Attribute{Name: "value", Kind: String, Unit: UnitDecimal, About: "exact"},
			Attribute{Name: "recordTime", Kind: Number, Unit: UnitMillis, About: "timestamp of the Kafka record"},
			Attribute{Name: "source", Kind: String, Unit: UnitText, About: "where the record lies: topic/partition/offset"},
			Attribute{Name: AttrBot, Kind: String, Unit: UnitText, About: "a bot's, by `agent`, `referrer` or `rate`; absent: it is none"},
			Attribute{Name: AttrForeign, Kind: Number, Unit: UnitYesNo, About: "its url is of no domain of the site; absent: it is, or nobody can tell"}),
		Expiry: Expiry{From: "event time", Days: AttrRawDays,
			After: func(it Item, _ Fields) int64 { return it["timestamp"].Int() }},
		Size: Extent{Typical: 500, Most: 26_000, Grows: "texts and properties"},
	},
	{
		Name: "session", Entity: EntitySession, Writer: "the owner of the partition, once a step that touches it; `footfall erase`", Marked: "stats",
		About: "A session as one partition saw it. `cur` and `prev` are the fold's states after the marked step and before it, so " +
			"that a redo of the step knows from which it began.",
		Key:  func(k Keys, f Fields) Key { return k.Session(f.Site, f.Session, f.TP, f.Shards) },
		GSI1: func(k Keys, f Fields) Key { return Key{k.User(f.Site, f.User), SessionOrder(f.At, f.Session, f.TP)} },
		GSI2: func(k Keys, f Fields) Key {
			return Key{k.Visitor(f.Site, f.Visitor), SessionOrder(f.At, f.Session, f.TP)}
		},
		Attributes: written([]How{GuardedSet}, append(dimensionAttributes(),
			Attribute{Name: AttrSiteID, Kind: String, Unit: UnitID, About: "the site"},
			Attribute{Name: AttrSessionID, Kind: String, Unit: UnitID, About: "the session"},
			Attribute{Name: AttrVisitorID, Kind: String, Unit: UnitID, About: "the first visitor; absent: not in GSI2"},
			Attribute{Name: AttrUserID, Kind: String, Unit: UnitID, About: "the first user; absent: not in GSI1"},
			Attribute{Name: AttrOpenedAt, Kind: Number, Unit: UnitMillis, About: "event time of the first record; never moves"},
			Attribute{Name: AttrStartedAt, Kind: Number, Unit: UnitMillis, About: "least event time"},
			Attribute{Name: AttrEndedAt, Kind: Number, Unit: UnitMillis, About: "greatest event time"},
			Attribute{Name: AttrDurationMs, Kind: Number, Unit: UnitMilliseconds, About: "from the least to the greatest event time"},
			Attribute{Name: AttrPageViews, Kind: Number, Unit: UnitCount, How: []How{GuardedAdd}, About: "page views"},
			Attribute{Name: AttrEvents, Kind: Number, Unit: UnitCount, How: []How{GuardedAdd}, About: "events, page views among them"},
			Attribute{Name: AttrBounce, Kind: Number, Unit: UnitYesNo, About: "at most one page view and no interactive event"},
			Attribute{Name: AttrEngaged, Kind: Number, Unit: UnitYesNo, About: "ten seconds or two page views"},
			Attribute{Name: AttrEntryPage, Kind: String, Unit: UnitText, About: "first page, cut at 200 bytes"},
			Attribute{Name: AttrExitPage, Kind: String, Unit: UnitText, About: "last page, cut at 200 bytes"},
			Attribute{Name: AttrErased, Kind: Number, Unit: UnitNumber, How: []How{GuardedSet, PlainSet, CompareAndSet},
				About: "the revision by which it is one of a person whose data are erased; absent: it is not"},
			Attribute{Name: AttrCur, Kind: Binary, Unit: UnitSessionBytes, How: []How{GuardedSet, CompareAndSet}, About: "state after the marked step"},
			Attribute{Name: AttrPrev, Kind: Binary, Unit: UnitSessionBytes, How: []How{GuardedSet, CompareAndSet}, About: "state before it"})...),
		Expiry: Expiry{From: "the session's end; of a bot's, by its rate, its last minute", Days: AttrSessionDays,
			After: func(it Item, _ Fields) int64 { return it[AttrEndedAt].Int() }},
		Size: Extent{Typical: 600, Most: 4500, Grows: "ids and pages"},
	},
	{
		Name: "visitor", Entity: EntityVisitor, Writer: "the owner of the partition, once a step that changes it", Marked: "stats",
		About: "The last visits of a visitor whose events have no sessionId, as one partition saw them: by them it finds the visit " +
			"of the next. `cur` and `prev` as in sessions.",
		Key: func(k Keys, f Fields) Key { return k.VisitorState(f.Site, f.Visitor, f.TP, f.Shards) },
		Attributes: written([]How{GuardedSet},
			Attribute{Name: AttrSiteID, Kind: String, Unit: UnitID, About: "the site"},
			Attribute{Name: AttrVisitorID, Kind: String, Unit: UnitID, About: "the visitor"},
			Attribute{Name: AttrEndedAt, Kind: Number, Unit: UnitMillis, About: "greatest event time of these visits"},
			Attribute{Name: AttrCur, Kind: Binary, Unit: UnitVisits, About: "at most 8 visits, after the marked step"},
			Attribute{Name: AttrPrev, Kind: Binary, Unit: UnitVisits, About: "those before it"}),
		Expiry: Expiry{From: "the end of the last visit", Days: AttrSessionDays,
			After: func(it Item, _ Fields) int64 { return it[AttrEndedAt].Int() }},
		Size: Extent{Typical: 250, Most: 1500, Grows: "the visits, by some 25 bytes each, and ids"},
	},
	{
		Name: "recent sessions", Entity: EntityRecent, Writer: "the owner of the partition, once a step and minute",
		About: "Sessions that a step saw first, by the minute in which they were opened, 500 an item.",
		Key:   func(k Keys, f Fields) Key { return k.Recent(f.Site, f.At, f.TP, f.Step, f.Index) },
		Attributes: written([]How{PutWhole},
			Attribute{Name: AttrSessionIDs, Kind: List, Unit: UnitID, About: "the sessions, in the order of the log"}),
		Expiry: Expiry{From: "the minute's end", Fixed: 48 * time.Hour, After: bucketEnd(time.Minute)},
		Size:   Extent{Typical: 200, Most: 130_000, Grows: "the new sessions of the minute and step"},
	},
}

// dimensionAttributes are what the event that opened a session says in each dimension of breakdowns.
func dimensionAttributes() (all []Attribute) {
	for _, name := range DimensionAttrs {
		if name != "" {
			all = append(all, Attribute{Name: name, Kind: String, Unit: UnitText, About: "of the event that opened it"})
		}
	}
	return all
}

// statsAttributes are the sums of an hour or a day.
var statsAttributes = []Attribute{
	{Name: AttrPageViews, Kind: Number, Unit: UnitCount, About: "page views"},
	{Name: AttrEvents, Kind: Number, Unit: UnitCount, About: "events, page views among them"},
	{Name: AttrSessions, Kind: Number, Unit: UnitCount, About: "sessions that started in the bucket"},
	{Name: AttrBounces, Kind: Number, Unit: UnitCount, About: "of these sessions, those that are bounces"},
	{Name: AttrDurationMs, Kind: Number, Unit: UnitMilliseconds, About: "of these sessions together"},
	{Name: AttrEngaged, Kind: Number, Unit: UnitCount, About: "of these sessions, those that are engaged"},
	{Name: AttrValues, Kind: Number, Unit: UnitCount, About: "events that had a value"},
	{Name: AttrValueMicros, Kind: Number, Unit: UnitMicros, About: "sum of the values"},
	{Name: AttrConversions, Kind: Number, Unit: UnitCount, About: "conversions of all goals, at their own time"},
	{Name: goalCountPrefix + goalPlaceholder, Kind: Number, Unit: UnitCount, About: "of these, those of the goal of that number"},
	{Name: goalValuePrefix + goalPlaceholder, Kind: Number, Unit: UnitMicros, About: "sum of their values"},
	{Name: AttrForeignEvents, Kind: Number, Unit: UnitCount, About: "events whose url is of no domain of the site"},
	{Name: AttrBotPageViews, Kind: Number, Unit: UnitCount, About: "page views of bots, which are in no other sum"},
	{Name: AttrBotEvents, Kind: Number, Unit: UnitCount, About: "events of bots, page views among them"},
	{Name: AttrBotValues, Kind: Number, Unit: UnitCount, About: "of these events, those that had a value"},
	{Name: AttrBotValueMicros, Kind: Number, Unit: UnitMicros, About: "sum of these values"},
}

// sealer is who writes sealed items, and when.
const sealer = "the owner of partition 0, some time after the day or month is over, and again when late events have changed it"

// sealedUniques and sealedBreakdown are the attributes of sealed items; sealedUntil those of days have besides.
var (
	sealedUniques = []Attribute{
		{Name: AttrPart, Kind: Binary, Unit: UnitHourSketch, About: "exact to 1,024 visitors, then registers"},
		{Name: AttrEvents, Kind: Number, Unit: UnitCount, About: "events of the hours that it is made of"},
		{Name: AttrHours, Kind: Number, Unit: UnitCount, About: "how many hours had stats"},
		sealedMarks,
	}
	sealedBreakdown = []Attribute{
		{Name: AttrPart, Kind: Binary, Unit: UnitBreakdown, About: "compressed with S2"},
		{Name: AttrHours, Kind: Number, Unit: UnitCount, About: "how many hours had a breakdown"},
		sealedMarks,
	}
	sealedMarks = Attribute{Name: AttrMarks, Kind: String, Unit: UnitText, About: "hash of what it was made from: a day's marks, or a month's days"}
	sealedUntil = Attribute{Name: AttrUntil, Kind: Number, Unit: UnitSeconds, About: "from when on its hours may have expired, so that it holds whatever its marks; absent: never"}
)

// bucketTypes are the items of hours, days and minutes.
var bucketTypes = []ItemType{
	{
		Name: "hour stats", Entity: EntityStats, Writer: "the owners of all partitions that saw the hour, once a step", Marked: "stats",
		About: "Sums of an hour. Rates are divided at read. Partitions share the item, and each has its mark.",
		Key:   func(k Keys, f Fields) Key { return k.HourStats(f.Site, f.At) },
		Attributes: append(written([]How{GuardedAdd}, statsAttributes...),
			Attribute{Name: perPartition(AttrUniques), Kind: Binary, Unit: UnitHourSketch, How: []How{GuardedSet},
				About: "what it knows of the hour's visitors, while at most 16; see uniques"}),
		Expiry: Expiry{From: "the hour's end", Days: AttrHourDays, After: bucketEnd(time.Hour)},
		Size:   Extent{Typical: 260, Grows: "the partitions that saw the hour, by up to 160 bytes each, and the goals that were reached, by some 15"},
	},
	{
		Name: "day stats", Entity: EntityStats, Writer: "the owners of all partitions that saw the day, last in a step", Marked: "stats",
		About:      "Sums of a day. Written after the hours of the step, with the mark even when no sum changes.",
		Key:        func(k Keys, f Fields) Key { return k.DayStats(f.Site, f.At) },
		Attributes: written([]How{GuardedAdd}, statsAttributes...),
		Expiry:     Expiry{From: "the day's end", Days: AttrDayDays, After: bucketEnd(24 * time.Hour)},
		Size:       Extent{Typical: 150, Grows: "the partitions that saw the day, by some 10 bytes each, and the goals that were reached, by some 15"},
	},
	{
		Name: "uniques", Entity: EntityUniques, Writer: "the owner of the partition, once a step that brings new visitors", Marked: "stats",
		About: "What one partition knows of an hour's visitors, once a step has ended with more than 16. Readers merge it with what " +
			"rides in the hour's stats.",
		Key: func(k Keys, f Fields) Key { return k.Uniques(f.Site, f.At, f.TP) },
		Attributes: written([]How{GuardedSet},
			Attribute{Name: AttrPart, Kind: Binary, Unit: UnitHourSketch, About: "exact to 1,024 visitors, then registers"}),
		Expiry: Expiry{From: "the hour's end", Days: AttrHourDays, After: bucketEnd(time.Hour)},
		Size:   Extent{Typical: 500, Most: 17_000, Grows: "the visitors, by 8 bytes each up to 1,024; then 6 to 8 KB"},
	},
	{
		Name: "breakdown", Entity: EntityBreakdown, Writer: "the owner of the partition, once a step", Marked: "stats",
		About: "What one partition knows of an hour by page, referrer, browser and all other dimensions: the most frequent values of " +
			"each with their figures, and what all others did together.",
		Key: func(k Keys, f Fields) Key { return k.Breakdown(f.Site, f.At, f.TP) },
		Attributes: written([]How{GuardedSet},
			Attribute{Name: AttrPart, Kind: Binary, Unit: UnitBreakdown, About: "compressed with S2"}),
		Expiry: Expiry{From: "the hour's end", Days: AttrHourDays, After: bucketEnd(time.Hour)},
		Size:   Extent{Typical: 500, Most: 360_000, Grows: "the values, each by what it is spelled with and 8 bytes a visitor up to 64"},
	},
	{
		Name: "month stats", Entity: EntityMonthStats, Writer: sealer,
		About: "Sums of those days of a month that were sealed. Once closed, and while the marks of the days are those that it names, " +
			"readers may use it for the whole month; when the days have expired it is all that is left.",
		Key: func(k Keys, f Fields) Key { return k.MonthStats(f.Site, f.At) },
		Attributes: append(written([]How{PutSealed}, statsAttributes...), written([]How{PutSealed},
			Attribute{Name: AttrDays, Kind: String, Unit: UnitSealedDays, About: "its days, each with a hash of the marks that it was read under"},
			Attribute{Name: AttrClosed, Kind: Number, Unit: UnitYesNo, About: "the month is over, and all its days are in it"})...),
		Size: Extent{Typical: 300, Grows: "the days that had anything, by 20 bytes each, and the goals that were reached, by some 15"},
	},
	{
		Name: "sealed uniques of a day", Entity: EntitySealedUniques, Writer: sealer,
		About:      "The union of a day's visitors over all hours and partitions. It holds while its marks are those of the day's stats.",
		Key:        func(k Keys, f Fields) Key { return k.DayUniques(f.Site, f.At) },
		Attributes: written([]How{PutSealed}, append(sealedUniques, sealedUntil)...),
		Expiry:     Expiry{From: "the day's end", Days: AttrDayDays, After: bucketEnd(24 * time.Hour)},
		Size:       Extent{Typical: 500, Most: 17_000, Grows: "the visitors, by 8 bytes each up to 1,024; then 6 to 8 KB"},
	},
	{
		Name: "sealed uniques of a month", Entity: EntitySealedUniques, Writer: sealer,
		About:      "The union of a month's visitors. It holds while its marks are the hash of the days that the month's stats name.",
		Key:        func(k Keys, f Fields) Key { return k.MonthUniques(f.Site, f.At) },
		Attributes: written([]How{PutSealed}, sealedUniques...),
		Size:       Extent{Typical: 600, Most: 17_000, Grows: "the visitors, by 8 bytes each up to 1,024; then 6 to 8 KB"},
	},
	{
		Name: "sealed breakdown of a day", Entity: EntitySealedBreakdown, Writer: sealer,
		About:      "A day's breakdowns merged over all hours and partitions. It holds while its marks are those of the day's stats.",
		Key:        func(k Keys, f Fields) Key { return k.DayBreakdown(f.Site, f.At) },
		Attributes: written([]How{PutSealed}, append(sealedBreakdown, sealedUntil)...),
		Expiry:     Expiry{From: "the day's end", Days: AttrDayDays, After: bucketEnd(24 * time.Hour)},
		Size:       Extent{Typical: 800, Most: 360_000, Grows: "the values; those of the fewest events lose their rows above 350 KB before compression"},
	},
	{
		Name: "sealed breakdown of a month", Entity: EntitySealedBreakdown, Writer: sealer,
		About:      "A month's breakdowns merged. It holds while its marks are the hash of the days that the month's stats name.",
		Key:        func(k Keys, f Fields) Key { return k.MonthBreakdown(f.Site, f.At) },
		Attributes: written([]How{PutSealed}, sealedBreakdown...),
		Size:       Extent{Typical: 800, Most: 360_000, Grows: "the values; those of the fewest events lose their rows above 350 KB before compression"},
	},
	{
		Name: "realtime minute", Entity: EntityRealtime, Writer: "the owner of the partition, once a realtime step", Marked: "realtime",
		About: "What one partition knows of a minute of event time.",
		Key:   func(k Keys, f Fields) Key { return k.Realtime(f.Site, f.At, f.TP) },
		Attributes: []Attribute{
			{Name: AttrPageViews, Kind: Number, Unit: UnitCount, How: []How{GuardedAdd}, About: "page views"},
			{Name: AttrEvents, Kind: Number, Unit: UnitCount, How: []How{GuardedAdd}, About: "events, page views among them"},
			{Name: AttrBotPageViews, Kind: Number, Unit: UnitCount, How: []How{GuardedAdd}, About: "page views of listed bots"},
			{Name: AttrBotEvents, Kind: Number, Unit: UnitCount, How: []How{GuardedAdd}, About: "events of listed bots, page views among them"},
			{Name: AttrVisitors, Kind: Binary, Unit: UnitMinuteSketch, How: []How{GuardedSet}, About: "exact to 128 visitors, then registers"},
			{Name: AttrPages, Kind: Binary, Unit: UnitTopState, How: []How{GuardedSet}, About: "page views by page, 50 rows"},
		},
		Expiry: Expiry{From: "the minute's end", Fixed: 10 * time.Minute, After: bucketEnd(time.Minute)},
		Size:   Extent{Typical: 400, Most: 12_500, Grows: "visitors, to some 1 KB, and 50 pages of up to 200 bytes"},
	},
}

// marksOfLanes are the applied marks of items that both lanes have.
func marksOfLanes() (all []Attribute) {
	for _, lane := range []string{"stats", "realtime"} {
		all = append(all, Attribute{Name: perPartition(func(tp TP) string { return AttrMark(lane, tp) }), Kind: Number, Unit: UnitStep,
			How: []How{GuardedSet}, About: "applied mark: the step of the partition's " + lane + " chain that set it last"})
	}
	return all
}

// bucketEnd returns the end of the bucket of that length that begins at the instant in an item's key.
func bucketEnd(length time.Duration) func(Item, Fields) int64 {
	return func(_ Item, f Fields) int64 { return f.At + length.Milliseconds() }
}

// written makes attributes that are written the given way, but for those that say otherwise.
func written(how []How, attributes ...Attribute) []Attribute {
	all := slices.Clone(attributes)
	for i := range all {
		if all[i].How == nil {
			all[i].How = how
		}
	}
	return all
}
