// Makes the mutants of a source file: each replaces some characters by a small mistake that a
// person could make. It knows JavaScript, and neither the product nor its tests.
import { stripTypeScriptTypes } from 'node:module'
import { type AnyNode, type Literal, type Node, type Program, parse } from 'acorn'

/** One mistake: `text` replaces the characters from `start` to `end`, the latter excluded. */
export interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
}

export interface Mutant extends Change {
  readonly file: string
  /** The number of its line, from 1. */
  readonly line: number
  /** The function around it; '' outside any function. */
  readonly where: string
  /** The lines that it changes, joined into one, before and after. */
  readonly before: string
  readonly after: string
}

/** Every mutant of a file, in the order of the text. */
export function mutantsOf(file: string, source: string): Mutant[] {
  // Types become spaces, so that every character keeps its position.
  const code = stripTypeScriptTypes(source)
  const mutants = new Map<string, Mutant>()
  const program = parseModule(code)
  for (const { node, parent, where } of walk(program, undefined, '')) {
    for (const change of changesOf(node, parent, code)) {
      const name = `${change.start} ${change.end} ${change.text}`
      const same = code.slice(change.start, change.end) === change.text
      if (same || mutants.has(name) || !parses(code, program, change)) continue
      mutants.set(name, describe({ file, where, source }, change))
    }
  }
  return [...mutants.values()].sort((a, b) => a.start - b.start || a.end - b.end)
}

export function applied(source: string, { start, end, text }: Change): string {
  return source.slice(0, start) + text + source.slice(end)
}

