// Writes a request as a shell command. Pure.
import { inShell } from '../../values/text/shell.ts'
import { callOf, type SnippetRequest } from './snippet.ts'

/** `data` is the body as JSON. */
export function curl(request: SnippetRequest, data: string | undefined): string {
  const { origin, verb, path, key, account_id } = request
  const lines = [`curl -u ${key === undefined ? '"$CORRIDOR_KEY"' : inShell(key)}`]
  lines[0] += `${verb === 'GET' ? '' : ` -X ${verb}`} ${inShell(`${origin}${path}`)}`
  if (account_id) lines.push(`-H 'Corridor-Account: ${account_id}'`)
  if (callOf(request)?.keyed ?? verb === 'POST') lines.push('-H "Idempotency-Key: $(uuidgen)"')
  if (data !== undefined) {
    lines.push("-H 'Content-Type: application/json'", `-d ${inShell(data)}`)
  }
  return lines.join(' \\\n  ')
}
