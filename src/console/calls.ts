// The calls that a page has made, as curl and as TypeScript: whoever looks at a page learns how to
// do the same by the API.
import { type Html, html } from '../html.ts'
import { bodyText, type Call, indented } from './api.ts'

/** Folded at the end of each page. */
export function callsOf(calls: readonly Call[], origin: string): Html | '' {
  if (calls.length === 0) return ''
  return html`<details class="calls"><summary>How to do this by the API</summary>
${calls.map(call => oneCall(call, origin))}</details>`
}

function oneCall(call: Call, origin: string): Html {
  return html`<section><h3><code>${call.method} ${call.path}</code></h3>
${block('curl', asCurl(call, origin))}
${block('TypeScript', asTypeScript(call, origin))}
${isOneObject(call) ? block('Answer', indented(call.answer)) : ''}</section>`
}

function block(name: string, text: string): Html {
  return html`<figure class="code"><figcaption>${name}</figcaption>
<pre tabindex="0">${text}</pre></figure>`
}

/** An answer of one object; a list would make the page twice as long. */
function isOneObject({ answer }: Call): boolean {
  return answer.startsWith('{') && !answer.includes('"object":"list"')
}

export function asCurl({ method, path, body, account_id }: Call, origin: string): string {
  const lines = [`curl -u "$CORRIDOR_KEY" ${inShell(`${origin}${path}`)}`]
  if (method !== 'GET') lines[0] += ` -X ${method}`
  if (account_id !== null) lines.push(`-H 'Corridor-Account: ${account_id}'`)
  if (method === 'POST') lines.push('-H "Idempotency-Key: $(uuidgen)"')
  if (body !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d ${inShell(bodyText(body))}`)
  }
  return lines.join(' \\\n  ')
}

export function asTypeScript({ method, path, body, account_id }: Call, origin: string): string {
  const key = 'Buffer.from(process.env.CORRIDOR_KEY).toString("base64")'
  const headers = [`    Authorization: \`Basic \${${key}}\`,`]
  if (account_id !== null) headers.push(`    'Corridor-Account': '${account_id}',`)
  if (method === 'POST') headers.push("    'Idempotency-Key': crypto.randomUUID(),")
  if (body !== undefined) headers.push("    'Content-Type': 'application/json',")
  const lines = [
    `const answer = await fetch(${JSON.stringify(`${origin}${path}`)}, {`,
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    '  headers: {',
    ...headers,
    '  },',
    ...(body === undefined ? [] : [`  body: ${JSON.stringify(bodyText(body))},`]),
    '})',
    'const { data } = await answer.json()',
  ]
  return lines.join('\n')
}

/** In single quotes of a shell, whatever is in it. */
function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
