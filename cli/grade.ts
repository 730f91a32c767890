// `npm run grade -- URL`: tries what a receiver of webhooks must do on yours, and says what it does wrong. It needs no gateway.

import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { OperatorError, withOperatorErrors } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { GradedReceiver } from './grade/graded-receiver.ts'
import { computeGrade, drawBadge, type Judged, printFinding, printGrade } from './grade/print-grade.ts'
import { type ReceiverCheck, receiverChecks } from './grade/receiver-checks.ts'

const USAGE = 'The receiver is missing: SECRET=whsec_… npm run grade -- https://my.receiver/hook'

const options = {
  list: { type: 'string' },
  restart: { type: 'string' },
  badge: { type: 'string' },
} as const

async function grade(): Promise<void> {
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const [url, ...others] = positionals
  if (!url || others.length > 0) throw new OperatorError(USAGE)
  for (const each of [url, values.list]) if (each !== undefined) requireHttp(each)
  const { SECRET: secret } = process.env
  if (!secret) throw new OperatorError('SECRET is not set: the secret with which the receiver verifies.')
  const receiver = new GradedReceiver({ url, secret, listUrl: values.list, restart: values.restart })
  const findings: Judged[] = []
  for (const check of receiverChecks) {
    const judged = { check, ...(await runAfter(findings, check, receiver)) }
    findings.push(judged)
    printFinding(judged)
  }
  const found = computeGrade(findings)
  printGrade(found, findings)
  if (values.badge) writeFileSync(resolve(values.badge), drawBadge(found))
  if (findings.some(({ outcome }) => outcome === 'wrong')) process.exitCode = 1
}

/** What takes nothing refuses everything: that says nothing about it. */
const runAfter = async ([first]: Judged[], check: ReceiverCheck, receiver: GradedReceiver) =>
  first?.outcome === 'wrong'
    ? ({ outcome: 'not judged', seen: 'it takes no genuine event' } as const)
    : check.run(receiver)

function requireHttp(text: string): void {
  if (!['http:', 'https:'].includes(URL.parse(text)?.protocol ?? ''))
    throw new OperatorError(`${text} is not an http or https URL.`)
}

await runCommand(() => withOperatorErrors(grade))
