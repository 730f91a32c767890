package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Reasons of a WebhookError.
const (
	ReasonHeaderMissing       = "header_missing"
	ReasonTimestampUnreadable = "timestamp_unreadable"
	ReasonTooOld              = "too_old"
	ReasonTooNew              = "too_new"
	ReasonNoSignatureFits     = "no_signature_fits"
)

// WebhookError says that a delivery must not be trusted.
type WebhookError struct {
	Reason  string
	Message string
}

func (e *WebhookError) Error() string {
	return e.Reason + ": " + e.Message
}

// VerifyWebhook returns the event of a delivery if its signature is valid (Standard Webhooks 1.0),
// or else a *WebhookError. The body is what io.ReadAll(request.Body) returned, before anything has
// parsed it. While a secret is being changed pass both: one that fits is enough.
func VerifyWebhook(body []byte, header http.Header, secrets ...string) (*Event, error) {
	return Verifier{Secrets: secrets}.Verify(body, header)
}

// Verifier verifies deliveries with another tolerance or clock.
type Verifier struct {
	Secrets []string
	// Tolerance is the greatest age of a delivery, by default five minutes.
	Tolerance time.Duration
	// Now is the present time, by default that of this machine.
	Now func() time.Time
}

// Verify returns the event of a delivery if its signature is valid.
func (v Verifier) Verify(body []byte, header http.Header) (*Event, error) {
	if len(v.Secrets) == 0 {
		return nil, errors.New("VerifyWebhook needs the secret that the webhook was saved with")
	}
	id, timestamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	signatures := header.Get("Webhook-Signature")
	if id == "" || timestamp == "" || signatures == "" {
		return nil, &WebhookError{ReasonHeaderMissing, "was the webhook saved with a secret?"}
	}
	if err := v.checkAge(timestamp); err != nil {
		return nil, err
	}
	signed := append([]byte(id+"."+timestamp+"."), body...)
	for _, secret := range v.Secrets {
		if secret == "" || strings.TrimSpace(secret) != secret {
			return nil, errors.New("a secret is empty, or has a space or a line break: is the variable set?")
		}
		if fits(sign(secret, signed), strings.Fields(signatures)) {
			return parseEvent(body)
		}
	}
	return nil, &WebhookError{
		ReasonNoSignatureFits,
		"another secret, or the body is not what came byte for byte",
	}
}

func (v Verifier) checkAge(timestamp string) error {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return &WebhookError{ReasonTimestampUnreadable, "the timestamp is no number of seconds"}
	}
	now, tolerance := time.Now, 5*time.Minute
	if v.Now != nil {
		now = v.Now
	}
	if v.Tolerance > 0 {
		tolerance = v.Tolerance
	}
	age := now().Sub(time.Unix(seconds, 0))
	if age > tolerance {
		return &WebhookError{ReasonTooOld, fmt.Sprintf("the timestamp is %v old: a replay?", age)}
	}
	// Not -age, which overflows where a duration is at its lower limit.
	if age < -tolerance {
		return &WebhookError{ReasonTooNew, fmt.Sprintf("the timestamp is %v ahead", -age)}
	}
	return nil
}

func sign(secret string, signed []byte) string {
	mac := hmac.New(sha256.New, decodeSecret(secret))
	mac.Write(signed)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

func fits(expected string, signatures []string) bool {
	found := false
	for _, signature := range signatures {
		found = hmac.Equal([]byte(expected), []byte(signature)) || found
	}
	return found
}

// A secret of whsec_ and base64 of 24 to 64 bytes is those bytes; any other is its own ASCII.
func decodeSecret(secret string) []byte {
	if strings.HasPrefix(secret, "whsec_") {
		// The gateway takes it without the "=" at its end too.
		key, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(secret[len("whsec_"):], "="))
		if err == nil && len(key) >= 24 && len(key) <= 64 {
			return key
		}
	}
	return []byte(secret)
}
