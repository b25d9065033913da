package examples

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"testing"

	"github.com/footfall/footfall/internal/slow"
	"github.com/footfall/footfall/internal/testenv"
	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sketch"
)

var update = flag.Bool("update", false, "rewrite decode/vectors.json, and the lists of names in the decoders")

// decoders are the programs that decode what items hold without Go, and the interpreters that run them.
var decoders = map[string][]string{"Python": {"python3", "decode/decode.py"}, "JavaScript": {"node", "decode/decode.js"}}

// A vector is one of decode/vectors.json: an item as DynamoDB answers it, and the line that a decoder prints of it.
type vector struct {
	Item map[string]map[string]string `json:"item"`
	Want json.RawMessage              `json:"want"`
}

func vectorOf(t *testing.T, e encoded) vector {
	t.Helper()
	want, err := json.Marshal(map[string]any{"pk": "SITE#shop", "sk": e.name, e.attr: e.want})
	if err != nil {
		t.Fatal(err)
	}
	return vector{map[string]map[string]string{"pk": {"S": "SITE#shop"}, "sk": {"S": e.name}, sinks.AttrEntity: {"S": e.entity},
		e.attr: {"B": base64.StdEncoding.EncodeToString(e.data)}}, want}
}

// decoder is a decoder that reads in. Its test is skipped where the interpreter is not installed, unless all services are required.
func decoder(t *testing.T, command []string, in []byte) *exec.Cmd {
	t.Helper()
	testenv.RequireTools(t, command[0])
	run := exec.CommandContext(t.Context(), command[0], command[1:]...)
	run.Stdin = bytes.NewReader(in)
	return run
}

// decode runs a decoder on items, compares the lines that it prints with those wanted, and returns them.
func decode(t *testing.T, command []string, vectors []vector) (lines [][]byte) {
	t.Helper()
	var answer struct {
		Items []map[string]map[string]string
	}
	for _, v := range vectors {
		answer.Items = append(answer.Items, v.Item)
	}
	in, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	run := decoder(t, command, in)
	var errs bytes.Buffer
	run.Stderr = &errs
	out, err := run.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	lines = bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != len(vectors) {
		t.Fatalf("%d lines of %d items", len(lines), len(vectors))
	}
	for i, line := range lines {
		if got, want := parsed(t, line), parsed(t, vectors[i].Want); !reflect.DeepEqual(got, want) {
			t.Errorf("%s\n got %.2000s\nwant %.2000s", vectors[i].Item["sk"]["S"], line, vectors[i].Want)
		}
	}
	return lines
}

// decodeWithEach runs each decoder on items in a test of its own.
func decodeWithEach(t *testing.T, vectors []vector) {
	for name, command := range decoders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			decode(t, command, vectors)
		})
	}
}

func parsed(t *testing.T, line []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(line, &v); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	return v
}

// TestDecodersReadTheVectors: decode/vectors.json is for decoders in other languages, too.
func TestDecodersReadTheVectors(t *testing.T) {
	const file = "decode/vectors.json"
	var vectors []vector
	for _, e := range drawn(t, 1, 24) {
		vectors = append(vectors, vectorOf(t, e))
	}
	for _, it := range append(keyedSessions(), listedSessions()...) {
		v, _ := stored(t, it)
		vectors = append(vectors, v)
	}
	current, err := json.MarshalIndent(vectors, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	current = append(current, '\n')
	if *update {
		if err := os.WriteFile(file, current, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	committed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(committed, current) {
		t.Errorf("%s is not current: go test ./examples -run Vectors -update", file)
	}
	decodeWithEach(t, vectors)
}

// TestDecodersReadWhatIsDrawn: as the vectors, with other contents.
func TestDecodersReadWhatIsDrawn(t *testing.T) {
	var vectors []vector
	for seed := range uint64(slow.Of(t, 2, 5)) {
		for _, e := range drawn(t, 100+seed, 300) {
			vectors = append(vectors, vectorOf(t, e))
		}
	}
	decodeWithEach(t, vectors)
}

// TestDecodersRefuseDamage: a decoder of a changed byte fails, and names the CRC.
func TestDecodersRefuseDamage(t *testing.T) {
	for name, command := range decoders {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := uniquesOf(t, "damaged", sinks.EntityUniques, sinks.AttrPart, filled(sketch.NewHour(), rand.New(rand.NewPCG(1, 2)), 20))
			e.data = slices.Clone(e.data)
			e.data[len(e.data)/2] ^= 4
			in, err := json.Marshal(vectorOf(t, e).Item)
			if err != nil {
				t.Fatal(err)
			}
			run := decoder(t, command, in)
			if out, err := run.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("the CRC is not that of the bytes")) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}
