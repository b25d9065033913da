// Package config holds everything about footfall that can be configured: one [Config], filled from defaults, one
// YAML file, the environment and flags, in this order. Loading is strict: a key that does not exist is an error
// that names the nearest one that does, and every fault is named at once.
//
// A field's place in the file is its path (kafka.failedTopic); its environment variable and its flag are spelled
// from the path by one rule (FOOTFALL_KAFKA_FAILED_TOPIC, --kafka-failed-topic); see [Fields]. AWS is configured by
// its own standard variables and files, AWS_ENDPOINT_URL_DYNAMODB for DynamoDB Local included.
package config

import (
	"time"
)

// Config is the whole configuration. Make one with [Default] or [Load]; the zero value is not valid.
// It holds secrets: print it with [Config.YAML], which masks them.
type Config struct {
	Kafka Kafka `yaml:"kafka"`

	// Table is where the numbers go: dynamodb://NAME, or sqlite://PATH for one machine without AWS.
	// Default: dynamodb://footfall.
	Table string `yaml:"table" help:"table of all numbers: dynamodb://NAME or sqlite://PATH"`

	DynamoDB DynamoDB `yaml:"dynamodb"`

	// VisitorHashKey is the key of the visitors' hash, 32 hex digits (16 bytes: SipHash's key). Empty: a random key that is
	// created with the table and kept in it. Set a key if readers of the table must not be able to guess visitors. A table
	// keeps the key that it was created with.
	VisitorHashKey string `yaml:"visitorHashKey" secret:"true" help:"key of the visitors' hash, 32 hex digits; empty = the table's own random key"`
	// VisitorHashKeyFile is a file with nothing but the key in it. Load reads it into VisitorHashKey, and leaves this empty.
	VisitorHashKeyFile string `yaml:"visitorHashKeyFile" secret:"file" help:"file with the key of the visitors' hash"`

	// AllowedLateness is the maximum age of an event relative to its record's timestamp; older events are rejected as
	// too_late. Default: 48h, which covers a phone that was offline for a weekend's flight and back. Off: unlimited.
	AllowedLateness Lateness `yaml:"allowedLateness" help:"max. age of an event relative to its record's timestamp: a duration, or off = unlimited"`

	// AllowedEarliness is how far ahead of its record's timestamp an event may be; events further ahead are rejected as
	// too_early. Default: 10m, for badly set clocks.
	AllowedEarliness time.Duration `yaml:"allowedEarliness" help:"max. time of an event ahead of its record's timestamp"`

	// NonInteractiveEvents are the event types that do not end a bounce; page_view never does.
	// Default: engagement and ping, which trackers send on their own, and asset, which footfall produce makes of access logs.
	NonInteractiveEvents []string `yaml:"nonInteractiveEvents" help:"event types besides page_view that do not end a bounce, separated by commas; empty = none"`

	Event Event `yaml:"event"`

	Sites Sites `yaml:"sites"`

	Retention Retention `yaml:"retention"`

	// RawEvents says how raw events are kept. Default: packed, the events of a flush, a site and a shard compressed into few items. An
	// event is readable after its flush, 60 s by default, and costs 0.1 to 0.2 write units where there are ten or more in each. Items: one
	// item for each event, readable as its record arrives, at one write unit per KB. Off: none are kept. Session replays and events by date
	// are read from them, in either mode. The values true and false mean items and off.
	RawEvents RawEvents `yaml:"rawEvents" help:"how raw events are kept: items = one item per event, packed = compressed, or off"`

	// BatchBytes is the maximum decompressed size of a record batch that is read as a whole. A larger batch is streamed, a record
	// at a time, with the same result. Default: 4194304, 4 MiB, four times what producers send by default.
	// From 1 MiB to 16 MiB. Each step records it.
	BatchBytes int `yaml:"batchBytes" help:"max. bytes of a record batch that is decompressed as a whole, 1048576 to 16777216; larger batches are streamed"`

	Duplicates Duplicates `yaml:"duplicates"`

	Breakdowns Breakdowns `yaml:"breakdowns"`

	Bots   Bots   `yaml:"bots"`
	Visits Visits `yaml:"visits"`

	Privacy Privacy `yaml:"privacy"`

	Intervals Intervals `yaml:"intervals"`

	Seal Seal `yaml:"seal"`

	Limits Limits `yaml:"limits"`

	// HTTP is the address of /livez, /readyz, /metrics and /debug/hot-keys, as in :8080 or 127.0.0.1:8080. Default: empty, no server.
	HTTP string `yaml:"http" help:"address of /livez, /readyz, /metrics and /debug/hot-keys, as in :8080; empty = none"`
	// HTTPHotKeys serves /debug/hot-keys there, which names the busiest partition keys, ids of sites among them. Default: false.
	HTTPHotKeys bool `yaml:"httpHotKeys" help:"serve /debug/hot-keys, the most-written partition keys, which contain site ids"`

	Log Log `yaml:"log"`

	origins map[string]string // where a field's value came from, by path; absent: the default
}

