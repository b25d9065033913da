//go:build !unix

package cli

func restrictFiles() {} // Files have the access list of their directory.
