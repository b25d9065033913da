package sinks

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/footfall/footfall/sinks/internal/ids"
)

// Fields are what the variable segments of keys stand for. Which of them a key has is told by its [Template]; the
// others are zero.
type Fields struct {
	Site, Session, User, Visitor, Owner, Topic, Goal string // ids as they came, not as segments spell them
	Entered

	Schema string // id of a schema, as a registry gives it
	ULID   string // of a raw event, 26 characters
	Item   string // the keys of a damaged item, with a space between them
	Damage string // id of a damage, 16 hex digits
	Hash   string // of a visitor, 32 hex digits
	Lane   string
	TP     TP
	At     int64 // start of the bucket, or an instant; milliseconds since the epoch
	Step   int64
	Rev    int64  // of the rules of sites
	Number uint64 // of a goal
	Index  int
	Shard  int // the two digits of a shard that the key does not derive from an id
	Shards int // over how many shards the table spreads the sessions of a site

	Bucket VisitorBucket
}

// Entered are ids of what people have entered, as they came.
type Entered struct{ Funnel, Segment, Token, Annotation, Alert string }

// A Placeholder is what stands for a variable segment in templates.
type Placeholder struct {
	Name  string
	About string // what it stands for

	spell func(f Fields) string
	read  func(f *Fields, segment string) error // an error: it is not spelled so
	id    func(f *Fields) *string               // where the segment is an id, the field it goes to; else nil
	attr  string                                // of the item that repeats the id whole; "": none
}

