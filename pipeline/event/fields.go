package event

import "github.com/footfall/footfall/internal/figures"

// The limits of an event's fields, in bytes.
const (
	maxSiteBytes       = 128
	maxTypeBytes       = 64
	maxIDBytes         = 256
	maxURLBytes        = 2 << 10
	maxTitleBytes      = 512
	maxUserAgentBytes  = 1 << 10
	maxNameBytes       = 128
	maxDimensionBytes  = 64
	maxPropertiesBytes = 16 << 10
	maxPropertiesDepth = 32 // the object itself is 1 deep
)

// eventField is a key of the schema.
type eventField uint8

const (
	fieldUnknown eventField = iota
	fieldSiteID
	fieldType
	fieldTimestamp
	fieldID
	fieldVisitorID
	fieldSessionID
	fieldUserID
	fieldURL
	fieldReferrer
	fieldTitle
	fieldUserAgent
	fieldName
	fieldValue
	fieldProperties
	firstGiven // the first of the dimensions that events give, in the order of figures.Given

	fieldCount = firstGiven + eventField(len(figures.Given)) // how many there are, fieldUnknown included
)

// maxPlain are the limits of the fields that are texts. Of the others no value is a plain text.
var maxPlain = withGiven([fieldCount]uint32{
	fieldSiteID: maxSiteBytes, fieldType: maxTypeBytes, fieldTimestamp: MaxRecordBytes, fieldID: maxIDBytes,
	fieldVisitorID: maxIDBytes, fieldSessionID: maxIDBytes, fieldUserID: maxIDBytes,
	fieldURL: maxURLBytes, fieldReferrer: maxURLBytes, fieldTitle: maxTitleBytes, fieldUserAgent: maxUserAgentBytes, fieldName: maxNameBytes,
})

func withGiven(limits [fieldCount]uint32) [fieldCount]uint32 {
	for f := firstGiven; f < fieldCount; f++ {
		limits[f] = maxDimensionBytes
	}
	return limits
}

// givenKeys are the keys of the dimensions that events give.
var givenKeys = func() (keys [len(figures.Given)]string) {
	for i, d := range figures.Given {
		keys[i] = figures.Dimensions[d].Name
	}
	return keys
}()

// fieldOf returns the field that a key names, in exact case.
func fieldOf(key []byte) eventField {
	switch string(key) {
	case "siteId":
		return fieldSiteID
	case "type":
		return fieldType
	case "timestamp":
		return fieldTimestamp
	case "id":
		return fieldID
	case "visitorId":
		return fieldVisitorID
	case "sessionId":
		return fieldSessionID
	case "userId":
		return fieldUserID
	case "url":
		return fieldURL
	case "referrer":
		return fieldReferrer
	case "title":
		return fieldTitle
	case "userAgent":
		return fieldUserAgent
	case "name":
		return fieldName
	case "value":
		return fieldValue
	case "properties":
		return fieldProperties
	}
	for i := range givenKeys {
		if string(key) == givenKeys[i] {
			return firstGiven + eventField(i)
		}
	}
	return fieldUnknown
}
