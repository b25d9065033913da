// Package judge compares one subject, an item or several that belong together, with the recount as of what its marks
// say. It hides what each kind of item must hold and what excuses it: retention, erasures, lost spans, other topics.
package judge
