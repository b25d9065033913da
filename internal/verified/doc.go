// Package verified keeps the results of recounts in the table, where `footfall verify --record` puts them and answers about figures find
// them.
package verified
