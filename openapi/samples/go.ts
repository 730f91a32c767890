// Makes a Go program of a request, with the standard library only.

import type { SampleRequest } from './sample-request.ts'

const endings = {
  json: 'io.Copy(os.Stdout, response.Body)',
  text: 'io.Copy(os.Stdout, response.Body)',
  stream: 'io.Copy(os.Stdout, response.Body)',
  bytes: 'size, err := io.Copy(io.Discard, response.Body)\n\tfmt.Println(size, err)',
}

export function writeGo({
  method,
  url,
  credential,
  keyed,
  body,
  bodyType,
  responseKind,
}: SampleRequest): string {
  const address = url
    .map(({ text, variable }) => (text === undefined ? `os.Getenv("${variable}")` : JSON.stringify(text)))
    .join(' + ')
  const headers = [
    credential && `request.Header.Set("${credential.header}", os.Getenv("${credential.variable}"))`,
    body !== undefined && `request.Header.Set("content-type", "${bodyType}")`,
    keyed && 'request.Header.Set("idempotency-key", fmt.Sprintf("%x", key))',
  ].filter(Boolean)
  const keyLines = keyed ? '\tkey := make([]byte, 16)\n\trand.Read(key)\n' : ''
  const bodyLines = body === undefined ? '' : `\tbody := strings.NewReader(${quoteGo(body)})\n`
  const modules = [
    keyed && 'crypto/rand',
    'fmt',
    'io',
    'net/http',
    (responseKind !== 'bytes' || address.includes('os.') || credential) && 'os',
    body !== undefined && 'strings',
  ].filter(Boolean)
  return `package main

import (
${modules.map((name) => `\t"${name}"\n`).join('')})

func main() {
${keyLines}${bodyLines}\trequest, err := http.NewRequest("${method}", ${address}, ${body === undefined ? 'nil' : 'body'})
	if err != nil {
		panic(err)
	}
${headers.map((line) => `\t${line}\n`).join('')}	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	fmt.Println(response.Status)
	${endings[responseKind]}
}
`
}

/** A raw string has no backquote in it. */
function quoteGo(body: unknown): string {
  if (typeof body === 'string') return JSON.stringify(body)
  const json = JSON.stringify(body, null, 2)
  return json.includes('`') ? JSON.stringify(json) : `\`${json.replaceAll('\n', '\n\t')}\``
}
