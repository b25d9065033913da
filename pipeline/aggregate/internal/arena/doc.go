// Package arena allocates small states in blocks ([Slab], [Blocks], [Arena]), and evicts those that no recent step has touched ([Cohorts]).
package arena
