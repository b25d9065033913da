package dynamo

import (
	"context"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/footfall/footfall/sinks"
)

// Direct is a Table that writes and reads its items by requests of its own, with the credentials, the endpoint, the region and the HTTP
// transport of a generated client. A generated client builds a stack of middleware for each request, which takes three times as much CPU
// as the request. Administration stays with the Table.
//
// The requests are the same but for headers, and so are the answers and the errors. It differs in what it takes for an answer: one whose
// CRC-32 is not that in its header, or that is empty, was damaged, and has an unknown outcome. The generated client only logs that.
type Direct struct {
	*Table
	link *link
}

var (
	_ sinks.Table = (*Direct)(nil)
	_ sinks.Admin = (*Direct)(nil)
)

// NewDirect makes a table of t, which client administers.
func NewDirect(t *Table, client *dynamodb.Client) *Direct {
	return &Direct{Table: t, link: newLink(client)}
}

// Update implements [sinks.Table] with UpdateItem.
func (d *Direct) Update(ctx context.Context, u sinks.Update) (sinks.Result, error) {
	x := d.link.exchange()
	defer x.release()
	x.begin(d.name)
	x.member("Key")
	x.body.text = appendKey(x.body.text, u.Key)
	x.spell("UpdateExpression", func(b []byte) []byte { return x.appendUpdate(b, u) })
	x.conditions(u.If)
	if u.Return {
		x.option("ReturnValues", "ALL_NEW")
	}
	x.end()
	if err := x.err; err != nil {
		return sinks.Result{}, fmt.Errorf("table %s: update %s / %s: %w", d.name, u.Key.PK, u.Key.SK, err)
	}
	return d.write(ctx, x, updateItem)
}

// Put implements [sinks.Table] with PutItem.
func (d *Direct) Put(ctx context.Context, p sinks.Put) (sinks.Result, error) {
	x := d.link.exchange()
	defer x.release()
	x.begin(d.name)
	x.member("Item")
	x.body.text = appendItem(x.body.text, p.Item)
	x.conditions(p.If)
	x.end()
	if err := x.err; err != nil {
		return sinks.Result{}, fmt.Errorf("table %s: put %v: %w", d.name, p.Item.Key(), err)
	}
	return d.write(ctx, x, putItem)
}

// Delete implements [sinks.Table] with DeleteItem.
func (d *Direct) Delete(ctx context.Context, del sinks.Delete) (sinks.Result, error) {
	x := d.link.exchange()
	defer x.release()
	x.begin(d.name)
	x.member("Key")
	x.body.text = appendKey(x.body.text, del.Key)
	x.conditions(del.If)
	x.end()
	if err := x.err; err != nil {
		return sinks.Result{}, fmt.Errorf("table %s: delete %v: %w", d.name, del.Key, err)
	}
	return d.write(ctx, x, deleteItem)
}

func (d *Direct) write(ctx context.Context, x *exchange, operation string) (sinks.Result, error) {
	a, err := x.send(ctx, operation)
	if err != nil {
		return d.refused(ctx, err)
	}
	return sinks.Result{Item: a.item, Units: a.units}, nil
}

// BatchPut implements [sinks.Table] with BatchWriteItem.
func (d *Direct) BatchPut(ctx context.Context, items []sinks.Attrs) (sinks.BatchResult, error) {
	if len(items) == 0 {
		return sinks.BatchResult{}, nil
	}
	x := d.link.exchange()
	defer x.release()
	x.beginBatch(d.name)
	x.body.text = appendList(x.body.text, items, func(b []byte, it sinks.Attrs) []byte {
		return append(appendAttrs(append(b, `{"PutRequest":{"Item":`...), it), `}}`...)
	})
	x.body.text = append(x.body.text, '}')
	x.end()
	a, err := x.send(ctx, batchWriteItem)
	if err != nil {
		return sinks.BatchResult{}, d.writeError(ctx, err)
	}
	return sinks.BatchResult{Left: a.left, Units: a.units}, nil
}

// BatchGet implements [sinks.Table] with BatchGetItem.
func (d *Direct) BatchGet(ctx context.Context, g sinks.BatchGet) (sinks.BatchResult, error) {
	if len(g.Keys) == 0 {
		return sinks.BatchResult{}, nil
	}
	x := d.link.exchange()
	defer x.release()
	x.beginBatch(d.name)
	x.body.text = append(x.body.text, `{"ConsistentRead":`...)
	x.body.text = append(strconv.AppendBool(x.body.text, g.Consistent), `,"Keys":`...)
	x.body.text = append(appendList(x.body.text, g.Keys, appendKey), `}}`...)
	x.end()
	a, err := x.send(ctx, batchGetItem)
	if err != nil {
		return sinks.BatchResult{}, d.readError(ctx, err)
	}
	r := sinks.BatchResult{Items: make(map[sinks.Key]sinks.Item, len(a.items)), Left: a.left, Units: a.units}
	for _, it := range a.items {
		r.Items[it.Key()] = it
	}
	return r, nil
}

// Query implements [sinks.Table] with Query. A page may be shorter than Limit, and empty, with more to come.
func (d *Direct) Query(ctx context.Context, q sinks.Query) (sinks.Page, error) {
	if empty(q) {
		return sinks.Page{}, nil
	}
	x := d.link.exchange()
	defer x.release()
	if err := x.appendQuery(d.name, q); err != nil {
		return sinks.Page{}, fmt.Errorf("table %s: query %s: %w", d.name, q.PK, err)
	}
	a, err := x.send(ctx, query)
	if err != nil {
		return sinks.Page{}, d.readError(ctx, err)
	}
	return sinks.Page{Items: a.items, Next: cursor(q.Index, a.last), Units: a.units}, nil
}

func (x *exchange) appendQuery(table string, q sinks.Query) error {
	x.begin(table)
	x.spell("KeyConditionExpression", func(b []byte) []byte { return x.appendRange(b, q) })
	x.member("ScanIndexForward")
	x.body.text = strconv.AppendBool(x.body.text, !q.Desc)
	if name := indexes[q.Index].name; name != "" {
		x.option("IndexName", name)
	}
	if q.Consistent {
		x.member("ConsistentRead")
		x.body.text = append(x.body.text, "true"...)
	}
	if q.Limit > 0 {
		x.member("Limit")
		x.body.text = strconv.AppendInt(x.body.text, int64(int32(q.Limit)), 10)
	}
	if q.After != "" {
		start, err := startKey(q)
		if err != nil {
			return err
		}
		x.member("ExclusiveStartKey")
		x.body.text = appendItem(x.body.text, start)
	}
	x.end()
	return x.err
}
