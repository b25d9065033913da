package doctor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/footfall/footfall/config"
)

// The settings of topics that concern timestamps.
const (
	timestampType   = "message.timestamp.type"
	timestampAfter  = "message.timestamp.after.max.ms"
	timestampBefore = "message.timestamp.before.max.ms"
)

const (
	// aheadBelieved is how far ahead of the consumer's clock the pipeline believes a record's timestamp at any time of the day:
	// to the end of the next day in UTC.
	aheadBelieved = 24 * time.Hour
	// aheadAdvised is the limit that Kafka has by default since 3.6.
	aheadAdvised = time.Hour
)

// Timestamps returns a warning for each setting of the topic that takes records with timestamps that the pipeline does not believe or
// has no use for, or that replaces timestamps. A broker that does not describe the topic to this user is believed.
func Timestamps(ctx context.Context, opts []kgo.Opt, c config.Config) []Finding {
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	cl, err := kgo.NewClient(opts...)
	if err != nil {
		return nil
	}
	defer cl.Close()
	return timestampFindings(c, topicSettings(ctx, kadm.NewClient(cl), c.Kafka.Topic))
}

// judgeTimestamps says of each setting that is off, as timestampFindings, or that none is, or that the brokers do not report one.
func judgeTimestamps(c config.Config, settings map[string]string) []Finding {
	if warnings := timestampFindings(c, settings); warnings != nil {
		return warnings
	}
	f := Finding{Check: "topic.timestamps", Severity: OK, Found: "producers' timestamps are kept, within limits that the pipeline believes"}
	for _, key := range []string{timestampType, timestampAfter} {
		if settings[key] == "" {
			return []Finding{f.unchecked(errors.New("the brokers do not report " + key))}
		}
	}
	return []Finding{f}
}

// timestampFindings says which of a topic's timestamp settings are off. Brokers before 3.6 have no limits of these names: nothing is
// said of them.
func timestampFindings(c config.Config, settings map[string]string) []Finding {
	var warnings []Finding
	warn := func(key, value, why, advised string) {
		warnings = append(warnings, Finding{Check: "topic.timestamps", Severity: Warning, Found: key + " is " + value, Endangers: why,
			Commands: []string{alterTopic(c.Kafka, c.Kafka.Topic, key, advised)}})
	}
	if kind := settings[timestampType]; kind == "LogAppendTime" {
		warn(timestampType, kind, "the broker's time replaces the producer's, so events of a backfill are rejected as too_late "+
			"and failed replay refuses the topic", "CreateTime")
		return warnings // The limits are on timestamps that are not kept.
	}
	if ms, ok := beyond(settings[timestampAfter], aheadBelieved); ok {
		warn(timestampAfter, ms, "records dated later than the end of tomorrow (UTC) are rejected as bad_record_time, which the broker could "+
			"refuse to their producer", strconv.FormatInt(aheadAdvised.Milliseconds(), 10))
	}
	if longest := longestRetention(c.Retention); longest != config.Never {
		most := time.Duration(longest) * 24 * time.Hour
		if ms, ok := beyond(settings[timestampBefore], most); ok {
			warn(timestampBefore, ms, fmt.Sprintf("records are taken that are older than the longest retention, %v, and all that they write has "+
				"expired already", longest), strconv.FormatInt(most.Milliseconds(), 10))
		}
	}
	return warnings
}

// beyond reports whether a limit in milliseconds is more than most, and spells it.
func beyond(limit string, most time.Duration) (spelled string, ok bool) {
	ms, err := strconv.ParseInt(limit, 10, 64)
	if err != nil || ms <= most.Milliseconds() {
		return "", false
	}
	if ms == math.MaxInt64 {
		return "unlimited", true
	}
	return limit, true
}

// longestRetention returns the longest retention of any kind of item: Never when one does not expire.
func longestRetention(r config.Retention) config.Days {
	longest := config.Days(0)
	for _, days := range []config.Days{r.Raw, r.Session, r.Hour, r.Day} {
		if days == config.Never {
			return config.Never
		}
		longest = max(longest, days)
	}
	return longest
}
