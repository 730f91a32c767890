// The bot on a whole gateway with a simulated network: what it answers, and what it does when something goes wrong.
package shop

import (
	"context"
	"net/http/httptest"
	"reflect"
	"testing"

	"example.org/msgnet-gateway/gateway"
)

// startBot makes an instance whose events go to the bot.
func startBot(t *testing.T) (*lab, Bot, instance) {
	l := openLab(t)
	created := l.createInstance()
	bot := Bot{Shop: gateway.NewInstanceClient(l.BaseURL, created.Token), Secret: l.Receiver.Secret}
	server := httptest.NewServer(bot)
	t.Cleanup(server.Close)
	l.forwardTo(server.URL, created)
	return l, bot, created
}

func checkTexts(t *testing.T, got []string, expected ...string) {
	t.Helper()
	if !reflect.DeepEqual(got, expected) {
		t.Errorf("%q came, and not %q", got, expected)
	}
}

func TestAnswersAMessage(t *testing.T) {
	l, _, own := startBot(t)
	ana := l.createPhone("Ana")
	l.write(ana, own.Number, "hello")
	l.waitUntil(func() bool { return len(l.readTexts(ana)) > 0 })
	checkTexts(t, l.readTexts(ana), "You said: hello")
}

func TestAnswersAnEventThatComesTwiceOnce(t *testing.T) {
	l, _, own := startBot(t)
	played := l.play("an event that comes twice", own)
	got := l.received(own)
	var repeated []bool
	for _, delivery := range got.Received {
		if delivery.Envelope.Message.MessageID != played.Messages[0] {
			continue
		}
		repeated = append(repeated, delivery.IsRepeated)
		if delivery.Program != 204 {
			t.Errorf("the bot answered %d", delivery.Program)
		}
	}
	if !reflect.DeepEqual(repeated, []bool{false, true}) {
		t.Errorf("repeated: %v", repeated)
	}
	if got.Judgement.WrongSignatures != 0 || got.Judgement.RefusedByProgram != 0 {
		t.Errorf("%+v", got.Judgement)
	}
	checkTexts(t, l.readTexts(played.From), "You said: once, please")
}

func TestSendsOnceWhatTheNetworkDidNotConfirm(t *testing.T) {
	l, bot, own := startBot(t)
	to := l.play("a 504 that becomes true", own).To
	sent, err := bot.Notify(context.Background(), to, 7)
	if err != nil {
		t.Fatal(err)
	}
	l.waitUntil(func() bool {
		for _, delivery := range l.received(own).Received {
			for _, id := range delivery.Envelope.Event.MessageIDs {
				if id == sent.MessageID {
					return true
				}
			}
		}
		return false
	})
	checkTexts(t, l.readTexts(to), "Order 7 is on its way")
}
