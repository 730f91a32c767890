// The code that the documentation and the console give to receivers: run as it stands there, on signatures as we make them.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSignatureHeaders } from '@msgnet/edge/delivery/signature.ts'
import { verificationSamples } from '@msgnet/shared/verification-samples.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { SECRET } from '../device.ts'
import { canRun } from '../optional-programs.ts'

const folder = mkdtempSync(join(tmpdir(), 'verification-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const PLAIN = 'a-secret-of-their-own-choice'
const UNPADDED = SECRET.replace(/=+$/, '')
const body = '{"EventType":"messages","text":"olá"}'
const toBytes = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>

interface Case {
  is: string
  genuine: boolean
  secret: string
  headers: Record<string, string>
  body: string
}

async function createCases(): Promise<Case[]> {
  const id = crypto.randomUUID()
  const now = Date.now()
  const signBody = (secrets: string[], at = now) => createSignatureHeaders(id, at, toBytes(body), secrets)
  const common = { secret: SECRET, body }
  const right = await signBody([SECRET])
  return [
    { ...common, is: 'signed', genuine: true, headers: right },
    {
      ...common,
      is: 'signed by a plain secret',
      genuine: true,
      secret: PLAIN,
      headers: await signBody([PLAIN]),
    },
    {
      ...common,
      is: 'signed by a secret without padding',
      genuine: true,
      secret: UNPADDED,
      headers: await signBody([UNPADDED]),
    },
    { ...common, is: 'signed twice', genuine: true, headers: await signBody([PLAIN, SECRET]) },
    { ...common, is: 'signed by another', genuine: false, headers: await signBody([PLAIN]) },
    { ...common, is: 'changed', genuine: false, headers: right, body: body.replace('olá', 'ola') },
    { ...common, is: 'an hour old', genuine: false, headers: await signBody([SECRET], now - 3_600_000) },
    { ...common, is: 'an hour ahead', genuine: false, headers: await signBody([SECRET], now + 3_600_000) },
    { ...common, is: 'another event', genuine: false, headers: { ...right, 'webhook-id': 'another' } },
    { ...common, is: 'unsigned', genuine: false, headers: await signBody([]) },
    { ...common, is: 'bare', genuine: false, headers: {} },
  ]
}

const PROGRAM = {
  TypeScript: {
    program: process.execPath,
    args: ['main.ts'],
    probe: ['--version'],
    files: (code: string) => ({
      'sample.ts': code,
      'main.ts': `import { readFileSync } from 'node:fs'
import { isGenuine } from './sample.ts'
const cases = JSON.parse(readFileSync(0, 'utf8'))
console.log(JSON.stringify(cases.map((one) => isGenuine(one.secret, one.headers, Buffer.from(one.body)))))`,
    }),
  },
  Python: {
    program: 'python3',
    args: ['main.py'],
    probe: ['--version'],
    files: (code: string) => ({
      'sample.py': code,
      'main.py': `import json, sys
from sample import is_genuine
cases = json.loads(sys.stdin.buffer.read().decode())
print(json.dumps([is_genuine(one["secret"], one["headers"], one["body"].encode()) for one in cases]))`,
    }),
  },
  PHP: {
    program: 'php',
    args: ['main.php'],
    probe: ['--version'],
    files: (code: string) => ({
      'sample.php': code,
      'main.php': `<?php require 'sample.php';
$cases = json_decode(file_get_contents('php://stdin'), true);
echo json_encode(array_map(fn ($one) => isGenuine($one['secret'], $one['headers'], $one['body']), $cases));`,
    }),
  },
  Go: {
    program: 'go',
    args: ['run', '.'],
    probe: ['version'],
    files: (code: string) => ({
      'go.mod': 'module receiver\n\ngo 1.18\n',
      'sample.go': code.replace('package receiver', 'package main'),
      'main.go': `package main

import (
	"encoding/json"
	"net/http"
	"os"
)

func main() {
	var cases []struct {
		Secret, Body string
		Headers      map[string]string
	}
	json.NewDecoder(os.Stdin).Decode(&cases)
	answers := []bool{}
	for _, one := range cases {
		headers := http.Header{}
		for name, value := range one.Headers {
			headers.Set(name, value)
		}
		answers = append(answers, IsGenuine(one.Secret, headers, []byte(one.Body)))
	}
	json.NewEncoder(os.Stdout).Encode(answers)
}
`,
    }),
  },
}

const languages = Object.keys(verificationSamples) as (keyof typeof verificationSamples)[]

describe.each(languages)('in %s', (language) => {
  const { program, args, probe, files } = PROGRAM[language]
  const missing = canRun(program, probe) ? '' : `${program} is not on this machine`

  test('only signed deliveries are genuine', async ({ skip }) => {
    if (missing) skip(missing)
    const place = mkdtempSync(join(folder, 'run-'))
    for (const [name, text] of Object.entries(files(verificationSamples[language])))
      writeFileSync(join(place, name), text)
    const input = await createCases()
    const output = execFileSync(program, args, { cwd: place, input: JSON.stringify(input) }).toString()
    const results: boolean[] = JSON.parse(output)
    const verdicts = input.map(({ is }, index) => [is, results[index]])
    expect(verdicts).toEqual(input.map(({ is, genuine }) => [is, genuine]))
  })
})
