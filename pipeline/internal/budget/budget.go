package budget

import (
	"sync"
	"sync/atomic"

	"github.com/footfall/footfall/pipeline/telemetry"
)

// Budget bounds what the partitions of a process hold in memory, all of them together. Only the owner of a partition touches
// its states, so no worker takes memory from another: each worker publishes how much it holds, and once the sum is above the
// ceiling, every worker that holds more than its share, the ceiling divided by the partitions, gives up what it can by
// itself. It lets go of states that no open step has touched, oldest first; it cuts a step early; and it stops folding while
// its own last step is being applied.
//
// That cannot deadlock: a worker waits for its own step and for nothing that another worker does, and without an open step
// it folds at least one portion of a chunk, whatever the sum is. When a flush is cut, and what memory holds, changes no number.
type Budget struct {
	ceiling int64
	held    atomic.Int64

	fetchedCeiling int64
	fetched        atomic.Int64

	partitions atomic.Int64

	mu      sync.Mutex // covers holders
	holders map[*Holding]struct{}
}

// NewBudget makes a budget in bytes: for states with their flushes, and for records that were fetched and are not folded.
func NewBudget(states, fetched int) *Budget {
	return &Budget{ceiling: int64(states), fetchedCeiling: int64(fetched), holders: make(map[*Holding]struct{})}
}

// Held is how many bytes all partitions hold. Safe for concurrent use.
func (b *Budget) Held() int64 { return b.held.Load() }

// Fetched is how many bytes were fetched and are not folded. Safe for concurrent use.
func (b *Budget) Fetched() int64 { return b.fetched.Load() }

// Fetch takes note of bytes that were fetched; negative: that were folded or dropped. Safe for concurrent use.
func (b *Budget) Fetch(bytes int) { b.fetched.Add(int64(bytes)) }

// QueueBound limits the bytes that a partition has fetched. It is alone, and a smaller share while the process is above its ceiling.
func (b *Budget) QueueBound(alone int) int {
	if b.fetched.Load() < b.fetchedCeiling {
		return alone
	}
	return max(1, min(alone, int(b.fetchedCeiling/(2*max(1, b.partitions.Load())))))
}

// Share is what a partition may hold although the sum is above the ceiling.
func (b *Budget) Share() int64 { return b.ceiling / max(1, b.partitions.Load()) }

// Free is half of the remaining budget, divided by the partitions; negative: the sum is above the ceiling.
func (b *Budget) Free() int64 { return (b.ceiling - b.held.Load()) / (2 * max(1, b.partitions.Load())) }

// Show publishes what is held, and the ceilings.
func (b *Budget) Show(m *telemetry.MemoryMetrics) {
	for _, x := range []struct {
		kind          string
		held, ceiling int64
	}{{"states", b.held.Load(), b.ceiling}, {"fetched", b.fetched.Load(), b.fetchedCeiling}} {
		m.Bytes.WithLabelValues(x.kind).Set(float64(x.held))
		m.Ceiling.WithLabelValues(x.kind).Set(float64(x.ceiling))
	}
}

// Holding is what one partition holds. It is its worker's alone.
type Holding struct {
	of    *Budget
	bytes int64
	wake  func()
}

// NewHolding makes the holding of a partition. wake is called when the partition is to look at what it can give up.
func (b *Budget) NewHolding(wake func()) *Holding { return &Holding{of: b, wake: wake} }

// Join takes the partition in.
func (h *Holding) Join() {
	b := h.of
	b.mu.Lock()
	defer b.mu.Unlock()
	b.holders[h] = struct{}{}
	b.partitions.Store(int64(len(b.holders)))
}

// Leave forgets the partition and all that it held.
func (h *Holding) Leave() {
	b := h.of
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.holders, h)
	b.partitions.Store(int64(len(b.holders)))
	b.held.Add(-h.bytes)
	h.bytes = 0
}

// Bytes is what the partition holds.
func (h *Holding) Bytes() int64 { return h.bytes }

// Set takes note of what the partition holds now. When the sum passes the ceiling, all partitions look at what they can give up.
func (h *Holding) Set(bytes int64) {
	b, more := h.of, bytes-h.bytes
	h.bytes = bytes
	now := b.held.Add(more)
	if now <= b.ceiling || now-more > b.ceiling {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for other := range b.holders {
		other.wake()
	}
}

// Pressed reports whether the partition must give up memory: the process holds more than its ceiling, and the partition more than its
// share.
func (h *Holding) Pressed() bool {
	return h.of.held.Load() > h.of.ceiling && h.bytes > h.of.Share()
}

// Heavy reports whether bytes is a good part of what the partition may hold.
func (h *Holding) Heavy(bytes int64) bool { return bytes > h.of.Share()/4 }

// Excess is how many bytes the partition must give up; 0 or less: none.
func (h *Holding) Excess() int64 { return min(h.of.held.Load()-h.of.ceiling, h.bytes-h.of.Share()) }
