// Package mapping makes events of JSON objects of any shape, by what a configuration or flags say of each field.
//
// Files: config.go what a mapping is made of, and how it is recorded; spelling.go how messages name that; mapping.go the fields;
// source.go where a field's value comes from, keys and templates; times.go timestamps.
package mapping
