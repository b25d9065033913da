package faultproxy

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"strconv"
)

// byHalves does some of a batch and answers that the rest is unprocessed.
func (p *Proxy) byHalves(w http.ResponseWriter, q request, operation string) {
	rest, err := p.split(&q, operation)
	if err != nil { // Of one there are no halves.
		p.mu.Lock()
		p.counts[Count{operation, Partial}]--
		p.counts[Count{operation, None}]++
		p.mu.Unlock()
		p.pass(w, q)
		return
	}
	a, err := p.do(q)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	var members map[string]json.RawMessage
	left := map[string]string{"BatchWriteItem": "UnprocessedItems", "BatchGetItem": "UnprocessedKeys"}[operation]
	if a.status == http.StatusOK {
		if err := json.Unmarshal(a.body, &members); err != nil || len(cmp.Or(string(members[left]), "{}")) > len("{}") {
			panic(http.ErrAbortHandler) // DynamoDB itself has left something over: as good as an answer that was lost.
		}
		members[left] = rest
		if a.body, err = json.Marshal(members); err != nil {
			panic(err) // It was JSON when it came.
		}
		a.header.Del("X-Amz-Crc32") // It was that of the other body.
		a.header.Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	a.write(w)
}

// split takes some of a batch's entries, one at least, out of the request, and leaves one at least. It returns what
// it took as the answer names it.
func (p *Proxy) split(q *request, operation string) (rest json.RawMessage, err error) {
	var body map[string]json.RawMessage
	var tables map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(q.body, &body), json.Unmarshal(body["RequestItems"], &tables)); err != nil || len(tables) != 1 {
		return nil, errors.Join(err, errors.New("not a batch of one table"))
	}
	var table string
	for table = range tables {
	}
	// A batch of writes is a list of them; a batch of reads has its keys in a list, beside what is the same for all.
	request := make(map[string]json.RawMessage)
	list := tables[table]
	if operation == "BatchGetItem" {
		if err := json.Unmarshal(list, &request); err != nil {
			return nil, err
		}
		list = request["Keys"]
	}
	var entries []json.RawMessage
	if err := json.Unmarshal(list, &entries); err != nil || len(entries) < 2 {
		return nil, errors.Join(err, errors.New("not a batch of several"))
	}
	p.mu.Lock()
	p.rng.Shuffle(len(entries), func(i, j int) { entries[i], entries[j] = entries[j], entries[i] })
	n := 1 + p.rng.IntN(len(entries)-1)
	p.mu.Unlock()
	of := func(entries []json.RawMessage) json.RawMessage {
		var x any = entries
		if operation == "BatchGetItem" {
			r := maps.Clone(request)
			r["Keys"] = encode(entries)
			x = r
		}
		return encode(map[string]any{table: x})
	}
	body["RequestItems"] = of(entries[:n])
	q.body = encode(body)
	return of(entries[n:]), nil
}

func encode(x any) json.RawMessage {
	text, err := json.Marshal(x)
	if err != nil {
		panic(err) // Parts of what was JSON when it came.
	}
	return text
}