// placeholders are all placeholders. No two spell the fields of samples[0] alike.
var placeholders = []Placeholder{
	idPlaceholder("site", "siteId", AttrSiteID, func(f *Fields) *string { return &f.Site }),
	personPlaceholder("session", "sessionId", AttrSessionID, func(f *Fields) *string { return &f.Session }),
	personPlaceholder("user", "userId", AttrUserID, func(f *Fields) *string { return &f.User }),
	personPlaceholder("visitor", "visitorId", AttrVisitorID, func(f *Fields) *string { return &f.Visitor }),
	idPlaceholder("owner", "owner of a site", AttrOwner, func(f *Fields) *string { return &f.Owner }),
	idPlaceholder("goal", "id of a goal", AttrGoal, func(f *Fields) *string { return &f.Goal }),
	{Name: "goal number", About: "the number of a goal among all that its site has ever had, decimal",
		spell: func(f Fields) string { return strconv.FormatUint(f.Number, 10) },
		read:  func(f *Fields, s string) (err error) { f.Number, err = strconv.ParseUint(s, 10, 64); return err }},
	idPlaceholder("funnel", "id of a funnel", AttrFunnelID, func(f *Fields) *string { return &f.Funnel }),
	idPlaceholder("segment", "name of a segment", AttrSegment, func(f *Fields) *string { return &f.Segment }),
	idPlaceholder("token", "id of a token or share link", AttrTokenID, func(f *Fields) *string { return &f.Token }),
	idPlaceholder("annotation", "id of an annotation, a ULID that begins with its instant", AttrAnnotationID,
		func(f *Fields) *string { return &f.Annotation }),
	idPlaceholder("alert", "name of an alert", AttrAlertID, func(f *Fields) *string { return &f.Alert }),
	idPlaceholder("topic", "name of a Kafka topic", AttrTopicName, func(f *Fields) *string { return &f.Topic }),
	{Name: "schema", About: "id of a schema: a number of Confluent's registry, or the UUID of a schema version of AWS Glue's",
		spell: func(f Fields) string { return f.Schema },
		read:  func(f *Fields, s string) error { f.Schema = s; return nil }},
	{Name: "topic number", About: "the number that the table gave a topic",
		spell: func(f Fields) string { return strconv.FormatInt(f.TP.Topic, 10) },
		read:  func(f *Fields, s string) (err error) { f.TP.Topic, err = strconv.ParseInt(s, 10, 64); return err }},
	{Name: "partition", About: "partition of the topic, decimal",
		spell: func(f Fields) string { return strconv.FormatInt(int64(f.TP.Partition), 10) },
		read: func(f *Fields, s string) error {
			n, err := strconv.ParseInt(s, 10, 32)
			f.TP.Partition = int32(n)
			return err
		}},
	{Name: "tp", About: "topic number and partition, as in `1_17`",
		spell: func(f Fields) string { return f.TP.String() },
		read:  func(f *Fields, s string) (err error) { f.TP, err = ParseTP(s); return err }},
	{Name: "lane", About: "`stats` or `realtime`",
		spell: func(f Fields) string { return f.Lane },
		read:  func(f *Fields, s string) error { f.Lane = s; return nil }},
	{Name: "hour", About: "an hour's start in UTC, as in `2026-05-12T14`",
		spell: func(f Fields) string { return Hour(f.At) },
		read:  func(f *Fields, s string) (err error) { f.At, err = ParseHour(s); return err }},
	{Name: "day", About: "a day, as in `2026-05-12`",
		spell: func(f Fields) string { return Day(f.At) },
		read:  func(f *Fields, s string) (err error) { f.At, err = ParseDay(s); return err }},
	{Name: "month", About: "a month, as in `2026-05`",
		spell: func(f Fields) string { return Month(f.At) },
		read:  func(f *Fields, s string) (err error) { f.At, err = ParseMonth(s); return err }},
	{Name: "minute", About: "a minute's start in UTC, as in `2026-05-12T14:03`",
		spell: func(f Fields) string { return Minute(f.At) },
		read:  func(f *Fields, s string) (err error) { f.At, err = ParseMinute(s); return err }},
	{Name: "instant", About: "an instant, as a ULID begins with it: ms since the epoch in Crockford's base 32, 10 characters, " +
		"as in `01KRE3M8R2`",
		spell: func(f Fields) string { return InstantBound(f.At) },
		read:  func(f *Fields, s string) (err error) { f.At, err = ParseInstant(s); return err }},
	{Name: tie, About: "order of sessions of the same instant: base64url of the first 6 bytes of the SHA-256 of the sessionId, `#`, topic " +
		"number, `_` and partition, 8 characters",
		spell: func(f Fields) string { return string(appendTie(nil, f.Session, f.TP)) },
		read: func(_ *Fields, s string) error {
			if b, err := base64.RawURLEncoding.DecodeString(s); err != nil || len(b) != 6 {
				return fmt.Errorf("%q is no order of sessions", s)
			}
			return nil
		}},
	{Name: "ulid", About: "ULID of the event time and 80 bits of a hash of siteId and id, 26 characters",
		spell: func(f Fields) string { return f.ULID },
		read: func(f *Fields, s string) error {
			if len(s) != len(samples[0].ULID) {
				return fmt.Errorf("%q is no ULID", s)
			}
			f.ULID = s
			return nil
		}},
	idPlaceholder("item", "partition key and sort key of a damaged item, with a space between them", "",
		func(f *Fields) *string { return &f.Item }),
	{Name: "damage", About: "id of a damage, 16 hex digits: a hash of what could not be read",
		spell: func(f Fields) string { return f.Damage },
		read:  func(f *Fields, s string) error { f.Damage = s; return nil }},
	{Name: "hash", About: "keyed hash of the siteId and the visitorId, or of the sessionId where there is no visitorId, 32 hex digits",
		spell: func(f Fields) string { return f.Hash },
		read: func(f *Fields, s string) error {
			if b, err := hex.DecodeString(s); err != nil || 2*len(b) != len(samples[0].Hash) {
				return fmt.Errorf("%q is no hash of a visitor", s)
			}
			f.Hash = s
			return nil
		}},
	{Name: "k", About: "number of a flush, decimal",
		spell: func(f Fields) string { return strconv.FormatInt(f.Step, 10) },
		read:  func(f *Fields, s string) (err error) { f.Step, err = strconv.ParseInt(s, 10, 64); return err }},
	{Name: "k16", About: "number of a flush, 16 digits",
		spell: func(f Fields) string { return fmt.Sprintf("%016d", f.Step) },
		read:  func(f *Fields, s string) (err error) { f.Step, err = strconv.ParseInt(s, 10, 64); return err }},
	{Name: "rev", About: "a revision of the rules of sites, 12 digits",
		spell: func(f Fields) string { return fmt.Sprintf("%012d", f.Rev) },
		read:  func(f *Fields, s string) (err error) { f.Rev, err = strconv.ParseInt(s, 10, 64); return err }},
	{Name: "i", About: "number of the item among several, from 0",
		spell: func(f Fields) string { return strconv.Itoa(f.Index) },
		read:  func(f *Fields, s string) (err error) { f.Index, err = strconv.Atoi(s); return err }},
	{Name: "bucket", About: "the visitors whose hashes, xxh64 with seed 0 of the visitorId, begin with the same bits: how many bits, 0 to " +
		"8, and from 1 on `-` and the bits as a decimal number, as in `0` or `3-5`",
		spell: func(f Fields) string { return f.Bucket.String() },
		read:  func(f *Fields, s string) (err error) { f.Bucket, err = ParseVisitorBucket(s); return err }},
	{Name: derived, About: "shard, two digits: xxh64 with seed 0 of the siteId (list of sites), or of the sessionId, or of the " +
		"visitorId where there is no session, modulo the number of shards",
		spell: func(f Fields) string { return fmt.Sprintf("%02d", f.Shard) },
		read:  func(f *Fields, s string) (err error) { f.Shard, err = strconv.Atoi(s); return err }},
}

