package checkpoint

import (
	"context"
	"fmt"
	"iter"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/retry"
)

// Client asks the table for commands. Each request is repeated until it is answered.
type Client struct{ table sinks.Table }

func NewClient(table sinks.Table) Client { return Client{retry.Policy{}.Table(table)} }

// Topic looks a topic's number up. ok is false when no pipeline has written the topic to the table.
func (c Client) Topic(ctx context.Context, keys sinks.Keys, topic string) (number int64, ok bool, err error) {
	if number, ok, err = sinks.LoadTopic(ctx, c.table, keys, topic); err != nil {
		err = fmt.Errorf("look the topic up: %w", err)
	}
	return number, ok, err
}

// Update implements [Table].
func (c Client) Update(ctx context.Context, _ string, u sinks.Update) (sinks.Result, error) {
	r, err := c.table.Update(ctx, u)
	return r, OfItem(u.Key, err)
}

// Put implements [Table].
func (c Client) Put(ctx context.Context, _ string, p sinks.Put) (sinks.Result, error) {
	r, err := c.table.Put(ctx, p)
	return r, OfItem(p.Item.Key(), err)
}

// Delete removes an item under the delete's conditions.
func (c Client) Delete(ctx context.Context, d sinks.Delete) (sinks.Result, error) {
	r, err := c.table.Delete(ctx, d)
	return r, OfItem(d.Key, err)
}

// BatchGet implements [Table].
func (c Client) BatchGet(ctx context.Context, keys []sinks.Key) (map[sinks.Key]sinks.Item, error) {
	r, err := c.table.BatchGet(ctx, sinks.BatchGet{Keys: keys, Consistent: true})
	if err != nil {
		err = fmt.Errorf("read items: %w", err)
	}
	return r.Items, err
}

// Items reads what a query selects, strongly. What it is for is named by what, for errors.
func (c Client) Items(ctx context.Context, what string, q sinks.Query) iter.Seq2[sinks.Item, error] {
	q.Consistent = true
	return func(yield func(sinks.Item, error) bool) {
		for it, err := range sinks.Items(ctx, c.table, q) {
			if err != nil {
				err = fmt.Errorf("%s: %w", what, err)
			}
			if !yield(it, err) {
				return
			}
		}
	}
}

// OfItem says which item an error is about.
func OfItem(k sinks.Key, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("item %s / %s: %w", k.PK, k.SK, err)
}
