//go:build race

package slow

const raced = true
