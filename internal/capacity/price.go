package capacity

import (
	"errors"
	"fmt"
	"math"
)

// Prices are dollars, of one Region and table class.
type Prices struct {
	WriteMillion float64 `json:"writeMillion"` // a million write request units, on demand
	ReadMillion  float64 `json:"readMillion"`
	WriteHour    float64 `json:"writeHour"` // a write capacity unit for an hour, provisioned
	ReadHour     float64 `json:"readHour"`
	StorageGB    float64 `json:"storageGB"` // a GB for a month

	RecoveryGB float64 `json:"recoveryGB"` // a GB of the table for a month, with point-in-time recovery

	// of the table class infrequent-access, on demand
	RareWriteMillion float64 `json:"infrequentAccessWriteMillion"`
	RareReadMillion  float64 `json:"infrequentAccessReadMillion"`
	RareStorageGB    float64 `json:"infrequentAccessStorageGB"`
}

// PricesFrom says where the default prices are from, and of when.
const PricesFrom = "us-east-1, standard tables, since 1 November 2024, without free tier and reservations: aws.amazon.com/dynamodb/pricing"

// DefaultPrices are those of [PricesFrom].
func DefaultPrices() Prices {
	return Prices{WriteMillion: 0.625, ReadMillion: 0.125, WriteHour: 0.00065, ReadHour: 0.00013, StorageGB: 0.25, RecoveryGB: 0.20,
		RareWriteMillion: 0.78, RareReadMillion: 0.155, RareStorageGB: 0.10}
}

// Validate names every price that is none, by the flag that sets it.
func (p Prices) Validate() error {
	var faults []error
	for _, x := range []struct {
		flag  string
		price float64
	}{{"price-writes", p.WriteMillion}, {"price-reads", p.ReadMillion}, {"price-write-capacity", p.WriteHour},
		{"price-read-capacity", p.ReadHour}, {"price-storage", p.StorageGB}, {"price-recovery", p.RecoveryGB},
		{"price-writes-infrequent", p.RareWriteMillion}, {"price-reads-infrequent", p.RareReadMillion},
		{"price-storage-infrequent", p.RareStorageGB}} {
		if !(x.price >= 0 && x.price <= 1e6) { // NaN is no price.
			faults = append(faults, fmt.Errorf("--%s %g: choose dollars from 0 to 1000000", x.flag, x.price))
		}
	}
	return errors.Join(faults...)
}

const gb = 1 << 30

// Dollars are what a month costs. Each way of billing is told with its storage.
type Dollars struct {
	Prices      Prices  `json:"prices"`
	Storage     float64 `json:"storage"`          // once all retentions have filled
	OnDemand    float64 `json:"onDemand"`         // requests as they come
	Rare        float64 `json:"infrequentAccess"` // on demand, of the table class infrequent-access
	Recovery    float64 `json:"recovery"`         // point-in-time recovery, which is in none of the others
	Provisioned float64 `json:"provisioned"`      // capacity for the peak, all day
	Scaled      float64 `json:"autoScaled"`       // capacity that follows each hour
	Capacity    Rates   `json:"capacity"`         // to provision for the peak, at a utilisation of 70 %
}

// dollars is what a day's total costs in a month, given the rates of each of its hours, the busiest first.
func (p Prices) dollars(day Item, hours []Rates) Dollars {
	d := Dollars{Prices: p, Storage: day.Bytes / gb * p.StorageGB}
	d.OnDemand = d.Storage + monthDays*(day.Units*p.WriteMillion+day.ReadUnits*p.ReadMillion)/1e6
	d.Rare = day.Bytes/gb*p.RareStorageGB + monthDays*(day.Units*p.RareWriteMillion+day.ReadUnits*p.RareReadMillion)/1e6
	d.Recovery = (day.Bytes - day.IndexBytes) / gb * p.RecoveryGB
	d.Provisioned, d.Scaled = d.Storage, d.Storage
	for i, hour := range hours {
		capacity := hour.provision()
		if i == 0 {
			d.Capacity = capacity
		}
		d.Scaled += monthDays * p.hour(capacity)
		d.Provisioned += monthDays * p.hour(d.Capacity)
	}
	return d
}

// hour is what an hour of a capacity costs.
func (p Prices) hour(c Rates) float64 {
	return (c.Table+c.GSI1)*p.WriteHour + c.Reads*p.ReadHour
}

// provision is the capacity that a rate takes 70 % of. None is below 1.
func (r Rates) provision() Rates {
	units := func(rate float64) float64 { return max(1, math.Ceil(rate/headroom)) }
	return Rates{units(r.Table), units(r.GSI1), units(r.Reads)}
}

// perMillion is a price by a million events; nil where there are none.
func perMillion(dollars, events float64) *float64 {
	if events <= 0 {
		return nil
	}
	dollars /= events / 1e6
	return &dollars
}
