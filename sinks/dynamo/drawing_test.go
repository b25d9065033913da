package dynamo_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
	"github.com/footfall/footfall/sinks/sinktest"
)

// A drawing draws requests and answers.
type drawing struct{ *rand.Rand }

var operations = []string{"UpdateItem", "PutItem", "DeleteItem", "BatchWriteItem", "BatchGetItem", "Query"}

// sender sends a request and returns what it was answered, spelled.
type sender func(testing.TB, sinks.Table) (string, error)

// request draws a request of an operation, "" for any.
func (d drawing) request(operation string) (string, sender) {
	if operation == "" {
		operation = operations[d.IntN(len(operations))]
	}
	switch operation {
	case "UpdateItem":
		u := sinks.Update{Key: d.key(), Return: d.IntN(2) == 0, If: d.conditions()}
		names := d.Perm(len(attrNames))
		for range d.IntN(4) {
			u.Add = append(u.Add, sinks.Attr{Name: attrNames[names[0]], Value: sinks.Int(d.Int64N(2001) - 1000)})
			u.Set = append(u.Set, sinks.Attr{Name: attrNames[names[1]], Value: d.value()})
			u.Remove = append(u.Remove, attrNames[names[2]])
			names = names[3:]
		}
		return operation, spelling(func(t testing.TB, table sinks.Table) (any, error) { return table.Update(t.Context(), u) })
	case "PutItem":
		p := sinks.Put{Item: d.item(d.key()), If: d.conditions()}
		return operation, spelling(func(t testing.TB, table sinks.Table) (any, error) { return table.Put(t.Context(), p) })
	case "DeleteItem":
		q := sinks.Delete{Key: d.key(), If: d.conditions()}
		return operation, spelling(func(t testing.TB, table sinks.Table) (any, error) { return table.Delete(t.Context(), q) })
	case "BatchWriteItem":
		var items []sinks.Item
		for _, k := range d.keys(sinks.MaxBatchPut) {
			items = append(items, d.item(k))
		}
		return operation, spelling(func(t testing.TB, table sinks.Table) (any, error) {
			return table.BatchPut(t.Context(), sinktest.Batch(items...))
		})
	case "BatchGetItem":
		g := sinks.BatchGet{Keys: d.keys(40), Consistent: d.IntN(2) == 0}
		return operation, spelling(func(t testing.TB, table sinks.Table) (any, error) { return table.BatchGet(t.Context(), g) })
	}
	q := sinks.Query{Index: sinks.Index(d.IntN(2)), PK: d.key().PK, Desc: d.IntN(2) == 0, Limit: d.IntN(4)}
	q.Consistent = q.Index == sinks.Base && d.IntN(2) == 0
	switch d.IntN(5) {
	case 0:
		q.Prefix = "s"
	case 1:
		q.From = "s1"
	case 2:
		q.To = "s4"
	case 3:
		q.From, q.To = "s1", "s5"
	}
	return operation, spelling(func(t testing.TB, table sinks.Table) (any, error) {
		page, err := table.Query(t.Context(), q)
		if err != nil || page.Next == "" {
			return page, err
		}
		after := q
		after.After = page.Next
		next, err := table.Query(t.Context(), after)
		return []sinks.Page{page, next}, err
	})
}

func spelling(send func(testing.TB, sinks.Table) (any, error)) sender {
	return func(t testing.TB, table sinks.Table) (string, error) {
		answer, err := send(t, table)
		return fmt.Sprintf("%+v", answer), err
	}
}

var attrNames = []string{"values", "name", "ttl", "_et", "a b", `quote"d`, "Größe", "n1", "n2", "n3", "x", "y", "z"}

func (d drawing) key() sinks.Key {
	return sinks.Key{PK: fmt.Sprint("p", d.IntN(3)), SK: fmt.Sprint("s", d.IntN(8))}
}

// keys draws some keys, none twice.
func (d drawing) keys(most int) []sinks.Key {
	drawn := make(map[sinks.Key]bool)
	for range 1 + d.IntN(most) {
		drawn[d.key()] = true
	}
	return slices.SortedFunc(maps.Keys(drawn), func(a, b sinks.Key) int { return strings.Compare(a.PK+a.SK, b.PK+b.SK) })
}

func (d drawing) item(k sinks.Key) sinks.Item {
	it := sinks.Item{sinks.AttrPK: sinks.Str(k.PK), sinks.AttrSK: sinks.Str(k.SK), "absent": {}}
	for range d.IntN(6) {
		it[attrNames[d.IntN(len(attrNames))]] = d.value()
	}
	if d.IntN(2) == 0 {
		it[sinks.AttrGSI1PK], it[sinks.AttrGSI1SK] = sinks.Str(k.PK), sinks.Str(k.SK)
	}
	return it
}

func (d drawing) conditions() (conds []sinks.Cond) {
	for range d.IntN(3) {
		c := sinks.Cond{Attr: attrNames[d.IntN(len(attrNames))], Op: sinks.Op(1 + d.IntN(4))}
		if c.Op == sinks.Equal || c.Op == sinks.AbsentOrLess {
			c.Value = sinks.Int(d.Int64N(10))
		}
		conds = append(conds, c)
	}
	return conds
}

var texts = []string{"", "a", "SITE#a", "Straße, 東京 😀", "\x00\x1f\"\\/<>&'\u2028\u2029\x7f", "not UTF-8: \xff\xfe\xc3"}