function describe(
  { file, where, source }: { file: string; where: string; source: string },
  change: Change,
): Mutant {
  const from = source.lastIndexOf('\n', change.start - 1) + 1
  const to = `${source}\n`.indexOf('\n', change.end)
  const after = source.slice(from, change.start) + change.text + source.slice(change.end, to)
  return {
    ...change,
    file,
    where,
    line: source.slice(0, change.start).split('\n').length,
    before: oneLine(source.slice(from, to)),
    after: oneLine(after),
  }
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

function parseModule(code: string): Program {
  return parse(code, { ecmaVersion: 'latest', sourceType: 'module' })
}

/** Whether the changed source still parses; parses only the top-level statement with the change. */
function parses(code: string, program: Program, change: Change): boolean {
  const holds = ({ start, end }: Node) => start <= change.start && change.end <= end
  const { start, end } = program.body.find(holds) ?? program
  const shift = change.text.length - (change.end - change.start)
  try {
    parseModule(applied(code, change).slice(start, end + shift))
    return true
  } catch {
    return false
  }
}

interface Visit {
  readonly node: AnyNode
  readonly parent: AnyNode | undefined
  readonly where: string
}

function* walk(node: AnyNode, parent: AnyNode | undefined, where: string): Generator<Visit> {
  const inside = node.type === 'FunctionDeclaration' ? (node.id?.name ?? where) : where
  yield { node, parent, where: inside }
  for (const child of Object.values(node).flat()) {
    if (isNode(child)) yield* walk(child, node, inside)
  }
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

const BINARY: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '**': ['*'],
  '<<': ['>>'],
  '>>': ['<<'],
}
const LOGICAL: Readonly<Record<string, string>> = { '&&': '||', '||': '&&', '??': '&&' }
const ASSIGNMENT: Readonly<Record<string, string>> = {
  '+=': '-=',
  '-=': '+=',
  '*=': '/=',
  '/=': '*=',
}
/** Methods whose call can be left out, because object and result have the same type. */
const DROPPED = new Set([
  'filter',
  'normalize',
  'padStart',
  'replace',
  'slice',
  'sort',
  'toLowerCase',
  'toUpperCase',
  'trim',
])
const RENAMED: Readonly<Record<string, string>> = {
  endsWith: 'startsWith',
  every: 'some',
  max: 'min',
  min: 'max',
  some: 'every',
  startsWith: 'endsWith',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
}

/** The mistakes at one node, without those of its children. */
function changesOf(node: AnyNode, parent: AnyNode | undefined, code: string): Change[] {
  switch (node.type) {
    case 'BinaryExpression':
      if (node.operator === '+' && (isText(node.left) || isText(node.right))) return []
      return (BINARY[node.operator] ?? []).map(to => operator(node, node.operator, to, code))
    case 'LogicalExpression':
      return [
        { ...place(node), text: part(node.left, code) },
        { ...place(node), text: part(node.right, code) },
        { ...place(node), text: `(${swapped(node, code)})` },
      ]
    case 'AssignmentExpression': {
      const to = ASSIGNMENT[node.operator]
      return to === undefined ? [] : [operator(node, node.operator, to, code)]
    }
    case 'UnaryExpression':
      if (node.operator !== '!' && node.operator !== '-') return []
      return [{ ...place(node), text: part(node.argument, code) }]
    case 'UpdateExpression': {
      const text = slice(node, code).replace(/\+\+|--/, found => (found === '++' ? '--' : '++'))
      return [{ ...place(node), text }]
    }
    case 'IfStatement':
    case 'ConditionalExpression':
      return ['true', 'false'].map(text => ({ ...place(node.test), text }))
    case 'WhileStatement':
    case 'DoWhileStatement':
      return [{ ...place(node.test), text: 'false' }]
    case 'ForStatement':
      return node.test ? [{ ...place(node.test), text: 'false' }] : []
    default:
      return [...valueChanges(node, parent, code), ...statementChanges(node, parent)]
  }
}

function valueChanges(node: AnyNode, parent: AnyNode | undefined, code: string): Change[] {
  switch (node.type) {
    case 'Literal':
      return isName(node, parent) ? [] : literal(node).map(text => ({ ...place(node), text }))
    case 'TemplateLiteral':
      return parent?.type === 'TaggedTemplateExpression' ? [] : [{ ...place(node), text: '``' }]
    case 'ArrayExpression': {
      const spread = node.elements.filter(element => element?.type === 'SpreadElement')
      const all = { ...place(node), text: node.elements.length === 0 ? "['mutant']" : '[]' }
      return [all, ...spread.map(element => without(node, node.elements, element as Node))]
    }
    case 'ObjectExpression':
      return node.properties.map(property => without(node, node.properties, property))
    case 'ArrowFunctionExpression':
      return node.expression ? [{ ...place(node.body), text: 'undefined' }] : []
    case 'MemberExpression':
      return node.optional ? [certain(node.object, node.computed, code)] : []
    case 'CallExpression':
      return [
        ...(node.optional ? [certain(node.callee, true, code)] : []),
        ...methodChanges(node, node.callee, code),
      ]
    default:
      return []
  }
}

function methodChanges(call: AnyNode, callee: AnyNode, code: string): Change[] {
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return []
  const { name } = callee.property
  const to = RENAMED[name]
  return [
    ...(DROPPED.has(name) ? [{ ...place(call), text: slice(callee.object, code) }] : []),
    ...(to === undefined ? [] : [{ ...place(callee.property), text: to }]),
  ]
}

function statementChanges(node: AnyNode, parent: AnyNode | undefined): Change[] {
  switch (node.type) {
    case 'ReturnStatement':
      return node.argument ? [{ ...place(node.argument), text: 'undefined' }] : []
    case 'ExpressionStatement':
    case 'ThrowStatement':
      // A mutant of the condition already leaves out a statement that only an `if` guards.
      return parent?.type === 'IfStatement' && !parent.alternate
        ? []
        : [{ ...place(node), text: ';' }]
    case 'BlockStatement': {
      // A function that ends in a return and is emptied returns undefined, like the mutant of that
      // return.
      const last = node.body.at(-1)?.type
      if (last === undefined || last === 'ReturnStatement') return []
      const decided = parent?.type === 'IfStatement' && !parent.alternate
      const only = node.body.length === 1 && /^(Expression|Throw)/.test(last)
      return decided || only ? [] : [{ ...place(node), text: '{}' }]
    }
    case 'SwitchCase': {
      const [first] = node.consequent
      return first === undefined ? [] : [{ start: first.start, end: node.end, text: '' }]
    }
    default:
      return []
  }
}

function literal(node: Literal): string[] {
  if (node.regex) return patterns(node.regex.pattern, node.regex.flags)
  if (node.bigint) return [`${node.bigint === '1' ? 0n : BigInt(node.bigint) + 1n}n`]
  switch (typeof node.value) {
    case 'string':
      return [node.value === '' ? "'mutant'" : "''"]
    case 'number':
      return [String(node.value === 1 ? 0 : node.value + 1)]
    case 'boolean':
      return [String(!node.value)]
    default:
      return []
  }
}

/** The pattern without each of its anchors, and without the flag `g`. */
function patterns(pattern: string, flags: string): string[] {
  return [
    ...[/(?<![\\[])\^/g, /(?<!\\)\$/g].flatMap(anchor =>
      [...pattern.matchAll(anchor)].map(({ index }) => [
        pattern.slice(0, index) + pattern.slice(index + 1),
        flags,
      ]),
    ),
    ...(flags.includes('g') ? [[pattern, flags.replace('g', '')]] : []),
  ].map(([text, rest]) => `/${text}/${rest}`)
}

/** Whether the literal is a module's or a member's name, and so no value. */
function isName(node: Literal, parent: AnyNode | undefined): boolean {
  if (parent?.type === 'Property') return parent.key === node
  return parent !== undefined && /^(Import|Export)/.test(parent.type)
}

function isText(node: AnyNode): boolean {
  if (node.type === 'BinaryExpression') return isText(node.left) || isText(node.right)
  return (
    node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string')
  )
}

function place({ start, end }: Node): Pick<Change, 'start' | 'end'> {
  return { start, end }
}

function slice(node: Node, code: string): string {
  return code.slice(node.start, node.end)
}

/** An operand as text that can replace its whole expression. */
function part(node: AnyNode, code: string): string {
  const text = slice(node, code)
  const binds = !/^(Logical|Conditional|Arrow|Sequence|Assignment|Binary)/.test(node.type)
  return binds ? text : `(${text})`
}

function swapped(
  node: AnyNode & { operator: string; left: AnyNode; right: AnyNode },
  code: string,
): string {
  const to = LOGICAL[node.operator] ?? node.operator
  return `${part(node.left, code)} ${to} ${part(node.right, code)}`
}

function operator(
  node: { readonly left: Node; readonly right: Node },
  from: string,
  to: string,
  code: string,
): Change {
  const start = code.indexOf(from, node.left.end)
  return { start, end: start + from.length, text: to }
}

/** `a.b` for `a?.b`, `a[b]` for `a?.[b]`, `a(b)` for `a?.(b)`. */
function certain(object: Node, brackets: boolean, code: string): Change {
  const start = code.indexOf('?.', object.end)
  return { start, end: start + 2, text: brackets ? '' : '.' }
}

/** The change that removes one member from a list. */
function without(list: Node, members: readonly (Node | null)[], member: Node): Change {
  const i = members.indexOf(member)
  const next = members[i + 1]
  if (next) return { start: member.start, end: next.start, text: '' }
  const before = members[i - 1]
  return before
    ? { start: before.end, end: member.end, text: '' }
    : { start: list.start + 1, end: list.end - 1, text: '' }
}
