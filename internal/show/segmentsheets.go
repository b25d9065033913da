package show

import (
	"strings"

	"github.com/footfall/footfall/internal/segments"
)

func (a segmentsView) notes() []string { return remarks(a.Site, a.SiteKnown, 0, "") }

func (a segmentsView) sheets() []sheet {
	return []sheet{segmentSheet("Segments of site "+a.Site, a.Segments...)}
}

func (a segmentView) notes() []string { return nil }

func (a segmentView) sheets() []sheet {
	return []sheet{segmentSheet("Segment of site "+a.Site, a.Segment)}
}

func segmentSheet(title string, all ...segments.Segment) sheet {
	s := sheet{title: title, none: "None.", columns: []column{{"segment", "Segment", false}, {"where", "Filters", false},
		{"createdAt", "Created (UTC)", false}, {"createdBy", "By", false}}}
	for _, one := range all {
		s.rows = append(s.rows, []cell{textCell(one.Name), textCell(strings.Join(one.Where, " and ")), timeCell(&one.CreatedAt, toMinute),
			textCell(one.CreatedBy)})
	}
	return s
}
