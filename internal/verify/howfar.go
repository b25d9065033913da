package verify

// Progress is how far a pass is. Records come first, then sites.
type Progress struct {
	Pass        int   // from 1
	Sites       bool  // Done and Total are sites whose items have been compared; otherwise records of the log
	Done, Total int64 // Done may exceed Total: records that several flushes share are read again
}

// progressEvery is after how many records progress is reported.
const progressEvery = 1000

// advanced reports that the pass has read n more records.
func (v *model) advanced(n int64) {
	before := v.read
	v.read += n
	if v.opts.Progress != nil && v.read/progressEvery > before/progressEvery {
		var total int64
		for p, end := range v.ends {
			total += max(0, end-v.starts[p])
		}
		v.opts.Progress(Progress{Pass: v.pass, Done: v.read, Total: total})
	}
}

// scanned reports how many of the sites have been compared.
func (v *model) scanned(done, total int) {
	if v.opts.Progress != nil {
		v.opts.Progress(Progress{Pass: v.pass, Sites: true, Done: int64(done), Total: int64(total)})
	}
}
