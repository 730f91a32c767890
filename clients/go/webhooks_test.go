package gateway

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"
)

const (
	body   = `{"EventType":"test","eventId":"0b8f2c1d-9a53-4f0e-8a43-6f1f6b1d2c11","seq":0}`
	at     = 1789635720
	secret = "whsec_BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="
	signed = "v1,BLFwR4t20VysQs1uybdGe0kRhbDeShMoz+nMhU+sswk="
	plain  = "v1,4cXSwLFVNx3RQYECn0WnJiTBzh45Rd46hGvYDlHc2Kg="
)

func headerWith(timestamp, signature string) http.Header {
	header := http.Header{}
	header.Set("webhook-id", "0b8f2c1d-9a53-4f0e-8a43-6f1f6b1d2c11")
	header.Set("webhook-timestamp", timestamp)
	header.Set("webhook-signature", signature)
	return header
}

func verify(text, timestamp, signature string, now int64, secrets ...string) (*Event, error) {
	clock := func() time.Time { return time.Unix(now, 0) }
	return Verifier{Secrets: secrets, Now: clock}.Verify([]byte(text), headerWith(timestamp, signature))
}

func TestPublishedSignaturesFit(t *testing.T) {
	event, err := verify(body, "1789635720", signed, at, secret)
	if err != nil {
		t.Fatal(err)
	}
	if _, isTest := event.Envelope.(*TestEnvelope); !isTest {
		t.Error(event)
	}
	if _, err := verify(body, "1789635720", signed, at, strings.TrimRight(secret, "=")); err != nil {
		t.Error("without padding:", err)
	}
	if _, err := verify(body, "1789635720", plain, at, "plain-secret"); err != nil {
		t.Error(err)
	}
	if _, err := verify(body, "1789635720", "v1,AAAA "+signed, at, "another", secret); err != nil {
		t.Error(err)
	}
}

func TestTheRestIsRefusedWithAReason(t *testing.T) {
	for _, refused := range []struct {
		reason, body, timestamp, signature, secret string
		now                                        int64
	}{
		{ReasonNoSignatureFits, body, "1789635720", signed, "another", at},
		{ReasonNoSignatureFits, body + " ", "1789635720", signed, secret, at},
		{ReasonTooOld, body, "1789635720", signed, secret, at + 600},
		{ReasonTooNew, body, "1789635720", signed, secret, at - 600},
		{ReasonTooNew, body, "99999999999", signed, secret, at},
		{ReasonTimestampUnreadable, body, "x", signed, secret, at},
		{ReasonHeaderMissing, body, "1789635720", "", secret, at},
	} {
		_, err := verify(refused.body, refused.timestamp, refused.signature, refused.now, refused.secret)
		var webhook *WebhookError
		if !errors.As(err, &webhook) || webhook.Reason != refused.reason {
			t.Error(refused.reason, err)
		}
	}
}

func TestAWrongSecretIsAnotherError(t *testing.T) {
	for _, secrets := range [][]string{nil, {""}, {secret + "\n"}} {
		_, err := verify(body, "1789635720", signed, at, secrets...)
		var webhook *WebhookError
		if err == nil || errors.As(err, &webhook) {
			t.Error(secrets, err)
		}
	}
}