// Kafka says which topic is read and how to reach it.
type Kafka struct {
	// Brokers are seeds, host:port; one that answers is enough. Default: localhost:9092.
	Brokers []string `yaml:"brokers" flag:"brokers" help:"seed brokers, host:port, separated by commas"`
	// Topic holds the events. Default: events.
	Topic string `yaml:"topic" flag:"topic" help:"topic of the events"`
	// FailedTopic takes rejected records. Default: empty, which means the topic's name followed by ".failed".
	FailedTopic string `yaml:"failedTopic" help:"topic of rejected records; empty = TOPIC.failed"`
	// Group is the consumer group. It decides who shares the work, and is in no key of the table. Default: footfall.
	Group string `yaml:"group" help:"consumer group"`
	// GroupInstanceID makes this process a static member of its group: a restart within the session timeout moves no
	// partition. Each process needs its own. Default: empty, a dynamic member.
	GroupInstanceID string `yaml:"groupInstanceId" help:"static member id, different for each process; empty = dynamic member"`
	// GroupProtocol is classic (cooperative-sticky), or consumer (KIP-848, brokers of Kafka 4 and later).
	// Default: classic, which every broker since 3.0 speaks.
	GroupProtocol string `yaml:"groupProtocol" help:"group protocol: classic, or consumer (KIP-848)"`
	// SessionTimeout is how long after the last heartbeat of a process that died its partitions go to other members: from 3s to 30m, and
	// within the brokers' group.min.session.timeout.ms and group.max.session.timeout.ms. Heartbeats are sent every 3 s, and at least
	// three times in a session timeout. Default: 45s, as in Kafka. At 10s the partitions of a killed process wait some 10 s; a
	// process that is stopped for longer loses its partitions. With groupProtocol consumer the brokers decide, by
	// group.consumer.session.timeout.ms.
	SessionTimeout time.Duration `yaml:"sessionTimeout" help:"time without heartbeats after which other members take over, 3s to 30m; the brokers decide for groupProtocol consumer"`
	// ClientID is what this process calls itself in requests: brokers have quotas, logs and metrics by it. Default: footfall.
	ClientID string `yaml:"clientId" help:"client id in the brokers' quotas, logs and metrics"`
	// ClientRack is the rack, or the availability zone, of this process. Brokers with a replica selector (KIP-392) then have it
	// read from a replica of the same rack. Default: empty: from the leaders.
	ClientRack string `yaml:"clientRack" help:"rack of this process, to read from replicas there; empty = from the leaders"`
	// FetchMaxBytes bounds the answer to a fetch of records, from 64 KiB to 64 MiB; each broker has one under way. Default: 8388608,
	// 8 MiB. A batch that is larger is fetched all the same.
	FetchMaxBytes int `yaml:"fetchMaxBytes" help:"max. bytes of an answer to a fetch, 65536 to 67108864"`
	// MaxPartitionFetchBytes bounds the part of one partition in it, from 16 KiB to fetchMaxBytes. Default: 1048576, 1 MiB, as in Kafka.
	MaxPartitionFetchBytes int  `yaml:"maxPartitionFetchBytes" help:"max. bytes of one partition in an answer to a fetch, 16384 to fetchMaxBytes"`
	TLS                    TLS  `yaml:"tls"`
	SASL                   SASL `yaml:"sasl"`
}

// DynamoDB says how a table on DynamoDB is reached.
type DynamoDB struct {
	// Client reads and writes items: sdk is the generated client of the AWS SDK. Direct is a client of footfall's own, with the SDK's
	// credentials and endpoints, for a third of the CPU. Both send the same requests, and processes with either can share a table.
	// Administration always uses the SDK's client. Default: sdk.
	Client string `yaml:"client" help:"client that reads and writes items on DynamoDB: sdk = of the AWS SDK, or direct = footfall's own, for a third of the CPU"`
}

