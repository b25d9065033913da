package command

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

const rowsFlag = "rows"

// AddRows adds the flag that sets how many rows dimensions have.
func AddRows(f *pflag.FlagSet, otherwise string) {
	f.StringSlice(rowsFlag, nil, "values of a dimension with their own figures per hour and partition, as in page=5000,referrer=1000; "+
		"page= resets one ("+otherwise+")")
}

// ReadRows returns the rows that the flag sets, by dimension, 0 where it resets one; nil: none.
func ReadRows(f *pflag.FlagSet) (map[string]int, error) {
	list, err := f.GetStringSlice(rowsFlag)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	rows := make(map[string]int)
	for _, text := range list {
		name, number, ok := strings.Cut(text, "=")
		_, twice := rows[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("--rows %q: write a dimension and a number, as in page=5000", text)
		case twice:
			return nil, fmt.Errorf("--rows %q: %s is named twice: name it once", text, name)
		case number == "":
			rows[name] = 0
			continue
		}
		if rows[name], err = strconv.Atoi(number); err != nil || rows[name] < 1 {
			return nil, fmt.Errorf("--rows %q: %q is not a number of rows: write it as in page=5000, or page= to reset it", text, number)
		}
	}
	return rows, nil
}
