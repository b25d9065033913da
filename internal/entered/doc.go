// Package entered keeps what people enter for sites: segments, funnels, annotations and alerts. They are items that commands create, list
// and delete. They decide nothing in the pipeline, and belong to the table, not to a generation.
package entered
