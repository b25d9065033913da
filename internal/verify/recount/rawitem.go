package recount

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/footfall/footfall/internal/figures"
	"github.com/footfall/footfall/internal/verify/count"
	"github.com/footfall/footfall/pipeline/checkpoint"
	"github.com/footfall/footfall/sinks"
)

// RawItem makes the raw event of a record, which is a bot's by a verdict. The key is left out.
func (v *Model) RawItem(r *count.Record, verdict count.Bot) sinks.Item {
	e, by := r.Event, r.Ruling
	it := sinks.Item{
		sinks.AttrEntity: sinks.Str(sinks.EntityEvent), sinks.AttrSchema: sinks.Int(sinks.SchemaVersion),
		"timestamp": sinks.Int(e.Timestamp), "recordTime": sinks.Int(r.Time),
		"source": sinks.Str(v.Opts.Topic + "/" + strconv.FormatInt(int64(r.Partition), 10) + "/" + strconv.FormatInt(r.Offset, 10)),
	}
	text := func(name string, value []byte) {
		if value != nil {
			it[name] = sinks.Str(string(value))
		}
	}
	text(sinks.AttrSiteID, e.SiteID)
	text("type", e.Type)
	text("id", e.ID)
	text(sinks.AttrVisitorID, e.VisitorID)
	text(sinks.AttrSessionID, e.SessionID)
	text(sinks.AttrUserID, e.UserID)
	text("url", by.KeptLink(e.URL))
	text("referrer", by.KeptLink(e.Referrer))
	text("title", e.Title)
	text("userAgent", e.UserAgent)
	text(sinks.AttrName, e.Name)
	for i, d := range figures.Given {
		text(figures.Dimensions[d].Name, e.Given[i])
	}
	text("properties", e.Properties)
	if e.HasValue {
		it["value"] = sinks.Str(decimalMicros(e.Value))
	}
	for name, b := range count.BotNames {
		if b == verdict && name != "" {
			it[sinks.AttrBot] = sinks.Str(name)
		}
	}
	if count.IsForeign(e, by) {
		it[sinks.AttrForeign] = sinks.Int(1)
	}
	if v.Excluded(r) {
		it[sinks.AttrExcluded] = sinks.Int(1)
	}
	if days := by.Rules.DaysOf(sinks.AttrRawDays, by.Settings.Retention.RawDays); days != checkpoint.Never {
		it[sinks.AttrTTL] = sinks.Int(e.Timestamp/1000 + days*86_400)
	}
	return it
}

// decimalMicros spells millionths as a decimal number without zeros that say nothing.
func decimalMicros(micros int64) string {
	sign, size := "", uint64(micros)
	if micros < 0 {
		sign, size = "-", -size
	}
	fraction := strings.TrimRight(fmt.Sprintf("%06d", size%1e6), "0")
	if fraction != "" {
		fraction = "." + fraction
	}
	return sign + strconv.FormatUint(size/1e6, 10) + fraction
}

// Digest is a hash of all attributes of an item but its key. It does not depend on their order.
func Digest(it sinks.Item) (sum uint64) {
	var room [512]byte
	for name, v := range it {
		if name == sinks.AttrPK || name == sinks.AttrSK {
			continue
		}
		b := append(room[:0], byte(v.Kind()), byte(len(name)))
		b = append(b, name...)
		switch v.Kind() {
		case sinks.String:
			b = append(b, v.Str()...)
		case sinks.Number:
			b = append(b, v.Num().String()...)
		case sinks.Binary:
			b = append(b, v.Bytes()...)
		case sinks.List:
			for _, s := range v.Strings() {
				b = append(strconv.AppendInt(b, int64(len(s)), 10), ':')
				b = append(b, s...)
			}
		case sinks.Other:
			b = append(b, v.String()...)
		}
		sum += xxhash.Sum64(b)
	}
	return sum
}
