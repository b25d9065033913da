package pipeline

import (
	"context"

	"github.com/footfall/footfall/pipeline/checkpoint"
)

// A partition that cannot continue without a decision is parked: this process keeps it assigned and reads nothing of it,
// and its other partitions continue. A gap (gap.go) parks its partition; so does a [checkpoint.Park].
//
// Any error below worker.run, or below acquire, that wraps a *checkpoint.ParkError parks the partition: return one with parks. Code
// outside the worker, such as the poll loop, calls roster.stop instead: the worker first folds and settles everything
// that it has been given.

// stop parks a partition once its worker has folded and settled what it was given. Without a worker nothing happens: the
// next owner meets the same cause.
func (r *roster) stop(partition int32, why *checkpoint.ParkError) {
	r.pause(partition)
	w := r.worker(partition)
	if w != nil && w.Parking.CompareAndSwap(nil, why) {
		// Cause: Records of the topic cannot be read, as after damage on the disk of a broker. Remedy: Wait for the error that follows: it has
		// the commands.
		r.log.Warn("the partition will be parked after the records read so far are flushed", "partition", partition, "cause", why.Park.String())
		w.signal()
	}
}

// leavePark parks a partition whose worker has ended for a reason that an operator decides about: its chains are taken
// over once more, to record the reason under an epoch of our own.
func (p *Pipeline) leavePark(io context.Context, partition int32, why *checkpoint.ParkError) {
	p.pause(partition)
	p.taker.toPark(partition, &why.Park)
	p.bringBack(io, partition, func() bool { return true })
}

// park leaves a partition alone until an operator has decided.
func (p *Pipeline) park(io context.Context, partition int32, still *standstill) {
	p.bringBack(io, partition, p.stopAt(io, partition, still))
}
