package show

import "github.com/footfall/footfall/query"

func (a annotationsView) notes() []string { return remarks(a.Site, a.SiteKnown, 0, a.Cursor) }

func (a annotationsView) sheets() []sheet {
	return []sheet{annotationSheet("Annotations of site "+a.Site+", "+spanText(a.From, a.To), a.Annotations...)}
}

func (a annotationView) notes() []string { return nil }

func (a annotationView) sheets() []sheet {
	return []sheet{annotationSheet("Annotation of site "+a.Site, a.Annotation)}
}

func annotationSheet(title string, all ...query.Annotation) sheet {
	s := sheet{title: title, none: "None.", columns: []column{{"at", "At (UTC)", false}, {"text", "Text", false},
		{"annotationId", "ID", false}, {"createdAt", "Created (UTC)", false}, {"createdBy", "By", false}}}
	for _, a := range all {
		s.rows = append(s.rows, []cell{timeCell(&a.At, toMinute), textCell(a.Text), textCell(a.AnnotationID), timeCell(&a.CreatedAt, toMinute),
			textCell(a.CreatedBy)})
	}
	return s
}
