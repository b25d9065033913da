package rawlog

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	_ "modernc.org/sqlite" // The driver.
)

// Span is a span of offsets of a partition, [From, To).
type Span struct{ From, To int64 }

// Spool has records in a temporary file without a name, which is gone with the process. SQLite sorts them in bounded memory. It is a
// checkpoint.Past. Safe for concurrent use once it is sorted.
type Spool struct {
	topic string
	spans map[int32]Span
	db    *sql.DB
	add   *sql.Stmt

	Events map[int32]int64 // that it has, by partition
}

const (
	schema = `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768; PRAGMA temp_store = FILE;
CREATE TABLE unsorted (partition INTEGER, offset INTEGER, time INTEGER, value BLOB);
CREATE TABLE log (partition INTEGER, offset INTEGER, time INTEGER, value BLOB, PRIMARY KEY (partition, offset)) WITHOUT ROWID;
BEGIN` // Each statement by itself would write its pages at once.
	sorting = `INSERT OR REPLACE INTO log SELECT * FROM unsorted ORDER BY partition, offset; DROP TABLE unsorted; COMMIT`
	reading = `SELECT offset, time, value FROM log WHERE partition = ? AND offset >= ? ORDER BY offset LIMIT ?`
)

// readAtOnce bounds the records that a reader holds.
const readAtOnce = 256

// newSpool makes an empty spool for spans of a topic.
func newSpool(topic string, spans map[int32]Span) (*Spool, error) {
	db, err := sql.Open("sqlite", "")
	if err != nil {
		return nil, spoolError(err)
	}
	db.SetMaxOpenConns(1) // Each connection would have a file of its own.
	s := &Spool{topic: topic, spans: spans, db: db}
	if _, err = db.Exec(schema); err == nil {
		s.add, err = db.Prepare(`INSERT INTO unsorted VALUES (?, ?, ?, ?)`)
	}
	if err != nil {
		return nil, errors.Join(spoolError(err), s.Close())
	}
	return s, nil
}

func spoolError(err error) error {
	return fmt.Errorf("the temporary file of raw events: %w (SQLITE_TMPDIR or TMPDIR names the directory)", err)
}

// put adds a record.
func (s *Spool) put(partition int32, offset, ms int64, value []byte) error {
	if _, err := s.add.Exec(partition, offset, ms, value); err != nil {
		return spoolError(err)
	}
	return nil
}

// sort makes the records ready to be read. Of several with one offset it keeps one.
func (s *Spool) sort() error {
	if _, err := s.db.Exec(sorting); err != nil {
		return spoolError(err)
	}
	rows, err := s.db.Query(`SELECT partition, count(*) FROM log GROUP BY partition`)
	if err != nil {
		return spoolError(err)
	}
	defer rows.Close()
	for s.Events = make(map[int32]int64); rows.Next(); {
		var partition int32
		var n int64
		if err := rows.Scan(&partition, &n); err != nil {
			return spoolError(err)
		}
		s.Events[partition] = n
	}
	if err := rows.Err(); err != nil {
		return spoolError(err)
	}
	return nil
}

// Below counts the records of a partition before an offset.
func (s *Spool) Below(ctx context.Context, partition int32, offset int64) (n int64, err error) {
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM log WHERE partition = ? AND offset < ?`, partition, offset).Scan(&n)
	if err != nil {
		err = spoolError(err)
	}
	return n, err
}

// Close removes the file.
func (s *Spool) Close() error { return s.db.Close() }

// Span returns the offsets of a partition that the spool stands for.
func (s *Spool) Span(partition int32) (from, to int64) {
	at := s.spans[partition]
	return at.From, at.To
}

// Records yields the records of a partition from an offset on.
func (s *Spool) Records(ctx context.Context, partition int32, from int64) iter.Seq2[*kgo.Record, error] {
	return func(yield func(*kgo.Record, error) bool) {
		for {
			records, err := s.read(ctx, partition, from)
			if err != nil {
				yield(nil, spoolError(err))
				return
			}
			for _, r := range records {
				if !yield(r, nil) {
					return
				}
				from = r.Offset + 1
			}
			if len(records) < readAtOnce {
				return
			}
		}
	}
}

func (s *Spool) read(ctx context.Context, partition int32, from int64) (records []*kgo.Record, err error) {
	rows, err := s.db.QueryContext(ctx, reading, partition, from, readAtOnce)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		r := &kgo.Record{Topic: s.topic, Partition: partition}
		var ms int64
		if err := rows.Scan(&r.Offset, &ms, &r.Value); err != nil {
			return nil, err
		}
		r.Timestamp = time.UnixMilli(ms)
		records = append(records, r)
	}
	return records, rows.Err()
}
