// Package figures declares the figures of answers and their changes. Package query fills them in.
package figures
