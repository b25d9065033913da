package sinks

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// TableSettings are what a table's items were written under and, but for the format, can never change.
type TableSettings struct {
	Schema        int    // SchemaVersion
	Precision     int    // of uniques, log2 of the number of registers
	SessionShards int    // shards of a site's sessions
	HashKey       []byte // 16 bytes: the key of the visitors' hash
	HashKeyPrint  string // its fingerprint
	Format        int    // FirstFormat to LastFormat
	Fencing       bool   // chains may have owners who took them over before the format was raised
	Generations
}

// UniquesPrecision is the precision of a table's uniques.
const UniquesPrecision = 14

// Attributes of the table's settings and of its topics.
const (
	AttrTableSchema   = "schema"
	AttrPrecision     = "precision"
	AttrSessionShards = "sessionShards"
	AttrHashKey       = "hashKey"
	AttrHashKeyPrint  = "hashKeyPrint"
	AttrTopics        = "topics"
	AttrTopicName     = "topic"
	AttrTopicNumber   = "number"
	AttrSchemaKind    = "kind"
	AttrSchemaHash    = "hash"
	AttrSchemaText    = "text"
)

// EnsureTableSettings records the settings of a fresh table, or checks those of one in use, and returns what
// holds. hashKey is the configured key of the visitors' hash, 16 bytes; nil asks for the one that the table
// keeps, made at random when the table is fresh. A table whose settings differ is a *SettingsError, and one in a format that this release
// does not know a *FormatError.
// Any number of processes may call it at once; all get the same answer.
func EnsureTableSettings(ctx context.Context, t Table, keys Keys, hashKey []byte) (TableSettings, error) {
	want := TableSettings{Schema: SchemaVersion, Precision: UniquesPrecision, SessionShards: DefaultShards, HashKey: hashKey,
		Format: LastFormat, Generations: Generations{Live: 1, Last: 1}}
	key := keys.TableSettings()
	it := Item{
		AttrPK: Str(key.PK), AttrSK: Str(key.SK), AttrEntity: Str(EntityTable), AttrSchema: Int(SchemaVersion),
		AttrTableSchema: Int(SchemaVersion), AttrPrecision: Int(UniquesPrecision), AttrSessionShards: Int(DefaultShards),
		AttrTopics: Int(0), AttrFormat: Int(LastFormat), AttrRelease: Str(FormatRelease(LastFormat)),
	}
	if hashKey == nil {
		want.HashKey = make([]byte, 16)
		rand.Read(want.HashKey) // Never fails (crypto/rand).
		it[AttrHashKey] = Bytes(want.HashKey)
	}
	want.HashKeyPrint = HashKeyPrint(want.HashKey)
	it[AttrHashKeyPrint] = Str(want.HashKeyPrint)
	r, err := t.Put(ctx, Put{Item: it, If: []Cond{{Attr: AttrPK, Op: Absent}}})
	if err != nil {
		return TableSettings{}, fmt.Errorf("record the table's settings: %w", err)
	}
	if !r.Refused {
		return want, nil
	}
	have, err := readTableSettings(r.Item)
	if err != nil {
		return TableSettings{}, err
	}
	var diff []string
	differ := func(name string, have, want int) {
		if have != want {
			diff = append(diff, fmt.Sprintf("%s: the table has %d, this version of footfall %d: run the version that made the table, "+
				"or one that docs/upgrading.md names for it", name, have, want))
		}
	}
	differ("schema version", have.Schema, want.Schema)
	differ("precision of uniques", have.Precision, want.Precision)
	if fault := have.checkShards(); fault != "" {
		diff = append(diff, fault)
	}
	if fault := CheckHashKey(have, hashKey); fault != "" {
		diff = append(diff, fault)
	}
	if hashKey != nil {
		have.HashKey = hashKey
	}
	if diff != nil {
		return TableSettings{}, &SettingsError{diff}
	}
	return have, nil
}

// LoadTableSettings reads the settings without making any. ok is false when the table has none yet: no pipeline has used it. Settings that
// name no usable number of shards are a *SettingsError: no key of a session can be spelled. Those in a format that this release does not
// know are a *FormatError.
func LoadTableSettings(ctx context.Context, t Table, keys Keys) (s TableSettings, ok bool, err error) {
	it, err := getOne(ctx, t, keys.TableSettings())
	if err != nil || it == nil {
		return TableSettings{}, false, err
	}
	s, err = ReadTableSettings(it)
	return s, true, err
}

// ReadTableSettings is LoadTableSettings of the settings' item.
func ReadTableSettings(it Item) (TableSettings, error) {
	s, err := readTableSettings(it)
	if err != nil {
		return s, err
	}
	if fault := s.checkShards(); fault != "" {
		return s, &SettingsError{[]string{fault}}
	}
	return s, nil
}

