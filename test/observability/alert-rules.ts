// Reads deploy/alerts.yaml as strictly as Prometheus does: its fields, durations, names, templates and expressions.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@msgnet/cli/build/root.ts'
import { parseDocument } from 'yaml'
import * as z from 'zod'

export const rulesFile = join(projectRoot, 'deploy', 'alerts.yaml')

const Duration = z.string().regex(/^(\d+(ms|[smhdwy]))+$/, 'must be a duration')
const LabelName = z
  .string()
  .regex(/^[a-zA-Z_]\w*$/, 'must be the name of a label')
  .refine((name) => name !== '__name__')
const Template = z.string().superRefine((text, context) => {
  for (const fault of findTemplateFaults(text)) context.addIssue(fault)
})
const Expression = z.string().superRefine((text, context) => {
  for (const fault of findExpressionFaults(text)) context.addIssue(fault)
})

const Rule = z.strictObject({
  alert: z.string().regex(/^[A-Z][A-Za-z]+$/),
  expr: Expression,
  for: Duration.optional(),
  keep_firing_for: Duration.optional(),
  labels: z.record(LabelName, Template).optional(),
  annotations: z.record(LabelName, Template).optional(),
})
export type Rule = z.infer<typeof Rule>

const Group = z.strictObject({
  name: z.string().min(1),
  interval: Duration.optional(),
  limit: z.int().min(0).optional(),
  rules: z.array(Rule),
})
const RulesFile = z.strictObject({ groups: z.array(Group) })

/** Throws with every fault that Prometheus would refuse the file for. */
export function parseRules(text: string): Rule[] {
  const document = parseDocument(text, { strict: true, uniqueKeys: true })
  const faults = [...document.errors, ...document.warnings]
  if (faults.length > 0) throw new Error(faults.map(({ message }) => message).join('\n'))
  const { groups } = RulesFile.parse(document.toJS())
  const names = groups.map(({ name }) => name)
  if (new Set(names).size < names.length) throw new Error(`two groups have one name: ${names}`)
  return groups.flatMap(({ rules }) => rules)
}

export const readRules = (): Rule[] => parseRules(readFileSync(rulesFile, 'utf8'))

const FORMATTERS = ['humanize', 'humanize1024', 'humanizeDuration', 'humanizePercentage', 'humanizeTimestamp']

function findTemplateFaults(text: string): string[] {
  const actions = [...text.matchAll(/\{\{(.*?)\}\}/g)].map(([, action = '']) => action.trim())
  const outside = text.replace(/\{\{.*?\}\}/g, '')
  const isKnown = (action: string) => {
    const [, , formatter] = /^(\$value|\$labels\.[a-zA-Z_]\w*)(?:\s*\|\s*(\w+))?$/.exec(action) ?? []
    return /^\$/.test(action) && (formatter === undefined || FORMATTERS.includes(formatter))
  }
  return [
    ...actions
      .filter((action) => !isKnown(action))
      .map((action) => `the template {{${action}}} is not known`),
    ...(/\{\{|\}\}/.test(outside) ? ['a template is not closed'] : []),
  ]
}

// biome-ignore format: a list of short entries
const CALLS = [
  'absent', 'avg', 'count', 'histogram_quantile', 'increase', 'max', 'min', 'rate', 'sum', 'time', 'by',
  'without', 'on', 'ignoring', 'group_left', 'group_right', 'and', 'or', 'unless',
]
const TOKEN =
  /\s*("(?:[^"\\]|\\.)*"|\[\d+[smhd]\]|[a-zA-Z_:][\w:]*|\d+(?:\.\d+)?(?:e\d+)?|==|!=|=~|!~|>=|<=|[-+*/%^<>=(){},])/y

/** What a parser of PromQL finds first: foreign characters, brackets that do not close, calls of unknown functions. */
function findExpressionFaults(text: string): string[] {
  const faults: string[] = []
  const open: string[] = []
  TOKEN.lastIndex = 0
  let at = 0
  while (at < text.trimEnd().length) {
    const found = TOKEN.exec(text)
    if (!found) return [...faults, `no expression from here on: ${text.slice(at)}`]
    at = TOKEN.lastIndex
    const [, token = ''] = found
    if ('({'.includes(token)) open.push(token)
    if (')}'.includes(token) && open.pop() !== (token === ')' ? '(' : '{'))
      faults.push(`${token} closes nothing`)
    if (/^[a-z_]+$/.test(token) && /^\s*\(/.test(text.slice(at)) && !CALLS.includes(token))
      faults.push(`there is no function ${token}`)
  }
  if (open.length > 0) faults.push(`${open.join(' ')} is not closed`)
  if (/\b(rate|increase)\((?!\s*[\w:]+(\{[^}]*\})?\[)/.test(text)) faults.push('a rate needs a range')
  return faults
}

const METRIC = /\b((?:edge|host|http|db|nodejs|process)_[a-z0-9_]+)/g

/** The metrics of expressions, without the names of labels. */
export function findMetricNames(text: string): string[] {
  const metrics = text.replace(/\{[^}]*\}|\b(?:by|on|without) ?\([^)]*\)/g, '')
  return [...new Set([...metrics.matchAll(METRIC)].map(([, name = '']) => name))]
}