// Clients of a DynamoDB table's items.
const (
	ClientSDK    = "sdk"
	ClientDirect = "direct"
)

// Sites say which siteIds are counted.
type Sites struct {
	// Accept is any, or registered: only sites that `footfall site create` has created and that are not deleted. Events of other
	// sites are rejected as unknown_site; `footfall failed replay` publishes them again after the site was created. Default: any.
	// Deleted sites are rejected in both cases.
	Accept string `yaml:"accept" help:"siteIds that are counted: any, or registered = only created sites"`

	// MaxNewPerHour bounds how many unregistered siteIds a partition and lane accepts for the first time in an hour of record time,
	// where any are counted. Events of further ones are rejected as too_many_sites. Default: 1000: 16 partitions accept the sites
	// of a table of 10,000 within an hour, and made-up siteIds cost at most 16,000 sites an hour. Ids that were accepted once do
	// not count again. 0: unlimited.
	MaxNewPerHour int `yaml:"maxNewPerHour" help:"max. unregistered sites accepted per partition and hour; 0 = unlimited"`

	// Zone is the time zone, of the IANA database, of sites that were not created: the process that meets a site first writes it to the
	// site's entry, and it holds for the site from then on, whatever the setting is later. Sites that are counted already keep theirs.
	// Default: UTC.
	Zone string `yaml:"zone" help:"time zone of new sites that were not created, as in Europe/Berlin; sites keep theirs when this changes"`

	// AlertKey, or AlertKeyFile, is what findings of alerts are signed with that `run` sends to webhooks: any text, or whsec_ and base64. The
	// file is read again for each. Default: empty, none is sent.
	AlertKey     string `yaml:"alertKey" secret:"true" help:"key of the signatures of alerts at webhooks; empty = alerts are not sent"`
	AlertKeyFile string `yaml:"alertKeyFile" secret:"file" help:"file with the key of the signatures of alerts"`
}

// TLS says how connections to the brokers are encrypted. Cert and Key together make it mutual.
type TLS struct {
	// Enabled turns TLS on. Default: false.
	Enabled bool `yaml:"enabled" help:"connect to the brokers with TLS"`
	// CA is a PEM file of the authorities that the brokers' certificates are checked against.
	// Default: empty, the system's.
	CA string `yaml:"ca" help:"PEM file of the brokers' certificate authorities; empty = the system's"`
	// Cert and Key are PEM files of this client's certificate and key. Default: empty, no client certificate.
	Cert string `yaml:"cert" help:"PEM file of the client's certificate"`
	Key  string `yaml:"key" secret:"file" help:"PEM file of the client's key"`
	// ServerName is the name expected in the brokers' certificates. Default: empty, the host that is dialled.
	ServerName string `yaml:"serverName" help:"name expected in the brokers' certificates; empty = the host name"`
}

// SASL says how the process authenticates to the brokers.
type SASL struct {
	// Mechanism is PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER or AWS_MSK_IAM, in upper or lower case. AWS_MSK_IAM takes the
	// credentials that the AWS SDK finds. Default: empty, no SASL.
	Mechanism string `yaml:"mechanism" help:"SASL mechanism: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER or AWS_MSK_IAM; empty = none"`
	Username  string `yaml:"username" help:"SASL user"`
	// Password, or PasswordFile, a file with nothing but the password in it (one trailing line break is cut). It is read again for each
	// connection.
	Password     string `yaml:"password" secret:"true" help:"SASL password"`
	PasswordFile string `yaml:"passwordFile" secret:"file" help:"file with the SASL password"`
	OAuth        OAuth  `yaml:"oauth"`
}

