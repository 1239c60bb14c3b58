// Writes a request as a program of the Python client. Pure.
import { pythonName } from './names.ts'
import { type Call, callOf, type Language, type SnippetRequest, writeValue } from './snippet.ts'

const PYTHON: Language = {
  text: value => JSON.stringify(value),
  word: value => (value === null ? 'None' : value ? 'True' : 'False'),
  number: String,
  name: name => JSON.stringify(name),
  indent: '    ',
  space: '',
}

/** Undefined when the client has no method for the request. */
export function python(request: SnippetRequest): string | undefined {
  const call = callOf(request)
  if (call === undefined) return undefined
  const needs = request.key === undefined ? 'import os\n\n' : ''
  const program = `${clientOf(request)}\n${callText(call, request.body)}`
  return `${needs}from corridor import Corridor\n\n${program}`
}

function clientOf({ origin, key, account_id }: SnippetRequest): string {
  const args = [
    key === undefined ? 'os.environ["CORRIDOR_KEY"]' : JSON.stringify(key),
    JSON.stringify(origin),
    ...(account_id ? [`account=${JSON.stringify(account_id)}`] : []),
  ]
  return `client = Corridor(${args.join(', ')})`
}

function callText(call: Call, body: unknown): string {
  const { way, name, params, list, json, query } = call
  const method = ['client', ...way, name].map(pythonName).join('.')
  const positional = [...params, body].filter(one => one !== undefined)
  const args = [
    ...positional.map(one => writeValue(PYTHON, one, '', method.length)),
    ...argumentsOf(query).map(([name, value]) => `${name}=${writeValue(PYTHON, value)}`),
  ]
  const called = `${method}(${args.join(', ')})`
  const { object } = call
  if (!json) return `answer = ${called}\nprint(answer.body.decode())`
  if (!list) return `${object} = ${called}\nprint(${object})`
  if (query.has('limit')) return `page = ${called}.page()\nprint(page["results"])`
  return `for ${object} in ${called}:\n    print(${object})`
}

/** `created.gte` is `created_gte`; `metadata[key]` is a member of `metadata`. */
function argumentsOf(query: Call['query']): [name: string, value: unknown][] {
  const members = new Map<string, unknown>()
  for (const [name, value] of query) {
    const [, outer, key] = /^(\w+)\[(.+)\]$/.exec(name) ?? []
    if (outer === undefined || key === undefined) members.set(pythonName(name), value)
    else members.set(outer, { ...(members.get(outer) as object | undefined), [key]: value })
  }
  return [...members]
}
