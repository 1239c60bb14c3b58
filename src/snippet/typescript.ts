// A request as a program of the TypeScript client.
import { camel } from './names.ts'
import { type Call, callOf, type Language, type Sent, written } from './snippet.ts'

const TYPESCRIPT: Language = {
  text: quoted,
  word: String,
  number: value => (value > Number.MAX_SAFE_INTEGER ? `${value}n` : String(value)),
  name: name => (/^[A-Za-z_]\w*$/.test(name) ? name : quoted(name)),
  indent: '  ',
  space: ' ',
}

/** Undefined when the client has no method for it. */
export function typescript(sent: Sent): string | undefined {
  const call = callOf(sent)
  if (call === undefined) return undefined
  const lines = [
    `import { Corridor } from 'corridor-sdk'`,
    '',
    clientOf(sent),
    callText(call, sent.body),
  ]
  return lines.join('\n')
}

function clientOf({ origin, key, account_id }: Sent): string {
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
  const asked = queryOf(call)
  const options = body === undefined ? asked : asked && { query: asked }
  const given = [...params, body, options].filter(one => one !== undefined)
  const args = given.map(one => written(TYPESCRIPT, one, '', method.length))
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
  const whole: Record<string, unknown> = {}
  for (const [name, value] of query) {
    const [, outer = name, dotted, key] = /^(\w+)(?:\.(\w+)|\[(.+)\])?$/.exec(name) ?? []
    const member = dotted ?? key
    if (member === undefined) whole[outer] = value
    else whole[outer] = { ...(whole[outer] as object | undefined), [member]: value }
  }
  return whole
}

function quoted(text: string): string {
  const json = JSON.stringify(text).slice(1, -1)
  return `'${json.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
