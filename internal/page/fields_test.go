package page

import (
	"maps"
	"reflect"
	"testing"
	"text/template/parse" //nolint:depguard // It has no template engine.
)

// Every branch of every template, also those that no test renders, asks for fields that are there, and for no method.
func TestTemplatesAskForFields(t *testing.T) {
	c := checker{t, make(map[any]bool)}
	for name, data := range map[string]any{"site.html": siteData{}, "top.html": topData{}, "sessions.html": sessionsData{},
		"session.html": sessionData{}, "funnel.html": funnelData{}, "paths.html": pathsData{}, "nowpages.html": nowPagesData{},
		"sites.html": sitesData{}, "about.html": aboutData{}, "login.html": LoginView{}, "fault.html": FaultView{}, "report.html": reportData{}} {
		c.template(name, reflect.TypeOf(data))
	}
	for _, of := range templates.Templates() {
		if tree := of.Tree; tree != nil && !parse.IsEmptyTree(tree.Root) && !c.seen[tree.Root] {
			t.Errorf("%s was not checked", of.Name())
		}
	}
}

// A checker finds the types of pipelines: every part of a tree has the type that it has for its dot and variables.
type checker struct {
	*testing.T
	seen map[any]bool // templates with their dots, and the trees of templates
}

type types map[string]reflect.Type // of variables; "": of the dot

func (c checker) template(name string, dot reflect.Type) {
	type call struct {
		name string
		dot  reflect.Type
	}
	if root := templates.Lookup(name).Tree.Root; !c.seen[call{name, dot}] {
		c.seen[call{name, dot}], c.seen[root] = true, true
		c.typeOf(root, types{"": dot, "$": dot})
	}
}

// typeOf is the type of what a part of a tree has as its value; a string where it has none.
func (c checker) typeOf(part parse.Node, of types) (is reflect.Type) {
	is = reflect.TypeFor[string]()
	switch n := part.(type) {
	case *parse.ListNode:
		for i := 0; n != nil && i < len(n.Nodes); i++ {
			c.typeOf(n.Nodes[i], of)
		}
	case *parse.ActionNode:
		return c.typeOf(n.Pipe, of)
	case *parse.TemplateNode:
		c.template(n.Name, c.typeOf(n.Pipe, of))
	case *parse.IfNode:
		c.branch(&n.BranchNode, c.typeOf(n.Pipe, of), of[""], of)
	case *parse.WithNode:
		its := c.typeOf(n.Pipe, of)
		c.branch(&n.BranchNode, its, its, of)
	case *parse.RangeNode:
		each := c.typeOf(n.Pipe, of).Elem()
		c.branch(&n.BranchNode, each, each, of)
	case *parse.PipeNode:
		for _, cmd := range n.Cmds {
			is = c.call(cmd, of)
		}
		for _, v := range n.Decl { // Of a range, the first is a number, of which nothing is asked.
			of[v.Ident[0]] = is
		}
	case *parse.DotNode:
		return of[""]
	case *parse.FieldNode:
		return c.field(n, of[""], n.Ident)
	case *parse.VariableNode:
		return c.field(n, of[n.Ident[0]], n.Ident[1:])
	case *parse.ChainNode:
		return c.field(n, c.typeOf(n.Node, of), n.Field)
	}
	return is
}

func (c checker) branch(n *parse.BranchNode, value, dot reflect.Type, of types) {
	inner := maps.Clone(of)
	for _, v := range n.Pipe.Decl {
		inner[v.Ident[0]] = value
	}
	c.typeOf(n.ElseList, inner)
	inner[""] = dot
	c.typeOf(n.List, inner)
}

// call is the type of what a function returns, or of a value.
func (c checker) call(cmd *parse.CommandNode, of types) (is reflect.Type) {
	f := reflect.ValueOf(nil)
	name, called := cmd.Args[0].(*parse.IdentifierNode)
	if called {
		f = reflect.ValueOf(functions[name.Ident])
	}
	for i, arg := range cmd.Args {
		is = c.typeOf(arg, of)
		if f.IsValid() && i > 0 && !f.Type().IsVariadic() && !is.AssignableTo(f.Type().In(i-1)) &&
			!reflect.PointerTo(is).AssignableTo(f.Type().In(i-1)) {
			c.Errorf("%s: %s is %v, want %v", cmd, arg, is, f.Type().In(i-1))
		}
	}
	switch {
	case f.IsValid():
		return f.Type().Out(0)
	case called && name.Ident != "and" && name.Ident != "or":
		return reflect.TypeFor[string]()
	}
	return is
}

func (c checker) field(n parse.Node, of reflect.Type, names []string) reflect.Type {
	for _, name := range names {
		for of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct {
			c.Fatalf("%s: %v has no fields", n, of)
		}
		f, ok := of.FieldByName(name)
		if !ok || !f.IsExported() {
			c.Fatalf("%s: %v has no field %s", n, of, name)
		}
		of = f.Type
	}
	return of
}
