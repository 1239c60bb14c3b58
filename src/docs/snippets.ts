// How to send one request, in the languages of the documentation.

/** What the pages write; readers see the address and the key that they have. */
export const ADDRESS = 'http://127.0.0.1:8080'
export const KEY = 'key_…:…'

export interface Sent {
  readonly method: string
  /** With its query. */
  readonly path: string
  readonly body?: unknown
  readonly idempotent: boolean
}

/** Three blocks of code that stand side by side. */
export function snippetsOf(sent: Sent): string {
  return [
    fence('sh', curl(sent)),
    fence('ts', typescript(sent)),
    fence('python', python(sent)),
  ].join('\n\n')
}

export function fence(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}

function curl({ method, path, body, idempotent }: Sent): string {
  const parts = [`curl -u '${KEY}' -X ${method} '${ADDRESS}${path}'`]
  if (idempotent) parts.push(`-H 'Idempotency-Key: YOUR_KEY'`)
  if (body !== undefined) {
    parts.push(`-H 'Content-Type: application/json'`)
    parts.push(`-d '${JSON.stringify(body, null, 2).replaceAll("'", "'\\''")}'`)
  }
  return parts.join(' \\\n  ')
}

function typescript({ method, path, body, idempotent }: Sent): string {
  const lines = [`const response = await fetch('${ADDRESS}${path}', {`, `  method: '${method}',`]
  lines.push('  headers: {', `    Authorization: \`Basic \${btoa('${KEY}')}\`,`)
  if (idempotent) lines.push(`    'Idempotency-Key': 'YOUR_KEY',`)
  if (body !== undefined) lines.push(`    'Content-Type': 'application/json',`)
  lines.push('  },')
  if (body !== undefined) {
    lines.push(`  body: JSON.stringify(${indented(JSON.stringify(body, null, 2))}),`)
  }
  return [...lines, '})', 'const answer = await response.json()'].join('\n')
}

function python({ method, path, body, idempotent }: Sent): string {
  const lines = ['import base64, json, urllib.request', '']
  lines.push('request = urllib.request.Request(', `    "${ADDRESS}${path}",`)
  lines.push(`    method="${method}",`, '    headers={')
  lines.push(`        "Authorization": "Basic " + base64.b64encode(b"${KEY}").decode(),`)
  if (idempotent) lines.push('        "Idempotency-Key": "YOUR_KEY",')
  if (body !== undefined) lines.push('        "Content-Type": "application/json",')
  lines.push('    },')
  if (body !== undefined) {
    lines.push(`    data=json.dumps(${indented(pythonOf(body, ''), '    ')}).encode(),`)
  }
  return [...lines, ')', 'answer = json.load(urllib.request.urlopen(request))'].join('\n')
}

function indented(text: string, by = '  '): string {
  return text.replaceAll('\n', `\n${by}`)
}

/** A value as Python writes it. */
function pythonOf(value: unknown, by: string): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${by}    `
  const isList = Array.isArray(value)
  const members = isList
    ? value.map(each => pythonOf(each, inner))
    : Object.entries(value).map(
        ([name, each]) => `${JSON.stringify(name)}: ${pythonOf(each, inner)}`,
      )
  const [open, close] = isList ? '[]' : '{}'
  if (members.length === 0) return `${open}${close}`
  return `${open}\n${members.map(member => `${inner}${member},`).join('\n')}\n${by}${close}`
}
