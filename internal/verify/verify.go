package verify

import (
	"context"

	"github.com/footfall/footfall/internal/verify/audit"
	"github.com/footfall/footfall/pipeline/checkpoint"
)

// verifier is one pass: it waits for the chains, advances the recount to them, has every site scanned, and reads again what
// did not agree.
type verifier struct {
	*scanner
	heads    *audit.Audit
	ran      bool
	unusable bool // the settings of the table are damaged
}

// advance reads the checkpoints and advances the recounts to them.
func (v *verifier) advance(ctx context.Context) (checkpoint.ChainStates, error) {
	all, err := v.heads.LoadHeads(ctx)
	if err != nil {
		return nil, err
	}
	if err := v.ReadRules(ctx); err != nil {
		return nil, err
	}
	return all, v.advanceTo(ctx, all)
}

// advanceTo advances the recounts to these checkpoints, by the rules that have been read after them.
func (v *verifier) advanceTo(ctx context.Context, all checkpoint.ChainStates) error {
	if err := v.ReadZones(ctx); err != nil {
		return err
	}
	if err := v.heads.LoadLost(ctx); err != nil {
		return err
	}
	return v.CatchUp(ctx, all)
}
