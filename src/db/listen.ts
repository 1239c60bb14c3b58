// Listens to notifications on a connection of its own, and again after it is lost.
import { setTimeout as delay } from 'node:timers/promises'
import type { Connection } from './connection.ts'

interface Listening {
  /** Makes a connection; `onLost` is called when it is lost. */
  readonly make: (onLost: () => void) => Connection
  readonly open: (connection: Connection) => Promise<void>
  readonly channel: string
  readonly onNotification: (payload: string) => void
  /** Called when it listens: the first time, and after it may have missed notifications. */
  readonly onListen?: (() => void) | undefined
}

/** Between attempts to listen again. */
const PAUSE_MS = 250

/** Listens until the signal. Resolves when it listens for the first time, or rejects. */
export async function keepListening(listening: Listening, ended: AbortSignal): Promise<void> {
  const first = await listen(listening, ended)
  void listenAgain(listening, ended, first)
}

interface Session {
  /** Resolves when the connection is lost. */
  readonly lost: Promise<void>
}

async function listenAgain(listening: Listening, ended: AbortSignal, first: Session) {
  let session: Session | undefined = first
  while (!ended.aborted) {
    await (session?.lost ?? delay(PAUSE_MS, undefined, { ref: false }))
    if (!ended.aborted) session = await listen(listening, ended).catch(() => undefined)
  }
}

async function listen(listening: Listening, ended: AbortSignal): Promise<Session> {
  const { make, open, channel, onNotification, onListen } = listening
  const lost = Promise.withResolvers<void>()
  const connection = make(lost.resolve)
  const close = () => connection.destroy()
  ended.addEventListener('abort', close, { once: true })
  void lost.promise.then(() => ended.removeEventListener('abort', close))
  try {
    await open(connection)
    connection.onNotification(onNotification)
    await connection.send({ text: `listen "${channel}"`, parameters: [], prepare: false })
    onListen?.()
  } catch (error) {
    connection.destroy()
    throw error
  }
  return { lost: lost.promise }
}
