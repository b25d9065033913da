package alerts

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"time"
	"unicode/utf8"

	"github.com/footfall/footfall/internal/entered"
	"github.com/footfall/footfall/sinks"
)

const (
	// MaxPerSite is how many alerts a site has at most.
	MaxPerSite = 20
	maxID      = 500  // bytes of a name
	maxWebhook = 2000 // bytes of a URL
)

// An Alert is a condition that hours of a site are judged by.
type Alert struct {
	Site      string
	ID        string // its name
	Rule      Rule
	Webhook   string // the URL that findings are sent to; "": none
	CreatedAt time.Time
	CreatedBy string // for people
}

// Validate reports what is wrong with an alert that is to be created.
func (a Alert) Validate() error {
	switch {
	case a.Site == "":
		return errors.New("no site is named: name one")
	case a.ID == "" || len(a.ID) > maxID || !utf8.ValidString(a.ID):
		return fmt.Errorf("name %.50q: write 1 to %d bytes of UTF-8", a.ID, maxID)
	}
	return CheckWebhook(a.Webhook)
}

// CheckWebhook reports what is wrong with the URL of a webhook; "" is none.
func CheckWebhook(webhook string) error {
	if webhook == "" {
		return nil
	}
	u, err := url.Parse(webhook)
	switch {
	case err != nil || u.Host == "" || len(webhook) > maxWebhook || u.Fragment != "":
		return errors.New("webhook: it is no URL: write one as in https://hooks.example/footfall") // The URL may be a secret.
	case u.User != nil:
		return errors.New("webhook: a URL with a password is not taken: receivers can check the signature instead")
	case u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())):
		return fmt.Errorf("webhook: %s://%s is not encrypted: write https, or http for localhost alone", u.Scheme, u.Host)
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && LinkLocal(ip) {
		return fmt.Errorf("webhook: %s is an address of the machine's own network, such as a metadata service: name another host", ip)
	}
	return nil
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// LinkLocal reports whether findings are sent to no such address: one of the link, where clouds have their metadata, or none at all.
func LinkLocal(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsLinkLocalUnicast() || ip.IsMulticast() || ip.IsUnspecified() || ip == netip.MustParseAddr("fd00:ec2::254")
}

// Host is where findings are sent, without the path, which may be a secret; "": nowhere.
func (a Alert) Host() string {
	u, err := url.Parse(a.Webhook)
	if err != nil {
		return ""
	}
	return u.Host
}

// Item is the item of an alert.
func (a Alert) Item() sinks.Item {
	it := entered.Head(sinks.AlertKey(a.Site, a.ID), sinks.EntityAlert, a.Site)
	it[sinks.AttrAlertID], it[sinks.AttrText] = sinks.Str(a.ID), sinks.Str(a.Rule.String())
	it[sinks.AttrCreatedAt], it[sinks.AttrCreatedBy] = sinks.Int(a.CreatedAt.UnixMilli()), sinks.Str(a.CreatedBy)
	if a.Webhook != "" {
		it[sinks.AttrWebhook] = sinks.Str(a.Webhook)
	}
	return it
}

// Read reads the item of an alert. One that is damaged is an error.
func Read(it sinks.Item) (Alert, error) {
	a := Alert{Site: it[sinks.AttrSiteID].Str(), ID: it[sinks.AttrAlertID].Str(), Webhook: it[sinks.AttrWebhook].Str(),
		CreatedAt: time.UnixMilli(it[sinks.AttrCreatedAt].Int()).UTC(), CreatedBy: it[sinks.AttrCreatedBy].Str()}
	rule, err := Parse(it[sinks.AttrText].Str())
	a.Rule = rule
	if err == nil {
		err = a.Validate()
	}
	if err != nil {
		return Alert{}, fmt.Errorf("alert %s: %w; footfall alert delete removes it", it.Key().SK, err)
	}
	return a, nil
}
