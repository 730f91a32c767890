// What a program has to do, to be copied: the call, and the verification of what is posted, in four languages.

import { useState } from 'preact/hooks'
import { texts } from '../texts.ts'
import { Copy } from '../ui/parts.tsx'

const samples = {
  curl: `curl ${location.origin}/webhook -H "token: $TOKEN" -H 'content-type: application/json' \\
  -d '{"url":"https://example.com/hook","events":"all","secret":"'"$SECRET"'"}'`,
  TypeScript: `import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.SECRET)
// body: the text as it came, before anything parsed it.
const event = webhook.verify(body, {
  'webhook-id': headers['webhook-id'],
  'webhook-timestamp': headers['webhook-timestamp'],
  'webhook-signature': headers['webhook-signature'],
})
if (event.EventType === 'messages') console.log(event.message.text)`,
  Python: `import os
from standardwebhooks.webhooks import Webhook

webhook = Webhook(os.environ["SECRET"])
# body: the bytes as they came, before anything parsed them.
event = webhook.verify(body, headers)
if event["EventType"] == "messages":
    print(event["message"]["text"])`,
  PHP: `<?php
$secret = getenv('SECRET');
$key = base64_decode(substr($secret, strlen('whsec_')));
$body = file_get_contents('php://input');
$id = $_SERVER['HTTP_WEBHOOK_ID'];
$time = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'];
$fits = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
$good = abs(time() - (int) $time) <= 300 && array_filter(
    explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE']),
    fn ($given) => hash_equals($fits, $given),
);
http_response_code($good ? 204 : 401);`,
  Go: `key, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("SECRET"), "whsec_"))
mac := hmac.New(sha256.New, key)
// body: the bytes as they came. Refuse a webhook-timestamp more than 5 minutes away.
fmt.Fprintf(mac, "%s.%s.%s", r.Header.Get("webhook-id"), r.Header.Get("webhook-timestamp"), body)
fits := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
for _, given := range strings.Fields(r.Header.Get("webhook-signature")) {
	if hmac.Equal([]byte(given), []byte(fits)) {
		w.WriteHeader(http.StatusNoContent)
		return
	}
}
w.WriteHeader(http.StatusUnauthorized)`,
}
type Language = keyof typeof samples
const languages = Object.keys(samples) as Language[]

export function Samples({ token }: { token: string }) {
  const [language, setLanguage] = useState<Language>('curl')
  const text = samples[language]
  return (
    <section class="card stack">
      <div class="line even">
        <h2>{texts.webhook.samples}</h2>
        <Copy text={text.replace('$TOKEN', token)} />
      </div>
      <fieldset>
        <legend class="unseen">{texts.webhook.language}</legend>
        <div class="line">
          {languages.map((each) => (
            <label class="check" key={each}>
              <input
                type="radio"
                name="language"
                checked={each === language}
                onChange={() => setLanguage(each)}
              />
              {each}
            </label>
          ))}
        </div>
      </fieldset>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </section>
  )
}