// OAuth says where tokens for OAUTHBEARER come from: a file that another process renews, or an endpoint that grants them to a client
// (client credentials, RFC 6749, section 4.4).
type OAuth struct {
	// TokenFile has nothing but the token in it. It is read again for each connection, and before a token expires.
	TokenFile     string `yaml:"tokenFile" secret:"file" help:"file with the token, which is renewed by others"`
	TokenEndpoint string `yaml:"tokenEndpoint" secret:"url" help:"URL that grants tokens to a client"`
	ClientID      string `yaml:"clientId" help:"id of the client"`
	// ClientSecret, or ClientSecretFile, which is read again for each token.
	ClientSecret     string `yaml:"clientSecret" secret:"true" help:"secret of the client"`
	ClientSecretFile string `yaml:"clientSecretFile" secret:"file" help:"file with the secret of the client"`
	Scope            string `yaml:"scope" help:"scopes to ask for, separated by spaces"`
	Audience         string `yaml:"audience" help:"audience to ask for"`
	// Extensions are sent to the brokers with each token (RFC 7628, section 3.1), as Confluent Cloud asks for logicalCluster.
	Extensions []string `yaml:"extensions" help:"SASL extensions, as in logicalCluster=lkc-1"`
}

// Retention says how many days, as in 30d, each kind of item is kept, counted from the end of its bucket (an event: its time;
// a session: its end). A shorter retention is cheaper to store; all of it is deleted by the table at no cost.
type Retention struct {
	// Raw events. Default: 30 days. At 1,000 bytes an event and a million events a day that is 30 GB.
	Raw Days `yaml:"raw" help:"how long raw events are kept: days as in 30d, or never"`
	// Session items. Default: 90 days. They must outlast what may still come of them, 3 days at the default lateness and
	// visits; without lateness, choose never. Where they expire before their hours, a session that comes back counts again.
	Session Days `yaml:"session" help:"how long sessions are kept: days as in 30d, or never"`
	// Hour stats, their uniques and breakdowns. Default: 90 days, 2,160 items a site.
	Hour Days `yaml:"hour" help:"how long hourly stats, uniques and breakdowns are kept: days as in 30d, or never"`
	// Day stats. Default: 730 days: this year and last year, 730 items a site.
	Day Days `yaml:"day" help:"how long daily stats are kept: days as in 30d, or never"`
}

// Duplicates say what becomes of an event that its producer published again: the same siteId and id, in the same
// partition.
type Duplicates struct {
	// Window is how far apart the timestamps of two records with the same event may be that count once. Default: 15m, in
	// which collectors have sent again what was not acknowledged. 0: every record counts.
	Window time.Duration `yaml:"window" help:"max. time between records of a partition that repeat a siteId and id; 0 = every record counts"`
	// MemoryBytes shortens the window of a partition with many records. Default: 6 MiB, 251,658 records at 25 bytes: 15
	// minutes at 279 records a second in a partition, 2 at 2,000. A calm partition takes 1.6 MB.
	MemoryBytes int `yaml:"memoryBytes" help:"max. bytes of memory for a partition's window; a busy partition's is shorter, and the log says so"`
	// Observe only measures repetitions, in the metric footfall_duplicate_distance_records, and counts them like all
	// other events. Default: false.
	Observe bool `yaml:"observe" help:"measure duplicates, but count them"`
}

// Breakdowns say how figures by page, referrer, browser and so on are kept.
type Breakdowns struct {
	// Rows are how many values of a dimension have a row of their own in an hour of a site and a partition; the figures
	// of all others are kept together. Default: 512. 0: no breakdowns.
	Rows int `yaml:"rows" help:"max. values of a dimension with their own figures per site and hour; 0 = no breakdowns"`
	// Bytes is the maximum size of an hour of a site in a partition, all dimensions together and before compression. Beyond it,
	// the values with the fewest events lose their rows. The remainder without rows may take 8 KB more. Default: 358400, 350 KB,
	// the most that fits into an item. The hour is written once an interval, at a write unit a KB, so less is cheaper.
	Bytes int `yaml:"bytes" help:"max. bytes of the breakdowns of a site, hour and partition, before compression; beyond, the rarest values lose their rows"`
}

// Bots say how bots are detected. Their events are counted separately, in no ordinary figure.
type Bots struct {
	// Lists detects bots with the built-in lists of user agents and spam referrers.
	// Default: true.
	Lists bool `yaml:"lists" help:"detect bots with the built-in user-agent and referrer lists"`
	// Rate detects bots by the events of a session in a minute of event time: the event above the rate and all that follow in
	// the session belong to a bot. Default: 300, five per second. A visitor who views a page per second, each with a click, a
	// scroll and an engagement ping, makes 240. 0: unlimited.
	Rate int `yaml:"rate" help:"max. events of a session per minute; a session above it is a bot; 0 = unlimited"`
}

