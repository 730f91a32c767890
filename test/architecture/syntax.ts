// The syntax tree of a source file: its functions with their names and sizes, and its literals that are spread into literals.

import { parseSync } from 'vite'
import type { Source } from './sources.ts'

interface Node {
  type: string
  start: number
  end: number
  [field: string]: unknown
}

export interface SourceFunction {
  path: string
  /** Line of its first character, from 1. */
  line: number
  /** How many lines it takes, from its first to its last. */
  lines: number
  /** What it is called by, if it has a name: as a declaration, variable, method, or member of a type. */
  name: string | undefined
  /** It only holds others: what a test file passes to `describe`, or a function that does nothing but return a literal of data. */
  isTable: boolean
}

export interface SyntaxFacts {
  functions: SourceFunction[]
  /** Lines where an object or array literal is spread into another. */
  spreadLiterals: { path: string; line: number }[]
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])
const LITERALS = new Set(['ObjectExpression', 'ArrayExpression'])

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'

/** The nodes right below this one. */
function* listChildren(node: Node): Generator<Node> {
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) yield* value.filter(isNode)
    else if (isNode(value)) yield value
  }
}

const readIdentifier = (node: unknown) =>
  isNode(node) && (node.type === 'Identifier' || node.type === 'PrivateIdentifier')
    ? String(node.name)
    : undefined

/** The name by which a member of a class, of an object or of a type is called; entries of tables (`key: () => …`) have none. */
function findMemberName(parent: Node): string | undefined {
  if (parent.computed || parent.kind === 'get' || parent.kind === 'set' || parent.kind === 'constructor')
    return undefined
  if (parent.type === 'Property') return parent.method ? readIdentifier(parent.key) : undefined
  return readIdentifier(parent.key)
}

function findName(node: Node, parent: Node | undefined): string | undefined {
  const own = readIdentifier(node.id)
  if (own || !parent) return own
  if (parent.type === 'VariableDeclarator') return readIdentifier(parent.id)
  if (['MethodDefinition', 'PropertyDefinition', 'Property'].includes(parent.type))
    return parent.value === node ? findMemberName(parent) : undefined
  return undefined
}

/** The name of a member of a type that is a function. */
function findSignatureName(node: Node): string | undefined {
  if (node.type === 'TSMethodSignature') return node.kind === 'method' ? readIdentifier(node.key) : undefined
  if (node.type !== 'TSPropertySignature' || node.computed) return undefined
  const annotation = isNode(node.typeAnnotation) ? node.typeAnnotation.typeAnnotation : undefined
  return isNode(annotation) && annotation.type === 'TSFunctionType' ? readIdentifier(node.key) : undefined
}

function containsFunctions(node: Node): boolean {
  return [...listChildren(node)].some((child) => FUNCTIONS.has(child.type) || containsFunctions(child))
}

function isDescribe(parent: Node | undefined): boolean {
  if (parent?.type !== 'CallExpression') return false
  let callee = parent.callee
  while (isNode(callee) && !readIdentifier(callee))
    callee = callee.type === 'CallExpression' ? callee.callee : callee.object
  return readIdentifier(callee) === 'describe'
}

function isTable(node: Node, parent: Node | undefined): boolean {
  if (isDescribe(parent)) return true
  const body = node.body as Node
  const statements = body?.type === 'BlockStatement' ? (body.body as Node[]) : undefined
  const returned = statements ? (statements.length === 1 ? statements[0]?.argument : undefined) : body
  return isNode(returned) && LITERALS.has(returned.type) && !containsFunctions(returned)
}

export function readSyntax({ path, text }: Source): SyntaxFacts {
  const { program, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`)
  const starts = [...text.matchAll(/^/gm)].map(({ index }) => index)
  const lineAt = (offset: number) => {
    let line = starts.findLastIndex((start) => start <= offset) + 1
    if (line < 1) line = 1
    return line
  }
  const facts: SyntaxFacts = { functions: [], spreadLiterals: [] }
  const visitNode = (node: Node, parent: Node | undefined) => {
    const signature = findSignatureName(node)
    if (FUNCTIONS.has(node.type) || signature !== undefined) {
      const line = lineAt(node.start)
      facts.functions.push({
        path,
        line,
        lines: lineAt(node.end - 1) - line + 1,
        name: signature ?? findName(node, parent),
        isTable: signature !== undefined || isTable(node, parent),
      })
    }
    if (node.type === 'SpreadElement' && parent && LITERALS.has(parent.type)) {
      const { argument } = node
      if (isNode(argument) && LITERALS.has(argument.type))
        facts.spreadLiterals.push({ path, line: lineAt(node.start) })
    }
    for (const child of listChildren(node)) visitNode(child, node)
  }
  visitNode(program as unknown as Node, undefined)
  return facts
}
