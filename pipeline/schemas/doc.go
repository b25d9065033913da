// Package schemas keeps the schemas that the values of a topic's records name by ids. A registry is asked once for each id, and the table
// keeps its answer. A redo, a rebuild and a recount read the schema from the table and need no registry.
//
// The checkpoint of a partition says from which record on an id is known there: see [checkpoint.KnownSchemas].
package schemas
