package rebuild

import (
	"context"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/footfall/footfall/sinks"
)

// weighed is a table that notes when units were consumed.
type weighed struct {
	sinks.Table
	dice  *rand.Rand
	most  float64
	at    []time.Time
	units []float64
}

func (m *weighed) consume(units float64) float64 {
	m.at, m.units = append(m.at, time.Now()), append(m.units, units)
	return units
}

func (m *weighed) Update(context.Context, sinks.Update) (sinks.Result, error) {
	return sinks.Result{Units: m.consume(1 + m.dice.Float64()*(m.most-1))}, nil
}

func (m *weighed) BatchPut(_ context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	return sinks.BatchResult{Units: m.consume(float64(len(items)))}, nil
}

// TestPaceBoundsWriteUnits: in any span, a paced table takes what it may in that time and a burst, beyond which only the last write goes.
func TestPaceBoundsWriteUnits(t *testing.T) {
	for _, bound := range []int{3, 40, 200} {
		synctest.Test(t, func(t *testing.T) {
			m := &weighed{dice: rand.New(rand.NewPCG(uint64(bound), 1)), most: 9}
			table := newMetered(m, bound)
			for range 400 {
				if m.dice.IntN(4) == 0 {
					time.Sleep(time.Duration(m.dice.IntN(3000)) * time.Millisecond)
				}
				var err error
				if m.dice.IntN(5) == 0 {
					_, err = table.BatchPut(t.Context(), make([]sinks.Attrs, 1+m.dice.IntN(sinks.MaxBatchPut)))
				} else {
					_, err = table.Update(t.Context(), sinks.Update{})
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			burst := float64(max(bound, sinks.MaxBatchPut))
			for i := range m.at {
				sum := 0.0
				for j := i; j < len(m.at); j++ {
					sum += m.units[j]
					if most := float64(bound)*m.at[j].Sub(m.at[i]).Seconds() + burst + m.most; sum > most {
						t.Fatalf("%d units a second: %.1f in %v, want at most %.1f", bound, sum, m.at[j].Sub(m.at[i]), most)
					}
				}
			}
		})
	}
}
