package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/footfall/footfall/internal/cli/command"
	"github.com/footfall/footfall/internal/produce"
)

// inputsOf are the files that names mean: files, folders for the files in them, globs, objects of a bucket, and - for the standard input.
// It returns the bytes of all, -1 where they are not known.
func inputsOf(ctx context.Context, names []string, stdin func(context.Context) produce.Input) (inputs []produce.Input, total int64,
	err error) {
	seen := make(map[string]bool)
	once := func(name string) error {
		if seen[name] {
			return command.Usagef("%s is named twice: its lines would count twice", name)
		}
		seen[name] = true
		return nil
	}
	for _, name := range names {
		if strings.HasPrefix(name, bucketScheme) {
			objects, bytes, err := bucketInputs(ctx, name)
			if err != nil {
				return nil, 0, fmt.Errorf("%s: %w", name, err)
			}
			for _, o := range objects {
				if err := once(o.Name); err != nil {
					return nil, 0, err
				}
			}
			if inputs = append(inputs, objects...); total >= 0 {
				total += bytes
			}
			continue
		}
		files, err := expand(name)
		if err != nil {
			return nil, 0, err
		}
		for _, file := range files {
			if err := once(file); err != nil {
				return nil, 0, err
			}
			if file == "-" {
				total = -1
				inputs = append(inputs, stdin(ctx))
				continue
			}
			inputs = append(inputs, fileInput(ctx, file))
			if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
				total = -1
			} else if total >= 0 {
				total += info.Size()
			}
		}
	}
	return inputs, total, nil
}

// expand returns the files that a name means.
func expand(name string) ([]string, error) {
	if name == "-" {
		return []string{name}, nil
	}
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(name, "*?["):
		files, err := filepath.Glob(name)
		if err == nil && len(files) == 0 {
			err = errors.New("no file has such a name")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return files, nil
	case err != nil:
		return nil, errors.New(strings.Replace(err.Error(), "stat ", "open ", 1))
	case !info.IsDir():
		return []string{name}, nil
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, e := range entries {
		if path := filepath.Join(name, e.Name()); !strings.HasPrefix(e.Name(), ".") {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				files = append(files, path)
			}
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: the folder has no files (folders in it are not looked into)", name)
	}
	return files, nil
}

func fileInput(ctx context.Context, name string) produce.Input {
	var written time.Time
	if info, err := os.Stat(name); err == nil { // If not, it is an error when the file is opened.
		written = info.ModTime()
	}
	return produce.Input{
		Name: name, ModTime: written,
		Open: func() (io.ReadCloser, error) {
			f, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			return readCloser{produce.Interruptible(ctx, f), f}, nil
		},
		Head: func() ([]byte, error) {
			f, err := os.Open(name)
			if err != nil {
				return nil, err
			}
			defer f.Close()
			if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
				return nil, errors.Join(err, errors.New("not a regular file: name its format with --format, or pipe it into standard input, -"))
			}
			return io.ReadAll(io.LimitReader(f, produce.HeadBytes))
		},
	}
}

const standardInput = "standard input"

// OpenInput reads the standard input, whose first lines are those that are there: more may come much later.
func OpenInput(ctx context.Context, stdin io.Reader) produce.Input {
	in := bufio.NewReaderSize(produce.Interruptible(ctx, stdin), produce.HeadBytes)
	return produce.Input{
		Name: standardInput,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(in), nil },
		Head: func() ([]byte, error) {
			if _, err := in.Peek(1); err != nil && err != io.EOF {
				return nil, err
			}
			return in.Peek(in.Buffered())
		},
	}
}

// EndingInput reads the standard input where nothing is done before it ends: its first lines are always the same ones.
func EndingInput(ctx context.Context, stdin io.Reader) produce.Input {
	in := bufio.NewReaderSize(produce.Interruptible(ctx, stdin), produce.HeadBytes)
	return produce.Input{
		Name: standardInput,
		Open: func() (io.ReadCloser, error) { return io.NopCloser(in), nil },
		Head: func() ([]byte, error) {
			head, err := in.Peek(produce.HeadBytes)
			if err == io.EOF {
				err = nil
			}
			return head, err
		},
	}
}

// readCloser reads from one and closes the other.
type readCloser struct {
	io.Reader
	io.Closer
}
