package annotations

import "testing"

// An id is named as a word: a short one does not take texts along that have it as a part.
func TestTextsNameIDs(t *testing.T) {
	for _, c := range []struct {
		text, id string
		want     bool
	}{
		{"visitor v-1 complained", "v-1", true}, {"v-1", "v-1", true}, {"(v-1)", "v-1", true}, {"v-12, v-1", "v-1", true},
		{"v-12", "v-1", false}, {"xv-1", "v-1", false}, {"release 1.2", "1", true}, {"release 12", "1", false}, {"", "v-1", false},
		{"anything", "", false}, {"ä1ä", "1", false}, {"é-é1", "é1", true},
	} {
		if got := names(c.text, c.id); got != c.want {
			t.Errorf("%q names %q: %v", c.text, c.id, got)
		}
	}
}
