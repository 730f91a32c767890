package gateway

import (
	"context"
	"errors"
	"math/rand"
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
var DefaultRepeats = Repeats{ruleAttempts, ruleLongestPause, ruleResolveFor}

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
	if !errors.As(err, &refusal) || contains(ruleNoAnswerCodes, refusal.Code) {
		return a.pauseWithoutAnswer()
	}
	if a.keyed && contains(ruleOpenOutcomeCodes, refusal.Code) {
		return a.pauseForOutcome()
	}
	if refusal.RetryAfter > 0 && contains(ruleComeAgainStatuses, refusal.Status) {
		return refusal.RetryAfter, a.countFailure(refusal.RetryAfter)
	}
	return 0, false
}

func (a *attempts) pauseForOutcome() (time.Duration, bool) {
	pause := ruleOpenOutcomePause.lengthen(a.asked)
	if a.askedFor+pause > a.repeats.ResolveFor {
		return 0, false
	}
	a.asked++
	a.askedFor += pause
	return pause, true
}

// It may have happened.
func (a *attempts) pauseWithoutAnswer() (time.Duration, bool) {
	if !a.keyed && !a.reading {
		return 0, false
	}
	share := ruleNoAnswerMinShare + rand.Float64()*(1-ruleNoAnswerMinShare)
	pause := time.Duration(share * float64(ruleNoAnswerPause.lengthen(a.failed)))
	return pause, a.countFailure(pause)
}

// countFailure says whether another attempt may follow after the pause.
func (a *attempts) countFailure(pause time.Duration) bool {
	a.failed++
	return pause <= a.repeats.LongestPause && a.failed < a.repeats.Attempts
}

// growingPause doubles with each failure, from the first to the longest.
type growingPause struct {
	first, longest time.Duration
}

func (p growingPause) lengthen(failed int) time.Duration {
	pause := p.first
	for n := 0; n < failed && pause < p.longest; n++ {
		pause *= 2
	}
	if pause > p.longest {
		return p.longest
	}
	return pause
}

func contains[T comparable](list []T, wanted T) bool {
	for _, each := range list {
		if each == wanted {
			return true
		}
	}
	return false
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
