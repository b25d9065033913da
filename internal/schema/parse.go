package schema

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/footfall/footfall/sinks"
	"github.com/footfall/footfall/sinks/int128"
)

// maxItemText bounds the text of one item: binary values take a third more in base64, control characters six times as much
// in JSON.
const maxItemText = 8 * sinks.MaxItemBytes

// ParseItem reads one item as JSON: as DynamoDB spells it, {"pk": {"S": "..."}, ...}, alone or as the Item of an answer of
// GetItem; or an Explanation as `query explain --output json` prints it. Attributes of types that footfall never writes are
// somebody else's: they are left out, and foreign names them. A secret that was not printed is absent.
func ParseItem(in io.Reader) (it sinks.Item, foreign []string, err error) {
	text, err := io.ReadAll(io.LimitReader(in, maxItemText+1))
	switch {
	case err != nil:
		return nil, nil, err
	case len(text) > maxItemText:
		return nil, nil, fmt.Errorf("more than %d bytes: an item has %d at most", maxItemText, sinks.MaxItemBytes)
	case len(bytes.TrimSpace(text)) == 0:
		return nil, nil, errors.New("there is no item: give one as JSON, as `aws dynamodb get-item` prints it")
	case !utf8.Valid(text):
		return nil, nil, errors.New("it is not valid UTF-8, which JSON is")
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, nil, fmt.Errorf("it is not one JSON object: %w", err)
	}
	if inner, ok := fields["Item"]; ok && fields[sinks.AttrPK] == nil {
		fields = nil
		if err := json.Unmarshal(inner, &fields); err != nil {
			return nil, nil, fmt.Errorf("its Item is not a JSON object: %w", err)
		}
	}
	if printed, ok := fields["attributes"]; ok && bytes.HasPrefix(bytes.TrimSpace(printed), []byte("[")) {
		it, err = parsePrinted(printed)
	} else {
		it, foreign, err = parseDynamoDB(fields)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, name := range []string{sinks.AttrPK, sinks.AttrSK} {
		if it[name].Str() == "" {
			return nil, nil, fmt.Errorf("attribute %q is missing, or no string: every item has it", name)
		}
	}
	return it, foreign, nil
}

// parsePrinted reads the attributes of an Explanation.
func parsePrinted(text []byte) (sinks.Item, error) {
	var facts []struct {
		Name  string          `json:"name"`
		Type  string          `json:"type"`
		Value json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(text, &facts); err != nil {
		return nil, fmt.Errorf("its attributes are not as footfall prints them: %w", err)
	}
	it := make(sinks.Item, len(facts))
	for _, f := range facts {
		if string(f.Value) == "null" {
			continue
		}
		v, err := parseValue(f.Type, f.Value, func(s json.RawMessage) (text string, err error) {
			err = json.Unmarshal(s, &text)
			return text, err
		})
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", f.Name, err)
		}
		it[f.Name] = v
	}
	return it, nil
}

func parseDynamoDB(fields map[string]json.RawMessage) (it sinks.Item, foreign []string, err error) {
	it = make(sinks.Item, len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var typed map[string]json.RawMessage
		if err := json.Unmarshal(fields[name], &typed); err != nil || len(typed) != 1 {
			return nil, nil, fmt.Errorf(`attribute %q is not as DynamoDB spells it, {"S": "text"}, and footfall prints nothing of the kind`, name)
		}
		for kind, value := range typed {
			v, err := parseValue(kind, value, elementOfList)
			switch {
			case errors.Is(err, errForeign):
				foreign = append(foreign, name)
			case err != nil:
				return nil, nil, fmt.Errorf("attribute %q: %w", name, err)
			default:
				it[name] = v
			}
		}
	}
	return it, foreign, nil
}

// errForeign reports a value of a type that DynamoDB has and footfall never writes.
var errForeign = errors.New("footfall writes strings, whole numbers, bytes and lists of strings only")

// elementOfList reads {"S": "text"}.
func elementOfList(text json.RawMessage) (string, error) {
	var e map[string]*string
	if err := json.Unmarshal(text, &e); err != nil || len(e) != 1 || e["S"] == nil {
		return "", errForeign
	}
	return *e["S"], nil
}

// parseValue reads a value of a type as DynamoDB names it; element reads one of a list.
func parseValue(kind string, text json.RawMessage, element func(json.RawMessage) (string, error)) (sinks.Value, error) {
	switch kind {
	case "M", "SS", "NS", "BS", "BOOL", "NULL":
		return sinks.Value{}, errForeign
	case "L":
		var elements []json.RawMessage
		if err := json.Unmarshal(text, &elements); err != nil {
			return sinks.Value{}, fmt.Errorf("it is no list: %w", err)
		}
		list := make([]string, len(elements))
		for i, e := range elements {
			s, err := element(e)
			if err != nil {
				return sinks.Value{}, err
			}
			list[i] = s
		}
		return sinks.Strings(list), nil
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return sinks.Value{}, fmt.Errorf("a value of type %s is a JSON string: %w", kind, err)
	}
	switch kind {
	case "S":
		return sinks.Str(s), nil
	case "N":
		n, err := int128.Parse(s)
		return sinks.Num(n), err
	case "B":
		b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(s))
		return sinks.Bytes(b), err
	}
	return sinks.Value{}, fmt.Errorf("DynamoDB has no type %q", kind)
}
