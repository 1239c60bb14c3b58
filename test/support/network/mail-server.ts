// A mail server for tests: takes what it is sent by SMTP, with TLS from the first byte, or after STARTTLS.
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer, TLSSocket } from 'node:tls'
import { listenOn } from './port.ts'

export interface TakenMail {
  readonly from: string
  readonly to: readonly string[]
  /** Its head and body, as they were sent. */
  readonly data: string
  readonly secured: boolean
  /** Who has logged in; '' for nobody. */
  readonly user: string
}

interface Offer {
  /** `none` offers no TLS at all. */
  readonly tls: 'first' | 'starttls' | 'none'
  readonly key: string
  readonly cert: string
}

export interface MailServer {
  readonly port: number
  readonly taken: TakenMail[]
  /** Answers each recipient with this from now on; '' takes them. */
  refuse(answer: string): void
  close(): Promise<void>
}

export async function startMailServer({ tls, key, cert }: Offer): Promise<MailServer> {
  const taken: TakenMail[] = []
  const open = new Set<Socket>()
  let refusal = ''
  const serve = (socket: Socket, secured: boolean, greets: boolean) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => open.delete(socket))
    const upgrade = () => {
      socket.removeAllListeners('data')
      serve(new TLSSocket(socket, { isServer: true, key, cert }), true, false)
    }
    converse(socket, {
      secured,
      greets,
      offers: tls === 'starttls' && !secured,
      upgrade,
      refusal: () => refusal,
      take: mail => taken.push(mail),
    })
  }
  const server: Server =
    tls === 'first'
      ? createTlsServer({ key, cert }, socket => serve(socket, true, true))
      : createServer(socket => serve(socket, false, true))
  server.on('tlsClientError', () => {})
  return {
    port: await listenOn(server),
    taken,
    refuse(answer) {
      refusal = answer
    },
    async close() {
      for (const socket of open) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

interface Session {
  readonly secured: boolean
  readonly greets: boolean
  readonly offers: boolean
  upgrade(): void
  refusal(): string
  take(mail: TakenMail): void
}

/** RFC 5321, as far as a client needs it. */
function converse(socket: Socket, session: Session): void {
  const { secured } = session
  let [buffer, user, from, isData] = ['', '', '', false]
  let to: string[] = []
  const say = (...lines: readonly string[]) => {
    socket.write(lines.map(line => `${line}\r\n`).join(''))
  }
  const commands: Readonly<Record<string, (rest: string) => void>> = {
    EHLO: () =>
      say('250-mail.example', ...(session.offers ? ['250-STARTTLS'] : []), '250 AUTH PLAIN'),
    STARTTLS: () => {
      say(session.offers ? '220 Go ahead' : '502 Unknown')
      if (session.offers) session.upgrade()
    },
    AUTH: rest => {
      const [, name = ''] = Buffer.from(rest.replace('PLAIN ', ''), 'base64').toString().split('\0')
      user = name
      say('235 Welcome')
    },
    MAIL: rest => {
      from = /<(.*)>/.exec(rest)?.[1] ?? ''
      say('250 OK')
    },
    RCPT: rest => {
      const refusal = session.refusal()
      if (refusal === '') to.push(/<(.*)>/.exec(rest)?.[1] ?? '')
      say(refusal || '250 OK')
    },
    DATA: () => {
      isData = true
      say('354 Go on')
    },
    RSET: () => say('250 OK'),
    QUIT: () => {
      say('221 Bye')
      socket.end()
    },
  }
  const readLine = (line: string) => {
    const [word = '', ...rest] = line.split(' ')
    const command = commands[word.toUpperCase()]
    if (command === undefined) say('502 Unknown')
    else command(rest.join(' '))
  }
  socket.setEncoding('utf8').on('data', (part: string) => {
    buffer += part
    for (;;) {
      const mark = isData ? '\r\n.\r\n' : '\r\n'
      const at = buffer.indexOf(mark)
      if (at === -1) return
      const text = buffer.slice(0, at)
      buffer = buffer.slice(at + mark.length)
      if (isData) {
        isData = false
        session.take({ from, to, data: text, secured, user })
        to = []
        say('250 Taken')
      } else readLine(text)
    }
  })
  if (session.greets) say('220 mail.example ready')
}
