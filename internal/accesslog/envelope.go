package accesslog

import "bytes"

// envelope takes a line out of the JSON object that it is wrapped in: Docker's json-file, or journalctl's output json.
type envelope struct {
	json   *jsonLines
	values values
}

// The keys of both, in the table of a format whose request is the line.
var envelopeTree = func() *node {
	tree := newNode()
	tree.add("log", request, 0)
	tree.add("MESSAGE", request, 1)
	tree.add("time", instant, 0)
	tree.add("__REALTIME_TIMESTAMP", instant, 1)
	return tree
}()

func (e *envelope) unwrap(line []byte, c *calendar) ([]byte, prefix) {
	if !bytes.HasPrefix(line, []byte(`{"log":`)) && !bytes.Contains(line, []byte(`"MESSAGE"`)) {
		return line, prefix{}
	}
	if e.json == nil {
		e.json = &jsonLines{tree: envelopeTree}
	}
	e.values.reset()
	if f := e.json.parse(line, &e.values); f != nil || len(e.values.of[request]) == 0 {
		return line, prefix{}
	}
	when, _ := c.read(e.values.of[instant], "")
	return bytes.TrimRight(e.values.of[request], "\r\n"), prefix{0, when}
}
