package capacity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/footfall/footfall/sinks"
)

// Limits of DynamoDB, by docs.aws.amazon.com/amazondynamodb/latest/developerguide/ServiceQuotas.html and
// bp-partition-key-design.html.
const (
	keyUnits     = 1000   // write units a second of what lies under one partition key
	tableUnits   = 40_000 // default quota of write units a second, of a table or an index
	accountUnits = 80_000 // default quota of provisioned write units of all tables and indexes of an account and Region
)

// headroom is which share of a limit is planned for: 70 %, auto scaling's own default for its target.
const headroom = 0.7

// Limits say what is near a limit in the busiest hours.
type Limits struct {
	Keys         []Key   `json:"keys"`         // of the busiest site, and of the chains; the hottest first
	Shards       int     `json:"shards"`       // of the busiest site's raw events, as planned for; 0: observed
	ShardsNeeded int     `json:"shardsNeeded"` // that stay within 70 % of a key's limit; above 64 there is no such number
	TableQuota   float64 `json:"tableQuota"`   // write units a second to have for the table: the peak at 70 %
	AskFor       float64 `json:"askFor"`       // table quota to ask AWS for; 0: the default holds
	Mean         Rates   `json:"mean"`         // of the whole day
	WarmUnits    float64 `json:"warmUnits"`    // write units a second that a new table needs at once; 0: it has enough
	Early        []Early `json:"earlyFlushes"` // lanes whose flushes end before their interval
}

// A Key is a partition key and how much is written under it.
type Key struct {
	PK    string  `json:"pk"`
	Units float64 `json:"writeUnitsPerSecond"` // while a step is written
	Share float64 `json:"shareOfLimit"`        // 1: at 1,000 a second
	Most  float64 `json:"unitsOfOneWrite"`     // on average; 0: not known
}

// limits looks for the hottest keys. A step of the stats lane is written within half an interval, and one of the realtime lane
// within half a second, by pipeline: while that goes on, its keys take more than their average.
func (w *Workload) limits(busiest book, peak Rates) Limits {
	keys := sinks.Keys{}
	l := Limits{Shards: w.Shards, Early: []Early{}}
	l.quota(peak)
	rate := func(item string) float64 {
		if f := busiest[item]; f != nil {
			return f.units[sinks.Base] / hourSeconds
		}
		return 0
	}
	one := func(of ...string) float64 {
		most := 1.0
		for _, item := range of {
			if f := busiest[item]; f != nil && f.writes > 0 {
				most = max(most, f.units[sinks.Base]/f.writes)
			}
		}
		return most
	}
	add := func(pk string, units float64, of ...string) {
		if units > 0 {
			l.Keys = append(l.Keys, Key{pk, units, units / keyUnits, one(of...)})
		}
	}
	sessions := stepBurst * (rate(itemSession) + rate(itemVisitor) + rate(itemArrival)) / sinks.DefaultShards
	add(keys.Shard(site, 0), (rate(itemEvent)+stepBurst*rate(itemPack))/float64(w.Shards)+sessions, itemEvent, itemPack, itemSession)
	add(keys.Site(site), stepBurst*(rate(itemHour)+rate(itemDay))+rate(itemRealtime), itemHour, itemDay, itemRealtime)
	add(keys.UniquesList(site)+"#{day}", stepBurst*rate(itemUniques), itemUniques)
	add(keys.BreakdownList(site)+"#{day}", stepBurst*(rate(itemBreakdown)+rate(itemJournal)), itemBreakdown)
	add(keys.RecentList(site), stepBurst*rate(itemRecent), itemRecent)
	add(keys.VisitorList(site), stepBurst*(rate(itemListed)+rate(itemNew)), itemListed, itemNew)
	perSecond := func(d time.Duration) float64 { return float64(w.Partitions) / d.Seconds() }
	pk, _ := keys.Checkpoints(1)
	add(pk, perSecond(w.Stats)+perSecond(w.Realtime))
	sortKeys(l.Keys)
	room := headroom*keyUnits - sessions
	l.ShardsNeeded = sinks.MaxShards + 1
	if room > 0 {
		l.ShardsNeeded = max(1, int(math.Ceil((rate(itemEvent)+stepBurst*rate(itemPack))/room)))
	}
	return l
}

// quota says which table quota a peak needs.
func (l *Limits) quota(peak Rates) {
	l.TableQuota = math.Ceil(peak.Table / headroom)
	if l.TableQuota > tableUnits {
		l.AskFor = math.Ceil(l.TableQuota/1000) * 1000
	}
	if l.TableQuota > sinks.MinWarmWriteUnits {
		l.WarmUnits = l.TableQuota
	}
}

// stepBurst is by how much writes of a step of the stats lane exceed their average while it is written.
const stepBurst = 2

// remarks say what of the limits needs attention.
func (l *Limits) remarks() (all []string) {
	for i := range l.Early {
		all = append(all, l.Early[i].remark())
	}
	for _, k := range l.Keys {
		if k.Share >= headroom {
			all = append(all, fmt.Sprintf("Key %s takes %.0f write units a second at the peak, of the %d that a partition key has.", clean(k.PK),
				k.Units, keyUnits))
		}
	}
	switch {
	case l.ShardsNeeded > sinks.MaxShards:
		all = append(all, fmt.Sprintf("No number of shards is enough: a site has %d at most. Turn raw events off, or give the site's parts "+
			"ids of their own.", sinks.MaxShards))
	case l.ShardsNeeded > l.Shards:
		all = append(all, fmt.Sprintf("The busiest site needs %d shards, and has %d: footfall site update SITE --shards %d.", l.ShardsNeeded,
			l.Shards, l.ShardsNeeded))
	}
	if l.AskFor > 0 {
		all = append(all, fmt.Sprintf("Ask AWS for a table quota of %.0f write units a second; the default is %d.", l.AskFor, tableUnits))
	}
	if l.AskFor > accountUnits {
		all = append(all, fmt.Sprintf("Provisioned, the account's quota of %d write units is too small as well.", accountUnits))
	}
	if mean := max(l.Mean.Table, l.Mean.GSI1); mean > sinks.MinWarmWriteUnits {
		all = append(all, fmt.Sprintf("Warning: the mean load, %.0f write units a second, is above the %d of a new table on demand. "+
			"It throttles from the first hour on unless it is warmed.", mean, sinks.MinWarmWriteUnits))
	}
	if l.WarmUnits > 0 {
		all = append(all, fmt.Sprintf("A new table on demand takes %d write units a second at once and doubles within 30 minutes: "+
			"footfall table create --warm-write-units %.0f, or begin slowly.", sinks.MinWarmWriteUnits, l.WarmUnits))
	}
	return all
}

func sortKeys(keys []Key) {
	slices.SortStableFunc(keys, func(a, b Key) int { return cmp.Compare(b.Units, a.Units) })
}
