package schemas

import "context"

// Confirm asks the registry once for each schema that is loaded from the table, until ctx ends. If the registry has another one for the id,
// it was replaced, or is not the registry of this topic: the error is [ErrChanged]. Ids that the registry does not have any more change
// nothing, neither does a registry that gives no clear answer. Call it once.
func (b *Book) Confirm(ctx context.Context) error {
	if b.Registry == nil {
		return nil
	}
	more := make(chan struct{}, 1)
	b.mu.Lock()
	b.more = more
	b.mu.Unlock()
	for {
		u, ok := b.nextUnconfirmed()
		if !ok {
			select {
			case <-more:
				continue
			case <-ctx.Done():
				return nil
			}
		}
		if err := b.confirm(ctx, u); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

// nextUnconfirmed takes the first of the schemas that are not confirmed.
func (b *Book) nextUnconfirmed() (u unconfirmed, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.unconfirmed) == 0 {
		return unconfirmed{}, false
	}
	u, b.unconfirmed = b.unconfirmed[0], b.unconfirmed[1:]
	return u, true
}

// confirm compares a schema with the registry's. A registry that does not answer is no outage here, since no record waits for it.
func (b *Book) confirm(ctx context.Context, u unconfirmed) error {
	source, err := b.untilClear(ctx, u.id, func(error) {})
	if err != nil { // It is denied, or ctx has ended.
		return nil
	}
	if hash := hashText(source); hash != u.hash {
		return b.changed(u.id, hash, u.hash)
	}
	return nil
}
