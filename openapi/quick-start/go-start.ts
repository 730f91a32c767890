// The quick start in Go, with its standard library: each step is a function, and the last one calls them all.

import { customer, shop } from '@msgnet/shared/api/sample-values.ts'
import { verificationSamples } from '@msgnet/shared/verification-samples.ts'
import { SAMPLE_ORIGIN } from '../sample-origin.ts'
import type { Steps } from './start-steps.ts'

/** The sample without its own head: the imports of the program are in its first step. */
const isGenuine = verificationSamples.Go.slice(verificationSamples.Go.indexOf('func IsGenuine'))

export const goSteps: Steps = {
  prepare: `package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"math"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const origin = "${SAMPLE_ORIGIN}"

type object = map[string]any
type headers = map[string]string

var admin, auth headers

func readAdminToken() {
	token, err := os.ReadFile(".data/admin-token")
	if err != nil {
		log.Fatal(err)
	}
	admin = headers{"admintoken": strings.TrimSpace(string(token))}
}

func call(method, path string, with headers, body object) object {
	var data []byte
	if body != nil {
		data, _ = json.Marshal(body)
	}
	request, err := http.NewRequest(method, origin+path, bytes.NewReader(data))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("content-type", "application/json")
	for name, value := range with {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	var answer object
	json.NewDecoder(response.Body).Decode(&answer)
	if response.StatusCode >= 300 {
		log.Fatal(path, ": ", response.Status, " ", answer)
	}
	return answer
}
`,
  create: `func createInstance() {
	made := call("POST", "/instance/init", admin, object{"name": "Shop"})
	auth = headers{"token": made["instance"].(object)["token"].(string)}
}
`,
  connect: `func requestCode() string {
	shown := call("POST", "/instance/connect", auth, nil)
	return shown["pairing"].(object)["qr"].(string)
}
`,
  scan: `const simulation = "/console/laboratory"

func linkDevice(qr string) {
	call("POST", simulation+"/sim/phones", admin, object{"number": "${shop}", "name": "The Shop"})
	call("POST", simulation+"/sim/phones", admin, object{"number": "${customer}", "name": "Bruno"})
	call("POST", simulation+"/sim/phones/${shop}/scan", admin, object{"qr": qr})
	for call("GET", "/instance/status", auth, nil)["instance"].(object)["status"] != "connected" {
		time.Sleep(time.Second)
	}
}
`,
  webhook: `func setWebhook() string {
	url := call("GET", simulation+"/receiver", admin, nil)["url"]
	key := make([]byte, 32)
	rand.Read(key)
	secret := "whsec_" + base64.StdEncoding.EncodeToString(key)
	call("POST", "/webhook", auth, object{"url": url, "events": "all", "secret": secret})
	fmt.Println(call("POST", "/webhook/test", auth, nil))
	return secret
}
`,
  verify: `${isGenuine}
func verifyDelivery(secret string) {
	last := call("GET", simulation+"/receiver/test", admin, nil)
	body, _ := base64.StdEncoding.DecodeString(last["body"].(string))
	received := http.Header{}
	for name, value := range last["headers"].(object) {
		received.Set(name, value.(string))
	}
	if !IsGenuine(secret, received, body) {
		log.Fatal("The delivery is not genuine.")
	}
	fmt.Println("genuine:", string(body))
}
`,
  send: `func sendText() {
	keyed := headers{"token": auth["token"], "idempotency-key": "order-7"}
	sent := call("POST", "/send/text", keyed, object{
		"number": "${customer}",
		"text":   "Your order 7 is on its way.",
	})
	fmt.Println(sent["messageid"], sent["status"])
}
`,
  receive: `func receiveText() {
	call("POST", simulation+"/sim/messages", admin, object{
		"from": "${customer}", "to": "${shop}", "text": "Thank you!",
	})
	for {
		delivered, _ := json.Marshal(call("GET", "/v1/events?status=delivered", auth, nil))
		if strings.Contains(string(delivered), "Thank you!") {
			break
		}
		time.Sleep(time.Second)
	}
	fmt.Println(call("POST", "/chat/find", auth, nil))
}

func main() {
	readAdminToken()
	createInstance()
	linkDevice(requestCode())
	secret := setWebhook()
	verifyDelivery(secret)
	sendText()
	receiveText()
}
`,
}
