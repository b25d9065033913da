package schemas

import (
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/klauspost/compress/zstd"

	"github.com/footfall/footfall/pipeline/wire"
)

// maxText bounds a schema in its item, compressed.
const maxText = 300_000

// maxSource bounds it as JSON: several times what a registry's client takes.
const maxSource = 16 << 20

func hashText(s wire.Source) string {
	h := s.Hash()
	return hex.EncodeToString(h[:])
}

// pack makes of a schema what the table keeps.
func pack(s wire.Source) ([]byte, error) {
	b, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be kept: %w", err)
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	if b = z.EncodeAll(b, nil); len(b) > maxText {
		return nil, fmt.Errorf("the schema has %d bytes compressed, more than the %d that an item of the table has room for", len(b), maxText)
	}
	return b, nil
}

// unpack returns a schema that the table keeps.
func unpack(text []byte) (s wire.Source, err error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxSource))
	if err != nil {
		return s, err
	}
	defer z.Close()
	b, err := z.DecodeAll(text, nil)
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	return s, err
}
