// Listens to notifications on a connection of its own. When it is lost, listens on a new one.
import { setTimeout as delay } from 'node:timers/promises'
import type { Connection } from './connection.ts'
import { command } from './sql.ts'

interface Listening {
  /** Opens a connection; `onLost` is called when it is lost. */
  readonly open: (onLost: () => void) => Promise<Connection>
  readonly channel: string
  readonly onNotification: (payload: string) => void
  /** Called when listening begins: the first time, and again after it may have missed some. */
  readonly onListen: (() => void) | undefined
  readonly ended: AbortSignal
}

/** The pause between attempts to listen again. */
const PAUSE_MS = 250

/** Listens until `ended`. Resolves when it listens for the first time, or rejects. */
export async function keepListening(listening: Listening): Promise<void> {
  const first = await listen(listening)
  void listenAgain(listening, first)
}

interface Session {
  /** Resolves when the connection is lost. */
  readonly lost: Promise<void>
}

async function listenAgain(listening: Listening, first: Session): Promise<void> {
  let session: Session | undefined = first
  while (!listening.ended.aborted) {
    await (session?.lost ?? delay(PAUSE_MS, undefined, { ref: false }))
    if (!listening.ended.aborted) session = await listen(listening).catch(() => undefined)
  }
}

async function listen(listening: Listening): Promise<Session> {
  const { open, channel, onNotification, onListen, ended } = listening
  const lost = Promise.withResolvers<void>()
  const connection = await open(lost.resolve)
  const close = () => connection.destroy()
  ended.addEventListener('abort', close, { once: true })
  void lost.promise.then(() => ended.removeEventListener('abort', close))
  try {
    if (ended.aborted) throw new Error('nobody listens any more')
    connection.onNotification(onNotification)
    await connection.send(command(`listen "${channel}"`))
    onListen?.()
  } catch (error) {
    connection.destroy()
    throw error
  }
  return { lost: lost.promise }
}