// checkShards says what is wrong with the number of shards of sessions; "": nothing.
func (s TableSettings) checkShards() string {
	if s.SessionShards >= 1 && s.SessionShards <= MaxShards {
		return ""
	}
	return fmt.Sprintf("%s: the table has %d, and 1 to %d are possible: its settings are damaged; put the number back (%d unless it was "+
		"chosen otherwise) or restore the table", AttrSessionShards, s.SessionShards, MaxShards, DefaultShards)
}

func readTableSettings(it Item) (TableSettings, error) {
	format, err := formatOf(it)
	generations, unread := readGenerations(it)
	if err == nil {
		err = unread
	}
	return TableSettings{
		Generations: generations,
		Format:      format, Fencing: it[AttrFencing].Int() == 1,
		Schema: int(it[AttrTableSchema].Int()), Precision: int(it[AttrPrecision].Int()),
		SessionShards: int(it[AttrSessionShards].Int()),
		HashKey:       it[AttrHashKey].Bytes(), HashKeyPrint: it[AttrHashKeyPrint].Str(),
	}, err
}

// CheckHashKey says what is wrong with the configured key of the visitors' hash, nil for none, and what to do about it. It is
// empty where the key is the one that the table was made with.
func CheckHashKey(table TableSettings, configured []byte) (fault string) {
	const setting = "visitorHashKey (FOOTFALL_VISITOR_HASH_KEY)"
	made := "the table was made with a configured key of the fingerprint " + table.HashKeyPrint
	switch {
	case configured == nil && table.HashKey != nil, configured != nil && HashKeyPrint(configured) == table.HashKeyPrint:
		return ""
	case configured == nil:
		return setting + " is not set, and " + made + ": set the same key"
	case table.HashKey != nil:
		return setting + " is set, and the table was made without, and keeps a key of its own: leave it out"
	}
	return setting + " has the fingerprint " + HashKeyPrint(configured) + ", and " + made + ": set the same key"
}

// HashKeyPrint returns the fingerprint of a key of the visitors' hash, by which a table knows the key it was made with.
func HashKeyPrint(key []byte) string {
	sum := sha256.Sum256(append([]byte("footfall hash key "), key...))
	return hex.EncodeToString(sum[:8])
}

// EnsureTopic returns the number of a topic in this table, giving one out if it has none. A number that loses the
// race for a topic is never used. The table's settings must exist.
func EnsureTopic(ctx context.Context, t Table, keys Keys, topic string) (int64, error) {
	n, ok, err := LoadTopic(ctx, t, keys, topic)
	if err != nil || ok {
		return n, err
	}
	r, err := t.Update(ctx, Update{Key: keys.TableSettings(), Add: []Attr{{AttrTopics, Int(1)}},
		If: []Cond{{Attr: AttrPK, Op: Present}}, Return: true})
	if err != nil {
		return 0, fmt.Errorf("topic %q: draw a number: %w", topic, err)
	}
	if r.Refused {
		return 0, fmt.Errorf("topic %q: the table has no settings", topic)
	}
	n = r.Item[AttrTopics].Int()
	key := keys.Topic(topic)
	r, err = t.Put(ctx, Put{Item: Item{
		AttrPK: Str(key.PK), AttrSK: Str(key.SK), AttrEntity: Str(EntityTopic), AttrSchema: Int(SchemaVersion),
		AttrTopicName: Str(topic), AttrTopicNumber: Int(n),
	}, If: []Cond{{Attr: AttrPK, Op: Absent}}})
	if err != nil {
		return 0, fmt.Errorf("topic %q: record its number: %w", topic, err)
	}
	if r.Refused {
		n = r.Item[AttrTopicNumber].Int()
	}
	return n, nil
}

// LoadTopic returns the number of a topic; ok is false when it has none in this table.
func LoadTopic(ctx context.Context, t Table, keys Keys, topic string) (n int64, ok bool, err error) {
	it, err := getOne(ctx, t, keys.Topic(topic))
	if err != nil || it == nil {
		return 0, false, err
	}
	return it[AttrTopicNumber].Int(), true, nil
}

// TopicNamed returns the name of the topic of a number; ok is false when the table has given it to none.
func TopicNamed(ctx context.Context, t Table, keys Keys, number int64) (topic string, ok bool, err error) {
	topics, err := Topics(ctx, t, keys)
	if err != nil {
		return "", false, fmt.Errorf("look for topic number %d: %w", number, err)
	}
	topic, ok = topics[number]
	return topic, ok, nil
}

// Topics returns the names of all topics of the table, by number.
func Topics(ctx context.Context, t Table, keys Keys) (map[int64]string, error) {
	topics := make(map[int64]string)
	pk, prefix := keys.Topics()
	for it, err := range Items(ctx, t, Query{PK: pk, Prefix: prefix, Consistent: true}) {
		if err != nil {
			return nil, fmt.Errorf("list the topics: %w", err)
		}
		topics[it[AttrTopicNumber].Int()] = it[AttrTopicName].Str()
	}
	return topics, nil
}

// getOne reads one item strongly; nil when it is absent.
func getOne(ctx context.Context, t Table, key Key) (Item, error) {
	found, err := Get(ctx, t, key)
	return found[key], err
}
