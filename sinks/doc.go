// Package sinks defines the table that footfall writes to: the contract of a store ([Table], [Admin]),
// the values and items that pass through it, and the one module that spells keys ([Keys]).
//
// Three implementations pass the same suite (package sinktest): sinks/dynamo, on Amazon DynamoDB, sinks/sqlite,
// in one file on one machine, and sinks/memory. Nothing outside this package and its implementations knows how a key is spelled.
package sinks
