package replay

import (
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/footfall/footfall/sinks"
)

// check examines the types of a position's attributes and what each must say by itself.
func (p *position) check(it sinks.Item) error {
	kinds := map[string]sinks.Kind{attrEpoch: sinks.Number}
	written := []string{attrStep, attrFrom, attrTo, attrDone, attrTopic, attrSource, attrChosen, attrEnds, attrNext}
	for _, name := range written { // A run that ended before its first batch has written the epoch and the owner only.
		if it[name].Kind() == sinks.None {
			continue
		}
		for _, name := range written[:4] {
			kinds[name] = sinks.Number
		}
		for _, name := range written[4:] {
			kinds[name] = sinks.String
		}
		break
	}
	for name, kind := range kinds {
		switch v := it[name]; {
		case v.Kind() == sinks.None:
			return p.damaged(it, name, sinks.ErrMissing)
		case v.Kind() != kind:
			return p.damaged(it, name, sinks.ErrKind)
		case v.Kind() == sinks.Number && v.Int() < 0:
			return p.damaged(it, name, errNegative)
		}
	}
	switch {
	case len(kinds) == 1:
		return nil
	case it[attrStep].Int() == 0:
		return p.damaged(it, attrStep, errors.New("want 1 or more"))
	case it[attrDone].Int() > 1:
		return p.damaged(it, attrDone, errors.New("want 0 or 1"))
	case !isID(it[attrTopic].Str()):
		return p.damaged(it, attrTopic, errTopicID)
	case it[attrSource].Str() != "" && !isID(it[attrSource].Str()):
		return p.damaged(it, attrSource, errTopicID)
	}
	return nil
}

var (
	errNegative = errors.New("a negative offset")
	errTopicID  = errors.New("not a topic id")
)

func isID(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 16
}

// checkOffsets compares the offsets with the topic. To read up to an offset that does not exist would take forever.
func (p *position) checkOffsets(it sinks.Item) error {
	beyond := fmt.Errorf("partition %d of the topic ends at offset %d", p.partition, p.span.to)
	switch {
	case p.to > p.span.to:
		return p.damaged(it, attrTo, beyond)
	case p.from > p.to:
		return p.damaged(it, attrFrom, fmt.Errorf("the batch ends at offset %d", p.to))
	}
	for _, end := range p.ends {
		if end < 0 {
			return p.damaged(it, attrEnds, errNegative)
		}
	}
	for _, next := range p.next {
		switch {
		case next < 0:
			return p.damaged(it, attrNext, errNegative)
		case next > p.span.to:
			return p.damaged(it, attrNext, beyond)
		}
	}
	if !p.done && p.sourceID == "" {
		return p.damaged(it, attrSource, errors.New("a batch is open"))
	}
	return nil
}

// lacksEnd reports that an open batch has entries of a partition whose end was not noted.
func (p *position) lacksEnd(partition int32) error {
	return p.damaged(nil, attrEnds, fmt.Errorf("no end offset of partition %d, which the open batch goes to", partition))
}

// damaged reports an attribute that no run has written.
func (p *position) damaged(it sinks.Item, name string, err error) error {
	value := ""
	if v := it[name]; v.Kind() != sinks.None {
		value = " is " + v.String()
	}
	return p.about(fmt.Errorf("attribute %s%s: %w: the item is damaged: restore it from a backup, or delete it. After a deletion "+
		"the next run starts at the beginning of the failed-events topic and publishes entries again", name, value, err))
}
