package sitetable

import (
	"unicode/utf8"

	"github.com/footfall/footfall/query/ranges"
)

// CheckID refuses what cannot be an id: the empty one, and bytes that no store takes.
func CheckID(param, id string) error {
	switch {
	case id == "":
		return &ranges.ParamError{Param: param, Remedy: "missing: name one"}
	case !utf8.ValidString(id):
		return &ranges.ParamError{Param: param, Value: id, Remedy: "not valid UTF-8, as every id is"}
	}
	return nil
}
