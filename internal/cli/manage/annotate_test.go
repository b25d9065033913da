package manage

import (
	"encoding/json"
	"testing"

	"github.com/footfall/footfall/internal/cli/clitest"
	"github.com/footfall/footfall/query"
)

// Annotations are created, listed and deleted, and all of a site go with it.
func TestAnnotationsOfASite(t *testing.T) {
	dir, broker, table := clitest.NewDevDirectory(t)
	if err := table.Close(); err != nil {
		t.Fatal(err)
	}
	if err := broker.Close(); err != nil {
		t.Fatal(err)
	}
	do := func(answer any, args ...string) {
		t.Helper()
		code, out, errs := clitest.Footfall(t, append(args, "--data", dir)...)
		if code != 0 {
			t.Fatalf("%v: exit code %d, stderr %q", args, code, errs)
		}
		if answer == nil {
			return
		}
		if err := json.Unmarshal([]byte(out), answer); err != nil {
			t.Fatalf("%v: %v in %q", args, err, out)
		}
	}
	list := func(args ...string) (a query.AnnotationsAnswer) {
		t.Helper()
		do(&a, append([]string{"annotate", "list", "north", "--output", "json"}, args...)...)
		return a
	}
	do(nil, "site", "create", "north", "--zone", "Europe/Berlin")
	do(nil, "site", "create", "south")
	var first query.AnnotationAnswer
	do(&first, "annotate", "create", "north", "New checkout", "--at", "2026-05-12", "--output", "json")
	if got := first.At.UTC().Format("2006-01-02T15:04"); got != "2026-05-11T22:00" || first.Text != "New checkout" {
		t.Errorf("a date of the site's zone is %s: %+v", got, first)
	}
	do(nil, "annotate", "create", "north", "later", "--at", "2026-05-13T12:00:00Z")
	do(nil, "annotate", "create", "south", "of another site")
	if a := list(); len(a.Annotations) != 2 || a.Annotations[0].Text != "later" {
		t.Errorf("the list: %+v", a)
	}
	if a := list("--from", "2026-05-12", "--to", "2026-05-13"); len(a.Annotations) != 1 || a.Annotations[0] != first.Annotation {
		t.Errorf("those of a day: %+v", a)
	}
	if a := list("--limit", "1"); len(a.Annotations) != 1 || a.Cursor == "" {
		t.Errorf("the first page: %+v", a)
	} else if b := list("--limit", "1", "--cursor", a.Cursor); len(b.Annotations) != 1 || b.Annotations[0] != first.Annotation ||
		b.Cursor != "" {
		t.Errorf("the second page: %+v", b)
	}
	do(nil, "annotate", "delete", "north", first.AnnotationID)
	if code, _, _ := clitest.Footfall(t, "annotate", "delete", "north", first.AnnotationID, "--data", dir); code != 1 {
		t.Errorf("deleting it again: exit code %d", code)
	}
	do(nil, "site", "delete", "north", "--yes")
	if a := list(); len(a.Annotations) != 0 {
		t.Errorf("of a deleted site: %+v", a)
	}
	var south query.AnnotationsAnswer
	if do(&south, "annotate", "list", "south", "--output", "json"); len(south.Annotations) != 1 {
		t.Errorf("of another site: %+v", south)
	}
}

func TestAnnotateUsage(t *testing.T) {
	clitest.Refused(t, "annotate create shop", clitest.WrongUsage{Args: "text --at soon", Says: "--at"},
		clitest.WrongUsage{Args: "text --tz Nowhere", Says: "not a time zone"},
		clitest.WrongUsage{Args: "", Says: "wrong number of arguments"})
}
