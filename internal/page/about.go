package page

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"sync"

	template "github.com/DataDog/datadog-agent/pkg/template/html"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/footfall/footfall/docs"
	"github.com/footfall/footfall/internal/page/links"
)

// About writes the page that defines each figure. It is docs/metrics.md.
func About(w io.Writer, look links.Look) error {
	definitions, err := rendered()
	if err != nil {
		return err
	}
	return render(w, look, "about.html", aboutData{look, definitions})
}

// aboutData is what the template of About has.
type aboutData struct {
	Look links.Look
	document
}

// A document is a text with its table of contents.
type document struct {
	Contents    []heading
	Definitions template.HTML
}

// A heading is one of the second level.
type heading struct{ Title, Address string }

// rendered is docs/metrics.md as HTML.
var rendered = sync.OnceValues(func() (d document, err error) {
	var b bytes.Buffer
	markdown := goldmark.New(goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignNone))),
		goldmark.WithRendererOptions(html.WithXHTML()),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(anchors{}, 1000))))
	source := []byte(docs.Metrics)
	root := markdown.Parser().Parse(gtext.NewReader(source))
	if err := markdown.Renderer().Render(&b, source, root); err != nil {
		return d, fmt.Errorf("render the definitions: %w", err)
	}
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		id, _ := n.AttributeString("id")
		if h, ok := n.(*ast.Heading); ok && h.Level == 2 && id != nil {
			d.Contents = append(d.Contents, heading{string(textOf(h, source)), "#" + string(id.([]byte))})
		}
	}
	d.Definitions = template.HTML(b.String()) //nolint:gosec // It is a document of this program.
	return d, nil
})

// anchors names the definitions of figures, which are in the first column of tables, by the names of the figures. It makes texts of links
// to other documents, which are not served.
type anchors struct{}

// figureName is what a figure is called in JSON.
var figureName = regexp.MustCompile(`^[a-z][A-Za-z]+$`)

// Transform changes the document.
func (anchors) Transform(document *ast.Document, reader gtext.Reader, _ parser.Context) {
	seen := make(map[string]bool)
	var links []*ast.Link
	ast.Walk(document, func(n ast.Node, entering bool) (ast.WalkStatus, error) { //nolint:errcheck // It returns none.
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *east.Table: // It scrolls where it is wider than the page, also by keyboard.
			n.SetAttributeString("tabindex", []byte("0"))
		case *ast.Link:
			if !bytes.HasPrefix(n.Destination, []byte("#")) {
				links = append(links, n)
			}
		case *ast.CodeSpan:
			name := string(textOf(n, reader.Source()))
			if cell, ok := n.Parent().(*east.TableCell); ok && cell.PreviousSibling() == nil && !seen[name] && figureName.MatchString(name) {
				seen[name] = true
				n.SetAttributeString("id", []byte(name))
			}
		}
		return ast.WalkContinue, nil
	})
	for _, l := range links {
		for child := l.FirstChild(); child != nil; child = l.FirstChild() {
			l.Parent().InsertBefore(l.Parent(), l, child)
		}
		l.Parent().RemoveChild(l.Parent(), l)
	}
}

// textOf is the text of a node whose children are all texts.
func textOf(n ast.Node, source []byte) (text []byte) {
	for child := n.FirstChild(); child != nil; child = child.NextSibling() {
		if t, ok := child.(*ast.Text); ok {
			text = append(text, t.Segment.Value(source)...)
		}
	}
	return text
}