func (d drawing) text() string { return texts[d.IntN(len(texts))] }

// value draws a value of an attribute, of any kind.
func (d drawing) value() sinks.Value {
	switch d.IntN(8) {
	case 0, 1:
		return sinks.Str(d.text())
	case 2, 3:
		return sinks.Int(d.Int64() >> d.IntN(64))
	case 4:
		return sinks.Num(int128.From(d.Int64()).Plus(int128.From(d.Int64())).Neg())
	case 5:
		return sinks.Bytes(d.bytes())
	case 6:
		return sinks.Strings([]string{d.text(), d.text()}[:d.IntN(3)])
	}
	a := d.stored(3)
	return sinks.Foreign(fmt.Sprintf("%#v", a), a)
}

func (d drawing) bytes() []byte {
	b := make([]byte, d.IntN(5))
	for i := range b {
		b[i] = byte(d.Uint32())
	}
	return b
}

// stored draws a value of a type that footfall does not write.
func (d drawing) stored(depth int) types.AttributeValue {
	most := 8
	if depth == 0 {
		most = 6
	}
	switch d.IntN(most) {
	case 0:
		return &types.AttributeValueMemberBOOL{Value: d.IntN(2) == 0}
	case 1:
		return &types.AttributeValueMemberNULL{Value: true}
	case 2:
		return &types.AttributeValueMemberN{Value: fmt.Sprint(d.IntN(100), ".5")}
	case 3:
		return &types.AttributeValueMemberSS{Value: []string{"x", "é" + fmt.Sprint(d.IntN(9))}}
	case 4:
		return &types.AttributeValueMemberNS{Value: []string{"1", fmt.Sprint(2+d.IntN(9), ".5")}}
	case 5:
		return &types.AttributeValueMemberBS{Value: [][]byte{{1}, {2, byte(d.IntN(9))}}}
	case 6:
		return &types.AttributeValueMemberL{Value: []types.AttributeValue{d.stored(depth - 1), &types.AttributeValueMemberS{Value: d.text()}}}
	}
	return &types.AttributeValueMemberM{Value: map[string]types.AttributeValue{"a\"b": d.stored(depth - 1), "": d.stored(depth - 1)}}
}

// object is a JSON object.
type object = map[string]any

// json draws a value of an attribute as DynamoDB spells it.
func (d drawing) json(depth int) object {
	switch d.IntN(12) {
	case 0, 1:
		return object{"S": d.text()}
	case 2, 3, 4:
		return object{"N": []string{"0", "-1", "123456789012345678", "-9223372036854775808", "170141183460469231731687303715884105727",
			"999999999999999999999999999999999999999", "1.5", "1E+5", "-0", "007"}[d.IntN(10)]}
	case 5:
		return object{"B": d.bytes()}
	case 6:
		return object{"BOOL": d.IntN(2) == 0}
	case 7:
		return object{"NULL": true}
	case 8:
		return object{[]string{"SS", "NS"}[d.IntN(2)]: []string{"1", "2"}}
	case 9:
		return object{"BS": [][]byte{d.bytes(), d.bytes()}}
	}
	if depth == 0 {
		return object{"L": []object{}}
	}
	if d.IntN(2) == 0 {
		return object{"M": object{d.text(): d.json(depth - 1), "k": d.json(depth - 1)}}
	}
	return object{"L": []object{d.json(depth - 1), d.json(depth - 1)}}
}

func (d drawing) jsonItem() object {
	k := d.key()
	it := object{sinks.AttrPK: object{"S": k.PK}, sinks.AttrSK: object{"S": k.SK}}
	for range d.IntN(5) {
		it[attrNames[d.IntN(len(attrNames))]] = d.json(3)
	}
	return it
}

func (d drawing) jsonItems() []object {
	items := []object{}
	for range d.IntN(4) {
		items = append(items, d.jsonItem())
	}
	return items
}

// answer draws an answer to an operation.
func (d drawing) answer(operation string) string {
	units := object{"TableName": "footfall", "CapacityUnits": float64(d.IntN(10)) / 2}
	a := object{"ConsumedCapacity": units, "Novel": object{"a": []int{1}}}
	switch operation {
	case "UpdateItem", "PutItem", "DeleteItem":
		if d.IntN(3) == 0 {
			a = object{"__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException", "message": "no"}
			if d.IntN(2) == 0 {
				a["Item"] = d.jsonItem()
			}
		} else if operation == "UpdateItem" && d.IntN(2) == 0 {
			a["Attributes"] = d.jsonItem()
		}
	case "BatchWriteItem":
		a["ConsumedCapacity"] = []object{units, units}
		var left []object
		for _, it := range d.jsonItems() {
			left = append(left, object{"PutRequest": object{"Item": it}})
		}
		a["UnprocessedItems"] = object{"footfall": left}
	case "BatchGetItem":
		a["ConsumedCapacity"] = []object{units}
		a["Responses"] = object{"footfall": d.jsonItems()}
		a["UnprocessedKeys"] = object{"footfall": object{"Keys": d.jsonItems(), "ConsistentRead": true}}
	case "Query":
		a["Items"], a["Count"] = d.jsonItems(), 3
		if d.IntN(2) == 0 {
			a["LastEvaluatedKey"] = d.jsonItem()
		}
	}
	text, err := json.Marshal(a)
	if err != nil {
		panic(err) // It is made of strings.
	}
	return string(text)
}
