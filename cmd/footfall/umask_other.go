//go:build !unix

package main

func restrictFiles() {} // Files have the access list of their directory.
