// A request as a program of the Python client. Pure.
import { pythonName } from './names.ts'
import { type Call, callOf, type Language, type Sent, written } from './snippet.ts'

const PYTHON: Language = {
  text: value => JSON.stringify(value),
  word: value => (value === null ? 'None' : value ? 'True' : 'False'),
  number: String,
  name: name => JSON.stringify(name),
  indent: '    ',
  space: '',
}

/** Undefined when the client has no method for it. */
export function python(sent: Sent): string | undefined {
  const call = callOf(sent)
  if (call === undefined) return undefined
  const needs = sent.key === undefined ? 'import os\n\n' : ''
  return `${needs}from corridor import Corridor\n\n${clientOf(sent)}\n${callText(call, sent.body)}`
}

function clientOf({ origin, key, account_id }: Sent): string {
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
  const given = [...params, body].filter(one => one !== undefined)
  const args = [
    ...given.map(one => written(PYTHON, one, '', method.length)),
    ...argumentsOf(query).map(([name, value]) => `${name}=${written(PYTHON, value)}`),
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
  const whole = new Map<string, unknown>()
  for (const [name, value] of query) {
    const [, outer, key] = /^(\w+)\[(.+)\]$/.exec(name) ?? []
    if (outer === undefined || key === undefined) whole.set(pythonName(name), value)
    else whole.set(outer, { ...(whole.get(outer) as object | undefined), [key]: value })
  }
  return [...whole]
}
