package sinks

import "time"

// VerificationDays is how long the result of a recount is kept.
const VerificationDays = 400

// FindingDays is how long what an alert found is kept.
const FindingDays = 400

// recordTypes are the types of items that commands record beside the figures. They have no generation.
var recordTypes = []ItemType{
	{
		Name: "annotation", Entity: EntityAnnotation,
		Writer: "`footfall annotate create` and the API; `annotate delete`, the API, `site delete`, and `erase`, if it names the person, remove it",
		About:  "A note about an instant of a site, which graphs show.",
		Key:    func(k Keys, f Fields) Key { return k.Annotation(f.Site, f.Annotation) },
		Attributes: written([]How{PutWhole},
			Attribute{Name: AttrSiteID, Kind: String, Unit: UnitID, About: "the site"},
			Attribute{Name: AttrAnnotationID, Kind: String, Unit: UnitID, About: "the id"},
			Attribute{Name: AttrAt, Kind: Number, Unit: UnitMillis, About: "the instant"},
			Attribute{Name: AttrText, Kind: String, Unit: UnitText, About: "what happened, at most 1,000 bytes of any characters"},
			Attribute{Name: AttrCreatedAt, Kind: Number, Unit: UnitMillis, About: "when it was created"},
			Attribute{Name: AttrCreatedBy, Kind: String, Unit: UnitText, About: "who created it, for people"}),
		Size: Extent{Typical: 300, Most: 4500, Grows: "the text"},
	},
	{
		Name: "alert", Entity: EntityAlert, Writer: "`footfall alert create`; `alert delete` and `site delete` remove it",
		About: "A condition that hours of a site are judged by. Without a site: the last hour that the owner of partition 0 judged.",
		Key:   func(_ Keys, f Fields) Key { return AlertKey(f.Site, f.Alert) },
		Attributes: written([]How{PutOnce},
			Attribute{Name: AttrSiteID, Kind: String, Unit: UnitID, About: "the site; absent: none"},
			Attribute{Name: AttrAlertID, Kind: String, Unit: UnitID, About: "its name"},
			Attribute{Name: AttrText, Kind: String, Unit: UnitText, About: "the condition; without a site: hours that were left out last"},
			Attribute{Name: AttrWebhook, Kind: String, Unit: UnitText, About: "the URL that findings are sent to; absent: none"},
			Attribute{Name: AttrAt, Kind: Number, Unit: UnitMillis, How: []How{PutWhole}, About: "without a site: the hour that was judged last"},
			Attribute{Name: AttrCreatedAt, Kind: Number, Unit: UnitMillis, About: "when it was created"},
			Attribute{Name: AttrCreatedBy, Kind: String, Unit: UnitText, About: "who created it, for people"}),
		Size: Extent{Typical: 250, Most: 4500, Grows: "the condition and the URL"},
	},
	{
		Name: "finding", Entity: EntityFinding, Writer: "the owner of partition 0, once an hour is complete",
		About: "What an alert found in an hour, and whether it was sent.",
		Key:   func(_ Keys, f Fields) Key { return FindingKey(f.Site, f.At, f.Alert) },
		Attributes: written([]How{PutOnce},
			Attribute{Name: AttrSiteID, Kind: String, Unit: UnitID, About: "the site"},
			Attribute{Name: AttrAlertID, Kind: String, Unit: UnitID, About: "the alert"},
			Attribute{Name: AttrAt, Kind: Number, Unit: UnitMillis, About: "start of the hour"},
			Attribute{Name: AttrText, Kind: String, Unit: UnitText, About: "the condition"},
			Attribute{Name: AttrFound, Kind: String, Unit: UnitJSON, About: "the counts, and what is usual"},
			Attribute{Name: AttrDelivery, Kind: String, Unit: UnitJSON, How: []How{PutOnce, CompareAndSet}, About: "how it was sent"},
			Attribute{Name: AttrCreatedAt, Kind: Number, Unit: UnitMillis, About: "when the hour was judged"}),
		Expiry: Expiry{From: "the hour", Fixed: FindingDays * 24 * time.Hour, After: func(it Item, _ Fields) int64 { return it[AttrAt].Int() }},
		Size:   Extent{Typical: 450, Most: 3000, Grows: "the condition, and the values of a dimension"},
	},
	{
		Name: "verification", Entity: EntityVerification, Writer: "`footfall verify --record`",
		About: "The result of a recount of one site or, if the site in the key is empty, of all sites.",
		Key:   func(k Keys, f Fields) Key { return k.Verification(f.Site, f.At) },
		Attributes: written([]How{PutWhole},
			Attribute{Name: AttrSiteID, Kind: String, Unit: UnitID, About: "the site; absent: all sites"},
			Attribute{Name: AttrVerifiedAt, Kind: Number, Unit: UnitMillis, About: "when the recount began: records before that were recounted"},
			Attribute{Name: AttrRangeFrom, Kind: Number, Unit: UnitMillis, About: "start of the range of event time; absent: open"},
			Attribute{Name: AttrRangeTo, Kind: Number, Unit: UnitMillis, About: "its end, exclusive; absent: open"},
			Attribute{Name: AttrTimeZone, Kind: String, Unit: UnitText, About: "the zone that the range was named in"},
			Attribute{Name: AttrTopicName, Kind: String, Unit: UnitText, About: "name of the topic"},
			Attribute{Name: AttrRecords, Kind: Number, Unit: UnitCount, About: "records that were recounted"},
			Attribute{Name: AttrCompared, Kind: String, Unit: UnitJSON, About: "how many items were compared, by kind"},
			Attribute{Name: AttrLeftOut, Kind: String, Unit: UnitJSON, About: "how many items could not be compared, by reason"},
			Attribute{Name: AttrNotCompared, Kind: Number, Unit: UnitCount,
				About: "how many of those figures may need: all but expired, erased and superseded ones, and totals of checkpoints"},
			Attribute{Name: AttrDifferences, Kind: Number, Unit: UnitCount, About: "differences between the table and the recount"},
			Attribute{Name: AttrUnsettled, Kind: Number, Unit: UnitCount, About: "items that changed at every read, and were not compared"},
			Attribute{Name: AttrBehind, Kind: Number, Unit: UnitCount,
				About: "partitions with records that could not be compared: the table had not counted them, or a transaction was open"},
			Attribute{Name: AttrBound, Kind: String, Unit: UnitJSON,
				About: "digests of the closed months whose items all equalled the recount, and the generation of these items; absent: none"},
			Attribute{Name: AttrGeneration, Kind: Number, Unit: UnitNumber, About: "the generation of items that was compared; absent: 1"},
			Attribute{Name: AttrExitCode, Kind: Number, Unit: UnitNumber, About: "exit code of the command: 0 if all that was compared is equal"}),
		Expiry: Expiry{From: "the recount", Fixed: VerificationDays * 24 * time.Hour,
			After: func(it Item, _ Fields) int64 { return it[AttrVerifiedAt].Int() }},
		Size: Extent{Typical: 600, Most: 6000, Grows: "the kinds of items and the reasons, and closed months, by some 70 bytes each, 36 at most"},
	},
}
