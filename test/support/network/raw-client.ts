// A client that sends raw bytes over TCP and keeps its end open, so that only the server can close
// the connection.
import { connect } from 'node:net'
import { parsed } from '../given/parsed.ts'

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any member of any answer
  readonly json: any
}

export interface Talk {
  /** The answers in order, without those of status 1xx. */
  readonly answers: readonly RawAnswer[]
  /** Whether the server has closed the connection. */
  readonly closed: boolean
}

/**
 * Sends each part after an answer to the part before, and reads until the server closes the
 * connection or sends nothing for `quiet_ms`.
 */
export function talk(
  address: string,
  parts: readonly (string | Buffer)[],
  quiet_ms = 20_000,
): Promise<Talk> {
  const { hostname, port } = new URL(address)
  return new Promise(resolve => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const received: Buffer[] = []
    const finish = (closed: boolean) => {
      socket.destroy()
      resolve({ answers: parseAnswers(Buffer.concat(received)), closed })
    }
    socket.setTimeout(quiet_ms, () => finish(false))
    const left = parts.map(part => bytesOf(part))
    const say = () => void socket.write(left.shift() ?? Buffer.alloc(0))
    socket.on('data', (bytes: Buffer) => {
      received.push(bytes)
      say()
    })
    say()
    // A server that closes with unread bytes resets the connection.
    socket.on('error', () => finish(true))
    socket.on('end', () => finish(true))
  })
}

function parseAnswers(bytes: Buffer): RawAnswer[] {
  const text = bytes.toString('latin1')
  const answers: RawAnswer[] = []
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at)
    if (end === -1) break
    const [line = '', ...lines] = text.slice(at, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map(header => {
        const colon = header.indexOf(':')
        return [header.slice(0, colon).toLowerCase(), header.slice(colon + 1).trim()]
      }),
    )
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1] ?? Number.NaN)
    const length = Number(headers['content-length'] ?? 0)
    at = end + 4 + length
    const body = bytes.subarray(end + 4, at).toString()
    if (status >= 200) answers.push({ status, headers, text: body, json: parsed(body) })
  }
  return answers
}

/** Turns each character into one byte (Latin-1), so that a text can hold any bytes. */
export function bytesOf(part: string | Buffer): Buffer {
  return typeof part === 'string' ? Buffer.from(part, 'latin1') : part
}
