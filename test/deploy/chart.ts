// Renders the chart in deploy/chart as Helm does, as far as it uses Helm's language: values, if, range, quote, required, toYaml, nindent.

import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const { parse, parseAllDocuments, stringify } = createRequire(import.meta.url)('yaml')

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

type Node =
  | { text: string }
  | { value: string }
  | { if: string; inner: Node[] }
  | { range: string; names: string[]; inner: Node[] }

interface Scope {
  root: Json
  dot: Json
  names: Record<string, Json>
}

/** All objects that it would create. Throws for a word that it does not know, as Helm does. */
export function renderChart(folder: string, release: string, values: Json): Json[] {
  const presets = parse(readFileSync(join(folder, 'values.yaml'), 'utf8'))
  const root = { Release: { Name: release }, Values: mergeValues(presets, values) }
  const scope = { root, dot: root, names: {} }
  return readdirSync(join(folder, 'templates'))
    .sort()
    .map((name) => readFileSync(join(folder, 'templates', name), 'utf8'))
    .flatMap((text) => readObjects(renderNodes(parseTemplate(text), scope)))
}

/** Throws for what is no YAML, or has a key twice. */
export function readObjects(text: string): Json[] {
  return parseAllDocuments(text).flatMap((document: { errors: Error[]; toJS(): Json }) => {
    if (document.errors[0]) throw document.errors[0]
    return document.toJS() ?? []
  })
}

const isObject = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function mergeValues(preset: Json | undefined, value: Json): Json {
  if (!isObject(preset) || !isObject(value)) return value
  const merged = { ...preset }
  for (const [key, inner] of Object.entries(value)) merged[key] = mergeValues(preset[key], inner)
  return merged
}

/** `{{-` takes the white space before it away, `-}}` the one behind. */
function parseTemplate(text: string): Node[] {
  const top: Node[] = []
  const open: Node[][] = [top]
  const trimmed = text.replace(/\s*\{\{-/g, '{{').replace(/-\}\}\s*/g, '}}')
  for (const [index, piece] of trimmed.split(/\{\{\s*([\s\S]*?)\s*\}\}/).entries()) {
    const here = open.at(-1) ?? top
    if (index % 2 === 0) here.push({ text: piece })
    else if (piece === 'end') open.pop()
    else if (piece.startsWith('if ')) {
      const inner: Node[] = []
      here.push({ if: piece.slice('if '.length), inner })
      open.push(inner)
    } else if (piece.startsWith('range ')) {
      const [, variables, list = ''] = /^range (?:(\$\w+, \$\w+) := )?(.+)$/.exec(piece) ?? []
      const inner: Node[] = []
      here.push({ range: list, names: variables?.split(', ') ?? [], inner })
      open.push(inner)
    } else here.push({ value: piece })
  }
  if (open.length !== 1) throw new Error('an if or range has no end')
  return top
}

const renderNodes = (nodes: Node[], scope: Scope): string =>
  nodes.map((node) => renderNode(node, scope)).join('')

function renderNode(node: Node, scope: Scope): string {
  if ('text' in node) return node.text
  if ('value' in node) return String(evaluateExpression(node.value, scope))
  if ('if' in node) return isTrue(evaluateExpression(node.if, scope)) ? renderNodes(node.inner, scope) : ''
  const list = evaluateExpression(node.range, scope)
  // Helm goes through a map in the order of its keys.
  const entries: [Json, Json][] = Array.isArray(list)
    ? [...list.entries()]
    : Object.entries(list as { [key: string]: Json }).sort(([one], [other]) => (one < other ? -1 : 1))
  return entries
    .map(([key, dot]) => {
      const [keyName, valueName] = node.names
      const names = keyName && valueName ? { ...scope.names, [keyName]: key, [valueName]: dot } : scope.names
      return renderNodes(node.inner, { ...scope, dot, names })
    })
    .join('')
}

const isTrue = (value: Json): boolean =>
  Boolean(value) && (typeof value !== 'object' || Object.keys(value ?? {}).length > 0)

/** A pipeline: the value of each step is the last argument of the next. */
function evaluateExpression(text: string, scope: Scope): Json {
  return text.split(/\s*\|\s*/).reduce<Json | undefined>((piped, step) => {
    const words = step.match(/"[^"]*"|\S+/g) ?? []
    const [first = '', ...rest] = words
    const args = rest.map((word) => readWord(word, scope))
    if (piped !== undefined) args.push(piped)
    return callFunction(first, args, scope)
  }, undefined) as Json
}

function callFunction(name: string, args: Json[], scope: Scope): Json {
  const [one = null, two = null] = args
  switch (name) {
    case 'quote':
      return JSON.stringify(String(one))
    case 'toYaml':
      return stringify(one).trimEnd()
    case 'nindent':
      return `\n${String(two).replace(/^/gm, ' '.repeat(Number(one)))}`
    case 'required':
      if (two === null || two === '') throw new Error(String(one))
      return two
    default:
      return readWord(name, scope)
  }
}

function readWord(word: string, { root, dot, names }: Scope): Json {
  if (/^".*"$|^\d+$/.test(word)) return JSON.parse(word)
  if (word === '.') return dot
  const [start = '', ...path] = word.split('.')
  if (start.startsWith('$') && start.length > 1) {
    if (path.length > 0 || names[start] === undefined) throw new Error(`${word} is not known here`)
    return names[start]
  }
  if (start !== '' && start !== '$') throw new Error(`${word} is not known here`)
  return path.reduce<Json>(
    (value, key) => (isObject(value) ? (value[key] ?? null) : null),
    start === '$' ? root : dot,
  )
}