// derived is the placeholder of a segment that varies with the fields and is none of them: a shard is the hash of an id. So is tie, of
// which a segment does not say the fields.
const (
	derived = "nn"
	tie     = "tie"
)

func idPlaceholder(name, about, attr string, id func(*Fields) *string) Placeholder {
	return Placeholder{Name: name, About: about + ", percent-encoded, shortened beyond 256 bytes", id: id, attr: attr,
		spell: func(f Fields) string { return ids.Escape(*id(&f)) },
		read: func(f *Fields, s string) (err error) {
			*id(f), _, err = ids.Unescape(s)
			return err
		}}
}

// personPlaceholder is one of the ids that are often UUIDs.
func personPlaceholder(name, about, attr string, id func(*Fields) *string) Placeholder {
	p := idPlaceholder(name, about, attr, id)
	p.About += ", a UUID or 32 hex digits as 24 characters: see docs/internals/encodings.md"
	p.spell = func(f Fields) string { return ids.EscapeID(*id(&f)) }
	return p
}

// Placeholders lists all placeholders of templates.
func Placeholders() []Placeholder { return slices.Clone(placeholders) }

// placeholder returns the placeholder that a segment of a template is; ok is false for a literal.
func placeholder(segment string) (p Placeholder, ok bool) {
	name, begins := strings.CutPrefix(segment, "{")
	name, ends := strings.CutSuffix(name, "}")
	i := slices.IndexFunc(placeholders, func(p Placeholder) bool { return p.Name == name })
	if !begins || !ends || i < 0 {
		return Placeholder{}, false
	}
	return placeholders[i], true
}

// samples are two sets of fields that have nothing in common, not even the shards of their ids: a segment that both spell
// alike is a literal.
var samples = [2]Fields{
	{
		Site: "a site", Session: "a session", User: "a user", Visitor: "a visitor", Owner: "an owner", Topic: "a topic",
		Entered: Entered{"a funnel", "a segment", "a token", "an annotation", "an alert"}, Schema: "7", Goal: "a goal", Number: 1006,
		Item: "an item", Damage: "00000000000000aa", Hash: "000000000000000000000000000000aa", ULID: "01KRE3M8R0ABCDEFGHJKMNPQRS",
		Lane: "stats", TP: TP{Topic: 1001, Partition: 1002}, At: 1_778_594_400_000, Step: 1003, Rev: 1005, Index: 1004, Shard: 10,
		Shards: MaxShards, Bucket: VisitorBucket{7, 101},
	},
	{
		Site: "another site", Session: "another session", User: "another user", Visitor: "another visitor", Owner: "another owner",
		Topic: "another topic", Entered: Entered{"another funnel", "another segment", "another token", "another annotation", "another alert"},
		Schema: "8", Goal: "another goal", Number: 2006, Item: "another item", Damage: "00000000000000bb",
		Hash: "000000000000000000000000000000bb", ULID: "01KRE3M8R1ABCDEFGHJKMNPQRS", Lane: "realtime", TP: TP{Topic: 2001, Partition: 2002},
		At: 978_307_200_000, Step: 2003,
		Rev: 2005, Index: 2004, Shard: 20, Shards: MaxShards, Bucket: VisitorBucket{8, 201},
	},
}
