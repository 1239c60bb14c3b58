// Writes a request as a program of the TypeScript client.
import { camel } from './names.ts'
import { type Call, callOf, type Language, type SnippetRequest, writeValue } from './snippet.ts'

const TYPESCRIPT: Language = {
  text: quoted,
  word: String,
  number: value => (value > Number.MAX_SAFE_INTEGER ? `${value}n` : String(value)),
  name: name => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name)),
  indent: '  ',
  space: ' ',
}

/** Undefined when the client has no method for the request. */
export function typescript(request: SnippetRequest): string | undefined {
  const call = callOf(request)
  if (call === undefined) return undefined
  const lines = [
    `import { Corridor } from '@corridor-payouts/sdk'`,
    '',
    clientOf(request),
    callText(call, request.body),
  ]
  return lines.join('\n')
}

function clientOf({ origin, key, account_id }: SnippetRequest): string {
  const members = [
    `apiKey: ${key === undefined ? 'process.env.CORRIDOR_KEY!' : quoted(key)}`,
    `baseUrl: ${quoted(origin)}`,
    ...(account_id ? [`account: ${quoted(account_id)}`] : []),
  ]
  const settings =
    members.length === 2
      ? `{ ${members.join(', ')} }`
      : `{\n${members.map(member => `  ${member},\n`).join('')}}`
  return `const corridor = new Corridor(${settings})`
}

function callText(call: Call, body: unknown): string {
  const { way, name, params, list, json, query } = call
  const method = ['corridor', ...way, name].map(camel).join('.')
  const query_object = queryOf(call)
  const options = body === undefined ? query_object : query_object && { query: query_object }
  const positional = [...params, body, options].filter(one => one !== undefined)
  const args = positional.map(one => writeValue(TYPESCRIPT, one, '', method.length))
  const called = `${method}(${args.join(', ')})`
  const what = camel(call.object)
  if (!json) return `const response = await ${called}\nconsole.log(await response.text())`
  if (!list) return `const ${what} = await ${called}\nconsole.log(${what})`
  // A limit asks for one page.
  if (query.has('limit')) return `const page = await ${called}\nconsole.log(page.results)`
  return `for await (const ${what} of ${called}) {\n  console.log(${what})\n}`
}

/** `created.gte` and `metadata[key]` are members of one object. */
function queryOf({ query }: Call): object | undefined {
  if (query.size === 0) return undefined
  const members: Record<string, unknown> = {}
  for (const [name, value] of query) {
    const [, outer = name, dotted, key] = /^(\w+)(?:\.(\w+)|\[(.+)\])?$/.exec(name) ?? []
    const member = dotted ?? key
    if (member === undefined) members[outer] = value
    else members[outer] = { ...(members[outer] as object | undefined), [member]: value }
  }
  return members
}

function quoted(text: string): string {
  const json = JSON.stringify(text).slice(1, -1)
  return `'${json.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