// Visits say how events without a sessionId become sessions: those of a visitor that lie close together are a visit.
type Visits struct {
	// Gap is how far apart two events of a visit may lie, of event time. Default: 30m, which most others use. Off: such
	// events are in no session. A visit costs what a session does, and its visitor an item an interval more.
	Gap Gap `yaml:"gap" help:"max. time between two events of a visit (events without a sessionId): a duration, or off"`
	// Longest is how long a visit may be, from its first event to its last; an event beyond begins another. Default: 24h,
	// so a program that sends an event every minute is a visit per day.
	Longest time.Duration `yaml:"longest" help:"max. duration of a visit"`
}

// Privacy says what is not kept of events.
type Privacy struct {
	// QueryParameters are the query parameters of urls and referrers that raw events, exports and failed events keep: all, none, or
	// a list of names that may end in *. Figures are derived before that. Default: those of campaigns, which channels are derived
	// from. Others may be personal: search terms, addresses, tokens. Unless all are kept, the part after # is removed, too.
	QueryParameters []string `yaml:"queryParameters" help:"query parameters of urls and referrers that raw and failed events keep: all, none, or names as in utm_*,gclid"`
}

// Intervals say how often a partition's lanes are flushed. An item is written once an interval however many events
// it got, so twice the interval is nearly half the write units.
type Intervals struct {
	// Stats: stats, uniques and sessions. Default: 60s.
	Stats time.Duration `yaml:"stats" help:"flush interval of stats, uniques and sessions"`
	// Realtime: realtime minutes. Default: 5s: a number on screen is at most 6 s old at p99.
	Realtime time.Duration `yaml:"realtime" help:"flush interval of realtime minutes"`
	// RealtimeMax: while a partition has fewer than 16 events for each realtime minute that a flush would write, the flush waits, up to
	// this long. Then a number on screen is at most this and 1 s old at p99, and calm sites cost fewer writes. Default: 0s: never.
	RealtimeMax time.Duration `yaml:"realtimeMax" help:"max. flush interval of realtime minutes in partitions with few events per site; 0s = intervals.realtime"`
}

// Seal says when the hours of a day, and the days of a month, are merged into one item each, which makes reads of days and
// months cheap. Answers stay the same, with two exceptions: what was sealed stays when the hours expire, and a sealed
// breakdown of more than 350 KB keeps the frequent values, with bounds on what it may miss of them. The process that owns
// partition 0 does it, for all sites.
type Seal struct {
	// After is how long after its end a day or a month is sealed. Default: 2h: its last sessions have ended with half an hour
	// of inactivity, and collectors have sent what they had. What comes later has the day sealed again, for some ten read
	// and write units.
	After time.Duration `yaml:"after" help:"delay from the end of a day to its sealing"`
	// Interval is from one look at all sites to the next. Default: 1h, some 2 read units a site; days that have ended wait
	// half as long on average, and are read by the hour until then. 0: nothing is sealed.
	Interval time.Duration `yaml:"interval" help:"interval of the search for days to seal; 0 = sealing off"`
}

