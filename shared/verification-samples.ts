// Code for receivers that checks the signature of a delivery, in four languages. The documentation and the console show it; a test runs it.

/** Each is a whole function without any package: secret, headers by their lower-case names, and the unchanged bytes of the body. */
export const verificationSamples = {
  TypeScript: `import { createHmac, timingSafeEqual } from "node:crypto"

export function isGenuine(secret: string, headers: Record<string, string>, body: Buffer): boolean {
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": given = "" } = headers
  if (!id || !(Math.abs(Date.now() / 1000 - Number(time)) <= 300)) return false
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice(6), "base64") : Buffer.from(secret)
  const mac = createHmac("sha256", key).update(\`\${id}.\${time}.\`).update(body).digest("base64")
  const wanted = Buffer.from(\`v1,\${mac}\`)
  // Two for a day after the secret was changed: one that fits is enough.
  return given.split(" ").some((one) => {
    const signature = Buffer.from(one)
    return signature.length === wanted.length && timingSafeEqual(signature, wanted)
  })
}
`,
  Python: `import base64, hashlib, hmac, time


def is_genuine(secret, headers, body):
    event, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not event or not at.isdigit() or abs(time.time() - int(at)) > 300:
        return False
    key = base64.b64decode(secret[6:] + "==") if secret.startswith("whsec_") else secret.encode()
    mac = hmac.new(key, f"{event}.{at}.".encode() + body, hashlib.sha256).digest()
    wanted = b"v1," + base64.b64encode(mac)
    # Two for a day after the secret was changed: one that fits is enough.
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(one.encode(), wanted) for one in given)
`,
  PHP: `<?php
function isGenuine(string $secret, array $headers, string $body): bool
{
    $id = $headers['webhook-id'] ?? '';
    $time = $headers['webhook-timestamp'] ?? '';
    if ($id === '' || !preg_match('/^\\d+$/', $time) || abs(time() - (int) $time) > 300) {
        return false;
    }
    $key = str_starts_with($secret, 'whsec_') ? base64_decode(substr($secret, 6)) : $secret;
    $wanted = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$time.$body", $key, true));
    // Two for a day after the secret was changed: one that fits is enough.
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $one) {
        if (hash_equals($wanted, $one)) {
            return true;
        }
    }
    return false;
}
`,
  Go: `package receiver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

func IsGenuine(secret string, headers http.Header, body []byte) bool {
	id, at := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	seconds, err := strconv.ParseInt(at, 10, 64)
	if id == "" || err != nil || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
		return false
	}
	key := []byte(secret)
	if strings.HasPrefix(secret, "whsec_") {
		if key, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(secret[6:], "=")); err != nil {
			return false
		}
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.%s", id, at, body)
	wanted := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// Two for a day after the secret was changed: one that fits is enough.
	for _, one := range strings.Fields(headers.Get("webhook-signature")) {
		if hmac.Equal([]byte(one), []byte(wanted)) {
			return true
		}
	}
	return false
}
`,
} as const
