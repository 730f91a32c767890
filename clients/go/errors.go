package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Error is an answer of the gateway that is not a success. Find it with errors.As.
type Error struct {
	Status int `json:"-"`
	// Code is for programs: one of the constants Code…, or what a later version adds.
	Code    string `json:"error"`
	Message string `json:"message"`
	// MessageID is the id of the message, if it is unknown whether it was sent.
	MessageID string `json:"messageid"`
	// ProviderCode is the network's own number, 0 if there is none.
	ProviderCode int64          `json:"provider_code"`
	Key          string         `json:"error_key"`
	Details      map[string]any `json:"details"`
	// RequestID names the request in the gateway's log.
	RequestID string `json:"-"`
	// RetryAfter is the pause after which the request can be repeated, 0 if there is none.
	RetryAfter time.Duration `json:"-"`
	// IdempotencyKey is the key of the request. To repeat it with this key is safe.
	IdempotencyKey string `json:"-"`
}

func (e *Error) Error() string {
	text := strings.TrimSuffix(fmt.Sprintf("%d %s: %s", e.Status, e.Code, e.Message), ": ")
	if e.RequestID == "" {
		return text
	}
	return fmt.Sprintf("%s (request %s)", text, e.RequestID)
}

// OutcomeUnknown says that the network was asked and did not answer in time: it may have had its
// effect. The client has asked again with the same key, for as long as it may. Do not send it with
// another key; FindMessages by the MessageID tells later what became of it.
func (e *Error) OutcomeUnknown() bool {
	return e.Status == http.StatusGatewayTimeout
}

// UnreachableError says that there was no answer: the gateway was not reached, the connection
// broke, or the context ended. With its key the request can be repeated safely.
type UnreachableError struct {
	Route          string
	IdempotencyKey string
	Cause          error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("%s had no answer: %v", e.Route, e.Cause)
}

// Unwrap returns the cause, for errors.Is with context.Canceled and its like.
func (e *UnreachableError) Unwrap() error {
	return e.Cause
}

const codeNotJSON = "not_json"

// readError reads a refusal. A proxy may answer with other content than JSON.
func readError(response *http.Response, text []byte, key string) *Error {
	refusal := &Error{}
	if err := json.Unmarshal(text, refusal); err != nil || refusal.Code == "" {
		shown := text
		if len(shown) > 200 {
			shown = shown[:200]
		}
		refusal = &Error{Code: codeNotJSON, Message: string(shown)}
	}
	refusal.Status = response.StatusCode
	refusal.RequestID = response.Header.Get("X-Request-Id")
	refusal.IdempotencyKey = key
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
		refusal.RetryAfter = time.Duration(seconds) * time.Second
	}
	return refusal
}
