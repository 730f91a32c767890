// Package gateway is the client of the msgnet gateway. It needs the standard library only.
package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"
)

// InstanceClient is the client of one instance.
type InstanceClient struct {
	instanceRoutes
}

// AdminClient is the client of the operator.
type AdminClient struct {
	adminRoutes
	baseURL  string
	settings []Setting
}

// NewInstanceClient makes the client of an instance, by its own token.
func NewInstanceClient(baseURL, token string, settings ...Setting) *InstanceClient {
	credential := map[string]string{"token": token}
	return &InstanceClient{instanceRoutes{newSender(baseURL, credential, settings)}}
}

// NewActingClient makes the client of an instance, by an admin token that acts for it.
func NewActingClient(baseURL, adminToken, instance string, settings ...Setting) *InstanceClient {
	credential := map[string]string{"admintoken": adminToken, "instance": instance}
	return &InstanceClient{instanceRoutes{newSender(baseURL, credential, settings)}}
}

// ImportCredential takes over a linked device from another program: its credential as lines of
// JSON, such as an open file. They are sent as they are read, once, up to 64 MiB.
func (c *InstanceClient) ImportCredential(ctx context.Context, lines io.Reader, options ...Option) (*ImportResult, error) {
	return send[*ImportResult](ctx, c.sender, call{
		method: http.MethodPost, path: "/instance/import", lines: lines,
	}, options)
}

// NewAdminClient makes the client of the operator, by an admin token.
func NewAdminClient(baseURL, adminToken string, settings ...Setting) *AdminClient {
	credential := map[string]string{"admintoken": adminToken}
	routes := adminRoutes{newSender(baseURL, credential, settings)}
	return &AdminClient{routes, baseURL, settings}
}

// Instance makes the client of an instance, by its token.
func (c *AdminClient) Instance(token string) *InstanceClient {
	return NewInstanceClient(c.baseURL, token, c.settings...)
}

// A Setting changes how a client sends.
type Setting func(*sender)

// WithHTTPClient sets the transport and the timeout of each request, by default two minutes.
// A redirect is never followed: the token must not go to another place.
func WithHTTPClient(client *http.Client) Setting {
	return func(s *sender) { s.client = *client }
}

// WithRepeats sets how long a call goes on before it returns an error.
func WithRepeats(repeats Repeats) Setting {
	return func(s *sender) { s.repeats = repeats }
}

// withPause replaces the clock in tests.
func withPause(pause func(context.Context, time.Duration) error) Setting {
	return func(s *sender) { s.pause = pause }
}

// An Option is for one request.
type Option func(*choices)

type choices struct {
	key, requestID string
	waitSeconds    int
}

// WithIdempotencyKey names the effect: the same key and request have it once, however often they
// are sent. Without it every call has a new key. It is ignored where a route takes none.
func WithIdempotencyKey(key string) Option {
	return func(c *choices) { c.key = key }
}

// WithWait waits so many seconds for the network, 1 to 45. After that the outcome is unknown, and
// the client asks for it with the same key, for as long as its Repeats say.
func WithWait(seconds int) Option {
	return func(c *choices) { c.waitSeconds = seconds }
}

// WithRequestID names the request in the gateway's log.
func WithRequestID(id string) Option {
	return func(c *choices) { c.requestID = id }
}

// Ptr returns a pointer to the value of an optional field.
func Ptr[T any](value T) *T {
	return &value
}

// An Iterator goes through a list page by page.
//
//	for messages.Next(ctx) {
//		use(messages.Value())
//	}
//	if err := messages.Err(); err != nil { … }
type Iterator[T any] struct {
	fetch func(context.Context) (items []T, more bool, err error)
	items []T
	value T
	ended bool
	err   error
}

func newIterator[T any](fetch func(context.Context) ([]T, bool, error)) *Iterator[T] {
	return &Iterator[T]{fetch: fetch}
}

// Next goes to the next item, and returns false after the last one or an error.
func (i *Iterator[T]) Next(ctx context.Context) bool {
	for len(i.items) == 0 {
		if i.ended || i.err != nil {
			return false
		}
		items, more, err := i.fetch(ctx)
		i.items, i.ended, i.err = items, !more, err
	}
	i.value, i.items = i.items[0], i.items[1:]
	return true
}

// Value returns the present item.
func (i *Iterator[T]) Value() T {
	return i.value
}

// Err returns what ended the iterator before its last item.
func (i *Iterator[T]) Err() error {
	return i.err
}

// errBrokenOff is the cause of an UnreachableError where an answer is not complete.
var errBrokenOff = errors.New("the answer broke off")
