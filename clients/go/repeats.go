package gateway

import (
	"context"
	"errors"
	"math/rand"
	"net/http"
	"time"
)

// Repeats says how long a call goes on before it returns an error. A request is sent again only
// where that cannot have a second effect.
type Repeats struct {
	// Attempts is the number of requests in all, where the gateway was not reached or said when to
	// come again.
	Attempts int
	// LongestPause is the longest Retry-After that is waited for.
	LongestPause time.Duration
	// ResolveFor is how long an unknown outcome is asked for with the same key.
	ResolveFor time.Duration
}

// DefaultRepeats is what a client does unless WithRepeats says something else.
var DefaultRepeats = Repeats{Attempts: 4, LongestPause: time.Minute, ResolveFor: time.Minute}

// attempts counts those of one request.
type attempts struct {
	repeats        Repeats
	keyed, reading bool
	failed         int
	asked          int
	askedFor       time.Duration
}

// nextPause returns the time until the next attempt, or false if there must not be one.
func (a *attempts) nextPause(err error) (time.Duration, bool) {
	var refusal *Error
	if errors.As(err, &refusal) && refusal.Code != codeNotJSON {
		open := refusal.Code == CodeOutcomeUnknown || refusal.Code == CodeIdempotencyInProgress
		if a.keyed && open {
			return a.pauseForOutcome()
		}
		return a.pauseAsTold(refusal)
	}
	return a.pauseForWay()
}

func (a *attempts) pauseForOutcome() (time.Duration, bool) {
	pause := lengthen(time.Second, a.asked, 10*time.Second)
	if a.askedFor+pause > a.repeats.ResolveFor {
		return 0, false
	}
	a.asked++
	a.askedFor += pause
	return pause, true
}

// The gateway names a pause only where nothing has happened yet.
func (a *attempts) pauseAsTold(refusal *Error) (time.Duration, bool) {
	switch refusal.Status {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable:
		return refusal.RetryAfter, refusal.RetryAfter > 0 && a.mayRepeat(refusal.RetryAfter)
	}
	return 0, false
}

// Without an answer of the gateway itself it may have happened.
func (a *attempts) pauseForWay() (time.Duration, bool) {
	if !a.keyed && !a.reading {
		return 0, false
	}
	longest := lengthen(500*time.Millisecond, a.failed, 8*time.Second)
	pause := longest/2 + time.Duration(rand.Int63n(int64(longest/2)))
	return pause, a.mayRepeat(pause)
}

func (a *attempts) mayRepeat(pause time.Duration) bool {
	a.failed++
	return pause <= a.repeats.LongestPause && a.failed < a.repeats.Attempts
}

// lengthen doubles a pause with each attempt, up to the longest.
func lengthen(first time.Duration, attempt int, longest time.Duration) time.Duration {
	pause := first
	for n := 0; n < attempt && pause < longest; n++ {
		pause *= 2
	}
	if pause > longest {
		return longest
	}
	return pause
}

func pauseFor(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
