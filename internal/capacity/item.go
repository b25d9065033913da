package capacity

import "github.com/footfall/footfall/sinks"

// An Item says what items of a type take.
type Item struct {
	Item        string  `json:"item"`   // as in the catalogue
	Entity      string  `json:"entity"` // as in the metrics' label kind
	Writes      float64 `json:"writesPerDay"`
	UnitsAWrite float64 `json:"unitsPerWrite"` // indexes included
	Units       float64 `json:"writeUnitsPerDay"`
	IndexUnits  float64 `json:"indexWriteUnitsPerDay"` // of these
	ReadUnits   float64 `json:"readUnitsPerDay"`
	Stored      float64 `json:"itemsStored"` // once their retention has filled
	Bytes       float64 `json:"bytesStored"` // as billed, indexes included
	IndexBytes  float64 `json:"indexBytesStored"`
	// on demand, with what is stored. Of an observed item storage is in the total alone.
	Dollars    float64  `json:"dollarsPerMonth"`
	PerMillion *float64 `json:"dollarsPerMillionEvents"` // null: there are no events
}

// itemOf is what a day's figures come to, where items are kept so many days.
func itemOf(item string, f *figures, kept float64) Item {
	it := Item{Item: item, Writes: f.writes, Units: f.total(), IndexUnits: f.units[sinks.GSI1],
		ReadUnits: f.reads, UnitsAWrite: ratio(f.total(), f.writes), Stored: f.made * kept, Bytes: (f.bytes + f.index) * kept,
		IndexBytes: f.index * kept}
	for _, t := range sinks.Catalogue() {
		if t.Name == item {
			it.Entity = t.Entity
		}
	}
	return it
}

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
