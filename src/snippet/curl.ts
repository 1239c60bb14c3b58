// A request as a shell command. Pure.
import { callOf, type Sent } from './snippet.ts'

/** `data` is the body as JSON. */
export function curl(sent: Sent, data: string | undefined): string {
  const { origin, verb, path, key, account_id } = sent
  const lines = [`curl -u ${key === undefined ? '"$CORRIDOR_KEY"' : inShell(key)}`]
  lines[0] += `${verb === 'GET' ? '' : ` -X ${verb}`} ${inShell(`${origin}${path}`)}`
  if (account_id) lines.push(`-H 'Corridor-Account: ${account_id}'`)
  if (callOf(sent)?.keyed ?? verb === 'POST') lines.push('-H "Idempotency-Key: $(uuidgen)"')
  if (data !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d ${inShell(data)}`)
  }
  return lines.join(' \\\n  ')
}

/** Quotes any text for the shell with single quotes. */
function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