// Limits are ceilings that bound memory. The first two are those of the process, however many partitions it has; the next five
// are those of each partition, and bound how much of the process's one of them takes while there is enough for all.
type Limits struct {
	// MemoryBytes is what states and flushes that are under way may take. Above it partitions that hold more than an equal share
	// let go of states, which are read again when a record of them comes, and flush early. Default: 268435456, 256 MiB: some
	// 250,000 sessions with breakdowns, or 100 of the largest breakdowns of an hour.
	MemoryBytes int `yaml:"memoryBytes" help:"max. bytes of states and running flushes, whole process"`
	// FetchedBytes is what records that wait to be folded may take. Above it the fetching of partitions pauses that have more
	// than half of an equal share. Default: 67108864, 64 MiB: eight full queues.
	FetchedBytes int `yaml:"fetchedBytes" help:"max. bytes of fetched records that are not counted yet, whole process"`
	// FlushBytes triggers an early flush when its writes reach about this many bytes. An early flush costs write units: the hours that
	// it touches are written once more. Default: 67108864, 64 MiB: five minutes of 50 events a second with breakdowns take 16 MiB.
	FlushBytes int `yaml:"flushBytes" help:"max. bytes written per flush, approximately; reaching it triggers an early flush"`
	// FlushItems triggers an early flush when it touches this many items: a process that stops, and the owner after one that was killed,
	// write that many in time. Default: 40000: at 5 ms a write, and eight partitions with such a flush each in a process, all are
	// written in 12.5 s, of the 27 s that a drain has for it.
	FlushItems int `yaml:"flushItems" help:"max. items per flush, which bounds how long it takes; reaching it triggers an early flush"`
	// QueueBytes pauses the fetching of a partition while this many fetched bytes are not counted yet. Default: 8388608, 8 MiB.
	QueueBytes int `yaml:"queueBytes" help:"max. bytes of fetched records that are not counted yet, per partition; fetching pauses there"`
	// ChunksAhead is how many chunks of a partition, of up to 256 records each, are decoded before their turn, so that a busy partition
	// uses a second processor. What they take counts as fetched, and is at most half of queueBytes; each partition has up to 4 MB of
	// lists more. Default: 0, none: on two processors, beside a broker, 4 gained 3 % with the defaults and lost 4 % with few features.
	ChunksAhead int `yaml:"chunksAhead" help:"max. chunks of 256 records decoded in advance on a second processor, per partition; 0 = none"`
	// CacheBytes of sessions, visitors, hours and minutes are kept in memory by each lane of a partition, those of running flushes
	// aside; others are read from the table when a record of them comes, for a read unit or more each. Default: 67108864, 64 MiB: some
	// 60,000 sessions with breakdowns.
	CacheBytes int `yaml:"cacheBytes" help:"max. bytes of cached states per partition and lane, besides those of running flushes"`
	// InFlight requests are at the table at once, of the whole process. Default: 128; at 5 ms a write that is
	// 25,600 writes a second.
	InFlight int `yaml:"inFlight" help:"max. concurrent requests to the table, whole process"`
}

// Log says what is logged, to stderr.
type Log struct {
	// Format is text or json. Default: text.
	Format string `yaml:"format" help:"log format: text or json"`
	// Level is debug, info, warn or error. Default: info.
	Level string `yaml:"level" help:"log level: debug, info, warn or error"`
}

// Default is a valid configuration: a broker and a DynamoDB table as a fresh installation would name them.
func Default() Config {
	return Config{
		Kafka: Kafka{
			Brokers:        []string{"localhost:9092"},
			Topic:          "events",
			Group:          "footfall",
			GroupProtocol:  "classic",
			SessionTimeout: 45 * time.Second,
			ClientID:       "footfall",
			FetchMaxBytes:  8 << 20, MaxPartitionFetchBytes: 1 << 20,
			SASL: SASL{OAuth: OAuth{Extensions: []string{}}},
		},
		Table:                "dynamodb://footfall",
		DynamoDB:             DynamoDB{Client: ClientSDK},
		AllowedLateness:      Lateness(48 * time.Hour),
		AllowedEarliness:     10 * time.Minute,
		NonInteractiveEvents: []string{"engagement", "ping", "asset"},
		Event:                Event{Map: []string{}, Set: []string{}, Default: []string{}, Registry: Registry{URLs: []string{}}},
		Sites:                Sites{Accept: "any", MaxNewPerHour: 1000, Zone: "UTC"},
		BatchBytes:           4 << 20,
		Retention:            Retention{Raw: 30, Session: 90, Hour: 90, Day: 730},
		RawEvents:            RawPacked,
		Duplicates:           Duplicates{Window: 15 * time.Minute, MemoryBytes: 6 << 20},
		Breakdowns:           Breakdowns{Rows: 512, Bytes: 350 << 10},
		Bots:                 Bots{Lists: true, Rate: 300},
		Visits:               Visits{Gap: Gap(30 * time.Minute), Longest: 24 * time.Hour},
		Intervals:            Intervals{Stats: time.Minute, Realtime: 5 * time.Second},
		Privacy:              Privacy{QueryParameters: []string{"dclid", "gbraid", "gclid", "msclkid", "utm_*", "wbraid"}},
		Seal:                 Seal{After: 2 * time.Hour, Interval: time.Hour},
		Limits: Limits{MemoryBytes: 256 << 20, FetchedBytes: 64 << 20, FlushBytes: 64 << 20, FlushItems: 40_000,
			QueueBytes: 8 << 20, CacheBytes: 64 << 20, InFlight: 128},
		Log: Log{Format: "text", Level: "info"},
	}
}
