package config

// Event says how records that are JSON objects of another shape are made events, as `footfall produce --map` does. Default: they are
// events. Which mapping a record has is decided when the first flush begins that may have it: a change holds from then on.
type Event struct {
	// Preset is the mapping of another product's records: ga4, matomo, plausible, posthog, rudderstack, segment, snowplow-json, snowplow-tsv
	// or umami. What Map, Set and Default say comes before it. `footfall config try` prints it.
	Preset string `yaml:"preset" help:"mapping of another product's records: ga4, matomo, plausible, posthog, rudderstack, segment, snowplow-json, snowplow-tsv or umami; empty = none"`
	// Map has FIELD=SOURCE for each field of an event, and for properties.NAME: a key (siteId=site), a path (visitorId=user.id,
	// url=tags[0], url=params[key=page].value), both with ? where records may lack it, several, where the first with a value is taken
	// (visitorId=user.id|device?), another text for one (type=kind==page=>page_view|kind), a template (url=/wiki/{page}), or what is around
	// the value (kafka:key, kafka:timestamp, kafka:header:NAME).
	Map []string `yaml:"map" help:"mapping of records that are no events: FIELD=KEY, FIELD=PATH, FIELD=KEY|KEY or FIELD=TEMPLATE, separated by commas; empty = records are events"`
	// Set has FIELD=TEXT for fields that are the same in all records.
	Set []string `yaml:"set" help:"fields with the same value in all mapped records: FIELD=TEXT, separated by commas"`
	// Default has FIELD=TEXT for records in which the source of a field is missing, null or empty.
	Default []string `yaml:"default" help:"values of mapped fields whose source is missing, null or empty: FIELD=TEXT, separated by commas"`
	// Properties is rest: keys that no field is made of become properties. Default: empty, they are dropped.
	Properties string `yaml:"properties" help:"rest = unmapped keys become properties; empty = they are dropped"`
	// TimeUnit is the unit of timestamps that are numbers: s, ms, us or ns. Default: empty, timestamps as events have them.
	TimeUnit string `yaml:"timeUnit" help:"unit of mapped timestamps that are numbers: s, ms, us or ns"`
	// TimeLayout is how timestamps look that are texts, as strptime or Go write it, and TimeZone the zone of those that name none.
	TimeLayout string `yaml:"timeLayout" help:"layout of mapped timestamps that are texts, as in %Y-%m-%d %H:%M:%S"`
	TimeZone   string `yaml:"timeZone" help:"time zone of mapped timestamps without one, as in Europe/Berlin; empty = UTC"`
	// DecimalComma says that values that are texts look as in 1.234,50. Default: false.
	DecimalComma bool `yaml:"decimalComma" help:"mapped values that are texts have a decimal comma, as in 1.234,50"`

	// Registry has the schemas of values that begin with the id of one, as Confluent's and AWS Glue's serializers write them: Avro, Protobuf
	// and JSON Schema. Such values become JSON and are mapped like it. Default: none, values are JSON.
	Registry Registry `yaml:"registry"`
}

// Registry is a schema registry. The table keeps what an id means: the registry is asked once for each.
type Registry struct {
	// URLs name the servers of one registry with Confluent's API, which are asked in turn, or a single glue://REGION.
	URLs []string `yaml:"urls" secret:"url" help:"schema registry: URLs of its servers, separated by commas, or glue://REGION; empty = values are JSON"`
	// User is for basic authentication. Default: empty, there is none.
	User string `yaml:"user" help:"user of the schema registry; empty = none is needed"`
	// Password is the user's. PasswordFile has it instead, and is read again for each request.
	Password     string `yaml:"password" secret:"true" help:"password at the schema registry"`
	PasswordFile string `yaml:"passwordFile" secret:"file" help:"file with the password at the schema registry"`
	// CA is a PEM file of certificates to trust besides the system's.
	CA string `yaml:"ca" help:"PEM file of certificate authorities trusted at the schema registry, besides the system's"`
}

// Configured reports whether there is a registry.
func (r Registry) Configured() bool { return len(r.URLs) > 0 }

// Set reports whether any of its settings is set.
func (r Registry) Set() bool { return r.Configured() || r.User+r.Password+r.PasswordFile+r.CA != "" }

// Mapped reports whether records are made events by a mapping, or by schemas.
func (e Event) Mapped() bool {
	return e.Registry.Configured() || len(e.Map)+len(e.Set)+len(e.Default) > 0 || e.DecimalComma ||
		e.Preset+e.Properties+e.TimeUnit+e.TimeLayout+e.TimeZone != ""
}

// mapping checks what does not depend on the fields of events. The commands check the rest.
func (v *validator) mapping(c *Config) {
	if p := c.Event.Properties; p != "" && p != "rest" {
		v.fault("event.properties", "%q is unknown: write rest, or leave it empty", p)
	}
	if c.Event.Mapped() && c.RawEvents == RawItems {
		v.fault("rawEvents", "items, and records are mapped by event.*: write packed or off, since items are written before a flush names "+
			"its mapping")
	}
}
